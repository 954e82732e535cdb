-- check_families.lua: models of linear attention, of Mamba layers, of attention in chunks, out of files as they are published:
-- totals, states, work, what is read, the walk.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"
local walked = require "walked"
local merge = kc.lib.parameters.merge

local t = tally.new("families")
local function file(name) return kc.load_json(here .. "/../data/models/" .. name .. ".json") end
local function count(x) return kc.count(x) end

local function known(name, model, unknown)
  for _, note in ipairs(model.audit) do
    if not (unknown or {})[note.key] then t:is_true(name .. ": " .. note.key, note.status ~= "unknown", "is unknown") end
  end
end

-- What a step's terms are, without those of the activations.
local function terms(name, model, batch, cached, want)
  local step = model:decode { batch = batch, cached = cached }
  local got, whole = model:bytes(step), count(step)
  t:near(name .. ": weights of a step", got.weights, want.weights, 1e-12)
  t:equal(name .. ": cache read", got.cache_read, want.read)
  t:equal(name .. ": cache written", got.cache_written, want.written)
  t:equal(name .. ": terms add up", got.total, whole.bytes)
end

-- ---- Qwen3-Next-80B-A3B: 80e9 parameters, 79e9 without tables of words, 3e9 active -----------------------------------

t:try("delta", function()
  local m = kc.lib.transformer(file "delta")
  local k, words = 2048, 151936 * 2048
  local linear = k * (2 * 2048 + 2 * 4096 + 2 * 32) + 4 * (2 * 2048 + 4096) + 4096 * k
  local full = k * (2 * 4096 + 2 * 512) + 4096 * k                            -- Q with its gate, K and V; out
  local expert, router = 3 * k * 512, k * 512 + k
  local layers = 36 * linear + 12 * full + 48 * (router + expert)
  local vectors = 36 * (2 * 32 + 128) + 12 * 2 * 256 + 48 * 2 * k + k
  t:equal("delta: matrices", m.parameters.matrix, layers + 48 * 512 * expert + 2 * words)
  t:equal("delta: vectors", m.parameters.vector, vectors)
  t:equal("delta: active", m.parameters.active, layers + 48 * 10 * expert + words)
  t:near("delta: published total", m.parameters.stored, 80e9, 0.5e-2)
  t:near("delta: published without words", m.parameters.stored - 2 * words, 79e9, 0.1e-2)
  t:is_true("delta: published active", m.parameters.active - words > 3e9 and m.parameters.active - words < 3.5e9)
  t:equal("delta: cache of a token", m.cache, 12 * 2 * 2 * 256 * 2)
  local taps, state = 2 * 8192, 4 * 32 * 128 * 128
  t:equal("delta: state of a sequence", m.state, 36 * (state + 3 * taps))
  known("delta", m)

  local B, cached = 3, 40
  local reached = 512 * (1 - (1 - 10 / 512) ^ B)
  terms("delta", m, B, cached, {
    weights = 2 * (layers + 48 * reached * expert + words + vectors + B * k),
    read = B * (m.cache * (cached + 1) + m.state + 36 * taps), written = B * (m.cache + 36 * (state + taps)),
  })
  -- whole chunks of 64; convolutions are no matmuls
  local S, pairs_of, few = 128, 2 * 64 * 65 / 2, 2 * 64 * 63 / 2
  local core = 2 * 128 * (few + pairs_of) * 16 + 2 * (128 + 2 * 128) * pairs_of * 32 + 6 * 128 * 128 * S * 32
  t:equal("delta: work of a prefill", count(m:prefill { seq = S }).matrix_flops,
    2 * S * (m.parameters.active - words - 36 * 4 * 8192) + 2 * words + 36 * core + 12 * 4 * 4096 * S * (S + 1) / 2)
  t:equal("delta: work of a step", count(m:decode { cached = 99 }).matrix_flops,
    2 * (m.parameters.active - 36 * 4 * 8192) + 12 * 4 * 4096 * 100)
  t:equal("delta: half of it", kc.lib.transformer(file "delta", { tensor = 2 }).state, m.state / 2)
end)

-- ---- Jamba-v0.1: 52e9 parameters, 12e9 active -----------------------------------------------------------------------

