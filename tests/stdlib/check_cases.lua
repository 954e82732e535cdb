-- check_cases.lua: cases that practitioners raised, answered by kernels of the stdlib, each named by its id.
--
-- The right value stands in the comment; what other tools printed is there where it teaches.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"
local lib = kc.lib

local t = tally.new("cases of the stdlib")
local function case(id, test) t:try(id, test) end

local transformer = lib.transformer
local function with(p, more) return lib.parameters.merge(p, more) end
local function matrix(x, how) return kc.count(x, { convention = { causal = how } }).matrix_flops end
local function moved(x, name)
  for _, row in ipairs(kc.count(x).tensors) do
    if row.name == name then return row.bytes_read + row.bytes_written end
  end
  error("no tensor '" .. name .. "'")
end
local MAC = { convention = { multiply_add = 1, padding = true } }

-- P09: a selective scan by its terms: 8 for each of L = 256, D = 1536, N = 16; others quote 9, or 4 and 2 for D.
case("P09", function()
  local x = lib.scan.selective { seq = 256, channels = 1536, state = 16 }
  t:equal("P09", kc.count(x).flops, 8 * 256 * 1536 * 16)
  t:equal("P09 quoted", 9 * 256 * 1536 * 16, 56623104)
  -- the state stays on chip: no tensor of L D N elements
  t:equal("P09 bytes", kc.count(x).bytes, 2 * 256 * (3 * 1536 + 2 * 16) + 4 * 1536 * 16)
end)

-- P10: transposed 3 -> 1, 2x2, stride 2, 2x2 -> 4x4: 48 multiply-adds = 96 FLOP, with 16 bias adds 112.
case("P10", function()
  local p = { image = { 2, 2 }, filter = 2, stride = 2, channels = 3, filters = 1, dtype = "f32" }
  t:equal("P10", kc.count(lib.conv.transposed(p)).flops, 96)
  t:equal("P10 bias", kc.count(lib.conv.transposed(with(p, { bias = true }))).flops, 112)
  -- it is the gradient of the convolution 1 -> 3 on the 4x4 image
  local back = lib.conv.backward_data {
    image = { 4, 4 }, filter = 2, stride = 2, channels = 1, filters = 3, dtype = "f32",
  }
  t:equal("P10 gradient", kc.count(back).flops, 96)
  t:equal("P10 gradient bytes", kc.count(back).bytes, kc.count(lib.conv.transposed(p)).bytes)
end)

-- P11: transposed 32 -> 1, 3x3, on a 1x1 image: 288 multiply-adds (a tool: 81).
case("P11", function()
  local p = { image = { 1, 1 }, filter = 3, channels = 32, filters = 1, dtype = "f32" }
  t:equal("P11", kc.count(lib.conv.transposed(p), MAC).flops, 288)
end)

-- P14: 8 -> 8, 3x3, pad 1, 16x16, 8 groups: 18,432 multiply-adds forward and for both gradients (a tool: 147,456).
case("P14", function()
  local p = { image = { 16, 16 }, filter = 3, channels = 8, filters = 8, groups = 8, pad = 1 }
  for _, call in ipairs { "forward", "backward_data", "backward_weight" } do
    t:equal("P14 " .. call, kc.count(lib.conv[call](p), MAC).flops, 18432)
  end
end)

-- P17: F(2x2, 3x3) needs 16 products where 36 are nominal: 2.25; transforms and their traffic come on top.
case("P17", function()
  local p = { image = { 58, 58 }, channels = 64, filters = 64, batch = 8 }
  local direct = kc.count(lib.conv.forward(with(p, { filter = 3 })))
  local fast = kc.count(lib.conv.winograd(p))
  t:equal("P17", direct.matrix_flops / fast.matrix_flops, 2.25)
  t:is_true("P17 traffic", fast.bytes > direct.bytes and fast.vector_flops > 0, "transforms cost nothing")
  -- nominal FLOP over the time of the fast one may lie above the roof; what it executes does not
  local r = kc.evaluate(lib.conv.winograd(p), "h100-sxm5")
  t:is_true("P17 roof", r.matrix_flops / r.time < kc.device("h100-sxm5").matrix.f16, "above the roof")
end)

