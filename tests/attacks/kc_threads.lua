-- expect: error, budget or memory
-- threat: a sweep in a million threads, whose stacks nobody counts
-- vm: any
local kc = require "kcost"

local C = kc.write("C", kc.map("relu", kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))))
while true do
  pcall(kc.sweep, { kernel = C, device = "l4", size = { i = kc.range(1, 5000) }, stages = kc.range(1, 64), threads = 1e6, keep = { top = 1 } })
end
