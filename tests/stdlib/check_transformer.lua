-- check_transformer.lua: whole models out of their config.json: totals, bytes of a step term by term, work against closed
-- forms, the audit, and files that are wrong.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"
local walked = require "walked"
local merge = kc.lib.parameters.merge

local t = tally.new("transformer")
local models = (os.getenv("SHARED") or "../shared") .. "/reference/models/"

local function load(name)
  local file = io.open(models .. name .. "_config.json")
  if not file then
    t:skip(name, "no such file")
    return nil
  end
  file:close()
  return kc.load_json(models .. name .. "_config.json")
end

-- ---- totals of published models --------------------------------------------------------------------------------

local totals = {
  -- all matrices, those that a token is multiplied by, bytes of K and V a token in 16 bits
  { "meta-llama--Llama-2-7b-chat-hf", 6738149376, 6607077376, 524288 },
  { "meta-llama--Meta-Llama-3.1-8B", 8029995008, 7504658432, 131072 },
  { "meta-llama--Meta-Llama-3.1-70B", 70552387584, 69501714432, 327680 },
  { "mistralai--Mistral-7B-Instruct-v0.3", 7247757312, 7113539584, 131072 },
  { "Qwen--Qwen2.5-7B-Instruct", 7615283200, 7070285824, 57344 },
  { "Qwen--Qwen3-0.6B", 595984384, 595984384, 114688 },
  { "mistralai--Mixtral-8x7B-v0.1", 46702526464, 12748587008, 131072 },
  { "Qwen--Qwen3-30B-A3B", 30531911680, 3041656832, 98304 },
  { "openai--gpt-oss-20b", 20907786240, 3607142400, 49152 },
  { "deepseek-ai--DeepSeek-V3", 671025397760, 36624596992, 70272 },
  { "openai-community--gpt2-large", 773428480, 772117760, 184320 },
  { "tiiuae--falcon-7b", nil, nil, 8192 },
}

-- What a decode of B sequences moves in models of heads and dense layers, out of the file's sizes alone, in elements.
local function dense_terms(m, B, cached)
  local s, g = m.shape, m.shape.groups[1]
  local a, k, f, L = g.attention, s.hidden, g.mlp.inner, s.layers
  local q, kv, keys = a.heads * a.head_dim, 2 * a.kv_heads * a.head_dim, cached + 1
  local turned = a.rope and q or 0          -- Q is written again where it is turned
  local layer = 2 * k + k + (q + kv)        -- norm, qkv
    + kv + (a.rope and q or 0) + turned + 2 * q + q + 2 * k -- cache's input, Q, attention, out with the stream
    + (g.norms > 1 and 2 * k or 0) + k + f + f + 2 * k      -- norm, up, down
  return {
    weights = m.parameters.active + m.parameters.vector + B * k + (s.positions and k or 0),
    cache_read = L * B * kv * keys, cache_written = L * B * kv,
    activations = B * (L * layer + k + 2 * k + k + s.vocab), tokens = 4 * B,
  }
end

for _, row in ipairs(totals) do
  local name = row[1]
  local file = load(name)
  if file then t:try(name, function()
    local m = kc.lib.transformer(file)
    if row[2] then
      t:equal(name .. ": matrices", m.parameters.matrix, row[2])
      t:equal(name .. ": active", m.parameters.active, row[3])
    end
    t:equal(name .. ": cache", m.cache, row[4])
    for _, note in ipairs(m.audit) do t:is_true(name .. ": " .. note.key, note.status ~= "unknown", "is unknown") end

    -- the head is done once a sequence, the rest once a token
    local B, cached = 3, 40
    local step = m:decode { batch = B, cached = cached }
    local terms, whole = m:bytes(step), kc.count(step)
    local sum = terms.weights + terms.cache_read + terms.cache_written + terms.activations
    t:equal(name .. ": terms add up", sum, whole.bytes)
    t:equal(name .. ": total", terms.total, whole.bytes)
    t:equal(name .. ": cache read", terms.cache_read, m.cache * B * (cached + 1))
    t:equal(name .. ": cache written", terms.cache_written, m.cache * B)
    local g = m.shape.groups[1]
    if #m.shape.groups == 1 and g.mlp.kind == "dense" then
      local want = dense_terms(m, B, cached)
      t:equal(name .. ": weights", terms.weights, 2 * want.weights)
      t:equal(name .. ": activations", terms.activations, 2 * want.activations + want.tokens)
      t:equal(name .. ": cache", terms.cache_read, 2 * want.cache_read)
      local a = g.attention
      local pairs_of = 4 * a.heads * a.head_dim * m.shape.layers * B * (cached + 1)
      t:equal(name .. ": work", whole.matrix_flops, 2 * m.parameters.active * B + pairs_of)
    end
  end) end
