-- error: kc.tensor: name is nothing, and a string is wanted
-- line: 5
local kc = require "kcost"

kc.tensor(nil, "m k", "f16", { m = 4, k = 4 })
