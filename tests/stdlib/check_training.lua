-- check_training.lua: steps of training of all kinds of layers: work, gradients and memory against closed forms, and the walk
-- on small models.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"
local walked = require "walked"
local merge = kc.lib.parameters.merge

local t = tally.new("training")

-- Sizes that tell one matrix from another: L layers, k hidden, H heads of d, G of K and V, f inner, v words.
local L, k, H, G, d, f, v = 2, 96, 4, 2, 16, 80, 50
local common = {
  hidden_size = k, num_hidden_layers = L, num_attention_heads = H, num_key_value_heads = G, head_dim = d, intermediate_size = f,
  vocab_size = v, torch_dtype = "bfloat16",
}
local q, kv = H * d, G * d
local heads, mlp = k * (q + 2 * kv) + q * k, 3 * k * f                        -- matrices of a layer's branches
local S, B = 12, 3
local T, pairs_of = S * B, B * S * (S + 1) / 2
local core = 4 * q * pairs_of                                                -- FLOP of a layer's scores and sums
local made = q + 2 * kv + q + q                                              -- QKV, Q turned, O

-- Experts: x of them, s a token, e inner features, h inner features of the one that all use.
local x, s, e, h = 4, 2, 24, 40
local sparse = { num_experts_per_tok = s, moe_intermediate_size = e, num_local_experts = x }
-- A latent of c and r, Q from one of w: heads of n + r, values of u.
local c, r, w, n, u = 20, 6, 28, 10, 14
local latent = { kv_lora_rank = c, qk_rope_head_dim = r, qk_nope_head_dim = n, v_head_dim = u, q_lora_rank = w }
local turned = H * (n + r)
local of_latent = k * (w + c + r) + w * turned + c * H * (n + u) + H * u * k
local latent_core = 2 * H * (n + r + u) * pairs_of
-- A state of N, heads of p in chunks of C tokens, one group; a convolution of 4 taps.
local N, p, M, C = 8, 12, 5, 4
local width = M * p
local channels = width + 2 * N
local in_rows = width + channels + M
local chunks, inside = B * S / C, C * (C + 1) / 2
local ssd = 4 * N * p * T * M + 2 * N * chunks * inside + 2 * p * chunks * inside * M

