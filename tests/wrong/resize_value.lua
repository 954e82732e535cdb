-- error: kc.resize: x is a value, and a kernel, program or written tensor is wanted: kc.write makes a tensor of it
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.resize(kc.read(A), { m = 8 })
