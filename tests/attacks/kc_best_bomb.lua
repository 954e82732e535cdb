-- expect: error, budget
-- threat: a search of as many points, with a filter that nothing passes
-- vm: any
local kc = require "kcost"

local s = { i = 4096, j = 4096, k = 4096 }
local C = kc.write("C", kc.matmul(kc.read(kc.tensor("A", "i k", "f16", s)), kc.read(kc.tensor("B", "k j", "f16", s))))
local axis = kc.range(1, 1000)
local space = { tile = { i = axis, j = axis, k = axis }, stages = { 1, 2, 3 }, where = "time < 0" }
while true do pcall(kc.best, C, "h100-sxm5", space) end