-- P18: Llama-2-7B, 32 layers, S = 8192, batch 4, training: 422.212e12 full, half of it, 211.132e12 exact.
case("P18", function()
  local p = { batch = 4, heads = 32, seq = 8192, head_dim = 128, causal = true }
  local step = kc.times(kc.program("attention", { lib.attention.fused(p), lib.attention.standard_backward(p) }), 32)
  t:equal("P18 full", matrix(step, "full"), 12 * 32 * 4 * 8192 ^ 2 * 4096)
  t:near("P18 printed before", matrix(step, "full"), 422.21e12, 0.5e-4)
  t:near("P18 printed after", matrix(step, "half"), 211.11e12, 0.5e-4)
  t:equal("P18 exact", matrix(step, "exact"), 12 * 32 * 4 * 4096 * 8192 * 8193 / 2)
end)

-- P21: a window wider than the sequence: 524,800 pairs (a tool: 4,194,304); in decode an eighth of 32,768.
case("P21", function()
  local d = 64
  local x = lib.attention.flash { seq = 1024, head_dim = d, window = 4096 }
  t:equal("P21", matrix(x) / (4 * d), 524800)
  local decode = lib.attention.decode { cached = 32767, head_dim = d, window = 4096 }
  t:equal("P21 decode", matrix(decode) / (4 * d), 4096)
  t:equal("P21 decode K", moved(decode, "K"), 4096 * d * 2)
  t:equal("P21 short", matrix(lib.attention.decode { cached = 999, head_dim = d, window = 4096 }) / (4 * d), 1000)
  local parts = lib.kv_cache.heads { kv_heads = 8, head_dim = 128 }
  t:equal("P21 cache", lib.kv_cache.bytes { parts = parts, tokens = 32768, window = 4096 } * 8,
    lib.kv_cache.bytes { parts = parts, tokens = 32768 })
end)

-- P22: 2048 tokens behind 6144: 14,681,088 pairs (a tool: 2,098,176); two prompts of 100: 10,100 (a tool: 20,100).
case("P22", function()
  local d = 64
  local function pairs_of(requests) return matrix(lib.attention.ragged { requests = requests, head_dim = d }) / (4 * d) end
  t:equal("P22 chunk", pairs_of { { 2048, 6144 } }, 14681088)
  t:equal("P22 two prompts", pairs_of { { 100, 0 }, { 100, 0 } }, 10100)
  t:equal("P22 both", pairs_of { { 2048, 6144 }, { 100, 0 }, { 1, 8191 } }, 14681088 + 5050 + 8192)
end)

-- P25: Llama-3.1-8B's projections: 2*(4096*4096) + 2*(4096*1024) multiply-adds a token (assumed: 4 equal ones).
case("P25", function()
  local sum = 0
  for _, n in ipairs { 4096, 1024, 1024, 4096 } do
    sum = sum + kc.count(lib.gemm.plain { m = 1, k = 4096, n = n, dtype = "bf16" }, MAC).flops
  end
  t:equal("P25", sum, 2 * 4096 * 4096 + 2 * 4096 * 1024)
end)

-- P26: DeepSeek-V2-Lite, training: scores of 128 + 64, values of 128: 222.65e12, half 111.33e12.
case("P26", function()
  local p = { batch = 4, heads = 16, seq = 8192, head_dim = 128, rope_dim = 64 }
  local forward = lib.mla.heads(p)
  local backward = lib.attention.standard_backward {
    batch = 4, heads = 16, seq = 8192, head_dim = 192, value_dim = 128, causal = true,
  }
  local step = kc.times(kc.program("attention", { forward, backward }), 27)
  t:equal("P26", matrix(step, "full"), 6 * 27 * 4 * 8192 ^ 2 * 16 * (192 + 128))
  t:near("P26 printed", matrix(step, "full"), 222.65e12, 0.5e-4)
  -- and of the model itself, beside 6 FLOP a parameter and token
  local lite, size = transformer {
    model_type = "deepseek_v2", hidden_size = 2048, intermediate_size = 10944, moe_intermediate_size = 1408, num_hidden_layers = 27,
    num_attention_heads = 16, kv_lora_rank = 512, qk_rope_head_dim = 64, qk_nope_head_dim = 128, v_head_dim = 128,
    n_routed_experts = 64, n_shared_experts = 2, num_experts_per_tok = 6, first_k_dense_replace = 1, vocab_size = 102400,
  }, { seq = 8192, batch = 4, logits = "all" }
  t:near("P26 DeepSeek-V2-Lite", 3 * matrix(lite:prefill(size), "full") - 6 * lite.parameters.active * 4 * 8192, 222.65e12, 0.5e-4)
  t:near("P26 printed half", matrix(step, "half"), 111.33e12, 0.5e-4)
end)

