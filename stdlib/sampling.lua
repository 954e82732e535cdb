-- sampling.lua: from logits to tokens.  m rows (sequences), n columns (vocabulary), in elements.
--
-- Parameters of every function here:
--     m, n      sizes, required
--     dtype     of the logits X: "f32"
-- All are untiled kernels; tokens are i32.  Random numbers, one a row, are drawn on chip.
local kc = require "kcost"
local take, merge, size = kc.lib.parameters.take, kc.lib.parameters.merge, kc.lib.parameters.size

local sampling = {}

local function taken(call, p, more)
    p = take(call, p, merge({ m = size, n = size, dtype = "f32" }, more))
    return p, kc.read(kc.tensor("X", "m n", p.dtype, { m = p.m, n = p.n }))
end

-- The index that a value stands for: no work.
local function index_of(value)
    return kc.cast(kc.map({ name = "index", flops = 0 }, value), "i32")
end

-- Parameters and the k largest of each row, as a value with the dim t.
local function largest(call, p)
    local x
    p, x = taken(call, p, { k = size })
    if p.k > p.n then error(call .. ": k: is more than n") end
    return p, kc.reduce("topk", x, "n", { size = { t = p.k } })
end

-- The k largest of each row and their columns.
--     k         required
-- Useful work: 1 FLOP (a comparison) an element.  Compulsory traffic: X, k values and k numbers a row.
function sampling.topk(p)
    local top
    p, top = largest("sampling.topk", p)
    return kc.kernel("top-k", { kc.write("values", top, p.dtype), kc.write("columns", index_of(top), "i32") })
end

-- The column of the largest logit: 1 FLOP an element.  Compulsory traffic: X and a token a row.
function sampling.greedy(p)
    local _, x = taken("sampling.greedy", p)
    return kc.kernel("greedy", { kc.write("token", kc.cast(kc.reduce("argmax", x, "n"), "i32"), "i32") })
end

-- P = softmax(X / temperature), and the first column where the running sum of P exceeds a random number.
-- Useful work: 7 FLOP (scale; maximum, subtract, sum, quotient; running sum, compare) and 1 exp an element,
-- 1 reciprocal a row.  Compulsory traffic: X and a token a row.
function sampling.categorical(p)
    local _, x = taken("sampling.categorical", p)
    local below = kc.scan("sum", kc.softmax(kc.map("scale", x), "n"), "n")
    local token = kc.reduce({ name = "count below", flops = 1 }, below, "n")
    return kc.kernel("categorical", { kc.write("token", index_of(token), "i32") })
end

-- The same among the k largest of each row.
--     k         required
-- Useful work: 1 FLOP an element; 7 FLOP and 1 exp for each of the k, 1 reciprocal a row.
function sampling.categorical_topk(p)
    local _, top = largest("sampling.categorical_topk", p)
    local below = kc.scan("sum", kc.softmax(kc.map("scale", top), "t"), "t")
    local token = kc.reduce({ name = "count below", flops = 1 }, below, "t")
    return kc.kernel("top-k categorical", { kc.write("token", index_of(token), "i32") })
end

return sampling
