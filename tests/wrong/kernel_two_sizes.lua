-- error: kc.kernel: kernel 'both': dim 'k' is 32 in one tensor and 48 in another; a dim has one size in a kernel
-- line: 11
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local D = kc.tensor("D", "k", "f16", { k = 48 })
local E = kc.write("E", kc.map("exp", kc.read(D)))
kc.kernel("both", { C, E })
