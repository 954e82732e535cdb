-- error: kc.lib: the stdlib has no 'gem'; did you mean 'gemm'?
-- line: 5
local kc = require "kcost"

local r = kc.lib.gem
return r
