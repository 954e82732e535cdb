-- error: kc.mask: lo is 4 and hi is 0, and whole numbers with lo <= hi are wanted
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.mask(kc.read(A), "m", "k", { lo = 4, hi = 0 })
