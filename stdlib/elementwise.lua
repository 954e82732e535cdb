-- elementwise.lua: one op on every element; memory-bound on any device.  All are untiled kernels.
--
-- Parameters of every function here, but those that it says it lacks:
--     n         elements, required
--     dtype     of what is read and written: "f16"
local kc = require "kcost"
local take, merge, size, optional = kc.lib.parameters.take, kc.lib.parameters.merge, kc.lib.parameters.size,
    kc.lib.parameters.optional

local elementwise = {}

local function taken(call, p, more)
    return take(call, p, merge({ n = size, dtype = "f16" }, more))
end

local function read(p, name, dtype)
    return kc.read(kc.tensor(name, "n", dtype or p.dtype, { n = p.n }))
end

-- Y = what(X).
--     what     a named map ("gelu", "silu", "relu", …) or a cost { flops =, special = }, required
--     n        required without `input`
--     input    a tensor to read as X, of any dims: a new one with the dim n
--     output   the name of Y: "Y"
-- Useful work: the map's cost per element; compulsory traffic: X read and Y written once.
function elementwise.apply(p)
    p = taken("elementwise.apply", p, {
        what = kc.lib.parameters.required, n = optional, input = optional, output = "Y",
    })
    if not p.input and not p.n then error("elementwise.apply: n: is missing, and there is no input") end
    local X = p.input or kc.tensor("X", "n", p.dtype, { n = p.n })
    local y = kc.map(p.what, kc.read(X))
    return kc.kernel(type(p.what) == "string" and p.what or "elementwise",
        { kc.write(p.output, y, X.dtype) })
end

-- Y = gelu(X): 8 FLOP and 1 special op an element (the tanh form).
function elementwise.gelu(p)
    p = taken("elementwise.gelu", p)
    return kc.kernel("gelu", { kc.write("Y", kc.map("gelu", read(p, "X")), p.dtype) })
end

-- Y = X / (1 + exp(-X)): 2 FLOP and 2 special ops an element.
function elementwise.silu(p)
    p = taken("elementwise.silu", p)
    return kc.kernel("silu", { kc.write("Y", kc.map("silu", read(p, "X")), p.dtype) })
end

-- Y = silu(gate) * up: 3 FLOP and 2 special ops an element of Y; reads two, writes one.
function elementwise.swiglu(p)
    p = taken("elementwise.swiglu", p)
    local y = kc.map("mul", kc.map("silu", read(p, "gate")), read(p, "up"))
    return kc.kernel("swiglu", { kc.write("Y", y, p.dtype) })
end

-- Rotary position embedding: pairs (x0, x1) of a head turn by an angle of their place and position,
--     y0 = x0 cos - x1 sin     y1 = x0 sin + x1 cos
-- It has no n.
--     seq, heads, head_dim    sizes, required; head_dim is even
--     batch                   1
-- Useful work: 3 FLOP an element.  Compulsory traffic: X and Y once, and seq head_dim / 2 cosines and sines
-- of `dtype`.  Source: Su et al., arXiv 2104.09864, equation 34.
function elementwise.rope(p)
    p = taken("elementwise.rope", p, { n = optional, seq = size, heads = size, head_dim = size, batch = 1 })
    if p.n or p.head_dim % 2 ~= 0 then
        error("elementwise.rope: " .. (p.n and "n: give seq, heads and head_dim" or "head_dim: must be even"))
    end
    local sizes = { b = p.batch, t = p.seq, h = p.heads, r = p.head_dim / 2, w = 2 }
    local function table_of(name) return kc.read(kc.tensor(name, "t r", p.dtype, sizes)) end
    local x = kc.read(kc.tensor("X", "b t h w r", p.dtype, sizes))
    return kc.kernel("rope", { kc.write("Y", kc.map("rope", x, table_of("cos"), table_of("sin")), p.dtype) })
end

-- Y = X * kept / (1 - rate), which elements are kept being drawn on chip.
--     keep_mask    the draw is written, a byte an element, for the backward pass: false
-- Useful work: 3 FLOP an element (compare, two products); the generator's integer ops are not counted.
function elementwise.dropout(p)
    p = taken("elementwise.dropout", p, { keep_mask = false })
    local x = read(p, "X")
    local written = { kc.write("Y", kc.map({ name = "dropout", flops = 3 }, x), p.dtype) }
    if p.keep_mask then
        written[2] = kc.write("mask", kc.cast(kc.map({ name = "draw", flops = 0 }, x), "bool"), "bool")
    end
    return kc.kernel("dropout", written)
end

-- Y = X in another dtype: no FLOP.
--     to       dtype of Y, required
function elementwise.cast(p)
    p = taken("elementwise.cast", p, { to = kc.lib.parameters.required })
    return kc.kernel("cast", { kc.write("Y", kc.cast(read(p, "X"), p.to), p.to) })
end

-- What quantise and dequantise take; X as rows of a block.
local function blocks(call, p)
    p = taken(call, p, { to = "i8", block = 128, scale_dtype = "f32" })
    if p.n % p.block ~= 0 then error(call .. ": block: must divide n") end
    p.size = { m = p.n / p.block, k = p.block }
    return p
end

-- Q = round(X / s) with s = max |X| / largest value of a block.
--     to            dtype of Q: "i8"
--     block         elements that share a scale, which divide n: 128
--     scale_dtype   of s: "f32"
-- Useful work: 3 FLOP an element (maximum; product, round), a block 1 FLOP and 1 reciprocal.  Compulsory
-- traffic: X, Q and the scales once.  A dtype with scales of its own ("mxf8") is a cast: its scales are inside.
function elementwise.quantise(p)
    p = blocks("elementwise.quantise", p)
    local x = kc.read(kc.tensor("X", "m k", p.dtype, p.size))
    local scale = kc.map("scale", kc.reduce("absmax", x, "k"))
    local q = kc.map({ name = "quantise", flops = 2 }, x, kc.map("rcp", scale))
    return kc.kernel("quantise", { kc.write("Q", kc.cast(q, p.to), p.to), kc.write("scales", scale, p.scale_dtype) })
end

-- Y = Q s, parameters as of `quantise`, dtype being that of Y: 1 FLOP an element.
function elementwise.dequantise(p)
    p = blocks("elementwise.dequantise", p)
    local q = kc.read(kc.tensor("Q", "m k", p.to, p.size))
    local s = kc.read(kc.tensor("scales", "m", p.scale_dtype, p.size))
    return kc.kernel("dequantise", { kc.write("Y", kc.map("mul", q, s), p.dtype) })
end

return elementwise
