-- expect: finishes or error
-- threat: what is written down about thousands of rows, of kernels, of namesakes: tables, JSON, CSV, sentences, plots
-- vm: any
local kc = require "kcost"

local C = kc.write("C", kc.map("relu", kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))))
local function all(...)
  for _, what in ipairs { ... } do
    tostring(what)
    for _, method in ipairs { "rows", "columns", "missing", "csv", "json", "table", "explain", "sensitivity" } do
      pcall(function() return what[method](what) end)
    end
    for _, field in ipairs { "tensors", "kernels", "notes", "results", "rejected", "schedule", "times" } do
      pcall(function() for _, part in ipairs(what[field]) do tostring(part) end end)
    end
    for _, name in ipairs { "roofline", "bandwidth", "ledger", "sawtooth", "tiles", "pareto" } do
      pcall(kc.plot[name], what)
      pcall(kc.plot[name], { what, what })
      pcall(kc.plot[name], what, { x = "size.i", y = "time" })
    end
  end
end
for _, n in ipairs { 10, 300, 3000 } do
  local list, same, x = {}, {}, kc.tensor("A", "i", "f16", { i = 1000 })
  for i = 1, n / 10 do x = kc.write("B" .. i, kc.map("relu", kc.read(x))) list[i], same[i] = x, C end
  all(kc.sweep { kernel = C, device = "l4", size = { i = kc.range(1, n) }, threads = 1 })
  all(kc.sweep { kernel = C, device = "l4", tile = { i = kc.range(1, n) }, stages = { 1, 1e6 }, threads = 1 })
  all(kc.evaluate(kc.program("p", list), "l4"))
  all(kc.compare(same, { "l4", "h100-sxm5" }))
end
