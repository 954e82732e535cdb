-- check_ranks.lua: models that several devices share: what each stores and does, and what they send each other, in closed form.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"
local merge = kc.lib.parameters.merge

local t = tally.new("ranks")

-- Layers of heads, and of experts.
local L, k, v, x, s, e = 4, 512, 1000, 16, 2, 256
local llama = {
  model_type = "llama", hidden_size = k, intermediate_size = 1024, num_hidden_layers = L, num_attention_heads = 16,
  num_key_value_heads = 8, vocab_size = v, torch_dtype = "float16",
}
local mixtral = merge(llama, { model_type = "mixtral", intermediate_size = e, num_local_experts = x, num_experts_per_tok = s })
local function model(file, options) return kc.lib.transformer(file, options) end

-- Link bytes and steps of a program by collective, and how often each is called.
local function links(program)
  local by = {}
  for _, kernel in ipairs(kc.count(program).kernels) do
    if kernel.link_bytes then
      local one = by[kernel.name] or { bytes = 0, steps = 0, calls = 0 }
      by[kernel.name] = one
      one.bytes, one.steps, one.calls = one.bytes + kernel.link_bytes, one.steps + kernel.link_steps, one.calls + kernel.launches
    end
  end
  return by
end

-- Rings: an allreduce of S bytes among p sends 2 (p - 1) / p S in 2 (p - 1) steps, others half of it.
local function ring(p, bytes) return (p - 1) / p * bytes end
local function agrees(name, program, want)
  local got = links(program)
  for what, one in pairs(want) do
    t:equal(name .. ": calls of " .. what, got[what] and got[what].calls, one[1])
    t:near(name .. ": bytes of " .. what, got[what] and got[what].bytes or 0, one[2], 1e-12)
  end
  for what in pairs(got) do t:is_true(name .. ": no " .. what, want[what] ~= nil) end
end

-- ---- alone ---------------------------------------------------------------------------------------------------------

local one, mix = model(llama), model(mixtral)
agrees("one rank", one:prefill { seq = 64 }, {})
agrees("one rank trains", one:train_step { seq = 64 }, {})

-- ---- tensor -------------------------------------------------------------------------------------------------------

local P = 4
local two = model(llama, { tensor = 2 })
t:equal("tensor: half of the matrices", two.parameters.matrix, one.parameters.matrix / 2)
t:equal("tensor: norms on each", two.parameters.vector, one.parameters.vector)
t:equal("tensor: half of the work", kc.count(two:prefill { seq = 64 }).matrix_flops, kc.count(one:prefill { seq = 64 }).matrix_flops / 2)
t:equal("tensor: half of the cache", two.cache, one.cache / 2)
t:equal("tensor: more ranks than heads of K and V", model(llama, { tensor = 16 }).cache, one.cache / 8)
local four = model(llama, { tensor = P })
local B, S = 3, 64
local rows = 2 * k * B
-- behind the words and each branch; the logits of each sequence's last token
agrees("tensor: prefill", four:prefill { seq = S, batch = B }, {
  allreduce = { 2 * L + 1, (2 * L + 1) * 2 * ring(P, rows * S) }, allgather = { 1, ring(P, 2 * B * v) },
})
agrees("tensor: decode", four:decode { cached = S, batch = B }, {
  allreduce = { 2 * L + 1, (2 * L + 1) * 2 * ring(P, rows) }, allgather = { 1, ring(P, 2 * B * v) },
})
agrees("tensor: chunks", four:chunked { requests = { { 10, 4 }, { 1, 7 } } }, {
  allreduce = { 2 * L + 1, (2 * L + 1) * 2 * ring(P, 2 * k * 11) }, allgather = { 1, ring(P, 2 * 2 * v) },
})
local falcon = merge(llama, { model_type = "falcon", multi_query = true, ffn_hidden_size = 1024 })
agrees("parallel branches share an allreduce", model(falcon, { tensor = P }):decode { cached = S, batch = B }, {
  allreduce = { L + 1, (L + 1) * 2 * ring(P, rows) }, allgather = { 1, ring(P, 2 * B * v) },
})
agrees("tensor: trees", model(llama, { tensor = P, algorithm = "tree" }):decode { cached = S, batch = B }, {
  allreduce = { 2 * L + 1, (2 * L + 1) * 2 * rows }, allgather = { 1, ring(P, 2 * B * v) },
})
-- the rest of what a rank does is that of a model of its shape: only the rows of a collective come on top
local function moved(m, program) return m:bytes(program).total end
local shape = merge(llama, { num_attention_heads = 4, num_key_value_heads = 2, head_dim = 32, intermediate_size = 256, vocab_size = 250 })
local alone = model(shape)
t:equal("tensor: HBM", moved(four, four:decode { cached = S, batch = B }),
  moved(alone, alone:decode { cached = S, batch = B }) + (2 * L + 1) * 2 * rows + 2 * B * v * (1 + 1 / P))
