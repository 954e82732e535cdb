-- expect: error, budget or memory
-- threat: the walk of thousands of ops, and a program of thousands of fused ones: each looks at all others
-- vm: any
local kc = require "kcost"

local value = kc.read(kc.tensor("A", "i j", "f16", { i = 4, j = 4 }))
for _ = 1, 6500 do value = kc.map("relu", value) end
local chain = kc.tile(kc.write("C", value), { i = 4, j = 4 })
local last, steps = kc.tensor("T0", "i", "f16", { i = 1000 }), {}
pcall(function()
  for n = 1, 20000 do
    last = kc.write("T" .. n, kc.map("relu", kc.read(last)))
    steps[n] = last
  end
end)
while true do
  pcall(kc.verify, chain)
  pcall(function() kc.program("p", { kc.fuse("all", steps) }) end)
end
