-- expect: error, budget or memory
-- threat: axes of 10^6 numbers: of a figure, whose values are all tried, and of a search, which looks at them again and again
-- vm: any
local kc = require "kcost"

local size = { m = 4096, n = 4096, k = 4096 }
local C = kc.write("C", kc.matmul(kc.read(kc.tensor("A", "m k", "f16", size)), kc.read(kc.tensor("B", "k n", "f16", size))))
local tile, numbers = { m = kc.range(1, 512), n = kc.range(1, 512), k = { 32, 64 } }, kc.range(1e12, 1e12 + 1e6 - 1)
while true do
  pcall(kc.sweep, { kernel = C, device = "l4", ["hbm.bandwidth"] = numbers, where = "time > 1", keep = { top = 1 }, threads = 1 })
  pcall(kc.best, C, "l4", { tile = tile, group = kc.range(1, 1e6) })
end
