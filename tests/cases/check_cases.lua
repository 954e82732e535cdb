-- check_cases.lua: cases that practitioners raised, each named by its id, with its arithmetic.
--
-- The right value stands in the comment; what other tools printed is there where it teaches.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/?.lua;" .. here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"

local t = tally.new("cases")
local function case(id, test) t:try(id, test) end

-- A read of a new tensor, and the plain matmul of two.
local function read(name, dims, dtype, size, index, opts)
  local T = kc.tensor(name, dims, dtype, size)
  if index then return kc.read(T, index, opts or { size = size }) end
  return kc.read(T)
end
local function matmul(size, dtype, a, b, over)
  return kc.matmul(read("A", a, dtype, size), read("B", b, dtype, size), over)
end

-- O = softmax(Q K^T) V; `mask` works on the scores; o.d, o.e may differ (MLA).
local function attention(o)
  local size = { b = o.b or 1, h = o.h or 1, i = o.q, j = o.k or o.q, d = o.d, e = o.e or o.d }
  local S = kc.matmul(read("Q", "b h i d", "f16", size), read("K", "b h j d", "f16", size))
  if o.mask then S = o.mask(S) end
  return kc.write("O", kc.matmul(kc.softmax(S, "j", { online = true }), read("V", "b h j e", "f16", size)))
end

-- The four matmuls of its gradient where P was kept.
local function attention_backward(o)
  local size = { b = o.b or 1, h = o.h or 1, i = o.q, j = o.k or o.q, d = o.d, e = o.e or o.d }
  local function tensor(name, dims) return kc.read(kc.tensor(name, dims, "f16", size)) end
  local mask = o.mask or function(x) return x end
  local P, dO = mask(tensor("P", "b h i j")), tensor("dO", "b h i e")
  local dS = mask(kc.map("mul", P, kc.matmul(dO, tensor("V", "b h j e"), "e")))
  return kc.kernel("backward", {
    kc.write("dV", kc.matmul(P, dO, "i")),
    kc.write("dQ", kc.matmul(dS, tensor("K", "b h j d"), "j")),
    kc.write("dK", kc.matmul(dS, tensor("Q", "b h i d"), "i")),
  })
end

local function causal(x) return kc.causal(x, "i", "j") end
local function row(result, name)
  for _, r in ipairs(result.tensors) do
    if r.name == name then return r end
  end
  error("no tensor '" .. name .. "'")
end

-- P02: four counters that were wrong in one file.
case("P02", function()
  local f = { convention = { multiply_add = 2 } }
  local mac = { convention = { multiply_add = 1 } }
  -- linear 4 x 8 x 16 with bias: 2*4*8*16 + 4*16 = 1088 FLOP (the tool: 1024)
  local size = { m = 4, k = 8, n = 16 }
  local y = kc.map("add", matmul(size, "f32", "m k", "k n"), read("bias", "n", "f32", size))
  t:equal("P02 linear", kc.count(kc.write("Y", y), f).flops, 1088)
  -- vector . vector of 8: 8 multiply-adds (the tool: 64)
  t:equal("P02 dot", kc.count(kc.write("Y", matmul(size, "f32", "k", "k")), mac).flops, 8)
  -- (4,8) x (8): 32 multiply-adds (the tool: 256)
  t:equal("P02 matvec", kc.count(kc.write("Y", matmul(size, "f32", "m k", "k")), mac).flops, 32)
  -- (2,1,4,8) x (3,8,5): 2*3*4*5 outputs of 8 = 960 (the tool: 320)
  local batch = { b = 2, c = 3, m = 4, k = 8, n = 5 }
  t:equal("P02 broadcast", kc.count(kc.write("Y", matmul(batch, "f32", "b m k", "c k n")), mac).flops, 960)
  -- addmm, a bias of 5 onto (4,5), K = 8: 2*4*5*8 + 4*5 = 340 FLOP (the tool: 325)
  local s = { m = 4, k = 8, n = 5 }
  local addmm = kc.map("add", matmul(s, "f32", "m k", "k n"), read("bias", "n", "f32", s))
  t:equal("P02 addmm", kc.count(kc.write("Y", addmm), f).flops, 340)
end)

