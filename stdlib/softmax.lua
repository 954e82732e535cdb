-- softmax.lua: softmax of rows, and the cross-entropy loss behind it.  m rows, n columns, in elements.
--
--     Y[m,n] = exp(X[m,n] - max_n X) / sum_n exp(X - max_n X)
--
-- Parameters of every function here, but those that it says it lacks:
--     m, n      sizes, required
--     dtype     of X and Y: "f16"
local kc = require "kcost"
local take, merge, size = kc.lib.parameters.take, kc.lib.parameters.merge, kc.lib.parameters.size

local softmax = {}

local function taken(call, p, more)
    return take(call, p, merge({ m = size, n = size, dtype = "f16" }, more))
end

local function read(p, name, dims, dtype)
    return kc.read(kc.tensor(name, dims, dtype or p.dtype, { m = p.m, n = p.n, k = p.k }))
end

-- A row in tiles of `tile` elements, one CTA a row, a tiled kernel.
--     passes   3: maximum, then sum, then quotient (safe); 2: maximum and sum together, rescaled as the
--              maximum grows (online; Milakov and Gimelshein, arXiv 1805.02867); 1: the row stays on chip: 1
--     tile     elements: 4096; of one pass the whole row
-- Useful work: 4 FLOP and 1 exp an element, 1 reciprocal a row.  Compulsory traffic: X and Y once; each pass
-- reads X again.
function softmax.rows(p)
    p = taken("softmax.rows", p, { passes = 1, tile = 4096 })
    kc.lib.parameters.one_of("softmax.rows", "passes", p.passes, { 1, 2, 3 })
    local Y = kc.write("Y", kc.softmax(read(p, "X", "m n"), "n", { online = p.passes == 2 }), p.dtype)
    return kc.tile(kc.kernel("softmax", { Y }), { m = 1, n = p.passes == 1 and p.n or p.tile })
end

-- Without the maximum: exp, sum, quotient; right only where no exp overflows.  A tiled kernel of two passes.
--     tile     elements: 4096
-- Useful work: 2 FLOP (sum, quotient), 1 exp and 1 reciprocal an element.  Compulsory traffic: X and Y once.
function softmax.naive(p)
    p = taken("softmax.naive", p, { tile = 4096 })
    local e = kc.map("exp", read(p, "X", "m n"))
    local Y = kc.write("Y", kc.map("div", e, kc.reduce("sum", e, "n")), p.dtype)
    return kc.tile(kc.kernel("naive softmax", { Y }), { m = 1, n = p.tile })
end

-- dX = Y (dY - sum_n(dY Y)), an untiled kernel.
-- Useful work: 4 FLOP an element.  Compulsory traffic: Y, dY and dX once.
function softmax.backward(p)
    p = taken("softmax.backward", p)
    local y, dY = read(p, "Y", "m n"), read(p, "dY", "m n")
    local total = kc.reduce("sum", kc.map("mul", dY, y), "n")
    return kc.kernel("softmax backward", { kc.write("dX", kc.map("mul", y, kc.map("sub", dY, total)), p.dtype) })
end

-- loss[m] = log sum_n exp(X[m,n]) - X[m,target[m]] over logits that lie in HBM, an untiled kernel.
-- Useful work: max, subtract, sum 3 FLOP and 1 exp an element; 1 FLOP and 1 log a row.  Compulsory
-- traffic: X once, an i32 target and an f32 loss a row.
function softmax.cross_entropy(p)
    p = taken("softmax.cross_entropy", p)
    local X = kc.tensor("X", "m n", p.dtype, { m = p.m, n = p.n })
    local lse = kc.lse(kc.softmax(kc.read(X), "n", { online = true }))
    local picked = kc.map({ name = "pick", flops = 0 }, kc.read(X, "m [m]"), read(p, "target", "m", "i32"))
    return kc.kernel("cross entropy", { kc.write("loss", kc.map("sub", lse, picked), "f32") })
end

-- The same fused with the head: X[m,n] = sum_k A[m,k] W[n,k] stays on chip; n is the vocabulary.
--     k        features, required
--     splits   CTAs that share the vocabulary, so that few rows fill a device; a second kernel adds up what each
--              found of a row, its log-sum-exp and the target's logit in f32: 1
--     tile     tile sizes of m, a CTA's columns and k: { m = 128, n = 128, k = 64 }
-- A tiled kernel; with splits a program of it and of an untiled one.
-- Useful work: 2 m n k FLOP in the matmul; max, subtract, sum and a comparison with the target's number 4 FLOP and
-- 1 exp an element; 1 FLOP and 1 log a row.  With splits 4 FLOP, 1 exp and 1 log more for each of them and row.
-- Compulsory traffic: A, W, targets and losses once; unfused, m n logits would be written and read.
-- Source: Wijmans et al., arXiv 2411.09009.
function softmax.head(p)
    p = taken("softmax.head", p, { k = size, splits = 1, tile = { m = 128, n = 128, k = 64 } })
    local a, target = read(p, "A", "m k"), read(p, "target", "m", "i32")
    local columns = math.ceil(p.n / p.splits)
    local w = p.splits == 1 and read(p, "W", "n k")
        or kc.read(kc.tensor("W", "v k", p.dtype, { v = p.n, k = p.k }), kc.str(columns) .. "*u+n k",
            { size = { u = p.splits, n = columns } })
    local logits = kc.matmul(a, w, "k")
    local lse = kc.lse(kc.softmax(logits, "n", { online = true }))
    local picked = kc.reduce("sum", kc.map({ name = "pick", flops = 0 }, logits, target), "n")
    if p.splits == 1 then
        local loss = kc.write("loss", kc.map("sub", lse, picked), "f32")
        return kc.tile(kc.kernel("head with cross entropy", { loss }), p.tile, { grid = "m", order = "n k" })
    end
    local L, T = kc.write("partial lse", lse, "f32"), kc.write("partial logit", picked, "f32")
    local merged = kc.lse(kc.softmax(kc.read(L), "u"))
    local loss = kc.write("loss", kc.map("sub", merged, kc.reduce("sum", kc.read(T), "u")), "f32")
    local tile = kc.lib.parameters.merge(p.tile, { u = 1 })
    local first = kc.kernel("head with cross entropy", { L, T })
    return kc.program("head with cross entropy", { kc.tile(first, tile, { grid = "m u", order = "n k" }), loss })
end

return softmax
