-- rates.lua: rules for published rates, times, crossings and waves, each asked of a device with the row's figures.
--
-- A rule here has `value`, which gives the figure of a row's config.

local kc = require "kcost"
local ops = require "ops"

local rules = {}
local function rule(pattern, value) rules[#rules + 1] = { pattern = pattern, value = value } end

local FREE = 1e24                                  -- a rate that never binds
-- A device of one peak for all math, a bandwidth, and nothing else.
local function machine(peak, bandwidth)
  local peaks = { f16 = peak, bf16 = peak, f32 = peak, i8 = peak }
  return kc.device { name = "published", matrix = peaks, vector = { f32 = peak }, hbm = { bandwidth = bandwidth } }
end
local function roof(x, device) return kc.evaluate(x, device).roof_time * 1e6 end

local function sgemm(c) return kc.lib.gemm.plain { m = c.M, n = c.N, k = c.K, dtype = "f32", residual = true } end
rule("boehm.tcompute", function(c) return roof(sgemm(c), machine(c.peak, FREE)) end)
rule("boehm.tmem", function(c) return roof(sgemm(c), machine(FREE, c.bw)) end)
rule("boehm.k3.occ", function(c)
  local o = kc.occupancy("rtx-a6000", { threads = c.threads, registers = c.regs, smem = c.smem })
  return o.share
end)
rule("halide.gflops", function(c) return kc.count(ops.linear(c.M, c.K, c.N, { dtype = "f32" })).flops / c.time end)
-- What tiles of a block, or of a thread, load of A and B in the measured time.
local function tile_rate(c)
  local tile = { m = c.BM or c.TM, n = c.BN or c.TN, k = 8 }
  return kc.count(kc.tile(ops.linear(c.M, c.K, c.N, { dtype = "f32" }), tile)).bytes_read / c.time
end
rule("halide.reg.bw", tile_rate)
rule("halide.blk.bw", tile_rate)

-- kipply: a layer is four D x D and an MLP of 4 D.
local function layers(L, D, tokens)
  return kc.program("forward", {
    kc.times(ops.linear(tokens, D, D), 4 * L), kc.times(ops.linear(tokens, D, 4 * D), L),
    kc.times(ops.linear(tokens, 4 * D, D), L),
  })
end
local A100 = { peak = 312e12, bw = 1.5e12 }
local function of_gpus(n) return machine(n * A100.peak, n * A100.bw) end
-- A square matrix of as many weights.
local function square(weights, tokens, dtype)
  local side = math.floor(math.sqrt(weights) + 0.5)
  return ops.linear(tokens, side, side, { dtype = dtype })
end
rule("kipply.fwd.ms", function(c) return roof(layers(c.L, c.D, 1), of_gpus(1)) end)
rule("kipply.fwd.4gpu", function(c) return roof(layers(c.L, c.D, 1), of_gpus(4)) end)
rule("kipply.13b.decode", function(c) return roof(layers(c.L, c.D, c.B), of_gpus(c.gpus)) end)
rule("kipply.260b.small", function(c) return roof(square(c.params, c.B), of_gpus(c.gpus)) end)
rule("kipply.260b.large", function(c) return roof(square(c.params, c.B), of_gpus(c.gpus)) end)
rule("kipply.13b.*", function(c) return roof(ops.linear(c.M, c.K, c.N), of_gpus(1)) end)
rule("sb.tpu.200b", function(c) return roof(square(c.params, 1, "bf16"), machine(FREE, c.chips * c.bw)) end)
rule("sb.tpu.hbm", function(c) return roof(square(c.bytes, 1, "i8"), machine(FREE, c.bw)) end)
rule("sb.tpu.pcie16", function(c) return roof(square(c.bytes, 1, "i8"), machine(FREE, c.chips * c.bw)) end)
-- 1e12 FLOP: 2 * 5000 * 1e4 * 1e4.
rule("sb.roof.t_*", function(c)
  return roof(ops.linear(5000, 1e4, c.flops / (2 * 5000 * 1e4)), machine(c.peak, FREE))
end)

-- LLM-Viewer: min(peak, intensity * bandwidth), FLOP and bytes under its convention.
local function attainable(x, peak, bandwidth)
  local r = kc.count(x, { convention = "llm-viewer" })
  return r.flops / math.max(r.flops / peak, r.bytes / bandwidth)
end
local function scores(c) return { h = 32, i = c.seq, j = c.seq, d = 128 } end
rule("llmviewer.prefill.qk_matmul.perf", function(c)
  local q, k = kc.tensor("Q", "h i d", "f16", scores(c)), kc.tensor("K", "h j d", "f16", scores(c))
  return attainable(kc.write("S", kc.matmul(kc.read(q), kc.read(k))), 309.677e12 / 2, 768e9)
end)
rule("llmviewer.prefill.softmax.perf", function(c)
  local S = kc.read(kc.tensor("S", "h i j", "f16", scores(c)))
  return attainable(kc.write("P", kc.softmax(S, "j")), 309.677e12 / 2, 768e9)
end)
rule("llmviewer.prefill.add.perf", function(c)
  local function read(name) return kc.read(kc.tensor(name, "t d", "f16", { t = c.seq, d = 4096 })) end
  return attainable(kc.write("Y", kc.map("add", read("X"), read("R"))), 309.677e12 / 2, 768e9)
end)

-- Rows at which weights stop binding: the ridge over what one row has of it, activations neglected.
local function critical(c, o)
  local r = kc.evaluate(ops.linear(1, 2 ^ 20, 2 ^ 20, o), machine(c.peak, c.bw))
  return r.ridge / r.intensity
end
rule("sb.roof.int8crit", function(c) return critical(c, { dtype = "i8" }) end)
rule("sb.roof.w8crit", function(c) return critical(c, { dtype = "bf16", weights = "i8" }) end)
rule("sb.roof.h100crit", function(c) return critical(c, { dtype = "bf16" }) end)
rule("sb.tpu.pcie", function(c) return critical(c, { dtype = "bf16" }) end)
-- The largest batch whose bytes, activations included, take longer than its FLOP; the TPU v5e of 3.94e14 and 8.1e11.
rule("sb.tpu.vmem", function(c)
  local device, batch = machine(3.94e14, 22 * 8.1e11), 0
  repeat
    batch = batch + 1
    local r = kc.evaluate(ops.linear(batch + 1, c.K, c.N, { dtype = "i8" }), device)
  until r.intensity > r.ridge
  return batch
end)
-- Heads whose products take as long as the cache, which serves as keys and as values of one width.
rule("flashmla.threshold", function(c)
  local x = kc.lib.mla.latent { cached = 2 ^ 20, heads = 1, latent_dim = 576, rope_dim = 1 }
  return c.peak / c.bw / kc.count(x).intensity
end)
-- Cycles for a cached token of 64 heads: scores of 576, values of 512, 4096 FLOP a cycle and SM.
rule("flashmla.mma.cycles", function(c)
  local function work(keys)
    local x = kc.lib.mla.latent { cached = keys, heads = c.heads, latent_dim = c.dv, rope_dim = c.dk - c.dv }
    return kc.count(x).matrix_flops
  end
  return (work(2) - work(1)) / kc.device("h100-sxm5").rate.matrix.bf16
end)
-- A length at which scores take as much as the projections.
rule("sb.tf.cross", function(c)
  local T = 1024
  local linear = 4 * kc.count(ops.linear(T, c.D, c.D)).flops
  return T * linear / kc.count(ops.attention { H = c.N, Sq = T, d = c.H }).matrix_flops
end)
rule("hh.ops", function(c)
  local one = kc.lib.elementwise.apply { n = 2 ^ 20, what = { flops = 1 }, dtype = "f32" }
  local r = kc.evaluate(one, machine(c.peak, c.bw))
  return r.ridge / r.intensity
end)

-- Tiles of 128 x 256, four stages: one a core.
local function waves(blocks, cores, device, stages)
  local product = kc.lib.gemm.plain { m = 128 * blocks, n = 256, k = 512 }
  local tiled = kc.tile(product, { m = 128, n = 256, k = 64 }, { stages = stages })
  return kc.evaluate(tiled, kc.device(device):with { cores = cores }).waves
end
rule("mleng.waves148.%d+", function(c) return waves(c.blocks, c.sm, "b200", 4) end)
rule("mleng.speedup.%d+", function(c) return waves(c.blocks, 148, "b200", 4) / waves(c.blocks, 152, "b200", 4) end)
rule("mleng.a100.109", function(c) return waves(c.blocks, c.sm, "a100-sxm4-80gb", 3) end)

-- Peaks out of units, clocks and rates; a multiply-add is 2.
rule("mleng.peak.*", function(c)
  return kc.device("h100-sxm5"):with {
    cores = c.units, matrix_clock = c.clock, rate = { matrix = { f16 = 2 * c.fma_per_unit } },
  }.matrix.f16
end)
local function lanes(c)
  return kc.device("h100-sxm5"):with { cores = c.lanes, clock = c.clock, rate = { vector = { f32 = 2 } } }.vector.f32
end
rule("mix.peak", lanes)
rule("nersc.ert.peak", lanes)
rule("flashmla.sm.rate", function()
  local d = kc.device("h100-sxm5")
  return d.matrix.f16 / d.cores / d.matrix_clock
end)
rule("fa2.nonmatmul.ratio", function()
  local d = kc.device("a100-sxm4-40gb")
  return d.matrix.f16 / d.vector.f32
end)

-- FlashAttention 3: exponentials on an H100 at 1830 MHz, beside the matmuls of f16 and f8.
local function hopper()
  return kc.device("h100-sxm5"):with { clock = 1830e6, hbm = { bandwidth = FREE } }
end
local function exps_a_second()
  return 2 ^ 30 / kc.evaluate(kc.lib.elementwise.apply { n = 2 ^ 30, what = "exp" }, hopper()).roof_time
end
local function share(c, dtype)
  local r = kc.count(kc.lib.attention.fused { seq = 2 ^ 20, head_dim = c.d, dtype = dtype })
  return r.special_ops / exps_a_second() / (r.matrix_flops / hopper().matrix[dtype])
end
rule("fa3.exp.peak", exps_a_second)
rule("fa3.rate.ratio", function() return hopper().matrix.f16 / exps_a_second() end)
rule("fa3.exp.share", function(c) return share(c, "f16") end)
rule("fa3.exp.share.fp8", function(c) return share(c, "f8") end)
rule("fa3.util", function(c) return c.achieved / kc.device("h100-sxm5").matrix.f16 end)
rule("fa2.mfu", function(c) return c.achieved / kc.device("a100-sxm4-40gb").matrix.f16 end)

-- FluidX3D: 153 B a cell update at the measured rate, of the data sheet's bandwidth.
rule("fx3d.eff.*", function(c)
  local size = { q = 19, c = 1e6 }
  local flags = kc.read(kc.tensor("flags", "c", "u8", size))
  local cells = kc.map({ flops = 1 }, kc.read(kc.tensor("f_in", "q c", "f32", size)), flags)
  return kc.count(kc.write("f_out", cells, "f32")).bytes / 1e6 * c.mlups * 1e6 / c.bw
end)

-- Kerncraft: cycles for the cache lines of 8 iterations (64 B of doubles); writes allocate.
local function cycles(x, points, bytes_a_cycle)
  return kc.count(x, { convention = "kerncraft" }).bytes / points * 8 / bytes_a_cycle
end
local function jacobi(n, broken)
  local x = kc.lib.stencil.star { grid = { n - 2, n - 2 }, flops = 4 }
  return broken and kc.tile(x, { i = 1, j = n }, { grid = "", order = "i" }) or x
end
local function jacobi_cycles(n, broken, rate) return cycles(jacobi(n, broken), (n - 2) ^ 2, rate) end
rule("kc.2d5.l2", function(c) return jacobi_cycles(c.N, true, 32) end)
rule("kc.2d5.n2000", function(c) return jacobi_cycles(c.N, true, 32) end)
rule("kc.2d5.l3", function(c) return jacobi_cycles(c.N, false, 32) end)
rule("kc.2d5.n1000", function(c) return jacobi_cycles(c.N, false, 32) end)
rule("kc.2d5.n2000.mem", function(c) return jacobi_cycles(c.N, false, c.bw / 2.7e9) end)
rule("kc.2d5.roof.L1L2", function(c) return jacobi_cycles(c.N, true, c.bw / 2.7e9) end)
rule("kc.2d5.roof.L2L3", function(c) return jacobi_cycles(c.N, true, c.bw / 2.7e9) end)
rule("kc.2d5.roof.L3MEM", function(c) return jacobi_cycles(c.N, false, c.bw / 2.7e9) end)
-- Streams of N doubles that are read; one more is written, and read before, where something is.
local N = 2 ^ 20
local function streams(reads, writes)
  local inputs = {}
  for i = 1, reads do inputs[i] = kc.read(kc.tensor("x" .. i, "n", "f64", { n = N })) end
  local value = kc.map({ flops = 1 }, inputs[1], inputs[2], inputs[3], inputs[4])
  return writes and kc.write("y", value, "f64") or kc.write("y", kc.reduce("sum", value, "n"), "f64")
end
rule("kc.hsw.dot.l2", function() return cycles(streams(2), N, 64) end)
rule("kc.snb.kahan", function() return cycles(streams(2), N, 32) end)
rule("kc.hsw.copy.l2", function() return cycles(kc.lib.stream.copy { n = N }, N, 64) end)
rule("kc.hsw.copy.l3", function() return cycles(kc.lib.stream.copy { n = N }, N, 32) end)
rule("kc.snb.triad", function() return cycles(streams(3, true), N, 32) end)
rule("kc.ref.mem.*", function(c) return cycles(streams(c.CL - 2, true), N, c.bw / 2.7e9) end)

-- Liger: the gradient overwrites the logits: one buffer of tokens x vocabulary.
rule("liger.ce.l.%d+", function(c)
  local r = kc.count(ops.linear(c.B * c.T, 64, c.V, { dtype = "f32" }))
  return ops.row(r, "C").bytes_written
end)

-- Weights: multiply-adds of one token, the input table being another head.
local function weights(...)
  local sum = 0
  for _, matrix in ipairs { ... } do
    sum = sum + (matrix[3] or 1) * kc.count(ops.linear(1, matrix[1], matrix[2])).flops / 2
  end
  return sum
end
rule("sb.tr.13b", function(c)
  return weights({ c.D, c.F, c.gated * c.L }, { c.D, c.N * c.H, 4 * c.L }, { c.D, c.V, 2 })
end)
rule("sb.tf.attnfrac", function(c)
  local attention = weights { c.D, c.D, 4 }
  return attention / (attention + weights { c.D, c.F, c.gated })
end)

-- Training: FLOP of weights that each token meets, forward, backward and, with 8 a weight, forward again.
local function training(params, tokens, forward)
  return kc.program("training", {
    kc.times(ops.linear(tokens, params, 1), forward), ops.linear_backward(tokens, params, 1),
  })
end
local function flops(x) return kc.count(x, { convention = { vector = false, special = false, causal = "full" } }).flops end
rule("meg.1*", function(c) return flops(training(c.params, c.tokens, 2)) / (c.gpus * c.achieved) * 1e6 end)
rule("nano.days", function(c) return flops(training(c.params, c.tokens, 1)) / (c.gpus * c.peak * c.mfu) * 1e6 end)
rule("gpt3.g3s.pf", function(c) return flops(training(c.params, c.tokens, 1)) / (1e15 * 86400) end)
rule("sb.tf.dsv3", function(c)
  return flops(training(c.active, c.tokens, 1)) / (c.gpu_hours * 3600 * c.peak)
end)
-- All layers forward twice and backward, the head once and backward; attention's square is full.
rule("mtnlg.*", function(c)
  local tokens, heads = c.batch * c.T, 128
  local a = { B = c.batch, H = heads, Sq = c.T, d = c.D / heads, causal = 1 }
  local step = kc.program("step", {
    kc.times(ops.linear(tokens, c.D, 12 * c.D), 2 * c.L), kc.times(ops.linear_backward(tokens, c.D, 12 * c.D), c.L),
    kc.times(ops.attention(a), 2 * c.L), kc.times(ops.attention_backward(a), c.L),
    ops.linear(tokens, c.D, c.V), ops.linear_backward(tokens, c.D, c.V),
  })
  return flops(step) / (c.gpus * (c.achieved or c.peak)) * 1e6
end)
-- A GPT with biases and positions; the head is the table of words.
rule("meg.params", function(c)
  return kc.lib.transformer {
    model_type = "gpt2", n_layer = c.L, n_embd = c.D, n_head = 96, vocab_size = c.V, n_positions = c.T, torch_dtype = "float16",
  }.parameters.stored
end)
-- 100 sequences of GPT-2 124M in 0.755 s.
rule("nano.mfu", function(c)
  local D, V, L = 768, 50257, 12
  local parts = { ops.linear(c.T, D, V), ops.linear_backward(c.T, D, V) }
  for _, shape in ipairs { { D, 3 * D }, { D, D }, { D, 4 * D }, { 4 * D, D } } do
    parts[#parts + 1] = kc.times(ops.linear(c.T, shape[1], shape[2]), L)
    parts[#parts + 1] = kc.times(ops.linear_backward(c.T, shape[1], shape[2]), L)
  end
  local a = { H = 12, Sq = c.T, d = 64, causal = 1 }
  parts[#parts + 1] = kc.times(kc.program("attention", { ops.attention(a), ops.attention_backward(a) }), L)
  return c.seqs * flops(kc.program("step", parts)) / c.iter / c.peak
end)

return rules
