-- error: kc.read: 'p' has no size in the index of A; give it as size = { p = … }
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.read(A, "m 2*p+r")
