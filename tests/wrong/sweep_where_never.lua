-- error: kc.sweep: where, column 26: bound is never 'matrx'; did you mean 'matrix'?
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local s = kc.sweep{ kernel = C, device = "h100-sxm5", tile = { m = { 16, 32 } }, where = "tile.m > 16 and bound == 'matrx'" }
return s
