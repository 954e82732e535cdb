-- error: kc.tensor: the name is missing
-- line: 5
local kc = require "kcost"

kc.tensor("", "m k", "f16", { m = 4, k = 4 })
