-- error: kc.tile: stages: kernel 'C' moves no tensor 'X'
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
kc.tile(C, { m = 16, k = 8 }, { stages = { X = 3 } })