end

-- ---- questions of practitioners -----------------------------------------------------------------------------------

local llama = {
  model_type = "llama", hidden_size = 4096, intermediate_size = 11008, num_hidden_layers = 32, num_attention_heads = 32,
  vocab_size = 32000, torch_dtype = "float16", max_position_embeddings = 4096,
}
local m = kc.lib.transformer(llama)
t:equal("P39: stored", m.parameters.matrix * 2, 13476298752)
t:equal("P39: read a step", m.parameters.active * 2, 13214154752)
local tiny = kc.lib.transformer(merge(llama, {
  hidden_size = 2048, intermediate_size = 5632, num_hidden_layers = 22, num_key_value_heads = 4,
}))
t:equal("P40: matmuls", tiny.parameters.active, 1034420224)
t:equal("P40: with the table", tiny.parameters.matrix, 1099956224)
local tied = kc.lib.transformer(merge(llama, { tie_word_embeddings = true }))
t:equal("P40: tied words are a matmul all the same", tied.parameters.active, m.parameters.active)
t:equal("P40: and are stored once", tied.parameters.stored, m.parameters.stored - 32000 * 4096)

-- P18, P21, P22: pairs of a query and a key
local function pairs_of(model, p)
  local with, one = kc.count(model:prefill(p)).matrix_flops, model.shape.groups[1].attention
  local rest = 2 * (model.parameters.active - 32000 * 4096) * p.seq * (p.batch or 1) + 2 * 32000 * 4096 * (p.batch or 1)
  return (with - rest) / (4 * one.heads * one.head_dim * model.shape.layers)
end
t:equal("P18: causal, exact", pairs_of(m, { seq = 1024 }), 524800)
t:equal("P22: a chunk behind a prefix", pairs_of(m, { seq = 2048, cached = 6144 }), 14681088)
t:equal("P22: two prompts apart", pairs_of(m, { seq = 100, batch = 2 }), 10100)
local sliding = kc.lib.transformer(merge(llama, { model_type = "mistral", sliding_window = 4096 }))
t:equal("P21: a window longer than the sequence", pairs_of(sliding, { seq = 1024 }), 524800)
t:equal("P21: a window", pairs_of(sliding, { seq = 5000 }), 5000 * 5001 / 2 - 904 * 905 / 2)
t:equal("a chunk behind a prefix sees the window", pairs_of(sliding, { seq = 100, cached = 6000 }), 100 * 4096)
t:equal("P21: the cache of a window", sliding:cache_bytes { tokens = 32768 }, m:cache_bytes { tokens = 4096 })
t:equal("P21: what a step reads of it", sliding:bytes(sliding:decode { cached = 32767 }).cache_read, 524288 * 4096)
t:equal("pages", m:cache_bytes { tokens = 17, page = 16, batch = 3 }, 3 * 32 * 524288)

-- one step of chunks and decodes does what its parts do, and reads the weights once
local mixed = m:chunked { requests = { { 512, 1024 }, { 1, 99 }, { 1, 99 }, { 1, 700 } } }
local parts = { m:prefill { seq = 512, cached = 1024 }, m:decode { batch = 2, cached = 99 }, m:decode { cached = 700 } }
local work, cache, kept = 0, 0, 0
for _, part in ipairs(parts) do
  local b = m:bytes(part)
  work, cache, kept = work + kc.count(part).flops, cache + b.cache_read, kept + b.cache_written