-- P05: counts that overflowed 32 bits.
case("P05", function()
  -- conv of 1x1024x1024x16 with 4x4x16x4 filters, "same": 2 * 1024*1024*4 * 4*4*16 = 2^31
  local size = { y = 1024, x = 1024, p = 1024, q = 1024, r = 4, s = 4, c = 16, f = 4 }
  local image = read("X", "y x c", "f32", size, "p+r-1 q+s-1 c")
  local conv = kc.write("Y", kc.matmul(image, read("W", "r s c f", "f32", size), "r s c"))
  t:equal("P05 conv", kc.count(conv, { convention = { padding = true } }).flops, 2 ^ 31)
  -- without the taps outside the image: along an axis 4*1024 - 1 - 2 - 1 taps are inside
  t:equal("P05 conv inside", kc.count(conv).flops, 2 * 16 * 4 * (4 * 1024 - 4) ^ 2)
  -- attention, 32 heads of 128, 2048 new tokens behind 2048 cached: 4*32*4096*2048*128 = 2^37
  local a = attention{ h = 32, q = 2048, k = 4096, d = 128 }
  t:equal("P05 attention", kc.count(a).matrix_flops, 2 ^ 37)
  -- a training run exceeds 64-bit integers: 6 * 37e9 weights * 14.8e12 tokens = 3.2856e24
  local w = { t = 14.8e12, k = 37e9, n = 1 }
  local forward = kc.write("Y", kc.matmul(read("X", "t k", "bf16", w), read("W", "k n", "bf16", w)))
  local dx = kc.write("dX", kc.matmul(read("dY", "t n", "bf16", w), read("W", "k n", "bf16", w), "n"))
  local dw = kc.write("dW", kc.matmul(read("X", "t k", "bf16", w), read("dY", "t n", "bf16", w), "t"))
  t:near("P05 training", kc.count(kc.program("training", { forward, dx, dw })).flops, 6 * 37e9 * 14.8e12, 1e-15)
end)

-- P07: attention B2 H5 S9 d4 was counted twice; 2*2*B*H*S*S*d = 12,960.
case("P07", function()
  local a = attention{ b = 2, h = 5, q = 9, d = 4 }
  t:equal("P07", kc.count(a).matrix_flops, 12960)
  -- a network called twice is twice the work, and the total is the sum of its rows
  local p = kc.program("twice", { a, kc.times(a, 2), attention_backward{ b = 2, h = 5, q = 9, d = 4 } })
  local r = kc.count(p)
  for _, field in ipairs{ "flops", "matrix_flops", "vector_flops", "special_ops", "executed_flops", "bytes",
    "bytes_read", "bytes_written", "bytes_min" } do
    local sum = 0
    for _, kernel in ipairs(r.kernels) do sum = sum + kernel[field] * (kernel.launches or 1) end
    local times = 0
    for _, kernel in ipairs(r.kernels) do times = times + kernel[field] end
    t:is_true("P07 " .. field, r[field] == sum or r[field] == times,
      field .. " " .. r[field] .. " is not the sum of its rows " .. sum)
  end
  t:equal("P07 sum", r.matrix_flops, 3 * 12960 + 2 * 12960)
  local bytes = 0
  for _, x in ipairs(r.tensors) do bytes = bytes + x.bytes_read + x.bytes_written end
  t:equal("P07 tensors", bytes, r.bytes)
end)

-- P10: transposed convolution 3 -> 1, 2x2, stride 2, 2x2 -> 4x4, bias:
-- 4 pixels * 3 * 1 * 4 taps = 48 multiply-adds = 96 FLOP, and 16 bias adds = 112.
case("P10", function()
  local size = { c = 3, f = 1, p = 2, q = 2, r = 2, s = 2, y = 4, x = 4 }
  local product = kc.matmul(read("X", "c p q", "f32", size), read("W", "c f r s", "f32", size), "c")
  local Y = kc.write("Y", product, { dims = "f y x", index = "f 2*p+r 2*q+s", size = { y = 4, x = 4 } })
  local biased = kc.write("Z", kc.map("add", kc.read(Y), read("bias", "f", "f32", size)))
  t:equal("P10 taps", kc.count(Y).matrix_flops, 96)
  t:equal("P10", kc.count(kc.program("convtranspose", { Y, biased })).flops, 112)
end)

