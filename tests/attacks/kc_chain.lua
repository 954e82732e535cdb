-- expect: error, budget or memory
-- threat: a chain of a million ops
-- vm: any
local kc = require "kcost"

local v = kc.read(kc.tensor("A", "i", "f16", { i = 10 }))
for n = 1, 1e6 do v = kc.map("scale", v) end
return kc.write("B", v)