end
local bytes_of_step = m:bytes(mixed)
t:equal("P22: a mixed step: work", kc.count(mixed).flops, work)
t:equal("P22: a mixed step: cache read", bytes_of_step.cache_read, cache)
t:equal("P22: a mixed step: cache written", bytes_of_step.cache_written, kept)
t:equal("a mixed step: weights once", bytes_of_step.weights, 2 * (m.parameters.active + m.parameters.vector + 515 * 4096))
t:is_true("a mixed step in schedules", kc.best(mixed, "h100-sxm5").time > 0)

-- P35: both flags of Falcon
local falcon40 = {
  model_type = "falcon", hidden_size = 8192, num_hidden_layers = 60, num_attention_heads = 128, num_kv_heads = 8,
  vocab_size = 65024, new_decoder_architecture = true, multi_query = true,
}
t:equal("P35: Falcon-40B", kc.lib.transformer(falcon40).cache, 122880)

-- P44: a training step of three forwards, every pair, the head of all tokens
local mixtral = merge(llama, {
  model_type = "mixtral", intermediate_size = 14336, num_key_value_heads = 8, num_local_experts = 8, num_experts_per_tok = 2,
})
local mix = kc.lib.transformer(mixtral)
local forward = kc.count(mix:prefill { seq = 1024, logits = "all" }, { convention = { causal = "full" } })
t:near("P44: active experts", 3 * forward.matrix_flops, 79.977e12, 1e-5)

-- P45: experts that a step reads
local expert = 3 * 4096 * 14336 * 2 * 32
local function reads(p) return mix:bytes(mix:decode(merge({ cached = 99 }, p))).weights end
local few = reads { batch = 1 }
t:near("P45: three tokens", (reads { batch = 3 } - 2 * 8192 - few) / expert + 2, 4.625, 1e-9)
t:near("P45: all of a batch that can reach them", (reads { batch = 4, distinct = "all" } - 3 * 8192 - few) / expert + 2, 8, 1e-9)
t:near("P45: as given", (reads { batch = 3, distinct = 5 } - 2 * 8192 - few) / expert + 2, 5, 1e-9)

t:equal("P44: a token touches what it is multiplied by", mix:touched { tokens = 1 }, mix.parameters.active)
t:near("P45: three tokens touch more", (mix:touched { tokens = 3 } - mix.parameters.active) / (expert / 2) + 2, 4.625, 1e-9)
t:equal("P45: all", mix:touched { tokens = 9, distinct = 8 }, mix.parameters.matrix - 32000 * 4096)
t:equal("dense models touch what is active", m:touched { tokens = 64 }, m.parameters.active)

-- ---- nested, hybrid and quantised files ----------------------------------------------------------------------------

local function fixture(name) return kc.lib.transformer(kc.load_json(here .. "/../data/models/" .. name .. ".json")) end
local function note_of(model, key)
  for _, note in ipairs(model.audit) do
    if note.key == key then return note end
  end
  return { status = "absent" }
end

