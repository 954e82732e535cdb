-- memory.lua: rules for published traffic: streams, stencils, lattices, softmax passes, ridges.

local kc = require "kcost"
local ops = require "ops"

local rules = {}
local function rule(pattern, convention, build, pick)
  rules[#rules + 1] = { pattern = pattern, convention = convention, build = build, pick = pick }
end

-- STREAM: per iteration where the row says so, else in all.
local N = 1000000
local function stream(kind)
  return function(c) return kc.lib.stream[kind] { n = c.N or N } end
end
local function each(field)
  return function(r, c) return r[field] / (c.per and N or 1) end
end
for _, kind in ipairs{ "copy", "scale", "add", "triad" } do
  rule("stream.b." .. kind, "stream", stream(kind), each("bytes"))
  rule("stream.f." .. kind, "stream", stream(kind), each("flops"))
end
rule("stream.triad.n", "stream", stream("triad"), each("bytes"))
-- Write-allocate: the target line is read before it is overwritten.
rule("stream.triad.wa", { write_allocate = true }, stream("triad"), each("bytes"))

-- Kerncraft's Jacobi: b = s*(left + right + up + down) on an N x N array of doubles.
local function jacobi(c)
  return kc.lib.stencil.star { grid = { c.N - 2, c.N - 2 }, flops = 4 }
end
-- At the memory the layer condition holds: a in, b in (write-allocate) and out.
rule("kc.2d5.ai.mem", "kerncraft", jacobi)
-- At the L1 it is broken: a row of b needs three rows of a, fetched each time.
rule("kc.2d5.ai.l2", "kerncraft", function(c)
  return kc.tile(jacobi(c), { i = 1, j = c.N }, { grid = "", order = "i" })
end)

-- FluidX3D: 19 populations in and out and one flag byte a cell; capacity adds density and velocity.
local CELLS = 1000000
local function lbm(c)
  local dtype = ops.dtype(c.ddf or (c.bytes == 77 and "fp16" or "fp32"))
  local size = { q = 19, c = CELLS }
  local flags = kc.read(kc.tensor("flags", "c", "u8", size))
  local collide = kc.map({ flops = c.flops or 0, special = 0 }, flags)
  return kc.write("f_out", kc.map({ flops = 0, special = 0 }, kc.read(kc.tensor("f_in", "q c", dtype, size)), collide), dtype)
end
rule("fx3d.b%d+", "fluidx3d", lbm, function(r) return r.bytes / CELLS end)
rule("fx3d.ai.%d+", "fluidx3d", lbm)
rule("fx3d.m%d+", "fluidx3d", function(c)
  local size = { q = 19, c = CELLS, v = 3 }
  local dtype = ops.dtype(c.ddf)
  local function read(name, dims, t) return kc.read(kc.tensor(name, dims, t, size)) end
  local state = kc.map({ flops = 1, special = 0 }, read("flags", "c", "u8"), read("rho", "c", "f32"),
    kc.reduce("sum", read("u", "v c", "f32"), "v"), kc.reduce("sum", read("f", "q c", dtype), "q"))
  return kc.write("total", kc.reduce("sum", state, "c"), "f32")
end, function(r) return r.bytes_read / CELLS end)

-- mixbench: an element is read, `iters` multiply-adds are done on it, and it is summed.
rule("mix.[sdh]p.%d+", {}, function(c)
  local size = { n = 2 ^ 24 }
  local x = kc.read(kc.tensor("x", "n", ops.dtype(c.dtype), size))
  return kc.write("sum", kc.reduce("sum", kc.map({ flops = 2 * c.iters, special = 0 }, x), "n"), ops.dtype(c.dtype))
end)

-- Sparse matrix times vector: a value and, unless amortised over a block, a 4-byte index
-- for each multiply-add; vectors neglected (500 nonzeros a row).
local function spmv(indexed)
  return function()
    local size = { r = 10000, z = 500 }
    local value = kc.read(kc.tensor("values", "r z", "f64", size))
    local product
    if indexed then
      product = kc.map({ flops = 1, special = 0 }, value, kc.read(kc.tensor("columns", "r z", "i32", size)))
    else
      product = kc.map({ flops = 1, special = 0 }, value)
    end
    return kc.write("y", kc.reduce("sum", product, "z"), "f64")
  end
end
rule("will.spmv.lo", {}, spmv(true))
rule("will.spmv.hi", {}, spmv(false))

-- Seven points in three dimensions, 8 FLOP: read, write, and write-allocate or not.
local function star7() return kc.lib.stencil.star { grid = { 512, 512, 512 }, flops = 8 } end
rule("will.stencil.lo", "williams", star7)
rule("will.stencil.hi", { write_allocate = false }, star7)

-- FFT of 2^21 complex doubles, 5 N log2 N FLOP, in two sweeps over the data:
-- 64 B a point, 96 B with write-allocate.
local function fft()
  local size = { p = 2 ^ 21, c = 2 }
  local function sweep(name)
    local x = kc.read(kc.tensor(name .. "_in", "p c", "f64", size))
    return kc.write(name, kc.map({ flops = 5 * 21 / 2 / 2, special = 0 }, x), "f64")
  end
  return kc.program("fft", { sweep("first"), sweep("second") })
end
rule("will.fft.lo", "williams", fft)
rule("will.fft.hi", { write_allocate = false }, fft)

-- LBMHD: 73 doubles read, 79 written and about 1300 FLOP a point.
rule("will.lbmhd", { write_allocate = false }, function()
  local size = { r = 73, w = 79, p = 1000000 }
  local sum = kc.reduce({ flops = 0, special = 0 }, kc.read(kc.tensor("in", "r p", "f64", size)), "r")
  local point = kc.map({ flops = 1300, special = 0 }, sum)
  local out = {}
  for w = 1, size.w do out[w] = kc.write("out" .. w, point, "f64") end
  return kc.kernel("lbmhd", out)
end)

-- Softmax over long rows in f32, row by row, tile by tile: what each pass reads again.
-- Caches help no pass here: this is section 3's traffic.
local ROWS, V, TILE = 4, 2 ^ 17, 4096
local function softmax(passes)
  return kc.lib.softmax.rows { m = ROWS, n = V, dtype = "f32", passes = passes, tile = TILE }
end
local function naive() return kc.lib.softmax.naive { m = ROWS, n = V, dtype = "f32", tile = TILE } end
local function topk()
  return kc.tile(kc.lib.sampling.topk { m = ROWS, n = V, k = 5 }, { m = 1, n = TILE })
end
-- One pass: the row's top five and its log-sum-exp, combined at the end.
local function softmax_topk()
  local x = kc.read(kc.tensor("x", "i j", "f32", { i = ROWS, j = V }))
  local lse = kc.lse(kc.softmax(x, "j", { online = true }))
  local top = kc.reduce("max", x, "j", { size = { t = 5 } })
  return kc.tile(kc.write("z", kc.map("exp", kc.map("sub", top, lse)), "f32"), { i = 1, j = TILE })
end
local function an_element(r) return r.bytes / 4 / (ROWS * V) end
rule("onlinesoftmax.naive", {}, naive, an_element)
rule("onlinesoftmax.safe", {}, function() return softmax(3) end, an_element)
rule("onlinesoftmax.online", {}, function() return softmax(2) end, an_element)
rule("onlinesoftmax.safe_topk", {}, function() return kc.program("safe", { softmax(3), topk() }) end, an_element)
rule("onlinesoftmax.online_topk", {}, function() return kc.program("online", { softmax(2), topk() }) end, an_element)
rule("onlinesoftmax.fused_topk", {}, softmax_topk, an_element)
rule("onlinesoftmax.gain", {}, function() return { softmax(3), softmax(2) } end,
  function(r) return r[1].bytes / r[2].bytes end)
rule("onlinesoftmax.fused.gain", {}, function()
  return { kc.program("safe", { softmax(3), topk() }), softmax_topk() }
end, function(r) return r[1].bytes / r[2].bytes end)

-- Triton's tutorial: five elementwise kernels against one; in 2021 (triton-2021) a
-- broadcast operand was charged for every element that it meets.
local function five_kernels(c)
  local size = { m = c.M, n = c.N }
  local function read(name, dims) return kc.read(kc.tensor(name, dims, "f32", size)) end
  return kc.program("unfused", {
    kc.write("x_max", kc.reduce("max", read("x", "m n"), "n"), "f32"),
    kc.write("z", kc.map("sub", read("x", "m n"), read("x_max", "m")), "f32"),
    kc.write("numerator", kc.map("exp", read("z", "m n")), "f32"),
    kc.write("denominator", kc.reduce("sum", read("numerator", "m n"), "n"), "f32"),
    kc.write("ret", kc.map("div", read("numerator", "m n"), read("denominator", "m")), "f32"),
  })
end
local function one_kernel(c)
  return kc.write("ret", kc.softmax(kc.read(kc.tensor("x", "m n", "f32", { m = c.M, n = c.N })), "n"), "f32")
end
rule("triton.softmax.reads", "triton", five_kernels, function(r) return r.bytes_read / 4 end)
rule("triton.softmax.reads.old", "triton-2021", five_kernels, function(r) return r.bytes_read / 4 end)
rule("triton.softmax.writes", "triton", five_kernels, function(r) return r.bytes_written / 4 end)
local function speedup(c) return { five_kernels(c), one_kernel(c) } end
rule("triton.softmax.speedup", "triton", speedup, function(r) return r[1].bytes / r[2].bytes end)
rule("triton.softmax.speedup.old", "triton-2021", speedup, function(r) return r[1].bytes / r[2].bytes end)

-- A chain of two unary operations, fused or not.
local function cosines(fused)
  return function()
    local size = { n = N }
    local a = kc.write("a", kc.map({ flops = 1, special = 1 }, kc.read(kc.tensor("x", "n", "f32", size))), "f32")
    local b = kc.write("b", kc.map({ flops = 1, special = 1 }, kc.read(a)), "f32")
    return fused and kc.fuse("fused", { a, b }) or kc.program("unfused", { a, b })
  end
end
rule("hh.fusion", {}, cosines(true), function(r) return r.bytes / 4 / N end)
rule("hh.unfused", {}, cosines(false), function(r) return r.bytes / 4 / N end)

-- Ridges: peak over bandwidth, from a device with just these figures.
local function ridge(peak, bandwidth)
  return function(c)
    local device = kc.device{ name = "published", hbm = { bandwidth = bandwidth or c.bw or c.link },
      matrix = { f16 = peak or c.peak } }
    return ops.linear(1024, 1024, 1024), device
  end
end
rule("kipply.ridge", {}, ridge())
rule("kipply.comm.ridge", {}, ridge(312e12))
-- The hardware file halves the advertised sparse rate of 309.677e12; the row rounds it.
rule("llmviewer.ridge", {}, ridge(309.677e12 / 2))
rule("nv.v100.ridge", {}, ridge())
rule("pallas.ridge", {}, ridge())
rule("sb.roof.ridge.v5e", {}, ridge())


-- Devices of which only a link matters.
local function linked(bandwidth, peak)
  return kc.device{ name = "published", hbm = { bandwidth = 1e18 }, matrix = { bf16 = peak or 1e15, f16 = peak or 1e15 },
    link = { bandwidth = bandwidth, latency = 0, fixed = 0 }, sustained = { link = 1 } }
end
local function activations(name, rows, width, dtype)
  return kc.tensor(name, "m n", dtype, { m = rows, n = width })
end
-- Two allreduces a layer; the text lets each byte in and out once, as trees do.
rule("kipply.260b.comm", {}, function(c)
  local sum = kc.comm("allreduce", activations("X", c.B, c.D, "f16"), { ranks = 16, algorithm = "tree" })
  return kc.times(sum, 2 * c.L), linked(c.bw)
end, function(r) return r.times.link * 1e6 end)
-- Two chips share the contracted dim, and send each other their sums.  Work grows with it, the message does not.
rule("sb.roof.2chip", {}, function(c)
  local D, B, F = 8192, 1024, 4096
  local size = { b = B, d = D / c.chips, f = F }
  local X, Y = kc.tensor("X", "b d", c.dtype, size), kc.tensor("Y", "d f", c.dtype, size)
  local Z = kc.write("Z", kc.matmul(kc.read(X), kc.read(Y)))
  return kc.program("sharded", { Z, kc.comm("sendrecv", Z, { ranks = c.chips }) }), linked(c.link, c.peak)
end, function(r) return 8192 * r.kernels[2].roof_time / r.kernels[1].roof_time end)

return rules
