-- check_grids.lua: convolutions, stencils and streams against closed forms over counted taps and points.

local agree = require "agree"
local kc = require "kcost"
local conv, stencil, stream = kc.lib.conv, kc.lib.stencil, kc.lib.stream

-- One axis: output points, pairs of a point and a tap inside the image, and places that some tap touches.
local function axis(image, filter, stride, dilation, pad)
  local out = math.floor((image + 2 * pad - dilation * (filter - 1) - 1) / stride) + 1
  local inside, touched, seen = 0, 0, {}
  for p = 0, out - 1 do
    for r = 0, filter - 1 do
      local at = stride * p + dilation * r - pad
      if at >= 0 and at < image then
        inside = inside + 1
        if not seen[at] then seen[at], touched = true, touched + 1 end
      end
    end
  end
  return out, inside, touched
end

local shapes = {
  { image = { 9 }, filter = 4, stride = { 1 }, dilation = { 1 }, pad = { 0 } },
  { image = { 9, 8 }, filter = 3, stride = { 2, 1 }, dilation = { 1, 2 }, pad = { 1, 2 } },
  { image = { 5, 6, 7 }, filter = 3, stride = { 1, 2, 1 }, dilation = { 1, 1, 2 }, pad = { 1, 1, 2 } },
}
for _, s in ipairs(shapes) do
  local outs, inside, touched, taps, whole = 1, 1, 1, 1, 1
  for a, image in ipairs(s.image) do
    local o, t, u = axis(image, s.filter, s.stride[a], s.dilation[a], s.pad[a])
    outs, inside, touched, taps, whole = outs * o, inside * t, touched * u, taps * s.filter, whole * image
  end
  for _, groups in ipairs { 1, 2, 4 } do
    local channels, filters, batch = 4, 8, 2
    local p = {
      image = s.image, filter = s.filter, stride = s.stride, dilation = s.dilation, pad = s.pad,
      channels = channels, filters = filters, groups = groups, batch = batch, dtype = "f32",
    }
    local work = 2 * batch * channels / groups * filters * inside
    local unit = groups == channels and "vector" or "matrix"
    local W, Y = 4 * filters * channels / groups * taps, 4 * batch * filters * outs
    local X = 4 * batch * channels * touched
    local tiles = { { n = 1, p = 2, q = #s.image > 1 and 2 or nil } }
    local name = #s.image .. "d, " .. groups .. " groups"
    agree.all(name, conv.forward(p), { [unit] = work, bytes = X + W + Y }, tiles)
    agree.all(name .. " backward weight", conv.backward_weight(p), { [unit] = work, bytes = X + W + Y }, tiles)
    agree.all(name .. " backward data", conv.backward_data(p),
      { [unit] = work, bytes = 4 * batch * channels * whole + W + Y }, tiles)
    -- with padding taps all are the same
    for _, call in ipairs { "forward", "backward_data", "backward_weight" } do
      local c = kc.count(conv[call](p), { convention = { padding = true } })
      agree.t:equal(name .. " " .. call .. " padded", c.matrix_flops + c.vector_flops,
        2 * batch * channels / groups * filters * outs * taps)
    end
    -- the matrix product that it is
    local g = conv.gemm(p)
    agree.t:equal(name .. " as gemm", 2 * g.m * g.n * g.k * g.batch, 2 * batch * channels / groups * filters * outs * taps)
  end
end

-- bias and activation: an addition and a comparison an element
local c = { image = { 8, 8 }, filter = 3, channels = 3, filters = 5, pad = 1, bias = true, epilogue = "relu" }
agree.all("epilogue", conv.forward(c), {
  matrix = 2 * 3 * 5 * (3 * 8 - 2) ^ 2, vector = 2 * 5 * 64, bytes = 2 * (3 * 64 + 5 * 3 * 9 + 5 * 64 + 5),
}, { { p = 3 } })

-- transposed: image * stride; each pixel meets each tap, all of which fall inside where there is no padding
agree.all("transposed", conv.transposed { image = { 4, 5 }, filter = 2, stride = 2, channels = 3, filters = 5 },
  { matrix = 2 * 20 * 3 * 5 * 4, bytes = 2 * (3 * 20 + 3 * 5 * 4 + 5 * 80) }, { { p = 2 } })
local cut = conv.transposed { image = 4, filter = 3, stride = 2, pad = 1, output_pad = 1, channels = 3, filters = 5 }
-- 8 outputs, -1 .. 7: one of 12 products falls outside
agree.all("transposed and cut", cut, { matrix = 2 * 3 * 5 * 11, bytes = 2 * (3 * 4 + 3 * 5 * 3 + 5 * 8) }, { { p = 2 } })

-- F(2x2, 3x3): 4 x 4 tiles of 4 x 4 inputs, 3 channels, 5 filters
local tiles, V, M = 16, 2 * 3 * 16 * 16, 2 * 5 * 16 * 16
agree.all("Winograd", conv.winograd { image = { 10, 10 }, channels = 3, filters = 5 }, {
  matrix = 2 * 16 * tiles * 3 * 5, vector = 32 * tiles * 3 + 24 * tiles * 5,
  bytes = 2 * 3 * 100 + 2 * V + 2 * 3 * 5 * 16 + 2 * M + 2 * 5 * 64,
})

local outs, inside, touched = axis(10, 3, 2, 1, 1)
agree.all("pool", conv.pool { image = { 10, 10 }, channels = 3, filter = 3, stride = 2, pad = 1 },
  { vector = 3 * inside ^ 2, bytes = 2 * 3 * (touched ^ 2 + outs ^ 2) }, { { p = 2 } })

-- Stencils: distinct places that a point's neighbours touch are counted one by one.
local function places(grid, radius, star)
  local seen, count = {}, 0
  local function touch(at)
    local key = table.concat(at, " ")
    if not seen[key] then seen[key], count = true, count + 1 end
  end
  local function neighbours(point, axis_at, offset)
    if axis_at > #grid then return touch(offset) end
    for step = -radius, radius do
      local moved = 0
      for a = 1, axis_at - 1 do if offset[a] ~= point[a] then moved = moved + 1 end end
      if not star or step == 0 or moved == 0 then
        offset[axis_at] = point[axis_at] + step
        neighbours(point, axis_at + 1, offset)
      end
    end
    offset[axis_at] = nil
  end
  local function walk(point)
    if #point == #grid then return neighbours(point, 1, {}) end
    for x = 1, grid[#point + 1] do
      point[#point + 1] = x
      walk(point)
      point[#point] = nil
    end
  end
  walk {}
  return count
end
for _, grid in ipairs { { 9 }, { 6, 7 }, { 4, 5, 6 } } do
  local points = 1
  for _, size in ipairs(grid) do points = points * size end
  for radius = 1, 2 do
    local star, box = 2 * radius * #grid + 1, (2 * radius + 1) ^ #grid
    local tile = { { i = 3, j = grid[2] and 4 } }
    agree.all("star", stencil.star { grid = grid, radius = radius },
      { vector = (2 * star - 1) * points, bytes = 8 * (places(grid, radius, true) + points) }, tile)
    agree.all("box", stencil.box { grid = grid, radius = radius },
      { vector = (2 * box - 1) * points, bytes = 8 * (places(grid, radius) + points) }, tile)
  end
end

local n = 1000
for call, form in pairs {
  copy = { bytes = 16 * n }, scale = { vector = n, bytes = 16 * n }, add = { vector = n, bytes = 24 * n },
  triad = { vector = 2 * n, bytes = 24 * n },
} do
  agree.all(call, stream[call] { n = n }, form, { { n = 300 } })
end
agree.all("transpose", stream.transpose { rows = 20, columns = 30, batch = 2 }, { bytes = 2 * 4 * 1200 }, { { i = 8, j = 8 } })

agree.finish()
