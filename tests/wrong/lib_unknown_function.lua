-- error: kc.lib: gemm has no 'plian'; did you mean 'plain'?
-- line: 5
local kc = require "kcost"
local gemm = kc.lib.gemm
return { gemm.plian { m = 64, n = 64, k = 64 } }
