-- error: kc.calibrate: 5 of 9 rows have a time and a prediction, and 8 are wanted at least, every fourth of them held out; 2 of 9 rows left out (copy, …): it has no time; 2 of 9 rows left out (copy, …): it has no kernel, no FLOP and no bytes
-- line: 6
local kc = require "kcost"
local rows = {}
for i = 1, 9 do rows[i] = { name = "copy", time = i > 2 and 1e-3 or nil, bytes = i > 4 and 1e9 or nil } end
kc.calibrate { device = "h100-sxm5", rows = rows }
