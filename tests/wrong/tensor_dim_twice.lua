-- error: kc.tensor: dims 'm m' names 'm' twice
-- line: 5
local kc = require "kcost"

kc.tensor("A", "m m", "f16", { m = 4 })
