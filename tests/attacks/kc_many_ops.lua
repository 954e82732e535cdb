-- expect: finishes or error
-- threat: searches, sentences and listings about kernels of thousands of ops: each point, each tile that might fit, costs
-- vm: any
local kc = require "kcost"

local s = { i = 1000, r = 100, m = 50 }
local makers = {
  function(v) return kc.map("relu", v) end,
  function(v, n) return kc.map("add", v, kc.read(kc.tensor("A" .. n, "r i", "f16", s), "[m] i", { size = s })) end,
  function(v, n) return kc.map("add", kc.reduce("sum", v, "i"), kc.read(kc.tensor("A" .. n, "m i", "f16", s))) end,
}
for _, count in ipairs { 50, 800 } do
  for _, make in ipairs(makers) do
    local v = kc.read(kc.tensor("A", "r i", "f16", s), "[m] i", { size = s })
    for n = 1, count do v = make(v, n) end
    local C = kc.write("C", v)
    for _, ask in ipairs {
      function() return kc.evaluate(kc.tile(C, { i = 1000, m = 50 }), "l4") end,
      function() return tostring(kc.compare({ C, C }, { "l4" })) end,
      function() return kc.evaluate(C, "l4"):explain() end,
      function() return tostring(kc.tile(C, { i = 10 })) end,
      function() return kc.verify(kc.tile(C, { i = 500 })) end,
      function() return kc.best(C, "l4", { tile = { i = { 1, 10, 100 }, m = { 1, 10 } } }) end,
      function() return kc.best(C, "h100-sxm5") end,
      function() return kc.sweep { kernel = C, device = "l4", tile = { i = { 1, 10 } }, threads = 1 } end,
      function() return kc.fuse_all(kc.program("p", { C }), "l4") end,
    } do pcall(ask) end
  end
end