local latent, heads, cache = lib.kv_cache.latent, lib.kv_cache.heads, lib.kv_cache.bytes

-- P28: DeepSeek-V3: 61*(512 + 64)*2 = 70,272 B a token (a fix: 124,928; all heads: 4,997,120).
case("P28", function()
  t:equal("P28", cache { parts = latent(), layers = 61 }, 70272)
  t:equal("P28 heads", cache { parts = heads { kv_heads = 128, head_dim = 192, value_dim = 128 }, layers = 61 }, 4997120)
  -- two parts, of which a model reads each once for K and V: no factor of 2, and no hidden size over heads
  local v3 = transformer {
    model_type = "deepseek_v3", hidden_size = 7168, num_hidden_layers = 61, num_attention_heads = 128, vocab_size = 129280,
    kv_lora_rank = 512, qk_rope_head_dim = 64, qk_nope_head_dim = 128, v_head_dim = 128, q_lora_rank = 1536,
    intermediate_size = 18432, moe_intermediate_size = 2048, n_routed_experts = 256, n_shared_experts = 1,
    num_experts_per_tok = 8, first_k_dense_replace = 3,
  }
  local step = v3:decode { cached = 99 }
  t:equal("P28 latent", moved(step, "cache C"), 61 * 100 * 512 * 2)
  t:equal("P28 position", moved(step, "cache R"), 61 * 100 * 64 * 2)
  t:equal("P28 both", v3.cache, 70272)
  t:equal("P28 by K and V of hidden size", 61 * 2 * 7168 * 2, 1748992)
end)

-- P30: V3.2: 656 B a token and layer with f32 scales of 128, 132 B of index keys; 1,462,784 tokens and a spare page
-- of 64 are 54.52 and 65.49 GiB (printed as GB), 975,424 are 43.67.
case("P30", function()
  local f8 = kc.dtype { name = "f8 with f32 scales", bits = 8, block = 128, scale_bits = 32, math = "f8" }
  local function both(tokens, index)
    local bytes = cache { parts = latent { dtype = f8 }, layers = 61, tokens = tokens }
    if not index then return bytes end
    return bytes + cache { parts = { { name = "index", width = 128, dtype = f8 } }, layers = 61, tokens = tokens }
  end
  t:equal("P30 token", both(1), 40016)
  t:equal("P30 index", both(1, true) - both(1), 8052)
  t:near("P30 cache", both(1462784 + 64) / 2 ^ 30, 54.52, 1e-4)
  t:near("P30 with index", both(1462784 + 64, true) / 2 ^ 30, 65.49, 1.5e-4)
  t:near("P30 second", both(975424 + 64, true) / 2 ^ 30, 43.67, 1e-4)
end)

-- P33: Qwen3-0.6B says its head size: 114,688 B a token (hidden over heads: 57,344); Gemma-2-9B's is 256.
case("P33", function()
  t:equal("P33", cache { parts = heads { kv_heads = 8, head_dim = 128 }, layers = 28 }, 114688)
  local qwen = {
    model_type = "qwen3", hidden_size = 1024, intermediate_size = 3072, num_hidden_layers = 28, num_attention_heads = 16,
    num_key_value_heads = 8, vocab_size = 151936,
  }
  local function head_size(model)
    for _, note in ipairs(model.audit) do
      if note.key == "head_dim" then return note.value .. ", " .. note.status .. (note.note and ": " .. note.note or "") end
    end
  end
  local said, derived = transformer(with(qwen, { head_dim = 128 })), transformer(qwen)
  t:equal("P33 said", said.cache, 114688)
  t:equal("P33 said so", head_size(said), "128, used")
  t:equal("P33 derived", derived.cache, 57344)
  t:equal("P33 and says so", head_size(derived), "64, defaulted: hidden size over heads")
  local gemma = transformer {
    model_type = "gemma2", hidden_size = 3584, intermediate_size = 14336, num_hidden_layers = 42, num_attention_heads = 16,
    num_key_value_heads = 8, head_dim = 256, vocab_size = 256000,
  }
  t:equal("P33 Gemma-2-9B", gemma.cache, 42 * 2 * 8 * 256 * 2)
end)

