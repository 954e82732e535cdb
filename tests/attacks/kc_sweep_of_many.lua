-- expect: error, budget or memory
-- threat: a sweep and a search of a program of thousands of kernels: a point is long
-- vm: any
local kc = require "kcost"

local A, parts = kc.tensor("A", "i", "f16", { i = 1000 }), {}
for n = 1, 2000 do parts[n] = kc.write("T" .. n, kc.map("relu", kc.read(A))) end
local program, tile = kc.program("p", parts), { i = kc.range(1, 1000) }
while true do
  pcall(kc.sweep, { kernel = program, device = "l4", tile = tile, warps = { 4, 8 }, stages = kc.range(1, 20), threads = 1, keep = { top = 1 } })
  pcall(kc.best, program, "l4", { tile = tile, stages = kc.range(1, 20) })
end
