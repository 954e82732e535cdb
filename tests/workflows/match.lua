local kc = require "kcost"
local profile = kc.load_profile("ncu_gemm.csv")
local C = kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096, dtype = "bf16" }
local tiled = kc.tile(C, { m = 256, n = 128, k = 64 }, { stages = 3, cluster = { m = 2 } })
return kc.match(profile, { gemm_bf16 = tiled }, { device = "h100" })
