-- error: kc.lib: there is no kernel family 'gem'; did you mean 'gemm'?
-- line: 5
local kc = require "kcost"

local r = kc.lib.gem
return r