-- P35: Falcon-7B has one head of K and V: 8,192 B a token (71 heads: 581,632); Falcon-40B eight: 122,880.
case("P35", function()
  t:equal("P35 7B", cache { parts = heads { kv_heads = 1, head_dim = 64 }, layers = 32 }, 8192)
  t:equal("P35 all heads", cache { parts = heads { kv_heads = 71, head_dim = 64 }, layers = 32 }, 581632)
  t:equal("P35 40B", cache { parts = heads { kv_heads = 8, head_dim = 64 }, layers = 60 }, 122880)
  -- one head of K and V is read by all query heads
  local x = lib.attention.decode { heads = 71, kv_heads = 1, head_dim = 64, cached = 999, dtype = "bf16" }
  t:equal("P35 read", moved(x, "K") + moved(x, "V"), 2 * 1000 * 64 * 2)
end)

-- P37: an NVFP4 cache of 4 heads of 256: 1,152 B, bf16 4,096 B; 1000 tokens take 1008 slots of 16, 1024 of 128.
case("P37", function()
  local function bytes(dtype, more)
    return cache(with({ parts = heads { kv_heads = 4, head_dim = 256, dtype = dtype } }, more))
  end
  t:equal("P37 nvf4", bytes("nvf4"), 1152)
  t:equal("P37 bf16", bytes("bf16"), 4096)
  for page, slots in pairs { [1] = 1000, [16] = 1008, [128] = 1024 } do
    t:equal("P37 pages of " .. page, bytes("bf16", { tokens = 1000, page = page }), 4096 * slots)
  end
  local x = lib.attention.decode { heads = 4, head_dim = 256, cached = 999, page = 16, dtype = "bf16" }
  t:equal("P37 read", moved(x, "K") + moved(x, "V"), 4096 * 1008)
end)

-- P39: a step of Llama-2-7B reads 13.214 GB of weights, not the 13.476 that are stored: its table is not read.
-- 7e9 weights at 100 tokens a second are 1400 GB/s in 2 bytes, 70 % of 2 TB/s, and 700 GB/s, 35 %, in one.
case("P39", function()
  local function read(n, k, dtype) return moved(lib.gemm.plain { m = 1, n = n, k = k, weights = dtype }, "B") end
  local function step(dtype)
    local layer = 4 * read(4096, 4096, dtype) + 2 * read(11008, 4096, dtype) + read(4096, 11008, dtype)
    return 32 * layer + read(32000, 4096, dtype)
  end
  t:equal("P39 read", step("bf16"), 2 * 6607077376)
  t:near("P39 printed", step("bf16"), 13.214e9, 1e-4)
  local row = lib.embedding.gather { tokens = 1, vocab = 32000, hidden = 4096 }
  t:equal("P39 of the table", moved(row, "table"), 2 * 4096)
  t:equal("P39 stored", step("bf16") + 2 * 32000 * 4096, 2 * 6738149376)
  t:equal("P39 bytes", step("i8"), step("bf16") / 2)
  t:near("P39 share", 100 * step("bf16") / 2e12, 0.66, 1e-2)
end)

-- P40: TinyLlama: 1,034,420,224 weights are multiplied by, with the table 1,099,956,224; a gather is no FLOP.
case("P40", function()
  local table_of = { tokens = 4096, vocab = 32000, hidden = 2048 }
  local x = lib.embedding.gather(table_of)
  t:equal("P40", kc.count(x).flops, 0)
  t:equal("P40 rows", moved(x, "table"), 4096 * 2048 * 2)
  local function weights(n, k) return kc.count(lib.gemm.plain { m = 1, n = n, k = k }, MAC).flops end
  local layer = 2 * weights(2048, 2048) + 2 * weights(256, 2048) + 2 * weights(5632, 2048) + weights(2048, 5632)
  local all = 22 * layer + weights(32000, 2048)
  t:equal("P40 weights", all, 1034420224)
  t:near("P40 ratio", (all + 32000 * 2048) / all, 1.0634, 1e-4)
end)

