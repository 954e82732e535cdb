-- conv.lua: convolutions in one, two or three dimensions.
--
--     Y[n,f,p] = sum over c and r of X[n, c, stride*p + dilation*r - pad] W[f,c,r]
--
-- Dims: n images, g groups, c channels and f filters of a group; of each axis one of y x z (input), p q o (output)
-- and r s t (taps); sizes in elements.  Parameters of every function here, but those that it says it lacks:
--     image      sizes of the input's axes, { 224, 224 } or "224 224", required: one number is one axis
--     filter     taps of each axis, { 3, 3 }, required: a number stands for all axes
--     channels   of X, required
--     filters    channels of Y, required
--     stride, dilation    of each axis, as filter: 1
--     pad        of each side of each axis, as filter: 0
--     groups     divide channels and filters; as many as channels is depthwise: 1
--     batch      images: 1
--     dtype      of all tensors: "f16"
--     unit       "matrix" or "vector", which does the products: "matrix"; "vector" where a group has one channel
-- All are untiled kernels, unless it is said.  With T the pairs of an output point and a tap that lie inside the
-- image, the product over axes: useful work is 2 batch (channels / groups) filters T FLOP, the same forward, for
-- the gradient of the data and for that of the weights.  Padding taps count as executed, and under the
-- convention { padding = true } as work.  Compulsory traffic: each tensor once, of X what some tap touches.
local kc = require "kcost"
local take, merge, size, required = kc.lib.parameters.take, kc.lib.parameters.merge, kc.lib.parameters.size,
    kc.lib.parameters.required
local optional = kc.lib.parameters.optional

local conv = {}

local inputs, outputs, taps = { "y", "x", "z" }, { "p", "q", "o" }, { "r", "s", "t" }

local function whole(x, least)
    return type(x) == "number" and x >= least and x == math.floor(x)
end

-- A number for each of `rank` axes, out of one number or of a list.
local function each_axis(call, p, name, rank, least)
    local given, list = kc.lib.parameters.numbers(p[name]) or {}, {}
    for axis = 1, rank do
        list[axis] = #given == 1 and given[1] or given[axis]
        if not whole(list[axis], least) then
            error(call .. ": " .. name .. ": expected a whole number of at least " .. kc.str(least)
                .. " for each axis of the image")
        end
    end
    return list
end

-- The parameters with lists for axes, and sizes, index and dims of the tensors.
local function taken(call, given, more)
    local p = take(call, given, merge({
        image = required, filter = required, channels = size, filters = size, stride = optional, dilation = optional,
        pad = optional, groups = 1, batch = 1, dtype = "f16", unit = optional,
    }, more))
    local rank = #(kc.lib.parameters.numbers(p.image) or {})
    if rank < 1 or rank > 3 then error(call .. ": image: expected one, two or three sizes") end
    if p.channels % p.groups ~= 0 or p.filters % p.groups ~= 0 then
        error(call .. ": groups: must divide channels and filters")
    end
    if p.unit ~= nil then kc.lib.parameters.one_of(call, "unit", p.unit, { "matrix", "vector" }) end
    p.stride, p.dilation, p.pad = p.stride or 1, p.dilation or 1, p.pad or 0
    for name, least in pairs { image = 1, filter = 1, stride = 1, dilation = 1, pad = 0 } do
        p[name] = each_axis(call, p, name, rank, least)
    end
    p.rank = rank
    p.size = { n = p.batch, g = p.groups, c = p.channels / p.groups, f = p.filters / p.groups }
    p.matmul = { unit = (p.unit or (p.size.c == 1 and p.groups > 1 and "vector")) == "vector" and "vector" or nil }
    return p
end

-- The axes as text, "p q", and the places of the input that they reach, "2*p+r-1 2*q+s-1".
local function axes(p, names)
    return table.concat(names, " ", 1, p.rank)
end

local function places(p)
    local list = {}
    for axis = 1, p.rank do
        list[axis] = kc.str(p.stride[axis]) .. "*" .. outputs[axis] .. "+" .. kc.str(p.dilation[axis]) .. "*"
            .. taps[axis] .. "-" .. kc.str(p.pad[axis])
    end
    return table.concat(list, " ")
end

