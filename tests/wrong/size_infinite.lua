-- error: kc.tensor: size of dim 'm' is inf, and a whole number from 1 up to 2^53 is wanted
-- line: 5
local kc = require "kcost"

kc.tensor("A", "m k", "f16", { m = math.huge, k = 4 })
