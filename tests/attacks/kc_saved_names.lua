-- expect: error, budget or memory
-- threat: thousands of tensors to fuse, thousands of names to save, one that is none
-- vm: any
local kc = require "kcost"

local value = kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))
local written, names, prefix = {}, {}, ("abcd"):rep(10)
pcall(function()
  for n = 1, 8000 do
    names[n] = prefix .. n
    written[n] = kc.write(names[n], kc.map("relu", value))
  end
end)
local readers = {}
for n, tensor in ipairs(written) do readers[n] = kc.write("R" .. n, kc.map("relu", kc.read(tensor))) end
local program = kc.program("p", { kc.kernel("k", written), kc.kernel("r", readers) })
while true do
  pcall(kc.fuse, "all", written, { save = { prefix .. "zzz" } })
  pcall(kc.fuse_all, program, "l4", { save = names })
  pcall(kc.fuse_all, program, "l4")
end