-- training: two more a layer on the way back and one of the head's; three figures a row in place of the logits
agrees("tensor: training", four:train_step { seq = S, batch = B }, {
  allreduce = { 4 * L + 2 + 3, (4 * L + 2) * 2 * ring(P, rows * S) + 3 * 2 * ring(P, 4 * B * S) },
})
local deepseek = merge(mixtral, {
  model_type = "deepseek_v3", q_lora_rank = 96, kv_lora_rank = 64, qk_rope_head_dim = 16, qk_nope_head_dim = 32, v_head_dim = 32,
  n_routed_experts = x, moe_intermediate_size = e, n_shared_experts = 1, first_k_dense_replace = 1,
})
local latent = 2 * B * S * (96 + 64 + 16)
agrees("tensor: latents' gradients, not the stream's", model(deepseek, { tensor = P }):train_step { seq = S, batch = B }, {
  allreduce = { 4 * L + 2 + 3, 2 * (ring(P, L * latent) + ring(P, (3 * L + 2) * rows * S) + 3 * ring(P, 4 * B * S)) },
})

-- resized is built
local function same(name, resized, built)
  resized, built = kc.count(resized), kc.count(built)
  for _, field in ipairs { "flops", "bytes", "link_bytes", "link_steps" } do
    t:equal("resized " .. name .. ": " .. field, resized[field], built[field])
  end
end
local staged_too = model(llama, { tensor = P, pipeline = 2 })
same("decode", kc.resize(staged_too:decode { cached = 99 }, { b = 16, j = 2048 }), staged_too:decode { batch = 16, cached = 2047 })
same("prefill", kc.resize(staged_too:prefill { seq = 64 }, { ["t j"] = 200, b = 2 }), staged_too:prefill { seq = 200, batch = 2 })

-- ---- experts -------------------------------------------------------------------------------------------------------

-- Ranks of four replicas that share the experts: each sends the rows of its tokens, and gets as many.
local spread = model(mixtral, { expert = 4, data = 4 })
t:equal("expert: a quarter of the experts", spread.parameters.matrix, mix.parameters.matrix - L * x * 3 / 4 * 3 * k * e)
t:equal("expert: the work of its own tokens", kc.count(spread:prefill { seq = 64 }).matrix_flops,
  kc.count(mix:prefill { seq = 64 }).matrix_flops)
agrees("expert", spread:prefill { seq = S, batch = B }, { alltoall = { 2 * L, 2 * L * ring(4, rows * S * s) } })
agrees("expert: training", spread:train_step { seq = S, batch = B }, {
  alltoall = { 4 * L, 4 * L * ring(4, rows * S * s) },
  -- all of a layer but its experts, and the words and the last norm
  allreduce = { L + 1, 2 * ring(4, 2 * (mix.parameters.stored - L * x * 3 * k * e)) },
})
-- replicas of tensor ranks: each of them sends its share of the tokens
local both = model(mixtral, { tensor = 2, expert = 4, data = 2 })
agrees("expert beyond tensor", both:decode { cached = 9, batch = 8 }, {
  alltoall = { 2 * L, 2 * L * ring(4, 2 * k * 8 * s / 2) }, allreduce = { 2 * L + 1, (2 * L + 1) * 2 * ring(2, 2 * k * 8) },
  allgather = { 1, ring(2, 2 * 8 * v) },
})
t:equal("expert beyond tensor: its rows", both.rank.groups[1].mlp.rows, 1)
-- within the tensor ranks every rank has all tokens: its experts' part of the sum is added up as the branch is
local within = model(mixtral, { tensor = 4, expert = 4 })
agrees("expert within tensor", within:decode { cached = 9, batch = 8 }, {
  allreduce = { 2 * L + 1, (2 * L + 1) * 2 * ring(4, 2 * k * 8) }, allgather = { 1, ring(4, 2 * 8 * v) },
})
t:equal("expert within tensor: less than a row of a token", within.rank.groups[1].mlp.rows, 0.5)
local function expert_work(m) return m.parameters.active - L * k * x end
t:equal("expert within tensor: its share of the work", kc.count(within:decode { cached = 9, batch = 8 }).matrix_flops,
  2 * 8 * (L * k * x + expert_work(mix) / 4) + 4 * 16 / 4 * 32 * 8 * 10 * L)
