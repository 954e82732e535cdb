-- error: kc.calibrate: rows: number 1, gemm: kernel: expected a kernel, a program or a written tensor, got a string
-- line: 4
local kc = require "kcost"
kc.calibrate { device = "h100-sxm5", rows = { { name = "gemm", time = 1e-3, kernel = "gemm" } } }
