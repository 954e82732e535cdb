-- expect: finishes or error
-- threat: indexes with strides up to 2^52, alone, together and under a fuse: what they share is no loop over them
-- vm: any
local kc = require "kcost"

local function text(n) return ("%.0f"):format(n) end
for _, z in ipairs { 1e6, 2^40, 2^52 } do
  local s = { i = 1000, j = 30, z = z }
  local Z = kc.tensor("Z", "z", "f16", s)
  local S = kc.write("S", kc.map("relu", kc.read(Z)))
  for _, a in ipairs { 2, 997, 2^20 + 1, 2^26 - 5, 2^40 + 15, 2^42 - 1 } do
    for _, b in ipairs { 3, 4, 991, 2^20 - 3, 2^40 - 87, 2^42 + 1 } do
      for _, from in ipairs { Z, S } do
        pcall(function()
          local one, other = text(a) .. "*i+" .. text(b) .. "*j", text(b) .. "*i+" .. text(a) .. "-1"
          local R = kc.write("R", kc.map("add", kc.read(from, one, { size = s }), kc.read(from, other, { size = s })))
          local k = from == S and kc.fuse("f", { S, R }) or R
          kc.count(k)
          kc.count(kc.tile(k, { i = 7, j = 3 }))
          kc.evaluate(kc.tile(k, { i = 1, j = 4 }), "l4")
        end)
      end
    end
  end
end