local half = model(mixtral, { tensor = 4, expert = 2 })
t:equal("half of the experts, half of their features", half.rank.groups[1].mlp.held * half.rank.groups[1].mlp.inner, x * e / 4)
t:equal("and a quarter of what is stored", half.parameters.layers[1].experts, x * 3 * k * e / 4)

-- ---- pipeline and replicas ------------------------------------------------------------------------------------------

local staged = model(llama, { pipeline = 4, data = 3 })
agrees("pipeline", staged:decode { cached = 9, batch = B }, { sendrecv = { 3, 3 * rows } })
t:equal("pipeline: a quarter of the weights", staged:memory { device = "l4", tokens = 9 }.weights, one.parameters.bytes / 4)
agrees("pipeline: there and back for each microbatch", model(llama, { pipeline = 4 }):train_step { seq = S, batch = 6, microbatches = 2 },
  { sendrecv = { 2 * 2 * 3, 2 * 2 * 3 * 2 * k * S * 3 } })
agrees("replicas sum up each gradient once", model(llama, { data = 3 }):train_step { seq = S, batch = 6, microbatches = 2 },
  { allreduce = { L + 1, 2 * ring(3, 2 * one.parameters.stored) } })

-- Beside the backward pass of a layer its gradients' sum takes no time of its own, where it is the shorter one.
local device = kc.device("h100-sxm5")
local function step(options, on)
  return model(llama, options):train { device = on or device, seq = 512, batch = 8, best = false, options = { launch = "none" } }
end
local fast = device:with { link = { bandwidth = 1e15, peer = 1e15, latency = 0, fixed = 0 } }
t:near("a sum of gradients hides", step({ data = 2 }, fast).time, step({}, fast).time, 5e-3)
local slow = device:with { link = { bandwidth = 1e9, peer = 1e9 } }
local sums = 0
for _, kernel in ipairs(step({ data = 2 }, slow).result.kernels) do
  if kernel.name == "allreduce" then sums = sums + kernel.time end
end
t:is_true("or the step waits for it", step({ data = 2 }, slow).time > sums)

-- ---- serving, and devices without a link ------------------------------------------------------------------------------

local p = { device = "h100-sxm5", prompt = 512, output = 101, batch = 8 }
local r = staged:serve(p)
t:near("replicas and stages", r.tokens_per_second, 3 * 4 * 8 / r.tpot, 1e-15)
t:equal("stages have a batch each", r.memory.cache, 4 * 8 * one.cache * 613 / 4)
local shared = four:serve(p)
t:is_true("times have the link", shared.prefill.times.link > 0 and shared.decode.times.link > 0)
t:equal("a model alone has none", one:serve(p).decode.times.link or 0, 0)
local function refused(what, f, ...)
  t:refused(what, "check_ranks", "", function() local answer = f() return answer end, ...)
end
for _, best in ipairs { true, false } do
  refused("no link", function() return four:serve { device = "l4", prompt = 9, best = best } end, "allreduce",
    "link.bandwidth", "l4")
  refused("no link for training", function() return four:train { device = "l4", seq = 9, best = best } end, "allreduce",
    "link.bandwidth", "l4")
end
t:is_true("with one it runs", four:serve { device = kc.device("l4"):with { link = { bandwidth = 32e9 } }, prompt = 9 }.tpot > 0)
refused("algorithm", function() return model(llama, { tensor = 2, algorithm = "star" }) end, "algorithm", "star", "tree")
refused("heads", function() return model(llama, { tensor = 3 }) end, "heads", "3")
refused("stages without a layer", function() return model(llama, { pipeline = L + 1 }) end, "pipeline", "5 stages", "4 layers")
refused("experts", function() return model(mixtral, { expert = 3, data = 3 }) end, "experts", "3")
refused("experts without replicas", function() return model(mixtral, { expert = 4 }) end, "expert", "data")
refused("no experts", function() return model(llama, { expert = 2, data = 2 }) end, "expert", "llama")
refused("experts of some tensor ranks", function() return model(mixtral, { tensor = 4, expert = 3 }) end, "expert", "tensor")

t:finish()
