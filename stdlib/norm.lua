-- norm.lua: normalisation of rows.  m rows (tokens), k features; every size in elements.
--
-- Parameters of every function here:
--     m, k      sizes, required
--     dtype     of X, weight and Y: "f16"
-- and of the forward ones:
--     residual  a tensor R is added to X before, and the sum is written too, as "sum": false
--     input     a tensor with dims m k to read as X: a new one
--     output    the name of Y: "Y"
-- and of the backward ones:
--     splits    CTAs that share the rows: each walks its own, whole rows on chip, and a small kernel adds up what
--               it summed over them (f32): a tiled kernel; none: an untiled one
-- Forward ones are untiled kernels.  A tile smaller than k costs more passes over X.
local kc = require "kcost"
local take, merge, size = kc.lib.parameters.take, kc.lib.parameters.merge, kc.lib.parameters.size

local norm = {}

local function taken(call, p, more)
    return take(call, p, merge({ m = size, k = size, dtype = "f16" }, more))
end

local forward = { residual = false, input = kc.lib.parameters.optional, output = "Y" }

local function read(p, name, dims, dtype)
    return kc.read(kc.tensor(name, dims, dtype or p.dtype, { m = p.m, k = p.k }))
end

-- X, or X + R, and the tensors that are written beside Y.
local function input(p)
    local x = kc.read(p.input or kc.tensor("X", "m k", p.dtype, { m = p.m, k = p.k }))
    if not p.residual then return x, {} end
    x = kc.map("add", x, read(p, "R", "m k"))
    return x, { kc.write("sum", x, p.dtype) }
end

local backward = { splits = kc.lib.parameters.optional_size }

local function shared_rows(p, kernel)
    if not p.splits then return kernel end
    return kc.tile(kernel, { m = 1, k = p.k }, { order = "m", split = { m = p.splits } })
end

local function kernel(name, written, more)
    for _, tensor in ipairs(more) do written[#written + 1] = tensor end
    return kc.kernel(name, written)
end

-- rsqrt(total / k + eps): 2 FLOP and 1 special op a row.
local function reciprocal_root(total)
    return kc.map({ flops = 2, special = 1 }, total)
end

-- Y[m,k] = X[m,k] * rsqrt(mean_k(X^2) + eps) * weight[k].
-- Useful work: 4 FLOP per element (square, add, two products), 5 with a residual; per row 2 FLOP (times
-- 1/k, plus eps) and 1 special op.  Compulsory traffic: X, weight and Y once, with a residual R and the sum.
-- In tiles two passes over X.  Source: Zhang and Sennrich, arXiv 1910.07467, equation 4.
function norm.rms(p)
    p = taken("norm.rms", p, forward)
    local x, more = input(p)
    local scale = reciprocal_root(kc.reduce("sum", kc.map("mul", x, x), "k"))
    local y = kc.map("mul", kc.map("mul", x, scale), read(p, "weight", "k"))
    return kernel("rmsnorm", { kc.write(p.output, y, p.dtype) }, more)
end

-- Y[m,k] = (X[m,k] - mean) * rsqrt(variance + eps) * weight[k] + bias[k].
-- Useful work: 7 FLOP per element (add; subtract, square, add; two products, add), 8 with a residual; per row
-- 3 FLOP (times 1/k twice, plus eps) and 1 special op.  Compulsory traffic: X, weight, bias and Y once, with
-- a residual R and the sum.  In tiles three passes over X.  Source: Ba, Kiros and Hinton, arXiv 1607.06450.
function norm.layer(p)
    p = taken("norm.layer", p, forward)
    local x, more = input(p)
    local mean = kc.map("scale", kc.reduce("sum", x, "k"))
    local centred = kc.map("sub", x, mean)
    local scale = reciprocal_root(kc.reduce("sum", kc.map("mul", centred, centred), "k"))
    local y = kc.map("mul", kc.map("mul", centred, scale), read(p, "weight", "k"))
    y = kc.map("add", y, read(p, "bias", "k"))
    return kernel("layernorm", { kc.write(p.output, y, p.dtype) }, more)
end

-- The gradients of norm.rms, from the row factor r that the forward pass kept in f32.
--     N = X r     G = dY weight     dX = (G - N mean_k(G N)) r     dweight[k] = sum_m dY N
-- Useful work: 9 FLOP per element (N; G; product and add of the mean; product, subtract, product; product
-- and add of dweight), 1 per row (times 1/k).  Compulsory traffic: X, dY, r, weight, dX and dweight once.
function norm.rms_backward(p)
    p = taken("norm.rms_backward", p, backward)
    local r, dY = read(p, "r", "m", "f32"), read(p, "dY", "m k")
    local n = kc.map("mul", read(p, "X", "m k"), r)
    local g = kc.map("mul", dY, read(p, "weight", "k"))
    local mean = kc.map("scale", kc.reduce("sum", kc.map("mul", g, n), "k"))
    local dX = kc.map("mul", kc.map("sub", g, kc.map("mul", n, mean)), r)
    return shared_rows(p, kc.kernel("rmsnorm backward", {
        kc.write("dX", dX, p.dtype), kc.write("dweight", kc.reduce("sum", kc.map("mul", dY, n), "m"), p.dtype),
    }))
end

-- The gradients of norm.layer, from the row's mean and factor r that the forward pass kept in f32.
--     N = (X - mean) r     G = dY weight     dX = (G - mean_k(G) - N mean_k(G N)) r
--     dweight[k] = sum_m dY N     dbias[k] = sum_m dY
-- Useful work: 13 FLOP per element (2 for N; G; add; product and add; product, two subtracts, product;
-- product and add of dweight; add of dbias), 2 per row (times 1/k twice).  Compulsory traffic: X, dY, mean, r,
-- weight, dX, dweight and dbias once.
function norm.layer_backward(p)
    p = taken("norm.layer_backward", p, backward)
    local r, dY = read(p, "r", "m", "f32"), read(p, "dY", "m k")
    local n = kc.map("mul", kc.map("sub", read(p, "X", "m k"), read(p, "mean", "m", "f32")), r)
    local g = kc.map("mul", dY, read(p, "weight", "k"))
    local mean = kc.map("scale", kc.reduce("sum", g, "k"))
    local product = kc.map("scale", kc.reduce("sum", kc.map("mul", g, n), "k"))
    local dX = kc.map("mul", kc.map("sub", kc.map("sub", g, mean), kc.map("mul", n, product)), r)
    return shared_rows(p, kc.kernel("layernorm backward", {
        kc.write("dX", dX, p.dtype), kc.write("dweight", kc.reduce("sum", kc.map("mul", dY, n), "m"), p.dtype),
        kc.write("dbias", kc.reduce("sum", dY, "m"), p.dtype),
    }))
end

return norm
