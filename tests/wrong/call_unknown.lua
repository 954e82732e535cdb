-- error: kc: kcost has no field 'matmull'; did you mean 'matmul'?
-- line: 5
local kc = require "kcost"

local r = kc.matmull
return r
