-- expect: error, budget or memory
-- threat: results, sweeps and devices that are all kept: the memory of the model
-- vm: any
local kc = require "kcost"

local s = { i = 512, j = 512, k = 512 }
local C = kc.write("C", kc.matmul(kc.read(kc.tensor("A", "i k", "f16", s)), kc.read(kc.tensor("B", "k j", "f16", s))))
local kept = {}
while true do kept[#kept + 1] = kc.evaluate(C, kc.device("h100-sxm5"):with { hbm = { bandwidth = 1e12 + #kept } }) end
