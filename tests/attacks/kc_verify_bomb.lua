-- expect: error, budget
-- threat: a walk of 10^8 steps, again and again
-- vm: any
local kc = require "kcost"

local s = { i = 2048, j = 2048, k = 2048 }
local C = kc.write("C", kc.matmul(kc.read(kc.tensor("A", "i k", "f16", s)), kc.read(kc.tensor("B", "k j", "f16", s))))
local k = kc.tile(C, { i = 8, j = 8, k = 16 })
while true do pcall(kc.verify, k) end
