-- error: kc.kernel: kernel 'both': it reads C, which it writes; use kc.fuse to keep it on chip, or two kernels
-- line: 10
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local D = kc.write("D", kc.map("relu", kc.read(C)))
kc.kernel("both", { C, D })
