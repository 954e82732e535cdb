-- error: kc.matmul: into has dim 'q', which the product does not have; it has m n
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local bias = kc.read(kc.tensor("bias", "q", "f16", { q = 3 }))
kc.matmul(kc.read(A), kc.read(B), "k", { into = bias })
