-- error: kc.device: device 'mine': hbm.bandwidth is missing (byte/s)
-- line: 5
local kc = require "kcost"

kc.device{ name = "mine", matrix = { f16 = 100e12 } }