t:try("selective", function()
  local m = kc.lib.transformer(file "selective")
  local k, inner, N, rank = 4096, 8192, 16, 256
  local taps, words, mlp = 4 * inner, 65536 * 4096, 3 * 4096 * 14336
  local mamba = 2 * k * inner + taps + inner * (rank + 2 * N) + rank * inner + inner * k
  local full = k * (4096 + 2 * 1024) + 4096 * k
  local layers = 28 * mamba + 4 * full + 16 * mlp + 16 * k * 16
  local vectors = 28 * (inner * (N + 3) + rank + 2 * N) + 32 * 2 * k + k
  t:equal("selective: matrices", m.parameters.matrix, layers + 16 * 16 * mlp + 2 * words)
  t:equal("selective: vectors", m.parameters.vector, vectors)
  t:equal("selective: active", m.parameters.active, layers + 16 * 2 * mlp + words)
  t:near("selective: published total", m.parameters.stored, 51.6e9, 1e-3)
  t:near("selective: published active", m.parameters.active, 12e9, 2e-2)
  t:equal("selective: cache of a token", m.cache, 4 * 2 * 2 * 8 * 128)
  t:equal("selective: state of a sequence", m.state, 28 * (4 * inner * N + 3 * 2 * inner))
  known("selective", m)

  local B, cached = 3, 40
  local reached = 16 * (1 - (1 - 2 / 16) ^ B)
  terms("selective", m, B, cached, {
    -- A is read in f32
    weights = 2 * (layers + 16 * reached * mlp + words + vectors + B * k) + 2 * 28 * inner * N,
    read = B * (m.cache * (cached + 1) + m.state + 28 * 2 * inner), written = B * (m.cache + 28 * (4 * inner * N + 2 * inner)),
  })
  local S = 100
  local prefill = count(m:prefill { seq = S })
  t:equal("selective: work of a prefill", prefill.matrix_flops,
    2 * S * (m.parameters.active - words - 28 * taps) + 2 * words + 4 * 4 * 4096 * S * (S + 1) / 2)
  local two = kc.lib.transformer(file "selective", { tensor = 2 })
  t:equal("selective: half of it", two.state, m.state / 2)
  local sums, bytes = 0, 0
  for _, kernel in ipairs(count(two:decode { cached = 9 }).kernels) do
    if kernel.name == "allreduce" then sums, bytes = sums + kernel.launches, bytes + kernel.link_bytes end
  end
  t:equal("selective: a sum of dt, B and C of each layer", sums, 1 + 2 * 32 + 28)
  t:equal("selective: and its bytes", bytes, 2 * (65 * k + 28 * (rank + 2 * N)))
end)

-- ---- Llama-4-Scout: 109e9 parameters with the part for pictures, 17e9 active ------------------------------------------

