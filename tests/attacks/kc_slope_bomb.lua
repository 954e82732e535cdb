-- expect: error, budget
-- threat: the Pareto front over all tiles and orders, again and again
-- vm: any
local kc = require "kcost"

local s = { i = 4096, j = 4096, k = 4096, l = 4096, m = 4096 }
local C = kc.write("C", kc.matmul(kc.read(kc.tensor("A", "i k l", "f16", s)), kc.read(kc.tensor("B", "k j m", "f16", s)), "k"))
while true do pcall(kc.ski_slope, C) end
