-- error: kc.tensor: dims has more than 256 dims
-- line: 7
local kc = require "kcost"

local dims, size = {}, {}
for i = 1, 300 do dims[i], size["d" .. i] = "d" .. i, 2 end
local A = kc.tensor("A", table.concat(dims, " "), "f16", size)
return A
