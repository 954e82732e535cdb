-- error: kc.device: hbm.bandwidth must be above 0 (leave out what the device does not have), not -1
-- line: 5
local kc = require "kcost"

kc.device("h100-sxm5"):with{ hbm = { bandwidth = -1 } }
