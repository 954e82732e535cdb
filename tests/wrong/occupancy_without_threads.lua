-- error: kc.occupancy: threads is missing: how many a CTA has
-- line: 5
local kc = require "kcost"

local r = kc.occupancy("h100-sxm5", { registers = 64 })
return r
