-- error: kc.calibrate: profile or rows, one of them, says what was measured
-- line: 4
local kc = require "kcost"
kc.calibrate { device = "h100-sxm5", rows = {}, profile = "times.csv" }
