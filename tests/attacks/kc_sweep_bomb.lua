-- expect: error, budget
-- threat: a sweep of 10^18 points
-- vm: any
local kc = require "kcost"

local s = { i = 4096, j = 4096, k = 4096 }
local C = kc.write("C", kc.matmul(kc.read(kc.tensor("A", "i k", "f16", s)), kc.read(kc.tensor("B", "k j", "f16", s))))
local axis = kc.range(1, 1000)
while true do
  pcall(kc.sweep, { kernel = C, device = "h100-sxm5", tile = { i = axis, j = axis, k = axis }, size = { i = axis, j = axis, k = axis }, keep = { top = 1 } })
end
