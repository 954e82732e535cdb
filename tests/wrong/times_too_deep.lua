-- error: kc.times: 'B' holds programs more than 64 deep
-- line: 5
local kc = require "kcost"
local p = kc.write("B", kc.read(kc.tensor("A", "i", "f16", { i = 8 })))
for _ = 1, 100 do p = kc.times(p, 1) end
return p
