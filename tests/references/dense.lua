-- dense.lua: rules for published counts of matmuls, attention and convolutions.
--
-- A rule is { pattern of ids, convention, build(config, row) [, pick(result, config)] }:
-- what `build` gives is counted under the convention, and without `pick` the
-- field of the row's own quantity is compared.

local kc = require "kcost"
local ops = require "ops"

local rules = {}
local function rule(pattern, convention, build, pick)
  rules[#rules + 1] = { pattern = pattern, convention = convention, build = build, pick = pick }
end

-- The sources that state in words "matmul only, FMA = 2, causal not halved".
local MATMUL_ONLY = { multiply_add = 2, vector = false, special = false, causal = "full" }

local function attention_of(c)
  return { B = c.B, H = c.H, Sq = c.Sq or c.N, Sk = c.Sk or c.N, d = c.d, causal = c.causal,
    dtype = ops.dtype(c.dtype or "fp16") }
end

local function forward(c) return ops.attention(attention_of(c)) end

local function forward_backward(c, flash)
  local a = attention_of(c)
  a.flash = flash
  return kc.program("training", { ops.attention(a), ops.attention_backward(a) })
end

-- FlashAttention 1 at N=1024, d=64, 16 heads, batch 64, as corrected by its author:
-- 2, 6 and 7 matmuls of 2*N*N*d*B*H.
rule("fa1.issue741.fwd", "flash-attention", forward)
rule("fa1.issue741.std", "flash-attention", function(c) return forward_backward(c, false) end)
rule("fa1.issue741.flash", "flash-attention", function(c) return forward_backward(c, true) end)

-- Backward over forward: five matmuls against two.
rule("fa2.bwd.ratio", "flash-attention", function()
  local a = { B = 1, H = 1, Sq = 256, d = 64, flash = true }
  return { ops.attention_backward(a), ops.attention(a) }
end, function(r) return r[1].flops / r[2].flops end)

-- 4*d matmul FLOP a score against one exponential (and one reciprocal a row).
rule("fa3.matmul.per.exp", {}, function(c)
  return ops.attention { Sq = 8192, d = c.d }
end, function(r) return r.matrix_flops / r.special_ops end)

-- DeepGEMM: f8 operands at one byte, bf16 output, each once; scale factors not counted.
rule("deepgemm.dense.*", "deepgemm", function(c)
  return ops.linear(c.M, c.K, c.N, { dtype = ops.dtype(c.dtA), weights = ops.dtype(c.dtB), out = ops.dtype(c.dtC) })
end)

-- SGEMM with beta = 1: the old C is read and added.
local function sgemm(c)
  return kc.lib.gemm.plain { m = c.M, n = c.N, k = c.K, dtype = "f32", residual = true }
end
rule("boehm.flops", {}, sgemm)
rule("boehm.read", {}, sgemm, function(r) return r.bytes_read end)
rule("boehm.write", {}, sgemm, function(r) return r.bytes_written end)
rule("boehm.total", {}, sgemm)
-- A thread an output element and no cache: each loads 2K+1 floats; stores not counted.
rule("boehm.naive", {}, function(c)
  return kc.tile(sgemm(c), { m = 1, n = 1, k = c.K }, { grid = "m n" })
end, function(r) return r.bytes_read end)
-- The profiled library loads 500 MB instead of the 201 MB of three matrices once.
rule("boehm.cublas.ai", {}, function(c)
  local factor = c.loaded / (3 * 4 * c.M * c.N)
  local size = { m = c.M, n = c.N, k = c.K }
  local function read(name, dims) return kc.read(kc.tensor(name, dims, "f32", size), { scale = factor }) end
  return kc.write("C", kc.map("add", kc.matmul(read("A", "m k"), read("B", "k n")), read("C0", "m n")), "f32")
end)
-- Global loads an output: K (1/BM + 1/BN).
rule("boehm.k%d.gmem", {}, function(c)
  local product = ops.linear(4096, c.K, 4096, { dtype = "f32" })
  return kc.tile(product, { m = c.BM, n = c.BN, k = 32 }, { grid = "m n", order = "k" })
end, function(r) return r.bytes_read / 4 / (4096 * 4096) end)

local function gemm(c) return ops.linear(c.M, c.K, c.N, { dtype = ops.dtype(c.dtype) }) end
rule("nv.mm.*", "nvidia-guide", gemm)
rule("pallas.flops", {}, gemm)
rule("pallas.bytes", {}, gemm)
rule("sb.tpu.flops", {}, gemm)

local function tiles(c)
  return kc.tile(ops.linear(c.M, 64, c.N), { m = c.BM, n = c.BN, k = 64 }, { grid = "m n" })
end
rule("nv.tile.25%d", {}, tiles, function(r) return r.ctas end)
rule("mleng.blocks", {}, tiles, function(r) return r.ctas end)
-- 257 rows cost six whole tiles, 256 rows four.
rule("nv.tile.257.cost", {}, function(c)
  return { tiles(c), tiles{ M = 256, N = c.N, BM = c.BM, BN = c.BN } }
end, function(r) return r[1].executed_flops / r[2].executed_flops end)

-- A dot product: 2N-1 FLOP, two vectors in and one number out.
rule("sb.roof.dot", { multiply_add = "2k-1" }, function(c)
  local size = { n = c.N }
  return kc.write("dot", kc.matmul(kc.read(kc.tensor("x", "n", "bf16", size)), kc.read(kc.tensor("y", "n", "bf16", size))),
    "bf16")
end)
-- A weight matrix of its own for each example.
rule("sb.roof.perexample", {}, function(c)
  local size = { b = c.B, d = c.D, f = c.F }
  return kc.write("Y", kc.matmul(kc.read(kc.tensor("X", "b d", "i8", size)), kc.read(kc.tensor("W", "b d f", "i8", size))),
    "i8")
end)

-- PyTorch's own counter: FMA = 2, padded taps counted, masks and vector work not.
rule("pt.mm", "pytorch", gemm)
rule("pt.bmm", "pytorch", function(c)
  return kc.lib.gemm.batched { batch = c.B, m = c.M, k = c.K, n = c.N, dtype = "f32" }
end)
local function conv(c)
  return ops.conv { n = c.B, cin = c.Cin, cout = c.Cout, h = c.H, w = c.W, kh = c.kh, kw = c.kw or c.k,
    stride = c.stride, pad = c.pad, groups = c.groups, bias = true }
end
rule("pt.conv%dd", "pytorch", conv)
rule("pt.r18.conv1", "pytorch", conv)
rule("pt.r18.fc", "pytorch", gemm)
rule("pt.sdpa2?.fwd", "pytorch", forward)
rule("pt.sdpa2?.math", "pytorch", function(c) return forward_backward(c, false) end)
rule("pt.sdpa2?.flash", "pytorch", function(c) return forward_backward(c, true) end)

-- fvcore: one multiply-add is one.
rule("fv.linear", "fvcore", function(c) return ops.linear(c.M, c.K, c.N, { bias = true }) end)
rule("fv.matmul", "fvcore", gemm)
rule("fv.conv%d", "fvcore", conv)
rule("fv.lenet.conv%d", "fvcore", conv)
rule("fv.lenet.fc1", "fvcore", function(c) return ops.linear(c.M, c.K, c.N, { bias = true }) end)

-- GPT-2 124M by nanoGPT's notebook, one layer and its parts; QKV is one linear of 3D.
local function heads_of(c) return { B = c.B, H = c.heads, Sq = c.T, d = c.D / c.heads, causal = true } end
local function scores(c)
  local a = heads_of(c)
  local size = { b = a.B, h = a.H, i = a.Sq, j = a.Sq, d = a.d }
  return kc.write("S", kc.causal(kc.matmul(kc.read(kc.tensor("Q", "b h i d", "f16", size)),
    kc.read(kc.tensor("K", "b h j d", "f16", size))), "i", "j"))
end
local function weighted(c)
  local a = heads_of(c)
  local size = { b = a.B, h = a.H, i = a.Sq, j = a.Sq, d = a.d }
  return kc.write("O", kc.matmul(kc.causal(kc.read(kc.tensor("P", "b h i j", "f16", size)), "i", "j"),
    kc.read(kc.tensor("V", "b h j d", "f16", size))))
end
rule("nano.kqv", MATMUL_ONLY, function(c) return ops.linear(c.T, c.D, 3 * c.D) end)
rule("nano.scores", MATMUL_ONLY, scores)
rule("nano.reduce", MATMUL_ONLY, weighted)
rule("nano.proj", MATMUL_ONLY, function(c) return ops.linear(c.T, c.D, c.D) end)
rule("nano.ffw1", MATMUL_ONLY, function(c) return ops.linear(c.T, c.D, 4 * c.D) end)
rule("nano.dense", MATMUL_ONLY, function(c) return ops.linear(c.T, c.D, c.V) end)
rule("nano.attn", MATMUL_ONLY, function(c)
  return kc.program("attention", {
    ops.linear(c.T, c.D, 3 * c.D), ops.attention(heads_of(c)), ops.linear(c.T, c.D, c.D),
  })
end)

-- LLM-Viewer on one Llama-2-7B layer (D 4096, 32 heads of 128, MLP 11008), 2048 tokens:
-- softmax 5 and norm 7 a element, second operands of elementwise ops not counted.
local D, F, H, HEAD = 4096, 11008, 32, 128
local function scored(c) return { h = H, i = c.seq, j = c.seq, d = HEAD } end
rule("llmviewer.prefill.q_proj.*", "llm-viewer", function(c) return ops.linear(c.seq, D, D) end)
rule("llmviewer.prefill.gate_proj.*", "llm-viewer", function(c) return ops.linear(c.seq, D, F) end)
rule("llmviewer.prefill.qk_matmul.*", "llm-viewer", function(c)
  return kc.write("S", kc.matmul(kc.read(kc.tensor("Q", "h i d", "f16", scored(c))), kc.read(kc.tensor("K", "h j d", "f16", scored(c)))))
end)
rule("llmviewer.prefill.sv_matmul.*", "llm-viewer", function(c)
  return kc.write("O", kc.matmul(kc.read(kc.tensor("P", "h i j", "f16", scored(c))), kc.read(kc.tensor("V", "h j d", "f16", scored(c)))))
end)
rule("llmviewer.prefill.softmax.*", "llm-viewer", function(c)
  return kc.write("P", kc.softmax(kc.read(kc.tensor("S", "h i j", "f16", scored(c))), "j"))
end)
rule("llmviewer.prefill.norm.*", "llm-viewer", function(c)
  local size = { t = c.seq, d = D }
  return kc.write("Y", kc.map({ name = "norm", flops = 5, special = 0 }, kc.read(kc.tensor("X", "t d", "f16", size)),
    kc.read(kc.tensor("weight", "d", "f16", size))))
end)
rule("llmviewer.prefill.add.*", "llm-viewer", function(c)
  local size = { t = c.seq, d = D }
  return kc.write("Y", kc.map("add", kc.read(kc.tensor("X", "t d", "f16", size)), kc.read(kc.tensor("R", "t d", "f16", size))))
end)

-- transformer-roofline-analyzer on Llama-4-Scout, one token: 2K-1 FLOP a dot product,
-- 4 a element of a norm; weight, input and output once in bf16.
local TRA = "transformer-roofline-analyzer"
local function linear1(c) return ops.linear(c.M, c.K, c.N, { dtype = "bf16" }) end
local function rms(c)
  local size = { t = c.tokens, d = c.D }
  return kc.write("Y", kc.map({ name = "norm", flops = 5, special = 0 }, kc.read(kc.tensor("X", "t d", "bf16", size)),
    kc.read(kc.tensor("weight", "d", "bf16", size))))
end
local function rope(c)
  local size = { t = c.M, d = c.N }
  return kc.write("Y", kc.map("rope", kc.read(kc.tensor("X", "t d", "bf16", size))))
end
local function swiglu(c) return kc.lib.elementwise.swiglu { n = c.M * c.N, dtype = "bf16" } end
for _, part in ipairs{ "qkv", "o", "router", "gateup", "down" } do
  rule("tra." .. part, TRA, linear1)
  rule("tra.ai." .. part, TRA, linear1)
end
rule("tra.rms", TRA, rms)
rule("tra.ai.rms", TRA, rms)
rule("tra.rope", TRA, rope)
rule("tra.ai.rope", TRA, rope)
rule("tra.actmul", TRA, swiglu)
rule("tra.ai.actmul", TRA, swiglu)
rule("tra.ai.resid", TRA, function(c)
  local size = { d = c.N }
  return kc.write("Y", kc.map("add", kc.read(kc.tensor("X", "d", "bf16", size)), kc.read(kc.tensor("R", "d", "bf16", size))))
end)
rule("tra.qkv.w", TRA, linear1, function(r) return ops.row(r, "B").bytes_read end)
-- K and V of 8 heads over the cached context, read by 40 query heads.
rule("tra.sdpa.in", TRA, function(c)
  return kc.lib.attention.fused { heads = c.heads, kv_heads = c.kv, seq = 1, keys = c.S or c.cached,
    head_dim = c.hd, dtype = "bf16" }
end, function(r) return ops.row(r, "K").bytes_read + ops.row(r, "V").bytes_read end)

return rules
