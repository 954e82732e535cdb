-- gemm.lua: matrix products.  m rows of A, n columns of B, k contracted, all in elements; dtypes by name.
--
--     C[m,n] = epilogue(sum_k A[m,k] B[k,n])
--
-- Parameters of every function here, but those that it says it lacks:
--     m, n, k      sizes, required
--     dtype        of A: "f16"
--     weights      of B: dtype.  "i4g128" with dtype "f16" is W4A16; a device multiplies in the wider one
--     out          of C: dtype
--     dequantise   FLOP that a weight costs before it is multiplied, once for each time that it is loaded: 0
-- and of the epilogue, in the order in which it is done, each element of C once:
--     scale        "row", "column" or "both": f32 factors of C's rows and columns, 1 FLOP each: none
--     bias         a vector over n is added, 1 FLOP: false
--     epilogue     a named map on C ("gelu", "silu", …): none
--     residual     a matrix over m and n is added, 1 FLOP (beta = 1): false
-- W8A8 is { dtype = "i8", out = "f16", scale = "both" }: i8 operands, i32 sums, factors of token and channel.
-- Useful work: 2 m n k FLOP, and the epilogue's an element of C.  Compulsory traffic: A, B, C, and what
-- the epilogue reads, once.  In a 2-byte dtype the intensity is m n k / (m k + k n + m n).
local kc = require "kcost"
local take, size, optional = kc.lib.parameters.take, kc.lib.parameters.size, kc.lib.parameters.optional
local merge, one_of = kc.lib.parameters.merge, kc.lib.parameters.one_of

local gemm = {}

local function parameters(more)
    return merge({
        m = size, n = size, k = size, dtype = "f16", weights = { "dtype" }, out = { "dtype" }, dequantise = 0,
        scale = optional, bias = false, epilogue = optional, residual = false,
    }, more)
end

local function tensor(p, name, dims, dtype)
    return kc.tensor(name, dims, dtype or p.dtype, { b = p.batch, m = p.m, n = p.n, k = p.k })
end

local function weights(p, dims)
    local b = kc.read(tensor(p, "B", dims, p.weights))
    if p.dequantise == 0 then return b end
    return kc.cast(kc.map({ name = "dequantise", flops = p.dequantise }, b), p.dtype)
end

-- What is done on each element of the product c, whose dims are `dims`.
local function epilogue(p, c, dims)
    if p.scale == "row" or p.scale == "both" then
        c = kc.map("mul", c, kc.read(tensor(p, "row scale", "m", "f32")))
    end
    if p.scale == "column" or p.scale == "both" then
        c = kc.map("mul", c, kc.read(tensor(p, "column scale", "n", "f32")))
    end
    if p.bias then c = kc.map("add", c, kc.read(tensor(p, "bias", "n", p.out))) end
    if p.epilogue then c = kc.map(p.epilogue, c) end
    if p.residual then c = kc.map("add", c, kc.read(tensor(p, "residual", dims, p.out))) end
    return kc.write("C", c, p.out)
end

local function check(call, p)
    if p.scale ~= nil then one_of(call, "scale", p.scale, { "row", "column", "both" }) end
end

local function product(p)
    local a = kc.read(p.input or tensor(p, "A", "m k"))
    return epilogue(p, kc.matmul(a, weights(p, "k n"), "k"), "m n")
end

-- One product, an untiled kernel.
--     input    a tensor with dims m k to read as A: a new one
function gemm.plain(p)
    p = take("gemm.plain", p, parameters { input = optional })
    check("gemm.plain", p)
    return kc.kernel("gemm", { product(p) })
end

-- As many products as `batch` says, each with its own A, B and C, an untiled kernel.
--     batch    products, required
--     shared   one B for all: false
-- Useful work batch times, compulsory traffic too, but for a shared B and the epilogue's vectors.
function gemm.batched(p)
    p = take("gemm.batched", p, parameters { batch = size, shared = false })
    check("gemm.batched", p)
    local c = kc.matmul(kc.read(tensor(p, "A", "b m k")), weights(p, p.shared and "k n" or "b k n"), "k")
    return kc.kernel("batched gemm", { epilogue(p, c, "b m n") })