-- P11: transposed 32 -> 1, 3x3, on a 1x1 image: 32 * 9 = 288 multiply-adds (the tool: 81),
-- the same as the gradient of the convolution 1 -> 32 on the 3x3 image.
case("P11", function()
  local size = { c = 32, f = 1, p = 1, q = 1, r = 3, s = 3, y = 3, x = 3 }
  local product = kc.matmul(read("X", "c p q", "f32", size), read("W", "c f r s", "f32", size), "c")
  local Y = kc.write("Y", product, { dims = "f y x", index = "f p+r q+s", size = { y = 3, x = 3 } })
  t:equal("P11", kc.count(Y, { convention = { multiply_add = 1 } }).flops, 288)
end)

-- P14: 8 -> 8, 3x3, pad 1, 16x16, 8 groups: 18,432 multiply-adds forward and for the
-- weights' gradient (a tool lost the groups: 147,456).
case("P14", function()
  local size = { g = 8, p = 16, q = 16, r = 3, s = 3, y = 16, x = 16 }
  local mac = { convention = { multiply_add = 1, padding = true } }
  local x = read("X", "g y x", "f32", size, "g p+r-1 q+s-1")
  local forward = kc.write("Y", kc.matmul(x, read("W", "g r s", "f32", size), "r s"))
  local weights = kc.write("dW", kc.matmul(x, read("dY", "g p q", "f32", size), "p q"))
  t:equal("P14 forward", kc.count(forward, mac).flops, 18432)
  t:equal("P14 weights", kc.count(weights, mac).flops, 18432)
end)

-- P18: Llama-2-7B (32 layers, h = 32 * 128 = 4096), S = 8192, batch 4, training:
-- full 12*L*B*S^2*h = 422.212e12, half of it, and exact 12*L*B*h*S(S+1)/2 = 211.132e12.
case("P18", function()
  local o = { b = 4, h = 32, q = 8192, d = 128, mask = causal }
  local p = kc.times(kc.program("attention", { attention(o), attention_backward(o) }), 32)
  local full = 12 * 32 * 4 * 8192 ^ 2 * 4096
  local function flops(how) return kc.count(p, { convention = { causal = how } }).matrix_flops end
  t:equal("P18 full", flops("full"), full)
  t:equal("P18 half", flops("half"), full / 2)
  t:equal("P18 exact", flops("exact"), 12 * 32 * 4 * 4096 * 8192 * 8193 / 2)
  t:near("P18 printed before", flops("full"), 422.21e12, 0.5e-4)
  t:near("P18 printed after", flops("half"), 211.11e12, 0.5e-4)
end)

-- P21: a window wider than the sequence is the causal triangle: S(S+1)/2 = 524,800 pairs
-- (a tool: S*W = 4,194,304); in decode it is min(context, W) for FLOP and for KV bytes.
case("P21", function()
  local function window(w, offset)
    return function(x) return kc.mask(x, "i", "j", { lo = offset - (w - 1), hi = offset }) end
  end
  local d = 64
  local r = kc.count(attention{ q = 1024, d = d, mask = window(4096, 0) })
  t:equal("P21 pairs", r.matrix_flops / (4 * d), 524800)
  -- one query behind 32,767 cached tokens, window 4096: an eighth of the context
  local decode = kc.count(attention{ q = 1, k = 32768, d = d, mask = window(4096, 32767) })
  t:equal("P21 decode", decode.matrix_flops, 4 * d * 4096)
  t:equal("P21 decode K", row(decode, "K").bytes_read, 4096 * d * 2)
  t:equal("P21 decode V", row(decode, "V").bytes_read, 4096 * d * 2)
  local short = kc.count(attention{ q = 1, k = 1000, d = d, mask = window(4096, 999) })
  t:equal("P21 short context", short.matrix_flops, 4 * d * 1000)
  t:equal("P21 short context K", row(short, "K").bytes_read, 1000 * d * 2)
end)

-- P22: a chunk c behind a prefix P meets c*P + c(c+1)/2 pairs: c = 2048, P = 6144:
-- 14,681,088 (a tool: 2,098,176); two prompts of 100 are 10,100 pairs (a tool: 20,100).
case("P22", function()
  local d = 64
  local chunk = kc.count(attention{ q = 2048, k = 8192, d = d, mask = causal })
  t:equal("P22 chunk", chunk.matrix_flops / (4 * d), 2048 * 6144 + 2048 * 2049 / 2)
  t:equal("P22 chunk", chunk.matrix_flops / (4 * d), 14681088)
  local prompt = attention{ q = 100, d = d, mask = causal }
  local two = kc.group("ragged", { prompt, attention{ q = 100, d = d, mask = causal } })
  t:equal("P22 two prompts", kc.count(two).matrix_flops / (4 * d), 10100)
end)

