-- error: kc.map: dim 'k' is 32 in one operand and 16 in another; a dim has one size in a kernel
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.map("add", kc.read(A), kc.read(kc.tensor("R", "m k", "f16", { m = 64, k = 16 })))
