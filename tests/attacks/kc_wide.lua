-- expect: error, budget or memory
-- threat: sums that use both halves twice: 2^n paths through n ops, then kernels of thousands
-- vm: any
local kc = require "kcost"

local v = kc.read(kc.tensor("A", "i", "f16", { i = 10 }))
for n = 1, 60 do v = kc.map("add", v, v) end
kc.count(kc.write("B", v))
local list, x = {}, kc.tensor("T0", "i", "f16", { i = 1000 })
for n = 1, 1e6 do x = kc.write("T" .. n, kc.map("relu", kc.read(x))) list[#list + 1] = x end
while true do kc.count(kc.fuse("all", list)) end
