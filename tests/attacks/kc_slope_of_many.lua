-- expect: error, budget or memory
-- threat: the Pareto front over the tiles of thousands of matmuls in one kernel
-- vm: any
local kc = require "kcost"

local size, sum = {}, nil
for d = 1, 6 do size["d" .. d] = 64 end
for n = 1, 2000 do
  local A, B = kc.tensor("A" .. n, "d1 d2 d3 d4", "f16", size), kc.tensor("B" .. n, "d4 d5", "f16", size)
  local product = kc.matmul(kc.read(A), kc.read(B), "d4")
  sum = sum and kc.map("add", sum, product) or product
end
local C = kc.write("C", sum)
while true do pcall(kc.ski_slope, C) end
