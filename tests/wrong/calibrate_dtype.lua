-- error: kc.calibrate: rows: number 1, copy: unknown dtype 'fp16'; did you mean 'f16'?
-- line: 6
local kc = require "kcost"
local rows = {}
for i = 1, 12 do rows[i] = { name = "copy", time = 1e-3 * i, flops = 1e9 * i, dtype = "fp16" } end
kc.calibrate { device = "h100-sxm5", rows = rows }
