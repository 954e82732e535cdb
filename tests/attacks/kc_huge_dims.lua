-- expect: finishes or error
-- threat: sizes at the edge of 2^53, products far beyond
-- vm: any
local kc = require "kcost"

for _, n in ipairs { 1, 2^31, 2^53 - 1, 2^53, 1e308, 1 / 0, 0 / 0, -1, 0, 0.5 } do
  pcall(function()
    local s = { i = n, j = n, k = n }
    local A, B = kc.tensor("A", "i k", "f16", s), kc.tensor("B", "k j", "f16", s)
    local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
    kc.count(kc.tile(C, { i = 128, j = 128, k = 32 }))
    kc.evaluate(kc.tile(C, { i = 1, j = 1, k = 1 }), "h100-sxm5")
    kc.best(C, "h100-sxm5")
  end)
end
return "survived"
