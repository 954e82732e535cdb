-- error: kc.device: device 'mine': a peak is missing: matrix.f16 or vector.f32, say (FLOP/s, dense), or cores, clock and rate
-- line: 5
local kc = require "kcost"

kc.device{ name = "mine", hbm = { bandwidth = 1e12 } }