t:try("chunked", function()
  local m = kc.lib.transformer(file "chunked")
  local k, words, expert = 5120, 202048 * 5120, 3 * 5120 * 8192
  local layers = 48 * (k * (5120 + 2 * 1024) + 5120 * k + 16 * k + expert)
  t:equal("chunked: matrices", m.parameters.matrix, layers + 48 * 16 * expert + 2 * words)
  t:equal("chunked: vectors", m.parameters.vector, 48 * 2 * k + k)
  t:equal("chunked: active", m.parameters.active, layers + 48 * expert + words)
  t:near("chunked: published total", m.parameters.stored, 109e9, 1.5e-2)
  t:near("chunked: published active, with the table", m.parameters.active + words, 17e9, 1.5e-2)
  known("chunked", m, { boi_token_index = true, eoi_token_index = true, image_token_index = true })
  local token = 2 * 2 * 8 * 128
  t:equal("chunked: cache of a token", m.cache, 48 * token)
  t:equal("chunked: a chunk is kept", m:cache_bytes { tokens = 20000 }, token * (12 * 20000 + 36 * 8192))
  local function read(cached) return m:bytes(m:decode { cached = cached }).cache_read end
  t:equal("chunked: a step sees its chunk", read(10000), token * (12 * 10001 + 36 * (10001 - 8192)))
  t:equal("chunked: the first one of a chunk sees itself", read(2 * 8192), token * (12 * (2 * 8192 + 1) + 36))

  -- pairs of a layer that sees chunks and of one that sees all
  local function pairs_of(p)
    local rest = 2 * p.seq * (m.parameters.active - words) + 2 * words
    return (count(m:prefill(p)).matrix_flops - rest) / (4 * 5120)
  end
  local function triangle(n) return n * (n + 1) / 2 end
  t:equal("chunked: three chunks, the last one of 616", pairs_of { seq = 17000 },
    12 * triangle(17000) + 36 * (2 * triangle(8192) + triangle(616)))
  t:equal("chunked: from inside a chunk into the next one", pairs_of { seq = 8000, cached = 8000 },
    12 * (triangle(16000) - triangle(8000)) + 36 * (triangle(8192) - triangle(8000) + triangle(7808)))
  t:equal("chunked: shorter than a chunk", pairs_of { seq = 500 }, 48 * triangle(500))
  -- Maverick: every other layer dense, 128 experts: 400e9 parameters, 17e9 active
  local given = file "chunked"
  given.text_config = merge(given.text_config, { interleave_moe_layer_step = 2, num_local_experts = 128, use_qk_norm = false })
  local maverick = kc.lib.transformer(given)
  t:near("Maverick: published total", maverick.parameters.stored, 400e9, 0.5e-2)
  t:near("Maverick: published active, with the table", maverick.parameters.active + words, 17e9, 2e-2)
  -- layers by list say the same
  local listed, turned = {}, {}
  for layer = 0, 47 do
    if layer % 2 == 1 then listed[#listed + 1] = layer end
    turned[layer + 1] = (layer + 1) % 4 ~= 0 and 1 or 0
  end
  given.text_config = merge(given.text_config, { moe_layers = listed, no_rope_layers = turned, interleave_moe_layer_step = 1 })
  local same = kc.lib.transformer(given)
  t:equal("lists of layers", same.parameters.stored, maverick.parameters.stored)
  t:equal("and what they see", same:cache_bytes { tokens = 20000 }, m:cache_bytes { tokens = 20000 })
end)

-- ---- the walk, and training ----------------------------------------------------------------------------------------------

local mini = {
  hidden_size = 8, intermediate_size = 6, num_hidden_layers = 2, num_attention_heads = 4, num_key_value_heads = 2, head_dim = 4,
  vocab_size = 10, torch_dtype = "bfloat16", num_local_experts = 4, num_experts = 4, num_experts_per_tok = 2,
  moe_intermediate_size = 6, shared_expert_intermediate_size = 5, full_attention_interval = 2, linear_num_key_heads = 2,
  linear_num_value_heads = 4, linear_key_head_dim = 3, linear_value_head_dim = 5, attn_layer_period = 2, attn_layer_offset = 1,
  mamba_d_state = 3, mamba_dt_rank = 2, attention_chunk_size = 3, no_rope_layer_interval = 2, intermediate_size_mlp = 7,
  interleave_moe_layer_step = 2,
}
for _, name in ipairs { "qwen3_next", "jamba", "llama4_text" } do
  local model = kc.lib.transformer(merge(mini, { model_type = name }))
  local programs = { model:prefill { seq = 5, batch = 2 }, model:prefill { seq = 4, cached = 4 }, model:decode { batch = 3, cached = 7 } }
  if name == "llama4_text" then
    programs[4], programs[5] = model:chunked { requests = { { 4, 1 }, { 1, 3 }, { 1, 3 } } }, model:train_step { seq = 5 }
  end
  for _, program in ipairs(programs) do walked.agrees(t, program.name, program) end
  t:is_true(name .. ": in schedules", kc.best(programs[1], "h100-sxm5").time > 0 and kc.best(programs[3], "h100-sxm5").time > 0)
end

local function refused(what, f, ...)
  t:refused(what, "check_families", "transformer", function() local answer = f() return answer end, ...)
end
local function model(name, more) return kc.lib.transformer(merge(mini, merge({ model_type = name }, more))) end
refused("no backward pass of a delta rule", function() return model("qwen3_next"):train_step { seq = 5 } end, "delta")
refused("nor of a selective scan", function() return model("jamba"):train_step { seq = 5 } end, "selective")
refused("a state has no chunks", function() return model("jamba"):chunked { requests = { { 1, 2 } } } end, "state")
refused("heads of a delta rule", function() return model("qwen3_next", { linear_num_key_heads = 3 }) end, "linear_num_key_heads", "3")
refused("an offset beyond its period", function() return model("jamba", { attn_layer_offset = 2 }) end, "attn_layer_offset")
refused("too few layers listed", function() return model("llama4_text", { no_rope_layers = { 1 } }) end, "no_rope_layers", "2 layers")
refused("another kind of layer", function() return model("qwen3_next", { layer_types = { "full_attention", "sliding_attention" } }) end,
  "layer_types", "sliding_attention", "linear_attention")
refused("another kind of layer", function() return model("llama4_text", { layer_types = { "full_attention", "linear_attention" } }) end,
  "layer_types", "chunked_attention")
for key in pairs { linear_num_value_heads = 1, linear_num_key_heads = 1, linear_key_head_dim = 1, linear_value_head_dim = 1 } do
  local rest = merge(mini, { model_type = "qwen3_next" })
  rest[key] = nil
  refused("without " .. key, function() return kc.lib.transformer(rest) end, key, "is missing")
end

t:finish()