-- P43: a gated MLP has three matrices: 270,532,608 FLOP a token (two of 4d: 268,435,456); Llama-3 352,321,536.
case("P43", function()
  local function mlp(hidden, inner, gated)
    return matrix(lib.moe.mlp { tokens = 1, experts = 1, top_k = 1, hidden = hidden, inner = inner, gated = gated })
  end
  t:equal("P43", mlp(4096, 11008, true), 270532608)
  t:equal("P43 two", mlp(4096, 16384, false), 268435456)
  t:equal("P43 Llama-3", mlp(4096, 14336, true), 352321536)
  -- in a model: as many matrices as its family has, of the width that the file says
  local function of_layer(family, inner)
    local sum = 0
    local model = transformer {
      model_type = family, hidden_size = 4096, intermediate_size = inner, num_hidden_layers = 32, num_attention_heads = 32,
      vocab_size = 32000, n_inner = inner, max_position_embeddings = 4096,
    }
    for _, row in ipairs(model:layers { cached = 9 }) do
      for _, kernel in ipairs(row.kernels) do
        if kernel.name == "up" or kernel.name == "down" then sum = sum + kernel.matrix_flops / row.count end
      end
    end
    return sum
  end
  t:equal("P43 in Llama-7B", of_layer("llama", 11008), 270532608)
  t:equal("P43 two in a GPT", of_layer("gpt_neox", 16384), 268435456)
  t:equal("P43 in Llama-3", of_layer("llama", 14336), 352321536)
end)

-- P44: Mixtral 8x7B, 1024 tokens, training: 287.784e12 with all experts, 79.977e12 with two of eight, router and
-- attention (full square) in both.
case("P44", function()
  local T = 1024
  local function forward(top_k)
    local sum = 0
    local function add(x, times) sum = sum + times * matrix(x, "full") end
    for _, n in ipairs { 4096, 1024, 1024, 4096 } do add(lib.gemm.plain { m = T, k = 4096, n = n }, 32) end
    add(lib.attention.fused { heads = 32, kv_heads = 8, head_dim = 128, seq = T, causal = true }, 32)
    add(lib.moe.route { tokens = T, experts = 8, top_k = 2, hidden = 4096 }, 32)
    add(lib.moe.mlp { tokens = T, experts = 8, top_k = top_k, hidden = 4096, inner = 14336 }, 32)
    add(lib.gemm.plain { m = T, k = 4096, n = 32000 }, 1)
    return sum
  end
  -- training is three times forward: two gradients of each product
  t:near("P44 all", 3 * forward(8) / 1e12, 287.784, 2e-6)
  t:near("P44 active", 3 * forward(2) / 1e12, 79.977, 1e-5)
end)

-- P45: of N experts, k a token, B tokens read N*(1 - (1 - k/N)^B).
case("P45", function()
  local function distinct(N, k, B) return lib.moe.distinct { experts = N, top_k = k, tokens = B } end
  t:near("P45", distinct(8, 2, 3), 4.625, 1e-15)
  for B, want in pairs { [8] = 57.4, [32] = 163.3, [128] = 251.6 } do
    t:near("P45 batch " .. B, distinct(256, 8, B), want, 1e-3)
  end
  -- the experts' weights that a step reads are these, or as many as were counted
  local p = { tokens = 8, experts = 256, top_k = 8, hidden = 512, inner = 256, dtype = "bf16" }
  local expert = 3 * 512 * 256 * 2
  local function weights(x) return moved(x, "Wg") + moved(x, "Wu") + moved(x, "Wd") end
  t:near("P45 read", weights(lib.moe.mlp(p)), distinct(256, 8, 8) * expert, 1e-12)
  t:near("P45 counted", weights(lib.moe.mlp(with(p, { distinct = 170 / 4 }))), 42.5 * expert, 1e-12)
end)

-- P48: 6 N D: each weight meets each token once forward and twice backward: 2 + 4 FLOP; the factor is not typed in.
case("P48", function()
  local tokens, hidden, out = 64, 96, 80
  local plain = lib.gemm.plain
  local forward = plain { m = tokens, n = out, k = hidden }
  local step = kc.program("step", {
    forward, plain { m = tokens, n = hidden, k = out }, plain { m = hidden, n = out, k = tokens },
  })
  t:equal("P48", kc.count(step).flops / (hidden * out * tokens), 6)
  t:equal("P48 forward", kc.count(forward).flops / (hidden * out * tokens), 2)
  -- 6 * 37e9 * 14.8e12 FLOP are 21.6 % of 2.79e6 hours at 1.513e15 (printed: 7.2 %)
  t:near("P48 share", 6 * 37e9 * 14.8e12 / (2.79e6 * 3600 * 1.513e15), 0.216, 1e-3)
end)

