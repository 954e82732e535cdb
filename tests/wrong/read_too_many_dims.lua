-- error: kc.read: index 'd1+d2+d3+d4+d5+d6+d7+d8+d9+d10+d11+d12+d' has more than 256 dims
-- line: 8
local kc = require "kcost"

local terms, size = {}, {}
for i = 1, 300 do terms[i], size["d" .. i] = "d" .. i, 2 end
local A = kc.tensor("A", "i", "f16", { i = 1000 })
local v = kc.read(A, table.concat(terms, "+"), { size = size })
return v