-- Sizes of all axes: the image, the filter, and one output point for each place where the filter fits.
local function fit(call, p)
    for axis = 1, p.rank do
        local reach = p.dilation[axis] * (p.filter[axis] - 1) + 1
        local out = math.floor((p.image[axis] + 2 * p.pad[axis] - reach) / p.stride[axis]) + 1
        if out < 1 then error(call .. ": filter: is larger than the padded image") end
        p.size[inputs[axis]], p.size[outputs[axis]], p.size[taps[axis]] = p.image[axis], out, p.filter[axis]
    end
    return p
end

local function read(p, name, dims, index)
    local tensor = kc.tensor(name, dims, p.dtype, p.size)
    return index and kc.read(tensor, index, { size = p.size }) or kc.read(tensor)
end

local function window(p, name)
    return read(p, name, "n g c " .. axes(p, inputs), "n g c " .. places(p))
end

-- Products added up on the input's side.  Where there is padding, a tensor of no traffic says which of them fall
-- inside the image, so that those of padding taps are no useful work here either.
local function scattered(p, name, products, channels)
    if math.max(p.pad[1], p.pad[2] or 0, p.pad[3] or 0) > 0 then
        local inside = kc.read(kc.tensor("inside", axes(p, inputs), "bool", p.size), places(p),
            { size = p.size, scale = 0 })
        products = kc.map({ name = "inside", flops = 0 }, products, inside)
    end
    return kc.write(name, products, {
        dtype = p.dtype, dims = "n g " .. channels .. " " .. axes(p, inputs),
        index = "n g " .. channels .. " " .. places(p), size = p.size,
    })
end

-- Y of the formula above.
--     bias       a vector over filters is added, 1 FLOP an element of Y: false
--     epilogue   a named map on Y ("relu"): none
function conv.forward(p)
    p = fit("conv.forward", taken("conv.forward", p, { bias = false, epilogue = optional }))
    local w = read(p, "W", "g f c " .. axes(p, taps))
    local y = kc.matmul(window(p, "X"), w, "c " .. axes(p, taps), p.matmul)
    if p.bias then y = kc.map("add", y, read(p, "bias", "g f")) end
    if p.epilogue then y = kc.map(p.epilogue, y) end
    return kc.kernel("convolution", {
        kc.write("Y", y, { dtype = p.dtype, dims = "n g f " .. axes(p, outputs) }),
    })
end

-- dX[n,c,stride*p + dilation*r - pad] = sum over f of dY[n,f,p] W[f,c,r], added up over the p and r that meet.
function conv.backward_data(p)
    p = fit("conv.backward_data", taken("conv.backward_data", p))
    local dY, w = read(p, "dY", "n g f " .. axes(p, outputs)), read(p, "W", "g f c " .. axes(p, taps))
    return kc.kernel("convolution backward data", { scattered(p, "dX", kc.matmul(dY, w, "f", p.matmul), "c") })
end

-- dW[f,c,r] = sum over n and p of dY[n,f,p] X[n, c, stride*p + dilation*r - pad].
function conv.backward_weight(p)
    p = fit("conv.backward_weight", taken("conv.backward_weight", p))
    local dY = read(p, "dY", "n g f " .. axes(p, outputs))
    return kc.kernel("convolution backward weight", {
        kc.write("dW", kc.matmul(dY, window(p, "X"), "n " .. axes(p, outputs), p.matmul),
            { dtype = p.dtype, dims = "g f c " .. axes(p, taps) }),
    })
end

-- Y[n, f, stride*p + dilation*r - pad] = sum over c of X[n,c,p] W[c,f,r]: the image is the small side, and
-- the work that of the convolution whose gradient it is.  An axis of Y has
-- stride (image - 1) + dilation (filter - 1) + 1 - 2 pad + output_pad elements.
--     output_pad    elements more on one side of each axis, as filter: 0
--     bias          a vector over filters is added by a second kernel, 1 FLOP an element of Y: false
function conv.transposed(p)
    p = taken("conv.transposed", p, { output_pad = 0, bias = false })
    for axis = 1, p.rank do
        p.size[outputs[axis]], p.size[taps[axis]] = p.image[axis], p.filter[axis]
        p.size[inputs[axis]] = p.stride[axis] * (p.image[axis] - 1) + p.dilation[axis] * (p.filter[axis] - 1) + 1
            - 2 * p.pad[axis] + p.output_pad
    end
    local x, w = read(p, "X", "n g c " .. axes(p, outputs)), read(p, "W", "g c f " .. axes(p, taps))
    local Y = scattered(p, "Y", kc.matmul(x, w, "c", p.matmul), "f")
    if not p.bias then return kc.kernel("transposed convolution", { Y }) end
    local biased = kc.write("Y + bias", kc.map("add", kc.read(Y), read(p, "bias", "g f")), p.dtype)
    return kc.program("transposed convolution", { Y, biased })
