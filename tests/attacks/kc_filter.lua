-- expect: error, budget
-- threat: a filter of a sweep that never returns, yields, or sweeps itself
-- vm: any
local kc = require "kcost"

local C = kc.write("C", kc.map("relu", kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))))
local function sweep(f) return kc.sweep { kernel = C, device = "l4", size = { i = kc.range(1, 100) }, where = f } end
local depth = 0
local function nested() depth = depth + 1 sweep(nested) return true end
pcall(nested)
pcall(sweep, function() error({}) end)
pcall(coroutine.wrap(function() sweep(coroutine.yield) end))
pcall(coroutine.wrap(function() sweep(function() coroutine.yield() end) end))
sweep(function() while true do end end)
