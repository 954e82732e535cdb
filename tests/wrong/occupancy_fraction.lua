-- error: kc.occupancy: registers must be a whole number of at least 0
-- line: 5
local kc = require "kcost"

local r = kc.occupancy("h100-sxm5", { threads = 128, registers = 63.5 })
return r
