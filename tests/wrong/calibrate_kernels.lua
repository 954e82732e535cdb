-- error: kc.calibrate: kernels: 'gemm': expected a kernel, a program or a written tensor, or a list of them, got a number
-- line: 5
local kc = require "kcost"
local p = { kind = "profile", source = "by hand", form = "plain", kernels = {}, launches = {}, notes = {}, launch_count = 1, rows = 1 }
local c = kc.calibrate { device = "l4", profile = p, kernels = { gemm = 1 } }
return c
