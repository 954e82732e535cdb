-- error: kc.occupancy: epyc-9654 does not state smem.per_core
-- line: 5
local kc = require "kcost"

local r = kc.occupancy("epyc-9654", { threads = 128 })
return r
