-- error: kc.count: kernel 'C': more than 64 dims in one kernel
-- line: 11
local kc = require "kcost"

local dims, size = {}, {}
for i = 1, 70 do
  dims[i] = "d" .. i
  size["d" .. i] = 2
end
local A = kc.tensor("A", table.concat(dims, " "), "f16", size)
local r = kc.count(kc.write("C", kc.read(A)))
return r
