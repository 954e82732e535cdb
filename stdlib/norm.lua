-- norm.lua: normalisation of rows.  m rows (tokens), k features; every size in elements.
local kc = require "kcost"
local take, required = kc.lib.parameters.take, kc.lib.parameters.required

local norm = {}

local function input(p)
    return p.input or kc.tensor("X", "m k", p.dtype, { m = p.m, k = p.k })
end

-- Y[m,k] = X[m,k] * rsqrt(mean_k(X^2) + eps) * weight[k], an untiled kernel.
--     m, k     sizes, required
--     dtype    of X, weight and Y: "f16"
--     input    a tensor with dims m k to read as X: a new one
--     output   the name of Y: "Y"
-- Useful work: 4 FLOP per element (square, add, two products); per row 2 FLOP (times 1/k, plus eps)
-- and 1 special op.  Compulsory traffic: X, weight and Y once.  A tile smaller than k costs a second
-- pass over X.  Source: Zhang and Sennrich, arXiv 1910.07467, equation 4.
function norm.rms(p)
    p = take("norm.rms", p, { m = required, k = required, dtype = "f16", input = false, output = "Y" })
    local x = kc.read(input(p))
    local weight = kc.read(kc.tensor("weight", "k", p.dtype, { k = p.k }))
    local total = kc.reduce("sum", kc.map("mul", x, x), "k")
    local scale = kc.map({ flops = 2, special = 1 }, total)
    local y = kc.map("mul", kc.map("mul", x, scale), weight)
    return kc.kernel("rmsnorm", { kc.write(p.output, y, p.dtype) })
end

-- Y[m,k] = (X[m,k] - mean) * rsqrt(variance + eps) * weight[k] + bias[k], an untiled kernel.
--     m, k, dtype, input, output    as in norm.rms
-- Useful work: 7 FLOP per element (add; subtract, square, add; two products, add); per row 3 FLOP
-- (times 1/k twice, plus eps) and 1 special op.  Compulsory traffic: X, weight, bias and Y once.  A
-- tile smaller than k costs three passes over X.  Source: Ba, Kiros and Hinton, arXiv 1607.06450.
function norm.layer(p)
    p = take("norm.layer", p, { m = required, k = required, dtype = "f16", input = false, output = "Y" })
    local x = kc.read(input(p))
    local weight = kc.read(kc.tensor("weight", "k", p.dtype, { k = p.k }))
    local bias = kc.read(kc.tensor("bias", "k", p.dtype, { k = p.k }))
    local mean = kc.map("scale", kc.reduce("sum", x, "k"))
    local centred = kc.map("sub", x, mean)
    local total = kc.reduce("sum", kc.map("mul", centred, centred), "k")
    local scale = kc.map({ flops = 2, special = 1 }, total)
    local y = kc.map("add", kc.map("mul", kc.map("mul", centred, scale), weight), bias)
    return kc.kernel("layernorm", { kc.write(p.output, y, p.dtype) })
end

return norm
