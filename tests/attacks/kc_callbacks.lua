-- expect: finishes or error
-- threat: filters that throw anything, yield, return anything, sweep themselves, or change the row that they are given
-- vm: any
local kc = require "kcost"

local C = kc.write("C", kc.map("relu", kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))))
local held
local function sweep(f) return pcall(kc.sweep, { kernel = C, device = "l4", size = { i = kc.range(1, 30) }, where = f }) end
local function best(f) return pcall(kc.best, C, "l4", { tile = { i = { 1, 2, 4 } }, where = f }) end
local filters = {
  function() error() end, function() error({}) end, function() error(C) end, function() error("x", 0) end, error, coroutine.yield, print, next,
  function() return nil end, function() return {} end, function() return C end, function() coroutine.yield(1) return true end,
  function(r) held = r r.x = r return true end, function(r) for k in pairs(r) do r[k] = nil end return true end,
  function(r) return r.nope.nope end, function(r) setmetatable(r, { __index = error, __gc = error }) return true end,
  function() return sweep(function() return true end) end, function() return best(function() return true end) end,
  function() return pcall(kc.evaluate, C, "l4") end, function(...) return select("#", ...) == 1 end, kc.evaluate, kc.sweep, sweep, best,
  function() return ("x"):rep(1e6) end, function() return pcall(error) end, setmetatable({}, { __call = function() return true end }),
}
for _, f in ipairs(filters) do
  for _, ask in ipairs { sweep, best } do
    ask(f)
    local co = coroutine.create(ask)
    for _ = 1, 40 do coroutine.resume(co, f) end
  end
end
return held ~= nil
