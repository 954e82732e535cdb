-- stencil.lua: each point of a grid becomes a weighted sum of its neighbours.
--
--     B[i] = sum over the neighbours o of w[o] A[i + o]
--
-- Dims: y x z of A, i j k of B; sizes in points.  Parameters of both functions:
--     grid      points of B along each axis, one to three, { 512, 512, 512 } or text, required; A has `radius` more
--               on either side
--     radius    neighbours on either side: 1
--     dtype     of A and B: "f64"
--     flops     of a point: an addition less than a product a neighbour, 2 * points - 1; 4 for a Jacobi of five
--               points that adds four and scales
-- Both are untiled kernels.  Useful work: `flops` a point of B on the vector unit.  Compulsory traffic: B, and of
-- A what some neighbour reaches, once each.
local kc = require "kcost"
local take, required, optional = kc.lib.parameters.take, kc.lib.parameters.required, kc.lib.parameters.optional

local stencil = {}

local inputs, outputs = { "y", "x", "z" }, { "i", "j", "k" }

local function taken(call, p)
    p = take(call, p, { grid = required, radius = 1, dtype = "f64", flops = optional })
    p.grid = kc.lib.parameters.numbers(p.grid) or {}
    p.rank, p.size = #p.grid, {}
    if p.rank < 1 or p.rank > 3 then error(call .. ": grid: expected one, two or three sizes") end
    for axis, points in ipairs(p.grid) do
        p.size[outputs[axis]], p.size[inputs[axis]] = points, points + 2 * p.radius
    end
    p.A = kc.tensor("A", table.concat(inputs, " ", 1, p.rank), p.dtype, p.size)
    return p
end

-- A at an offset of each axis from the point of B: "i+1 j+2".
local function at(p, offsets)
    local place = {}
    for axis = 1, p.rank do place[axis] = outputs[axis] .. "+" .. kc.str(p.radius + (offsets[axis] or 0)) end
    return kc.read(p.A, table.concat(place, " "), { size = p.size })
end

-- `points` is how many neighbours, the point itself included.
local function kernel(name, p, points, value)
    local cost = { name = "stencil", flops = p.flops or 2 * points - 1 }
    return kc.kernel(name, { kc.write("B", value(cost), p.dtype) })
end

local function spread(list, n)
    if list[n] then return list[n], spread(list, n + 1) end
end

-- Neighbours along the axes: 2 radius rank + 1 of them.
function stencil.star(p)
    p = taken("stencil.star", p)
    local reads = { at(p, {}) }
    for axis = 1, p.rank do
        for step = 1, p.radius do
            reads[#reads + 1], reads[#reads + 2] = at(p, { [axis] = step }), at(p, { [axis] = -step })
        end
    end
    return kernel("star stencil", p, #reads, function(cost) return kc.map(cost, spread(reads, 1)) end)
end

-- All neighbours of the cube: (2 radius + 1)^rank of them.
function stencil.box(p)
    p = taken("stencil.box", p)
    local names, place, taps, points = { "r", "s", "t" }, {}, {}, 1
    for axis = 1, p.rank do
        taps[axis] = names[axis]
        place[axis] = outputs[axis] .. "+" .. names[axis]
        p.size[names[axis]] = 2 * p.radius + 1
        points = points * (2 * p.radius + 1)
    end
    return kernel("box stencil", p, points, function(cost)
        local a = kc.read(p.A, table.concat(place, " "), { size = p.size })
        return kc.map(cost, kc.reduce({ name = "window", flops = 0 }, a, table.concat(taps, " ")))
    end)
end

return stencil
