-- error: kc.read: size of 'k' is 33, but A has only 32 along 'k'
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.read(A, { size = { k = 33 } })
