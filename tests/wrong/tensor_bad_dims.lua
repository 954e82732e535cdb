-- error: kc.tensor: dims 'm 2k' must be names of dims, as in "b h i d"
-- line: 5
local kc = require "kcost"

kc.tensor("A", "m 2k", "f16", { m = 4, k = 4 })
