-- expect: error, budget
-- threat: the same with nothing kept: the collector sees small userdata and must see what stands behind them
-- vm: any
local kc = require "kcost"

local C = kc.write("C", kc.map("relu", kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))))
while true do local s = kc.sweep { kernel = C, device = "l4", size = { i = kc.range(1, 300) }, threads = 1 } end
