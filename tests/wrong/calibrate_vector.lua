-- error: kc.calibrate: 0 of 9 rows have a time and a prediction, and 8 are wanted at least, every fourth of them held out; 9 of 9 rows left out (f, …): its FLOP or bytes are no numbers from 0
-- line: 6
local kc = require "kcost"
local rows = {}
for i = 1, 9 do rows[i] = { name = "f", time = 1e-3, vector = "1e9" } end
kc.calibrate { device = "h100-sxm5", rows = rows }
