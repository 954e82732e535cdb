-- matmul.lua: the script that the hosts here run: a matmul under the fastest of the usual schedules.
local kc = require "kcost"

local m = kc.param("m", 4096)
local size = { m = m, n = 4096, k = 4096 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))

return kc.best(C, "h100-sxm5")