-- P25: Llama-3.1-8B's projections a token and layer: Q and O 4096 x 4096, K and V
-- 4096 x 1024: 2*(4096*4096) + 2*(4096*1024) = 41,943,040 multiply-adds.
case("P25", function()
  local function linear(name, n)
    local size = { t = 1, k = 4096, n = n }
    return kc.write(name, kc.matmul(read("x", "t k", "bf16", size), read("W" .. name, "k n", "bf16", size)))
  end
  local p = kc.program("projections", { linear("Q", 4096), linear("K", 1024), linear("V", 1024), linear("O", 4096) })
  t:equal("P25", kc.count(p, { convention = { multiply_add = 1 } }).flops, 2 * 4096 * 4096 + 2 * 4096 * 1024)
end)

-- P26: DeepSeek-V2-Lite, 27 layers, 16 heads, scores 128 + 64 = 192 wide, values 128,
-- S = 8192, batch 4, training: 6*27*4*8192^2*16*(192+128) = 222.65e12, half 111.33e12.
case("P26", function()
  local o = { b = 4, h = 16, q = 8192, d = 192, e = 128, mask = causal }
  local p = kc.times(kc.program("attention", { attention(o), attention_backward(o) }), 27)
  local function flops(how) return kc.count(p, { convention = { causal = how } }).matrix_flops end
  t:equal("P26", flops("full"), 6 * 27 * 4 * 8192 ^ 2 * 16 * (192 + 128))
  t:near("P26 printed", flops("full"), 222.65e12, 0.5e-4)
  t:near("P26 printed half", flops("half"), 111.33e12, 0.5e-4)
end)

-- P45: of N experts k a token are read by B tokens: N*(1-(1-k/N)^B) on average;
-- N = 8, k = 2, B = 3: 4.625 of 8 (a tool: 8). A gather's compulsory rows, by `distinct`.
case("P45", function()
  local size = { m = 3 * 2, x = 8, k = 256, n = 512 }
  local W = kc.read(kc.tensor("W", "x k n", "bf16", size), "[m] k n", { size = size, distinct = 8 * (1 - (1 - 2 / 8) ^ 3) })
  local y = kc.write("Y", kc.matmul(read("X", "m k", "bf16", size), W, "k"))
  t:equal("P45", row(kc.count(y), "W").bytes_read, 4.625 * 256 * 512 * 2)
end)

-- P62: M = N = K = 1024, f16 in, f32 out: 2*(MK + KN) + 4*MN = 8,388,608 B in 1 ms
-- are 8.389 GB/s (a formula without brackets printed 4,194,308, its first fix 12.583).
case("P62", function()
  local size = { m = 1024, n = 1024, k = 1024 }
  local r = kc.count(kc.write("C", matmul(size, "f16", "m k", "k n"), "f32"))
  t:equal("P62", r.bytes, 8388608)
  t:near("P62 rate", r.bytes / 1e-3, 8.389e9, 0.5e-4)
end)

-- P63: 4096^3 in f16, tile 128 x 128: blocks load M*N*K*(1/Tm + 1/Tn)*2 = 2,147,483,648 B,
-- the least is 100,663,296 B; intensity 63.0 or 1365.
case("P63", function()
  local size = { m = 4096, n = 4096, k = 4096 }
  local C = kc.write("C", matmul(size, "f16", "m k", "k n"), "f16")
  local least, blocks = kc.count(C), kc.count(kc.tile(C, { m = 128, n = 128, k = 32 }, { grid = "m n", order = "k" }))
  t:equal("P63 loads", blocks.bytes_read, 2147483648)
  t:equal("P63 least", least.bytes, 100663296)
  t:equal("P63 least of the tiled kernel", blocks.bytes_min, 100663296)
  t:near("P63 intensity of the blocks", blocks.intensity, 63.0, 0.5e-3)
  t:near("P63 intensity", least.intensity, 1365.33, 1e-5)
end)

