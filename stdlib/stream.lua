-- stream.lua: kernels of memory alone: STREAM's four (McCalpin), and transposing.
--
-- All are untiled kernels, and memory-bound on any device.  Compulsory traffic: each array once; a write that
-- reads its lines first is a convention, { write_allocate = true }.  Parameters of STREAM's four:
--     n        elements of an array, required
--     dtype    "f64"
local kc = require "kcost"
local take, size = kc.lib.parameters.take, kc.lib.parameters.size

local stream = {}

-- The parameters of the four: n elements of `dtype`, "f64" where it is not said.
local function arrays(call, p)
    p = take(call, p, { n = size, dtype = "f64" })
    local function read(name) return kc.read(kc.tensor(name, "n", p.dtype, { n = p.n })) end
    return p, read("b"), read
end

-- a = b: no FLOP, 2 n elements.
function stream.copy(p)
    local b
    p, b = arrays("stream.copy", p)
    return kc.kernel("copy", { kc.write("a", b, p.dtype) })
end

-- a = s b: n FLOP, 2 n elements.
function stream.scale(p)
    local b
    p, b = arrays("stream.scale", p)
    return kc.kernel("scale", { kc.write("a", kc.map("scale", b), p.dtype) })
end

-- a = b + c: n FLOP, 3 n elements.
function stream.add(p)
    local b, read
    p, b, read = arrays("stream.add", p)
    return kc.kernel("add", { kc.write("a", kc.map("add", b, read("c")), p.dtype) })
end

-- a = b + s c: 2 n FLOP, 3 n elements.
function stream.triad(p)
    local b, read
    p, b, read = arrays("stream.triad", p)
    return kc.kernel("triad", { kc.write("a", kc.map("fma", b, read("c")), p.dtype) })
end

-- Y[b,j,i] = X[b,i,j]: no FLOP, 2 batch rows columns elements.
--     rows, columns    of X, required
--     batch            matrices: 1
--     dtype            "f32"
function stream.transpose(p)
    p = take("stream.transpose", p, { rows = size, columns = size, batch = 1, dtype = "f32" })
    local X = kc.tensor("X", "b i j", p.dtype, { b = p.batch, i = p.rows, j = p.columns })
    return kc.kernel("transpose", { kc.write("Y", kc.read(X), { dtype = p.dtype, dims = "b j i" }) })
end

return stream
