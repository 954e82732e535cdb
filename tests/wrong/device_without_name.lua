-- error: kc.device: name is missing
-- line: 5
local kc = require "kcost"

kc.device{ hbm = { bandwidth = 1e12 }, matrix = { f16 = 1e14 } }