-- By family: more keys; of a step of all layers: weights that a token is multiplied by, those that are stored in matrices and
-- in vectors, FLOP of the cores, what their backward passes are of it, elements kept of a token, of them those that belong to
-- a core.  All with the head, none with the table of words.
local families = {
  llama = { active = L * (heads + mlp), vectors = L * 2 * k, core = L * core, factor = 2.5,
    kept = L * (4 * k + made + 3 * f), of_core = L * q },
  qwen3 = { active = L * (heads + mlp), vectors = L * (2 * k + 2 * d), core = L * core, factor = 2.5, tied = true,
    kept = L * (4 * k + made + kv + 3 * f), of_core = L * q },
  gemma2 = { more = { sliding_window = 4096 }, active = L * (heads + mlp), vectors = L * 4 * k, core = L * core, factor = 2.5,
    tied = true, kept = L * (6 * k + made + 3 * f), of_core = L * q },
  olmo2 = { active = L * (heads + mlp), vectors = L * (2 * k + q + kv), core = L * core, factor = 2.5,
    kept = L * (4 * k + made + kv + 3 * f), of_core = L * q },
  -- two matrices, both branches behind one norm, one head of K and V
  falcon = { more = { multi_query = true, ffn_hidden_size = f, head_dim = d }, tied = true,
    active = L * (k * (q + 2 * d) + q * k + 2 * k * f), vectors = L * 2 * k, core = L * core, factor = 2.5,
    kept = L * (2 * k + q + 2 * d + q + q + 2 * f), of_core = L * q },
  mixtral = { more = merge(sparse, { intermediate_size = e }), active = L * (heads + k * x + s * 3 * k * e),
    stored = L * (heads + k * x + x * 3 * k * e), vectors = L * 2 * k, core = L * core, factor = 2.5,
    kept = L * (4 * k + made + x + s * (3 * e + k)), of_core = L * q },
  gpt_oss = { more = merge(sparse, { intermediate_size = e, attention_bias = true }), active = L * (heads + k * x + s * 3 * k * e),
    stored = L * (heads + k * x + x * 3 * k * e), vectors = L * (2 * k + q + 2 * kv + k + H + x + x * (2 * e + k)),
    core = L * core, factor = 2.5, kept = L * (4 * k + made + x + s * (3 * e + k)), of_core = L * q },
  qwen2_moe = { more = merge(sparse, { num_experts = x, shared_expert_intermediate_size = h }),
    active = L * (heads + k * x + s * 3 * k * e + 3 * k * h + k), stored = L * (heads + k * x + x * 3 * k * e + 3 * k * h + k),
    vectors = L * (2 * k + q + 2 * kv), core = L * core, factor = 2.5, gate = L * k,
    kept = L * (4 * k + made + x + s * (3 * e + k) + 3 * h), of_core = L * q },
  -- one layer dense, one of experts
  deepseek_v3 = { more = merge(merge(sparse, latent), { n_routed_experts = x, n_shared_experts = 1, first_k_dense_replace = 1 }),
    active = L * of_latent + mlp + k * x + (s + 1) * 3 * k * e, stored = L * of_latent + mlp + k * x + (x + 1) * 3 * k * e,
    vectors = L * (2 * k + w + c), core = L * latent_core, factor = (3 * (n + r) + 2 * u) / (n + r + u),
    kept = L * (4 * k + 2 * w + turned + 2 * (c + r) + H * (r + n + u + u)) + 3 * f + x + s * (3 * e + k) + 3 * e,
    of_core = L * H * u },
  -- a state, then attention; each with an MLP
  bamba = { more = { attn_layer_indices = { 1 }, mamba_n_heads = M, mamba_d_head = p, mamba_d_state = N, mamba_chunk_size = C },
    active = k * in_rows + width * k + heads + 2 * mlp, taps = 4 * channels,
    vectors = 4 * k + 3 * M + width + channels, core = core + ssd, factor = (2.5 * core + 2 * ssd) / (core + ssd),
    kept = 8 * k + made + in_rows + channels + width + 6 * f + width + C + width * N / C * 2, of_core = q + width + C + width * N / C * 2 },
}

local device = "h100-sxm5"
for name, want in pairs(families) do t:try(name, function()
  local model = kc.lib.transformer(merge(common, merge(want.more or {}, { model_type = name, tie_word_embeddings = want.tied or false })))
  local head, taps = k * v, want.taps or 0
  local function trained(recompute, more)
    return model:train(merge({ device = device, seq = S, batch = B, recompute = recompute, best = false }, more))
  end
  local none, selective, full = trained "none", trained "selective", trained "full"
  -- the shared gate's backward pass is no matmul
  local active = want.active - (want.gate or 0)
  local gates = 2 * (want.gate or 0) * T
  local matmuls = 6 * (active + head) * T + gates
  t:equal(name .. ": the model's work", none.model_flops, matmuls + 2 * gates + 3 * want.core)
  t:near(name .. ": none", none.hardware_flops, matmuls + (1 + want.factor) * want.core, 1e-14)
  t:near(name .. ": selective", selective.hardware_flops, matmuls + (2 + want.factor) * want.core, 1e-14)
  t:near(name .. ": full", full.hardware_flops, matmuls + (2 + want.factor) * want.core + 2 * active * T + gates, 1e-14)

  -- every weight of the layers and the head has a gradient
  local grads = 0
  for _, tensor in ipairs(kc.count(model:train_step { seq = S, batch = B }).tensors) do
    if tensor.name:find("^gradient ") then grads = grads + tensor.bytes_written end
  end
  local norm = name == "falcon" and 2 * k or k
  local all = (want.stored or want.active) + taps + head + want.vectors + norm
  t:near(name .. ": gradients", grads, 2 * all, 1e-6)
  t:equal(name .. ": stored", model.parameters.stored, all + (want.tied and 0 or head))

  -- 16 bytes a parameter, and what is kept
  local bytes, state = none.memory, 16 * model.parameters.stored
  t:equal(name .. ": weights, gradients, optimizer", bytes.weights + bytes.gradients + bytes.optimizer, state)
  t:near(name .. ": activations", bytes.activations, 2 * T * (want.kept + 2 * v), 1e-14)
  t:near(name .. ": selective keeps less", selective.memory.activations, 2 * T * (want.kept - want.of_core + 2 * v), 1e-14)
  t:is_true(name .. ": full keeps least", full.memory.activations < selective.memory.activations)
  t:is_true(name .. ": in schedules", trained("none", { best = true }).time >= none.time * 0.5)
end) end

