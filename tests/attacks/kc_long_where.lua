-- expect: error, budget or memory
-- threat: a condition of 10^5 terms at each point of a search and of a sweep in two threads
-- vm: any
local kc = require "kcost"

local C = kc.write("C", kc.map("relu", kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))))
local where = ("time > 1 or "):rep(25000) .. "time > 1"
local tile = { i = kc.range(1, 1000) }
while true do
  pcall(kc.best, C, "l4", { tile = tile, stages = kc.range(1, 100), where = where })
  pcall(kc.sweep, { kernel = C, device = "l4", tile = tile, stages = kc.range(1, 100), where = where, threads = 2, keep = { top = 1 } })
end
