-- error: kc: a device has no field 'hmb'; did you mean 'hbm'?
-- line: 6
local kc = require "kcost"

local d = kc.device("h100-sxm5")
return d.hmb
