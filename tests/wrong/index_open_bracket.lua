-- error: kc.read: index '[m k': a '[' is not closed at '[m k'; a position is a dim, an affine form such as 2*p+r-1, or [m]
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.read(A, "[m k")
