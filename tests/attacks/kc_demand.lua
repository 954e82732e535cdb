-- expect: error, budget or memory
-- threat: a mask in a program of many kernels, each with thousands of written tensors: what does each need of which?
-- vm: any
local kc = require "kcost"

local value = kc.read(kc.tensor("A", "i j", "f16", { i = 1000, j = 1000 }))
local written = {}
for n = 1, 3000 do written[n] = kc.write("T" .. n, kc.map("relu", value)) end
local wide = kc.kernel("wide", written)
local parts = { kc.write("M", kc.causal(value, "i", "j")) }
for n = 1, 100 do parts[n + 1] = wide end
while true do pcall(kc.program, "p", parts) end
