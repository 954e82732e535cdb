-- expect: finishes or error
-- threat: kernels, fuses, groups and programs of thousands of tensors, each compared with each; twice, and of one name
-- vm: any
local kc = require "kcost"

local v = kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))
for _, n in ipairs { 100, 3000 } do
  local list, names = {}, {}
  for i = 1, n do list[i], names[i] = kc.write("B" .. i, kc.map("relu", v)), "B" .. i end
  local chain, x = {}, list[1]
  for i = 1, n do x = kc.write("C" .. i, kc.map("relu", kc.read(x))) chain[i] = x end
  for _, make in ipairs { kc.kernel, kc.fuse, kc.group, kc.program, kc.beside } do
    for _, of in ipairs { list, chain } do
      local ok, k = pcall(make, "k", of, make == kc.fuse and { save = names } or nil)
      if ok then pcall(kc.count, k) pcall(kc.evaluate, k, "l4") pcall(kc.resize, k, { i = 7 }) pcall(kc.rename, k, { i = "j" }) end
    end
  end
  pcall(kc.fuse, "k", chain, { save = { "C1", "C2" } })
  list[n + 1] = list[1]
  pcall(kc.kernel, "k", list)
  list[n + 1] = kc.write("B1", kc.map("exp", v))
  pcall(kc.kernel, "k", list)
end
