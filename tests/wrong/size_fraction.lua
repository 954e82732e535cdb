-- error: kc.tensor: size of dim 'm' is 127.5, and a whole number from 1 up to 2^53 is wanted
-- line: 5
local kc = require "kcost"

local A = kc.tensor("A", "m k", "f16", { m = 127.5, k = 4 })
return kc.count(kc.write("C", kc.read(A)))
