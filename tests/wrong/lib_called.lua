-- error: kc.lib: gemm is called by a function of it: batched, grouped, plain, sparse, split_k, vector
-- line: 5
local kc = require "kcost"
local gemm = kc.lib.gemm
local x = gemm { m = 64, n = 64, k = 64 }
return x