end

-- The matrix product that a convolution is: { m, n, k, batch }, of which conv.forward reads A by index and
-- gemm.batched from a matrix that was written before.
--     m = batch p q     n = filters / groups     k = (channels / groups) r s     batch = groups
function conv.gemm(p)
    p = fit("conv.gemm", taken("conv.gemm", p))
    local m, k = p.batch, p.size.c
    for axis = 1, p.rank do m, k = m * p.size[outputs[axis]], k * p.filter[axis] end
    return { m = m, n = p.size.f, k = k, batch = p.groups }
end

-- A 3x3 convolution of stride 1 by F(2x2, 3x3): 16 products for each 2x2 outputs, where 36 are nominal.  A
-- program of three untiled kernels: V = B^T X B, M = sum over c of U V (U are the transformed weights, made
-- once), Y = A^T M A; the 16 products lie apart in U, V and M.  The output's axes are even.  It has no filter,
-- stride, dilation, groups and unit.
-- Useful work: 32 FLOP for each input tile of 4x4 and channel (2 for each of its elements inside the image),
-- 2 * 16 for each tile, channel and filter, 24 for each tile and filter.  Source: Lavin and Gray, arXiv
-- 1509.09308, section 4.1.
function conv.winograd(p)
    p = fit("conv.winograd", taken("conv.winograd", p, { filter = 3 }))
    local s = p.size
    if p.rank ~= 2 or p.filter[1] ~= 3 or p.filter[2] ~= 3 or s.p % 2 ~= 0 or s.q % 2 ~= 0 or p.groups > 1 or p.stride[1] * p.stride[2] > 1
        or p.dilation[1] * p.dilation[2] > 1 then
        error("conv.winograd: image: two axes, taps of 3, stride 1, no groups, and an even output are wanted")
    end
    local sizes = { n = s.n, c = s.c, f = s.f, y = s.y, x = s.x, p = s.p / 2, q = s.q / 2, a = 4, b = 4, r = 2, s = 2 }
    local tiles = ("n c 2*p+a-%s 2*q+b-%s"):format(kc.str(p.pad[1]), kc.str(p.pad[2]))
    local x = kc.read(kc.tensor("X", "n c y x", p.dtype, sizes), tiles, { size = sizes })
    local V = kc.write("V", kc.map({ name = "transform", flops = 32 / 16 }, x), { dtype = p.dtype, dims = "a b n c p q" })
    local U = kc.read(kc.tensor("U", "a b f c", p.dtype, sizes))
    local M = kc.write("M", kc.matmul(kc.read(V), U, "c"), { dtype = p.dtype, dims = "a b n f p q" })
    local y = kc.reduce({ name = "transform", flops = 24 / 16 }, kc.read(M), "a b", { size = { r = 2, s = 2 } })
    local Y = kc.write("Y", y, {
        dtype = p.dtype, dims = "n f y x", index = "n f 2*p+r 2*q+s", size = { y = s.p, x = s.q },
    })
    return kc.program("Winograd convolution", { V, M, Y })
end

-- Pooling: Y[n,c,p] = the maximum (or mean) of X over the taps.  It has no filters, groups, dilation and unit.
--     what       "max" or "mean": "max"
-- Useful work: 1 FLOP a tap inside the image.  Compulsory traffic: Y, and of X what some tap touches.
function conv.pool(p)
    p = fit("conv.pool", taken("conv.pool", p, { filters = 1, what = "max" }))
    kc.lib.parameters.one_of("conv.pool", "what", p.what, { "max", "mean" })
    return kc.kernel("pool", {
        kc.write("Y", kc.reduce(p.what, window(p, "X"), axes(p, taps)), p.dtype),
    })
end

return conv
