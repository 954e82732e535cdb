-- error: kc.read: opts.distinct is 0, and a number of rows above 0 is wanted
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.read(A, "[x] k", { size = { x = 8 }, distinct = 0 })
