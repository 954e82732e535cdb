-- gemm.lua: matrix products.  m rows of A, n columns of B, k contracted; every size in elements.
local kc = require "kcost"
local take, required = kc.lib.parameters.take, kc.lib.parameters.required

local gemm = {}

-- C[m,n] = sum_k A[m,k] B[k,n], an untiled kernel.
--     m, n, k    sizes, required
--     dtype      of A, B and C: "f16"
--     epilogue   a named map on C before it is written ("gelu"): none
--     input      a tensor with dims m k to read as A: a new one
-- Useful work 2 m n k FLOP (and the epilogue's per element of C); compulsory traffic
-- (m k + k n + m n) elements, so in a 2-byte dtype the intensity is m n k / (m k + k n + m n).
function gemm.plain(p)
    p = take("gemm.plain", p, {
        m = required, n = required, k = required, dtype = "f16", epilogue = false, input = false,
    })
    local size = { m = p.m, n = p.n, k = p.k }
    local A = p.input or kc.tensor("A", "m k", p.dtype, size)
    local B = kc.tensor("B", "k n", p.dtype, size)
    local c = kc.matmul(kc.read(A), kc.read(B), "k")
    if p.epilogue then c = kc.map(p.epilogue, c) end
    return kc.kernel("gemm", { kc.write("C", c, p.dtype) })
end

return gemm
