-- error: kc.best: options 'measured' and 'convention' are evaluate's and count's alone
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local r = kc.best(C, "h100-sxm5", { tile = { m = { 16, 32 } } }, { measured = 1e-6 })
return r
