-- error: kc.calibrate: the rows determine none of the constants: matrix: it takes a tenth or more of the time of 0 of 9 rows, and of 3 at least it must; hbm: it takes a tenth or more of the time of 0 of 9 rows, and of 3 at least it must; launch: it takes a tenth or more of the time of 0 of 9 rows, and of 3 at least it must
-- line: 6
local kc = require "kcost"
local rows = {}
for i = 1, 12 do rows[i] = { name = "exp", time = 8e-3 * i, flops = 3e11 * i, dtype = "f32" } end
kc.calibrate { device = "h100-sxm5", rows = rows }
