-- fused.lua: bias and GELU behind a matmul: three kernels, or one?
local kc = require "kcost"

local size = { m = 8192, n = 4096, k = 1024 }
local X, W = kc.tensor("X", "m k", "bf16", size), kc.tensor("W", "k n", "bf16", size)
local bias = kc.tensor("bias", "n", "bf16", size)
local Y = kc.write("Y", kc.matmul(kc.read(X), kc.read(W)))
local Z = kc.write("Z", kc.map("add", kc.read(Y), kc.read(bias)))
local G = kc.write("G", kc.map("gelu", kc.read(Z)))

local device = kc.param("device", "h100")
local fused = kc.fuse("fused", { Y, Z, G })
return kc.compare({ kc.program("apart", { Y, Z, G }), fused, kc.best(fused, device).kernel }, device)
