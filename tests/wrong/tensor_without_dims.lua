-- error: kc.tensor: 'A' has no dims; give some, as in "m k"
-- line: 5
local kc = require "kcost"

kc.tensor("A", "", "f16", { m = 4 })