-- ---- the walk finds what is counted ----------------------------------------------------------------------------------

local mini = {
  hidden_size = 8, intermediate_size = 6, num_hidden_layers = 2, num_attention_heads = 4, num_key_value_heads = 2, head_dim = 4,
  vocab_size = 10, torch_dtype = "bfloat16", num_local_experts = 4, num_experts = 4, n_routed_experts = 4, num_experts_per_tok = 2,
  moe_intermediate_size = 6, shared_expert_intermediate_size = 5, n_shared_experts = 1, first_k_dense_replace = 1,
  q_lora_rank = 6, kv_lora_rank = 6, qk_rope_head_dim = 2, qk_nope_head_dim = 4, v_head_dim = 4, sliding_window = 3,
  attn_layer_indices = { 1 }, mamba_n_heads = 2, mamba_d_head = 4, mamba_d_state = 3, mamba_chunk_size = 4, mamba_proj_bias = true,
  ffn_hidden_size = 6, attention_bias = false,
}
for name in pairs(families) do
  local model = kc.lib.transformer(merge(mini, { model_type = name }))
  for _, recompute in ipairs { "none", "selective" } do
    local seen = {}
    for _, kernel in ipairs(walked.kernels(model:train_step { seq = 4, recompute = recompute })) do
      if not seen[kernel.name] then
        seen[kernel.name] = true
        local good, reason = pcall(kc.verify, kernel)
        t:is_true(name .. ", " .. recompute .. ": " .. kernel.name, good, tostring(reason))
      end
    end
  end
end

-- ---- microbatches and stages --------------------------------------------------------------------------------------------

local llama = merge(common, { model_type = "llama" })
local model = kc.lib.transformer(llama)
local function work(more) return kc.count(model:train_step(merge({ seq = S, batch = 6 }, more))).matrix_flops end
t:equal("microbatches do the same work", work { microbatches = 3 }, work {})
local function train(options, more)
  return kc.lib.transformer(llama, options):train(merge({ device = device, seq = S, batch = 6, best = false }, more))
end
local whole, parts = train(nil, { microbatches = 1 }), train(nil, { microbatches = 6 })
t:equal("one stage has no bubble", parts.bubble, 0)
t:equal("one stage: time", parts.time, parts.result.time)
t:equal("a sixth is kept", parts.memory.activations, whole.memory.activations / 6)
-- stages: (M + P - 1) / M of the microbatches' time, a P-th of it each
local staged = train({ pipeline = 2 }, { microbatches = 6 })
local update = 0
for i, kernel in ipairs(staged.result.kernels) do
  if i == #staged.result.kernels then update = kernel.time end
end
t:near("bubble", staged.bubble, 1 / 6, 1e-15)
t:near("time of stages", staged.time, (7 / 6 * (staged.result.time - update) + update) / 2, 1e-12)
t:equal("stages share the work", staged.hardware_flops, parts.hardware_flops / 2)
t:equal("stages share the parameters", staged.memory.optimizer, parts.memory.optimizer / 2)
t:equal("two microbatches of half of the layers are kept", staged.memory.activations, parts.memory.activations)
local ok, message = pcall(function()
  local program = model:train_step { seq = S, batch = 6, microbatches = 4 }
  return program
end)
message = tostring(message)
t:is_true("microbatches that do not divide",
  not ok and message:find("check_training.lua:%d+: transformer.train_step: microbatches: 4 do not divide the batch, 6"), message)

t:finish()