-- P49: attention backward is 2.5 times forward where the scores are computed again (kernel view), 2.0 where they
-- were kept (model view).
case("P49", function()
  for _, causal in ipairs { true, false } do
    local p = { batch = 2, heads = 4, seq = 256, head_dim = 64, causal = causal }
    local forward = matrix(lib.attention.flash(p))
    t:equal("P49 kernel", matrix(lib.attention.flash_backward(p)) / forward, 2.5)
    t:equal("P49 model", matrix(lib.attention.standard_backward(p)) / forward, 2)
  end
end)

-- P52: recompute none, selective (the core of attention), full: one more forward pass of what is computed again.
case("P52", function()
  local p = { batch = 1, heads = 8, seq = 512, head_dim = 64 }
  local gemm = { m = 512, n = 512, k = 512 }
  local linear, core = kc.times(lib.gemm.plain(gemm), 4), lib.attention.fused(p)
  local back = kc.program("backward", { kc.times(linear, 2), lib.attention.standard_backward(p) })
  local function step(again)
    local parts = { linear, core }
    for _, x in ipairs(again) do parts[#parts + 1] = x end
    parts[#parts + 1] = back
    return matrix(kc.program("step", parts))
  end
  local none, selective, full = step {}, step { core }, step { linear, core }
  local forward = matrix(kc.program("forward", { linear, core }))
  t:equal("P52 none", none, 3 * forward)
  t:equal("P52 selective", selective, 3 * forward + matrix(core))
  t:equal("P52 full", full, 4 * forward)
end)

-- P84: bits of a weight with its scales, and gpt-oss-20b's experts: 10.152 GB (9.555 without, 38.22 in bf16).
case("P84", function()
  local function bits(dtype) return cache { parts = { { width = 2 ^ 14, dtype = dtype } } } * 8 / 2 ^ 14 end
  t:equal("P84 nvf4", bits("nvf4"), 4.5)
  t:equal("P84 mxf4", bits("mxf4"), 4.25)
  t:equal("P84 mxf8", bits("mxf8"), 8.25)
  t:equal("P84 g128", bits("i4g128"), 4.125)
  local zeros = kc.dtype { name = "g128 with zeros", bits = 4, block = 128, scale_bits = 16, zero_bits = 4, math = "f16" }
  t:equal("P84 zero points", bits(zeros), 4.15625)
  t:near("P84 f8 blocks", bits(kc.dtype { name = "f8b", bits = 8, block = 128 * 128, scale_bits = 32, math = "f8" }),
    8.002, 1e-5)
  local function experts(dtype)
    local x = lib.moe.mlp {
      tokens = 4096, experts = 32, top_k = 4, hidden = 2880, inner = 2880, weights = dtype, distinct = 32,
    }
    return 24 * (moved(x, "Wg") + moved(x, "Wu") + moved(x, "Wd"))
  end
  t:equal("P84 weights", experts("f8"), 19110297600)
  t:near("P84 mxf4 experts", experts("mxf4"), 10.152e9, 1e-4)
  t:near("P84 without scales", experts("f4"), 9.555e9, 1e-4)
  t:near("P84 bf16", experts("bf16"), 38.22e9, 1e-4)
end)

-- P87: a = 0.8, g = 5: 3.689 tokens a round; a = 0.44, c = 0.11: 1.144 times as fast; weights and cache once a
-- verify, FLOP g + 1 times.
case("P87", function()
  t:near("P87", lib.speculative.tokens { acceptance = 0.8, drafts = 5 }, 3.689, 1e-4)
  t:near("P87 speed-up", lib.speculative.speedup { acceptance = 0.44, drafts = 5, cost = 0.11 }, 1.144, 3e-4)
  local function projection(tokens) return lib.gemm.plain { m = tokens, n = 4096, k = 4096 } end
  t:equal("P87 weights", moved(projection(6), "B"), moved(projection(1), "B"))
  t:equal("P87 FLOP", kc.count(projection(6)).flops, 6 * kc.count(projection(1)).flops)
  local function core(tokens)
    return lib.attention.decode { heads = 32, kv_heads = 8, head_dim = 128, cached = 1023, seq = tokens, causal = false }
  end
  t:equal("P87 pairs", matrix(core(6)), 6 * 1029 / 1024 * matrix(core(1)))
  t:equal("P87 cache", moved(core(6), "K"), 1029 / 1024 * moved(core(1), "K"))
end)

t:finish()