local gemma = fixture("nested")
-- each layer: Q 2048, K and V 1024 each; three matrices of the MLP; norms: four of 2560, two of 256
local gemma_layer = 2560 * (2048 + 2 * 1024) + 2048 * 2560 + 3 * 2560 * 10240
t:equal("nested: matrices", gemma.parameters.matrix, 34 * gemma_layer + 262208 * 2560)
t:equal("nested: vectors", gemma.parameters.vector, 34 * (4 * 2560 + 2 * 256) + 2560)
t:equal("nested: cache", gemma:cache_bytes { tokens = 5000 }, 2 * 2048 * (5 * 5000 + 29 * 1024))
t:equal("nested: one layer of six sees all", #gemma.shape.groups, 2)
t:equal("nested: the step reads it", gemma:bytes(gemma:decode { cached = 4999 }).cache_read, 2 * 2048 * (5 * 5000 + 29 * 1024))
t:equal("nested: its keys", note_of(gemma, "text_config.hidden_size").status, "used")
t:equal("nested: the dtype outside", gemma.shape.dtype, "bf16")
t:equal("nested: pictures", note_of(gemma, "vision_config").status, "ignored")
t:equal("nested: unknown outside", note_of(gemma, "image_token_index").status, "unknown")

local hybrid = fixture("hybrid")
local width, channels = 512, 512 + 2 * 2 * 16
local mamba = 256 * (width + channels + 8) + 4 * channels + width * 256
local attention = 256 * (256 + 2 * 64) + 256 * 256
t:equal("hybrid: matrices", hybrid.parameters.matrix, 3 * mamba + attention + 2 * 2 * 256 * 1024 + 2 * 1000 * 256)
t:equal("hybrid: vectors", hybrid.parameters.vector, 3 * (3 * 8 + width + channels) + 6 * 256 + 256)
t:equal("hybrid: cache of a token", hybrid.cache, 2 * 2 * 64)
t:equal("hybrid: state of a sequence", hybrid.state, 3 * (4 * width * 16 + 2 * 3 * channels))
t:equal("hybrid: all of it", hybrid:cache_bytes { tokens = 10, batch = 2 }, 2 * (10 * 256 + hybrid.state))
local moved = hybrid:bytes(hybrid:decode { batch = 2, cached = 9 })
t:equal("hybrid: weights of a step", moved.weights,
  2 * (hybrid.parameters.active + hybrid.parameters.vector + 2 * 256))
t:equal("hybrid: state read, and the new taps", moved.cache_read, 2 * (10 * 256 + hybrid.state + 3 * 2 * channels))
t:equal("hybrid: state written", moved.cache_written, 2 * (256 + 3 * (4 * width * 16 + 2 * channels)))
t:equal("hybrid: the key of a bare Infinity does not matter here", note_of(hybrid, "time_step_limit").status, "ignored")
t:equal("hybrid: and it is said that it is absent", hybrid.audit[#hybrid.audit].status, "absent")
t:equal("hybrid: with its line", hybrid.audit[#hybrid.audit].note, "line 9: no number, so as if not there")
for _, note in ipairs(hybrid.audit) do t:is_true("hybrid: " .. note.key, note.status ~= "unknown", "is unknown") end
t:is_true("hybrid: a prefill", kc.evaluate(hybrid:prefill { seq = 300 }, "h100-sxm5").time > 0)

-- layers 1 and 3 have experts; low bits but in layer 0, in shared experts and in what comes out of attention
local quantised = fixture("quantised")
local low = (4 + (16 + 4) / 64) / 8
local qkv, out, mlp = 1024 * (1024 + 2 * 256), 1024 * 1024, 3 * 1024 * 2048
local experts, shared = 16 * 3 * 1024 * 512, 3 * 1024 * 1536
local bytes = 2 * (qkv + 6 * out + mlp + 2 * (1024 * 16 + 1024 + shared) + 8000 * 1024 + quantised.parameters.vector)
  + low * (5 * qkv + 3 * mlp + 2 * experts)
t:equal("quantised: matrices", quantised.parameters.matrix,
  6 * (qkv + out) + 4 * mlp + 2 * (experts + shared + 1024 * 17) + 8000 * 1024)
t:near("quantised: bytes", quantised.parameters.bytes, bytes, 1e-15)
local windowed = 0
for _, group in ipairs(quantised.shape.groups) do windowed = windowed + (group.attention.window and group.count or 0) end
t:equal("quantised: windows from the fifth layer on", windowed, 2)
local read = quantised:bytes(quantised:decode { cached = 99 }).weights
t:near("quantised: a step", read, bytes - 14 / 16 * 2 * experts * low + 2 * 1024, 1e-12)

local oss = load("openai--gpt-oss-20b")
if oss then
  local o = kc.lib.transformer(oss)
  local experts_of_oss = 24 * 32 * 3 * 2880 * 2880
  t:equal("P84: weights of experts", experts_of_oss, 19110297600)
  t:near("P84: 10.152 GB of them", o.parameters.bytes - 2 * (o.parameters.stored - experts_of_oss), 10.152e9, 1e-4)
end
t:equal("weights of four bits, by an option", kc.lib.transformer(llama, { weights = "mxf4" }).parameters.bytes,
  4.25 / 8 * (6738149376 - 2 * 32000 * 4096) + 2 * (2 * 32000 * 4096 + m.parameters.vector))
t:equal("a cache of eight bits", kc.lib.transformer(llama, { kv_dtype = "f8" }).cache, m.cache / 2)

-- ---- serving ----------------------------------------------------------------------------------------------------

local one = kc.lib.transformer(merge(llama, { num_key_value_heads = 8 }))
local s = one:serve { device = "h100-sxm5", prompt = 512, output = 101, batch = 8 }
t:equal("first token", s.ttft, s.prefill.time)
t:equal("next token", s.tpot, s.decode.time)
t:near("request", s.request_time, s.ttft + 100 * s.tpot, 1e-15)
t:near("tokens a second", s.tokens_per_second, 8 / s.tpot, 1e-15)
t:near("MFU", s.prefill_mfu, s.prefill.matrix_flops / s.ttft / 989.4e12, 1e-12)
t:near("MBU", s.decode_mbu, (s.decode_bytes.weights + s.decode_bytes.cache_read) / s.tpot / 3.352e12, 1e-12)
t:near("MBU of a prefill", s.prefill_mbu, (s.prefill_bytes.weights + s.prefill_bytes.cache_read) / s.ttft / 3.352e12, 1e-12)
t:is_true("in a schedule", s.tpot > one:serve { device = "h100-sxm5", prompt = 512, output = 101, batch = 8, best = false }.tpot)
t:is_true("MFU and MBU below 1", s.prefill_mfu < 1 and s.decode_mbu < 1 and s.prefill_mfu > 0.3 and s.decode_mbu > 0.3)
local sequence = 131072 * 613
t:equal("largest batch", s.memory.largest_batch, math.floor((72e9 - one.parameters.bytes) / sequence))
t:equal("memory: cache", s.memory.cache, 8 * sequence)
t:is_true("memory: it fits", s.memory.fits)
local staged = kc.lib.transformer(llama, { pipeline = 2, data = 3 })
t:equal("stages share the weights", staged:memory { device = "l4", tokens = 9 }.weights, m.parameters.bytes / 2)
t:equal("no room", m:memory { device = "l4", tokens = 9, usable = 0.1 }.largest_batch, 0)

-- ---- training -----------------------------------------------------------------------------------------------------

-- P18, P48, P49, P52: 6 FLOP a parameter and token; attention 2.0 (a model) or 2.5 (its kernels) of forward backward
local S, batch = 512, 2
local matmuls, square = 6 * m.parameters.active * S * batch, 4 * 4096 * 32 * batch * S * (S + 1) / 2
local function trained(recompute, how)
  return m:train(merge({ device = "h100-sxm5", seq = S, batch = batch, recompute = recompute }, how))
end
local whole = trained("none")
t:equal("P48: 6 N D, and attention", whole.model_flops, matmuls + 3 * square)
t:equal("P49: backward of kernels is 2.5", whole.hardware_flops, matmuls + 3.5 * square)
t:equal("P52: selective", trained("selective", { best = false }).hardware_flops, matmuls + 4.5 * square)
local again = trained("full", { best = false })
t:equal("P52: full", again.hardware_flops,
  matmuls + 4.5 * square + 2 * (m.parameters.active - 32000 * 4096) * S * batch)
t:equal("P52: the model's work is the same", again.model_flops, whole.model_flops)
local long = m:prefill { seq = 8192, batch = 4, logits = "all" }
local linear = 6 * m.parameters.active * 8192 * 4
t:near("P18: causal, exact", 3 * kc.count(long).matrix_flops - linear, 211.132e12, 2e-6)
t:near("P18: every pair", 3 * kc.count(long, { convention = { causal = "full" } }).matrix_flops - linear, 422.212e12, 2e-6)
t:near("MFU of training", whole.mfu, whole.model_flops / whole.time / 989.4e12, 1e-12)
t:near("HFU", whole.hfu, whole.hardware_flops / whole.time / 989.4e12, 1e-12)
t:is_true("MFU is plausible", whole.mfu > 0.1 and whole.mfu < whole.hfu and whole.hfu < 1, kc.str(whole.mfu))
t:equal("memory: 16 bytes a parameter", whole.memory.weights + whole.memory.gradients + whole.memory.optimizer,
  16 * m.parameters.stored)
local a_layer = 4 * 4096 + 3 * 4096 + 4096 + 4096 + 3 * 11008
t:equal("memory: activations", whole.memory.activations, 2 * S * batch * (32 * a_layer + 2 * 32000))
t:equal("memory: recomputed", again.memory.activations, 2 * S * batch * (32 * 4096 + a_layer + 2 * 32000))
local grads = 0
for _, tensor in ipairs(kc.count(m:train_step { seq = 64 }).tensors) do
  if tensor.name:find("^gradient ") then grads = grads + tensor.bytes_written end
end
t:equal("a gradient for each weight of the layers and the head", grads,
  2 * (m.parameters.active + m.parameters.vector))
local biased = kc.lib.transformer(merge(llama, {
  model_type = "gpt2", n_positions = 1024, num_hidden_layers = 2, n_inner = 1024,
}))
grads = 0
for _, tensor in ipairs(kc.count(biased:train_step { seq = 64 }).tensors) do
  if tensor.name:find("^gradient ") then grads = grads + tensor.bytes_written end
end
t:equal("biases too", grads, 2 * (biased.parameters.active + biased.parameters.vector))

-- ---- resized is built ----------------------------------------------------------------------------------------------

local small = kc.lib.transformer(merge(llama, { num_hidden_layers = 2 }))
local resized = kc.count(kc.resize(small:decode { cached = 99 }, { b = 16, j = 2048 }))
local built = kc.count(small:decode { batch = 16, cached = 2047 })
t:equal("resized: bytes", resized.bytes, built.bytes)
t:equal("resized: work", resized.flops, built.flops)
local longer = kc.count(kc.resize(small:prefill { seq = 64 }, { ["t j"] = 200, b = 2 }))
built = kc.count(small:prefill { seq = 200, batch = 2 })
t:equal("resized prefill: bytes", longer.bytes, built.bytes)
t:equal("resized prefill: work", longer.flops, built.flops)

-- ---- the walk finds what is counted, in every kernel of small models ---------------------------------------------------

local mini = {
  model_type = "llama", hidden_size = 8, intermediate_size = 12, num_hidden_layers = 2, num_attention_heads = 4,
  num_key_value_heads = 2, head_dim = 4, vocab_size = 10, torch_dtype = "bfloat16", sliding_window = 3,
}
for name, more in pairs {
  llama = {}, qwen3 = {}, mistral = {}, gpt2 = { n_positions = 32 }, gemma2 = {}, olmo2 = {}, falcon = {},
  gpt_oss = { num_local_experts = 4, num_experts_per_tok = 2 },
  deepseek_v3 = {
    q_lora_rank = 6, kv_lora_rank = 6, qk_rope_head_dim = 2, qk_nope_head_dim = 4, v_head_dim = 4, n_routed_experts = 4,
    num_experts_per_tok = 2, moe_intermediate_size = 6, n_shared_experts = 1, first_k_dense_replace = 1,
  },
  nemotron_h = {
    hybrid_override_pattern = "M*", mamba_num_heads = 2, mamba_head_dim = 4, ssm_state_size = 3, mamba_chunk_size = 4,
  },
} do
  local model = kc.lib.transformer(merge(mini, merge(more, { model_type = name })))
  local programs = {
    model:prefill { seq = 5, batch = 2 }, model:prefill { seq = 3, cached = 4 }, model:decode { batch = 3, cached = 6 },
  }
  if name ~= "nemotron_h" then programs[4] = model:chunked { requests = { { 2, 3 }, { 1, 4 }, { 1, 4 } } } end
  if name == "llama" or name == "gpt2" or name == "mistral" then programs[5] = model:train_step { seq = 5 } end
  for _, program in ipairs(programs) do walked.agrees(t, program.name, program) end
end

-- ---- the audit, and wrong files ---------------------------------------------------------------------------------------

local noted = kc.lib.transformer(merge(llama, { frobnicate = 3, rope_theta = 1e4 }))
t:equal("audit: used", note_of(noted, "hidden_size").status, "used")
t:equal("audit: its value", note_of(noted, "hidden_size").value, "4096")
t:equal("audit: defaulted", note_of(noted, "head_dim").status, "defaulted")
t:equal("audit: the default", note_of(noted, "head_dim").value, "128")
t:equal("audit: ignored", note_of(noted, "rope_theta").status, "ignored")
t:equal("audit: unknown", note_of(noted, "frobnicate").status, "unknown")
t:is_true("audit: as text", noted:audit_table():find("frobnicate +unknown") ~= nil)

local function refused(what, given, options, ...)
  local message = t:refused(what, "check_transformer", "transformer: ", function()
    local model = kc.lib.transformer(given, options)
    return model
  end, ...)
  t:is_true(what .. ": short", #message < 600, #message)
end
local function without(key)
  local rest = merge(llama)
  rest[key] = nil
  return rest
end
for _, key in ipairs { "model_type", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "vocab_size" } do
  refused("without " .. key, without(key), nil, key, "is missing")
  for _, value in ipairs { {}, false, -1, 0, 1.5, 1e300, 0 / 0 } do
    refused(key .. " of a wrong kind", merge(llama, { [key] = value }), nil, key)
  end
end
refused("a text for a number", merge(llama, { hidden_size = "4096" }), nil, "hidden_size", "a whole number", '"4096"')
refused("heads that do not divide", merge(llama, { num_attention_heads = 31 }), nil, "hidden_size", "31")
refused("heads of K and V", merge(llama, { num_key_value_heads = 5 }), nil, "num_key_value_heads", "5")
refused("no layers", merge(llama, { num_hidden_layers = 0 }), nil, "num_hidden_layers", "1 to 10000")
refused("too many experts", merge(mixtral, { num_experts_per_tok = 9 }), nil, "num_experts_per_tok")
refused("an unknown family", merge(llama, { model_type = "resnet" }), nil, "resnet", "llama")
refused("10 MB of nonsense as a name", merge(llama, { model_type = ("x"):rep(1e7) }), nil, "model_type")
refused("an unknown function", merge(llama, { hidden_act = "xyz" }), nil, "hidden_act", "silu")
refused("an unknown method", merge(llama, { quantization_config = { quant_method = "magic" } }), nil, "quant_method", "gptq")
refused("layer types for other layers", merge(llama, { layer_types = { "full_attention" } }), nil, "layer_types", "32")
refused("no table", 7, nil, "config")
refused("unknown option", llama, { tensors = 2 }, "tensors")
refused("ranks that do not divide", llama, { tensor = 3 }, "heads", "3")
local function step_refused(what, method, p, word)
  local ok, message = pcall(function()
    local program = m[method](m, p)
    return program
  end)
  t:is_true(what, not ok and tostring(message):find("check_transformer.lua:%d+: transformer%." .. method .. ": ")
    and tostring(message):find(word, 1, true), tostring(message))
end
step_refused("no length", "prefill", {}, "seq: is missing")
step_refused("no cache", "decode", { batch = 2 }, "cached: is missing")
step_refused("half a sequence", "decode", { cached = 9, batch = 1.5 }, "batch: expected a whole number")
step_refused("no requests", "chunked", { requests = {} }, "requests: expected a list")
step_refused("a request of nothing", "chunked", { requests = { { 0, 3 } } }, "requests[1]: expected { new, cached }")
step_refused("other logits", "prefill", { seq = 3, logits = "first" }, "logits: expected")
step_refused("other experts", "prefill", { seq = 3, distinct = "none" }, "distinct: expected")
step_refused("no device", "serve", { prompt = 3 }, "device: is missing")
step_refused("more than all memory", "memory", { device = "l4", tokens = 3, usable = 2 }, "usable: expected")
refused("no dtype", llama, { weights = "f7" }, "weights")

-- any key of any file and any parameter with a value of another kind: none, or an error at our line
local function at_our_line(what, f)
  local good, message = pcall(function()
    local x = f()
    return x
  end)
  message = tostring(message)
  t:is_true(what, good or message:find("check_transformer.lua:%d+: ") and #message < 700
    and not message:find("attempt to", 1, true), message:sub(1, 300))
end
local wrong = { -1, 1.5, 1e300, 3, "x", {}, { "x", 1 }, { { x = 1 } }, true, kc.dtype("f16"), function() end }
local function sweep(file, around, inside)
  for key in pairs(file) do
    for n, value in ipairs(wrong) do
      at_our_line(inside .. key .. " of value " .. n, function()
        local model = kc.lib.transformer(around(merge(file, { [key] = value })))
        return model
      end)
    end
  end
end
for _, name in ipairs { "nested", "hybrid", "quantised", "delta", "selective", "chunked" } do
  local json = kc.load_json(here .. "/../data/models/" .. name .. ".json")
  sweep(json, function(x) return x end, name .. ": ")
  for _, inner in ipairs { "text_config", "quantization_config" } do
    if json[inner] then sweep(json[inner], function(x) return merge(json, { [inner] = x }) end, name .. ": " .. inner .. ".") end
  end
end
local taken = {
  prefill = { seq = 9, batch = 2, cached = 3, logits = "all", distinct = 2 }, decode = { cached = 9, batch = 2, seq = 2 },
  chunked = { requests = { { 1, 2 }, { 3, 0 } }, distinct = 2 }, cache_bytes = { tokens = 9, batch = 2, page = 4 },
  memory = { device = "l4", tokens = 9, usable = 0.5 }, train_step = { seq = 9, batch = 2, recompute = "full" },
  serve = { device = "l4", prompt = 9, output = 9, batch = 2, best = false, page = 2, options = {} },
  train = { device = "l4", seq = 9, batch = 2, recompute = "none", best = false, options = {} },
}
for method, p in pairs(taken) do
  for key in pairs(p) do
    for n, value in ipairs(wrong) do
      at_our_line(method .. "." .. key .. " of value " .. n, function() return small[method](small, merge(p, { [key] = value })) end)
    end
  end
  at_our_line(method .. " of no table", function() return small[method](small, 7) end)
end

-- 10 MB of nonsense as a file: open brackets, no JSON at all, no config, a config with 10 MB of keys that nobody knows.
local path = os.tmpname()
local function read_back(text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return kc.lib.transformer(kc.load_json(path))
end
local noise = {}
for n = 1, 40000 do noise[n] = string.char(n % 256):rep(250 + n % 7) end
for name, text in pairs {
  brackets = '{"model_type": "llama", ' .. ("[1, 2, {"):rep(1.2e6), noise = table.concat(noise),
  ["a list"] = "[" .. ("123456789,"):rep(1e6) .. "1]", ["a text"] = '"' .. ("x"):rep(1e7) .. '"',
  ["a key"] = '{"' .. ("x"):rep(1e7) .. '": 1}', zeros = ("\0"):rep(1e7),
} do
  local good, said = pcall(read_back, text)
  t:is_true("10 MB of nonsense: " .. name, not good and #tostring(said) < 700, tostring(said):sub(1, 300))
end
local keys = {}
for n = 1, 100000 do keys[n] = '"nonsense ' .. n .. '": "' .. ("x"):rep(80) .. '"' end
local full = read_back('{"model_type": "llama", "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 1, '
  .. '"num_attention_heads": 1, "vocab_size": 9, ' .. table.concat(keys, ", ") .. "}")
t:equal("10 MB of keys that nobody knows", note_of(full, "nonsense 77777").status, "unknown")
os.remove(path)

t:finish()
