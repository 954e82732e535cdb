-- expect: error, budget or memory
-- threat: thousands of tensors with names that begin alike, each in the option `cache`
-- vm: any
local kc = require "kcost"

local A = kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))
local prefix, written, cache = ("x"):rep(300), {}, {}
pcall(function()
  for n = 1, 7000 do
    written[n] = kc.write(prefix .. n, kc.map("relu", A))
    cache[prefix .. n] = "warm"
  end
end)
local kernel = kc.kernel("k", written)
while true do pcall(kc.evaluate, kernel, "l4", { cache = cache }) end
