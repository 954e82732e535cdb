-- error: kc.count: x is nothing, and a kernel, program or written tensor is wanted
-- line: 5
local kc = require "kcost"

local r = kc.count()
return r
