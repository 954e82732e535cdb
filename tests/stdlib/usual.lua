-- usual.lua: what every function of the stdlib takes, with nothing wrong: the smallest sizes, every parameter.

local kc = require "kcost"
local lib = kc.lib

local with = lib.parameters.merge
local function without(p, ...)
  local rest = with(p)
  for _, name in ipairs { ... } do rest[name] = nil end
  return rest
end

local product = {
  m = 8, n = 8, k = 8, dtype = "f16", weights = "f16", out = "f16", dequantise = 1, scale = "row", bias = true,
  epilogue = "relu", residual = true,
}
local heads = {
  seq = 8, head_dim = 8, batch = 1, heads = 4, kv_heads = 2, keys = 8, value_dim = 8, dtype = "f16", kv_dtype = "f16",
  causal = true, window = 4,
}
local lengths = without(heads, "keys", "causal", "window")
local latent = {
  seq = 2, cached = 6, head_dim = 8, rope_dim = 4, value_dim = 8, latent_dim = 8, batch = 1, heads = 2, dtype = "bf16",
  kv_dtype = "bf16", causal = true, splits = 2, tile = { j = 4 },
}
local rows = { m = 4, k = 8, dtype = "f16" }
local logits = { m = 2, n = 8, dtype = "f32" }
local blocks = { n = 256, block = 128, to = "i8", scale_dtype = "f32" }
local mixture = { tokens = 2, experts = 4, top_k = 2 }
local chunks = { seq = 8, heads = 2, head_dim = 4, state = 4, chunk = 4 }
local image = {
  image = { 8, 8 }, filter = 3, channels = 4, filters = 4, stride = 1, dilation = 1, pad = 1, groups = 2, batch = 1,
  dtype = "f16", unit = "matrix",
}
local grid = { grid = { 8, 8 }, radius = 1, flops = 3, dtype = "f64" }
local array = { n = 8, dtype = "f32" }
local sent = { n = 8, ranks = 2, dtype = "f16", algorithm = "tree" }
local step = lib.gemm.plain { m = 1, n = 8, k = 8 }

return {
  attention = {
    standard = heads, fused = heads, standard_backward = heads,
    flash = with(heads, { loops = "fa2", packed = true, tile = { i = 4, j = 4 }, schedule = { stages = 2 } }),
    flash_backward = with(heads, { how = "two", tile = { i = 4, j = 4 } }),
    ragged = with(without(heads, "seq", "keys", "batch"), { requests = { { 1, 2 }, { 3, 0 } }, tile = { i = 2 } }),
    prefix = with(lengths, { prefix = 3 }), chunked = with(lengths, { chunk = 3 }),
    decode = with(lengths, { cached = 7, seq = 1, splits = 2, page = 4, tile = { p = 1 }, schedule = { stages = 2 } }),
  },
  collective = {
    allreduce = sent, allgather = sent, reducescatter = sent, alltoall = sent, broadcast = sent, send = sent,
    matmul_allreduce = {
      m = 8, n = 8, k = 8, ranks = 2, chunks = 2, dtype = "f16", algorithm = "tree", tile = { m = 4 },
    },
  },
  conv = {
    forward = with(image, { bias = true, epilogue = "relu" }), backward_data = image, backward_weight = image,
    transposed = with(image, { output_pad = 1, bias = true }), gemm = image,
    winograd = { image = { 8, 8 }, channels = 2, filters = 2, pad = 1 },
    pool = { image = { 8, 8 }, channels = 2, filter = 2, stride = 2, pad = 0, what = "max" },
  },
  elementwise = {
    apply = with(array, { what = "gelu", output = "Y" }), gelu = array, silu = array, swiglu = array,
    dropout = with(array, { keep_mask = true }), cast = with(array, { to = "f8" }), quantise = blocks,
    dequantise = blocks, rope = { seq = 2, heads = 2, head_dim = 4, batch = 1, dtype = "f16" },
  },
  embedding = {
    gather = { tokens = 3, vocab = 5, hidden = 4, distinct = 2, dtype = "f16" },
    backward = { tokens = 3, vocab = 5, hidden = 4, dtype = "f16" },
  },
  gemm = {
    plain = product, batched = with(product, { batch = 2, shared = true }), sparse = without(product, "weights"),
    grouped = with(without(product, "m"), { rows = { 1, 2 }, tile = { m = 4 } }),
    vector = without(with(product, { scale = "column" }), "m"),
    split_k = with(product, { splits = 2, tile = { m = 4, n = 4, k = 4 }, combine = "kernel" }),
  },
  kv_cache = {
    heads = { kv_heads = 2, head_dim = 4, dtype = "f8" },
    latent = { latent_dim = 4, rope_dim = 2, dtype = "f8", rope_dtype = "bf16" },
    bytes = { parts = { { width = 4, dtype = "f16" } }, layers = 2, tokens = 3, batch = 2, page = 2, window = 2 },
  },
  mla = { heads = latent, latent = latent, absorbed = latent, expanded = latent },
  moe = {
    distinct = mixture, route = with(mixture, { hidden = 4 }),
    mlp = with(mixture, { hidden = 4, inner = 4, gated = true, weights = "f8", distinct = 2 }),
    grouped = { rows = { 1, 2 }, hidden = 4, inner = 4, gated = true, weights = "f8", tile = { t = 2 } },
  },
  norm = {
    rms = with(rows, { residual = true, output = "Y" }), layer = with(rows, { residual = true, output = "Y" }),
    rms_backward = with(rows, { splits = 2 }), layer_backward = with(rows, { splits = 2 }),
  },
  sampling = {
    topk = with(logits, { k = 2 }), greedy = logits, categorical = logits, categorical_topk = with(logits, { k = 2 }),
  },
  scan = {
    prefix_sum = { n = 8, m = 2, chunk = 4 }, selective = { seq = 4, channels = 4, state = 4, batch = 1 }, ssd = chunks,
    ssd_backward = chunks, gated_delta = with(chunks, { key_heads = 1 }),
    linear_attention = chunks, step = { heads = 2, head_dim = 4, state = 4, state_dtype = "f32" },
  },
  softmax = {
    rows = with(logits, { passes = 2, tile = 4 }), naive = with(logits, { tile = 4 }), backward = logits,
    cross_entropy = logits, head = with(logits, { k = 8, splits = 2, tile = { m = 2, n = 2 } }),
  },
  speculative = {
    tokens = { acceptance = 0.5, drafts = 2 }, speedup = { acceptance = 0.5, drafts = 2, cost = 0.1 },
    evaluate = { acceptance = 0.5, drafts = 2, step = step, verify = step, draft = step, device = "l4", options = {} },
  },
  stencil = { star = grid, box = grid },
  stream = { copy = array, scale = array, add = array, triad = array, transpose = { rows = 2, columns = 3, batch = 2 } },
}
