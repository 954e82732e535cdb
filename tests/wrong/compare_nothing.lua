-- error: kc.compare: nothing to compare
-- line: 5
local kc = require "kcost"

local r = kc.compare({}, { "h100-sxm5" })
return r
