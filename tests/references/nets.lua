-- nets.lua: rules for published counts of whole networks, built as programs of their layers.

local kc = require "kcost"
local ops = require "ops"

local rules = {}
local function rule(pattern, convention, build, pick)
  rules[#rules + 1] = { pattern = pattern, convention = convention, build = build, pick = pick }
end

local MATMUL_ONLY = { multiply_add = 2, vector = false, special = false, causal = "full" }

-- A network is a list of layers; `train` adds both gradients of each.
local function assemble(name, layers, train)
  local parts = {}
  for _, layer in ipairs(layers) do
    local times = layer.times or 1
    parts[#parts + 1] = kc.times(layer.forward, times)
    if train then
      for _, gradient in ipairs(layer.backward()) do parts[#parts + 1] = kc.times(gradient, times) end
    end
  end
  return kc.program(name, parts)
end

local function net()
  local layers = {}
  local self = { layers = layers }
  function self.conv(c)
    layers[#layers + 1] = { forward = ops.conv(c), times = c.times, backward = function()
      return { ops.conv_backward_data(c), ops.conv_backward_weight(c) }
    end }
  end
  function self.linear(m, k, n, times)
    layers[#layers + 1] = { forward = ops.linear(m, k, n, { bias = true }), times = times,
      backward = function() return { ops.linear_backward(m, k, n) } end }
  end
  function self.attention(a, times)
    layers[#layers + 1] = { forward = ops.attention(a), times = times,
      backward = function() return { ops.attention_backward(a) } end }
  end
  return self
end

local function conv3(cin, cout, h, stride)
  return { cin = cin, cout = cout, h = h, w = h, kh = 3, kw = 3, stride = stride, pad = 1 }
end
local function conv1(cin, cout, h, stride)
  return { cin = cin, cout = cout, h = h, w = h, kh = 1, kw = 1, stride = stride }
end

-- Two 3x3 convolutions a block; the first block of a stage halves the image.
local function basic_stage(n, cin, cout, h, blocks)
  local stride = cin == cout and 1 or 2
  n.conv(conv3(cin, cout, h, stride))
  if stride == 2 then n.conv(conv1(cin, cout, h, 2)) end
  local rest = conv3(cout, cout, h / stride)
  rest.times = 2 * blocks - 1
  n.conv(rest)
end

local function resnet18()
  local n = net()
  n.conv{ cin = 3, cout = 64, h = 224, w = 224, kh = 7, kw = 7, stride = 2, pad = 3 }
  basic_stage(n, 64, 64, 56, 2)
  basic_stage(n, 64, 128, 56, 2)
  basic_stage(n, 128, 256, 28, 2)
  basic_stage(n, 256, 512, 14, 2)
  n.linear(1, 512, 1000)
  return n.layers
end

-- 1x1, 3x3, 1x1 a block, the stride in the 3x3 (the variant that libraries ship).
local function bottleneck_stage(n, cin, mid, h, stride, blocks)
  local out = 4 * mid
  n.conv(conv1(cin, mid, h))
  n.conv(conv3(mid, mid, h, stride))
  n.conv(conv1(mid, out, h / stride))
  n.conv(conv1(cin, out, h, stride))
  local low = h / stride
  for _, c in ipairs{ conv1(out, mid, low), conv3(mid, mid, low), conv1(mid, out, low) } do
    c.times = blocks - 1
    n.conv(c)
  end
end

local function resnet50()
  local n = net()
  n.conv{ cin = 3, cout = 64, h = 224, w = 224, kh = 7, kw = 7, stride = 2, pad = 3 }
  bottleneck_stage(n, 64, 64, 56, 1, 3)
  bottleneck_stage(n, 256, 128, 56, 2, 4)
  bottleneck_stage(n, 512, 256, 28, 2, 6)
  bottleneck_stage(n, 1024, 512, 14, 2, 3)
  n.linear(1, 2048, 1000)
  return n.layers
end

local function vgg16()
  local n = net()
  local cin, h = 3, 224
  for _, stage in ipairs{ { 64, 2 }, { 128, 2 }, { 256, 3 }, { 512, 3 }, { 512, 3 } } do
    n.conv(conv3(cin, stage[1], h))
    local rest = conv3(stage[1], stage[1], h)
    rest.times = stage[2] - 1
    n.conv(rest)
    cin, h = stage[1], h / 2
  end
  n.linear(1, 512 * 7 * 7, 4096)
  n.linear(1, 4096, 4096)
  n.linear(1, 4096, 1000)
  return n.layers
end

local function lenet()
  local n = net()
  n.conv{ cin = 1, cout = 6, h = 32, w = 32, kh = 3, kw = 3 }
  n.conv{ cin = 6, cout = 16, h = 15, w = 15, kh = 3, kw = 3 }
  n.linear(1, 576, 120)
  n.linear(1, 120, 84)
  n.linear(1, 84, 10)
  return n.layers
end

-- ViT-B/16: 14x14 patches of 16x16x3, 12 layers of 768, 197 tokens.
local function vit(scores)
  local n = net()
  n.linear(196, 768, 768)
  n.linear(197, 768, 3 * 768, 12)
  if scores then n.attention({ H = 12, Sq = 197, d = 64 }, 12) end
  n.linear(197, 768, 768, 12)
  n.linear(197, 768, 4 * 768, 12)
  n.linear(197, 4 * 768, 768, 12)
  n.linear(1, 768, 1000)
  return n.layers
end

-- The tables of flops-counter.pytorch: multiply-adds, no normalisation, no activation.
local MACS = "ptflops"
rule("ptf.r18", MACS, function() return assemble("resnet18", resnet18()) end)
rule("ptf.r50", MACS, function() return assemble("resnet50", resnet50()) end)
rule("ptf.vgg16", MACS, function() return assemble("vgg16", vgg16()) end)
rule("ptf.vit", MACS, function() return assemble("vit", vit(false)) end)
rule("ptf.vit.full", MACS, function() return assemble("vit", vit(true)) end)
rule("fv.lenet.total", "fvcore", function() return assemble("lenet", lenet()) end)

-- PyTorch's test: both gradients of every layer, that of the input image included.
rule("pt.r18.total", "pytorch", function() return assemble("resnet18", resnet18(), true) end)
rule("pt.r18.layer%d", "pytorch", function(c)
  local n = net()
  basic_stage(n, c.Cin, c.Cout, c.downsample == 1 and 2 * c.H or c.H, c.blocks)
  return assemble("stage", n.layers)
end)

-- GPT-2 124M.
local function gpt2(c, with_head)
  local n = net()
  local L = with_head and c.L or 1
  n.linear(c.T, c.D, 3 * c.D, L)
  n.attention({ H = c.heads, Sq = c.T, d = c.D / c.heads, causal = true }, L)
  n.linear(c.T, c.D, c.D, L)
  n.linear(c.T, c.D, 4 * c.D, L)
  n.linear(c.T, 4 * c.D, c.D, L)
  if with_head then n.linear(c.T, c.D, c.V) end
  return n.layers
end
rule("nano.block", MATMUL_ONLY, function(c) return assemble("block", gpt2(c, false)) end)
rule("nano.fwd", MATMUL_ONLY, function(c) return assemble("gpt2", gpt2(c, true)) end)
rule("nano.train", MATMUL_ONLY, function(c) return assemble("gpt2", gpt2(c, true), true) end)

-- N weights that every token meets once: 2 FLOP a weight and token forward, 4 backward.
local function weights_times_tokens(n, tokens) return { forward = ops.linear(tokens, n, 1),
  backward = function() return { ops.linear_backward(tokens, n, 1) } end } end

-- PaLM's formula: 6N and 12 L H Q T a token.
rule("nano.palm", "palm", function(c)
  local n = net()
  n.layers[1] = weights_times_tokens(c.params, c.T)
  n.attention({ H = 12, Sq = c.T, d = c.D / 12, causal = true }, c.L)
  return assemble("palm", n.layers, true)
end)

-- GPT-3, table D.1: 6 a parameter and token; in encoder-decoders a token meets half of them.
rule("gpt3.*", MATMUL_ONLY, function(c)
  return assemble("training", { weights_times_tokens(c.params * c.flop_per_param_token / 6, c.tokens) }, true)
end)

-- kipply: per layer Q, K, V, O of D x D and an MLP of 4D.
local function kipply(c)
  local n = net()
  n.linear(1, c.D, c.D, 4 * c.L)
  n.linear(1, c.D, 4 * c.D, c.L)
  n.linear(1, 4 * c.D, c.D, c.L)
  return n.layers
end
rule("kipply.fwdflops", MATMUL_ONLY, function(c) return assemble("forward", kipply(c)) end)
rule("kipply.kvflops", MATMUL_ONLY, function(c)
  local n = net()
  n.linear(c.tokens, c.D, c.D, 2 * c.L)
  return assemble("kv", n.layers)
end)
rule("kipply.weights", {}, function(c) return ops.linear(1, c.params, 1) end,
  function(r) return ops.row(r, "B").bytes_read end)

-- Caches: what the projections of the tokens append, a kernel a layer.
local function cache(c, width, parts, dtype)
  return kc.times(ops.kv_append(c.tokens or c.seq or 1, width, parts, dtype), c.layers or c.L)
end
local function written(r) return r.bytes_written end
rule("kipply.kvbytes", {}, function(c) return cache(c, c.D, 2, "f16") end, written)
rule("flashmla.kv128k", {}, function(c) return cache(c, c.dim, 1, "bf16") end, written)
rule("sb.tf.kv", {}, function(c) return cache(c, c.N * c.H, 2, "i8") end, written)
rule("sb.tf.kv8k", {}, function(c) return cache(c, c.N * c.H, 2, "i8") end, written)
rule("vllm.kv", {}, function(c) return cache(c, c.D, 2, "f16") end, written)
rule("vllm.kv2k", {}, function(c) return cache(c, c.D, 2, "f16") end, written)
-- FlashMLA's f8 cache: 512 f8 with an f32 scale per 128, and 64 bf16 of position.
rule("flashmla.kv.fp8", {}, function()
  local scaled = kc.dtype{ name = "f8s32", bits = 8, block = 128, scale_bits = 32, math = "f8e4m3" }
  local size = { t = 1, k = 64, n = 512, m = 64 }
  local x = kc.read(kc.tensor("x", "t k", "bf16", size))
  return kc.kernel("append", {
    kc.write("latent", kc.matmul(x, kc.read(kc.tensor("Wl", "k n", "bf16", size))), scaled),
    kc.write("rope", kc.matmul(x, kc.read(kc.tensor("Wr", "k m", "bf16", size))), "bf16"),
  })
end, written)

-- Activations that a checkpoint keeps: matmul outputs of tokens x width.
local function kept(c, width, dtype) return ops.linear(c.tokens, 64, width, { dtype = "bf16", out = dtype }) end
rule("sb.tf.remat1?", {}, function(c)
  return kc.times(kept(c, c.D, ops.dtype(c.dtype)), c.L * c.per_layer)
end, written)
rule("sb.tr.act", {}, function(c)
  return kc.program("kept", { kc.times(kept(c, c.D, "bf16"), c.L), kc.times(kept(c, c.F, "bf16"), 2 * c.L) })
end, written)
-- What an optimiser step holds: bf16 weights and two f32 moments.
rule("sb.tr.opt", {}, function(c)
  local size = { p = c.params }
  return kc.write("w2", kc.map({ flops = 12, special = 1 }, kc.read(kc.tensor("w", "p", "bf16", size)),
    kc.read(kc.tensor("m", "p", "f32", size)), kc.read(kc.tensor("v", "p", "f32", size))), "bf16")
end, function(r) return r.bytes_read end)

-- gpt-fast: a decode step reads every weight but the input table, once.
local function decode(o)
  local n = {}
  local function linear(k, out, times)
    n[#n + 1] = kc.times(ops.linear(1, k, out, { dtype = "bf16", weights = o.weights }), times)
  end
  linear(o.D, o.D, 2 * o.L)
  linear(o.D, o.kv, 2 * o.L)
  linear(o.D, o.F, 2 * o.L)
  linear(o.F, o.D, o.L)
  linear(o.D, 32000, 1)
  return kc.program("decode", n)
end
rule("gptfast.7b.bf16", {}, function() return decode{ L = 32, D = 4096, kv = 4096, F = 11008, weights = "bf16" } end)
rule("gptfast.70b.int8", {}, function() return decode{ L = 80, D = 8192, kv = 1024, F = 28672, weights = "i8" } end)

return rules