-- P67: a fused group touches its external tensors only: 1 x 4864 by 4864 x 896 in q4_K
-- (4.5 bit), f32 activations, residual added: 2,451,456 + 19,456 + 3,584 + 3,584 = 2,478,080 B,
-- 2*896*4864 + 896 FLOP.
case("P67", function()
  local q4_K = kc.dtype{ name = "q4_K", bits = 4, block = 256, scale_bits = 128, math = "f16" }
  local size = { t = 1, k = 4864, n = 896 }
  local mm = kc.write("mm", kc.matmul(read("x", "t k", "f32", size), read("W", "k n", q4_K, size)), "f32")
  local sum = kc.write("y", kc.map("add", kc.read(mm), read("residual", "t n", "f32", size)), "f32")
  local r = kc.count(kc.fuse("group", { mm, sum }))
  t:equal("P67 weights", row(r, "W").bytes_read, 2451456)
  t:equal("P67 bytes", r.bytes, 2478080)
  t:equal("P67 FLOP", r.flops, 2 * 896 * 4864 + 896)
end)

-- P72: 1408 channels as 9 tiles of 160 (the last 128) or 5 of 320 (the last 128), read
-- again by 32 outer trips: both 1408*768*32 = 34,603,008 weights (a tool: 35,389,440
-- and 39,321,600, its last tile whole).
case("P72", function()
  local size = { c = 1408, k = 768, m = 4096 }
  local Y = kc.write("Y", kc.matmul(read("X", "m c", "f16", size), read("W", "c k", "f16", size), "c"))
  for _, tile in ipairs{ 160, 320 } do
    local r = kc.count(kc.tile(Y, { c = tile, m = 128, k = 768 }, { grid = "", order = "m c" }))
    t:equal("P72 tile " .. tile, row(r, "W").bytes_read / 2, 34603008)
  end
end)

-- P74: 1792^2 in tiles of 256 x 128 on 108 cores: 7*14 = 98 tiles, 1 wave, 98/108 = 90.7 %;
-- 1793^2: 8*15 = 120 tiles, 2 waves, 120/216 = 55.6 %, of it 1793^2 / (120*256*128)
-- useful: 45.4 %. A CTA of this tile with three stages fills a core of the A100.
case("P74", function()
  local function step(n)
    local size = { m = n, n = n, k = 4096 }
    local C = kc.write("C", matmul(size, "f16", "m k", "k n"), "f16")
    return kc.evaluate(kc.tile(C, { m = 256, n = 128, k = 64 }, { grid = "m n", stages = 3 }), "a100-sxm4-80gb")
  end
  local even, odd = step(1792), step(1793)
  t:equal("P74 tiles", even.ctas, 98)
  t:equal("P74 occupancy", even.occupancy, 1)
  t:equal("P74 waves", even.waves, 1)
  t:near("P74 efficiency", even.wave_efficiency, 98 / 108, 1e-12)
  t:equal("P74 one more: tiles", odd.ctas, 120)
  t:equal("P74 one more: waves", odd.waves, 2)
  t:near("P74 one more: efficiency", odd.wave_efficiency, 120 / 216, 1e-12)
  t:near("P74 one more: useful", odd.wave_efficiency * odd.tile_efficiency, 1793 ^ 2 / (120 * 256 * 128) * 120 / 216, 1e-12)
  t:near("P74 one more: useful as printed", odd.wave_efficiency * odd.tile_efficiency, 0.454, 1e-3)
end)

-- P100: kernels without FLOP: a copy takes bytes / bandwidth and is bound by memory;
-- the transpose of 2048^2 floats moves 2 * 2048*2048*4 = 33,554,432 B at least.
case("P100", function()
  local size = { i = 2048, j = 2048 }
  local X = kc.read(kc.tensor("X", "i j", "f32", size))
  local transposed = kc.count(kc.write("Y", X, { dims = "j i" }))
  t:equal("P100 transpose FLOP", transposed.flops, 0)
  t:equal("P100 transpose bytes", transposed.bytes, 33554432)
  t:equal("P100 transpose intensity", transposed.intensity, 0)
  local device = kc.device("a100-sxm4-80gb")
  local copy = kc.evaluate(kc.write("Y", X), device)
  t:equal("P100 copy FLOP", copy.flops, 0)
  t:equal("P100 copy bound", copy.bound, "hbm")
  t:equal("P100 copy class", copy.class, "memory-bound")
  t:near("P100 copy roof", copy.roof_time, 33554432 / device.hbm.bandwidth, 1e-12)
end)

t:finish()
