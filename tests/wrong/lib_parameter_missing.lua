-- error: gemm.plain: k: is missing
-- line: 4
local kc = require "kcost"
local k = kc.lib.gemm.plain { m = 1024, n = 1024 }
return k
