-- error: kc.tile: kernel is a value, and a kernel or written tensor is wanted: kc.write makes a tensor of it
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.tile(kc.matmul(kc.read(A), kc.read(B)), { m = 16 })
