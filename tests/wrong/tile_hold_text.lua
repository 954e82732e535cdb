-- error: kc.tile: opts.hold is 'C', and a list of tensors' names is wanted
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
kc.tile(C, { m = 16 }, { hold = "C" })
