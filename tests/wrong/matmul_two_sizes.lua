-- error: kc.matmul: dim 'k' is 32 in one operand and 48 in another; a dim has one size in a kernel
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local wide = kc.tensor("D", "k n", "f16", { k = 48, n = 16 })
kc.matmul(kc.read(A), kc.read(wide))
