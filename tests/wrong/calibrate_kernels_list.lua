-- error: kc.calibrate: kernels: expected kernels by pattern, as { ["gemm"] = kernel }, got one whose pattern is a number
-- line: 6
local kc = require "kcost"
local p = { kind = "profile", source = "by hand", form = "plain", kernels = {}, launches = {}, notes = {}, launch_count = 1, rows = 1 }
local gemm = kc.lib.gemm.plain { m = 64, n = 64, k = 64 }
local c = kc.calibrate { device = "l4", profile = p, kernels = { gemm } }
return c
