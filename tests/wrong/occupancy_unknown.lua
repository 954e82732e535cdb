-- error: kc.occupancy: cta has no option 'thread'; did you mean 'threads'?
-- line: 5
local kc = require "kcost"

local r = kc.occupancy("h100-sxm5", { thread = 128 })
return r
