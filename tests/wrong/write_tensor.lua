-- error: kc.write: value is the tensor 'A', and a value is wanted: kc.read makes one of it
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.write("C", A)