end

-- Products of one n and k and different numbers of rows, each with its own B, in one launch: the experts
-- of a mixture.  An expert without rows is not read.  It has no m.
--     rows     a list of numbers of rows, required
--     tile     tile sizes: { m = 128, n = 128, k = 64 }
-- Useful work 2 sum(rows) n k FLOP; compulsory traffic sum(rows) (k + n) elements, and k n for each with rows.
function gemm.grouped(p)
    p = take("gemm.grouped", p, parameters {
        m = optional, rows = kc.lib.parameters.required, tile = { m = 128, n = 128, k = 64 },
    })
    check("gemm.grouped", p)
    local rows = kc.lib.parameters.numbers(p.rows)
    if not rows or p.m then error("gemm.grouped: rows: expected a list such as { 17, 4, 300 }, and no m") end
    local kernels = {}
    for i, m in ipairs(rows) do
        if m ~= 0 then
            local one = kc.kernel("gemm " .. kc.str(i), { product(merge(p, { m = m })) })
            kernels[#kernels + 1] = kc.tile(one, p.tile)
        end
    end
    return kc.group("grouped gemm", kernels)
end

-- y[n] = sum_k W[n,k] x[k] on the vector unit, an untiled kernel.  It has no m; W is named B, y C.
-- Memory-bound on any device: 2 FLOP for each weight.
function gemm.vector(p)
    p = take("gemm.vector", p, parameters { m = optional })
    check("gemm.vector", p)
    if p.m or p.scale == "row" or p.scale == "both" then
        error("gemm.vector: m: a vector has no rows, give n and k")
    end
    local c = kc.matmul(weights(p, "n k"), kc.read(tensor(p, "x", "k")), "k", { unit = "vector" })
    return kc.kernel("gemv", { epilogue(p, c, "n") })
end

-- A tiled product whose k is shared by several CTAs, so that few rows still fill a device.
--     splits   CTAs that share the trips over k, or "stream" (stream-K): 4
--     tile     tile sizes: { m = 128, n = 128, k = 64 }
--     combine  how the f32 partials become C: "kernel" or "atomic": "kernel"
-- Useful work as of `plain`.  With the kernel each of the `splits` partials of m n f32 elements is written
-- once and read once more.
function gemm.split_k(p)
    p = take("gemm.split_k", p, parameters {
        splits = optional, tile = { m = 128, n = 128, k = 64 }, combine = "kernel",
    })
    check("gemm.split_k", p)
    return kc.tile(kc.kernel("split-k gemm", { product(p) }), p.tile,
        { grid = "m n", order = "k", split = { k = p.splits or 4 }, combine = p.combine })
end

-- A product with 2:4-sparse weights: of four neighbours along k two are kept, each with 2 bits that say
-- where it stood.  Nothing else here, and no peak of any device, counts on zeros.  It has no weights.
-- Useful work m n k FLOP; compulsory traffic of B: k n / 2 elements of 2 bits more than dtype's.
-- k must be even.  Source: Mishra et al., arXiv 2104.08378, section 3.
function gemm.sparse(p)
    p = take("gemm.sparse", p, parameters { weights = optional })
    check("gemm.sparse", p)
    if p.k % 2 ~= 0 or p.weights then
        error("gemm.sparse: " .. (p.weights and "weights: are kept in dtype" or "k: must be even"))
    end
    local plain = kc.dtype(p.dtype)
    local kept = kc.dtype { name = plain.name .. " 2:4", bits = plain.bits + 2, math = p.dtype }
    local sizes = { m = p.m, n = p.n, c = p.k / 2, w = 2 }
    local a = kc.reduce({ name = "select", flops = 0 }, kc.read(kc.tensor("A", "m c w", p.dtype, sizes)), "w")
    local b = kc.read(kc.tensor("B", "c n", kept, sizes))
    return kc.kernel("2:4-sparse gemm", { epilogue(p, kc.matmul(a, b, "c"), "m n") })
end

return gemm
