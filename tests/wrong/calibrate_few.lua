-- error: kc.calibrate: 7 of 7 rows have a time and a prediction, and 8 are wanted at least, every fourth of them held out
-- line: 6
local kc = require "kcost"
local rows = {}
for i = 1, 7 do rows[i] = { name = "copy", time = 1e-3 * i, bytes = 1e9 * i } end
kc.calibrate { device = "h100-sxm5", rows = rows }
