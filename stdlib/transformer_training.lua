-- transformer_training.lua: a step of training: forward, backward, optimizer; what it takes in time and memory.
--
-- Counted as a model's work, where nothing is done twice, the backward pass is twice the forward pass: model FLOP; what the
-- kernels do (transformer_backward.lua) is hardware FLOP.  Both are of matmuls alone.
local kc = require "kcost"
local parameters = kc.lib.parameters
local layers, backward = require "kcost.internal.transformer_layers", require "kcost.internal.transformer_backward"
local take, merge, size, one_of = parameters.take, parameters.merge, parameters.size, parameters.one_of

local training = {}

local modes = { "none", "selective", "full" }

local function checked(call, model, p, more)
    p = take(call, p, merge({ seq = size, batch = 1, microbatches = 1, recompute = "none" }, more))
    one_of(call, "recompute", p.recompute, modes)
    if p.batch % p.microbatches ~= 0 then
        error(call .. ": microbatches: " .. kc.str(p.microbatches) .. " do not divide the batch, " .. kc.str(p.batch))
    end
    for _, group in ipairs(model.rank.groups) do
        if not backward.knows(group) then
            error(call .. ": the layers of " .. model.name .. " have no backward pass here: " .. group.attention.kind .. " layers")
        end
    end
    return p
end

local function append(list, more)
    for _, part in ipairs(more) do list[#list + 1] = part end
end

-- Adam with decoupled decay: 14 FLOP, a root and a reciprocal a parameter; moments and master weights in f32.
local function optimizer(s, n)
    local function read(name, dtype) return kc.read(kc.tensor(name, "n", dtype, { n = n })) end
    local both = kc.map({ name = "adam", flops = 14, special = 2 }, read("gradient", s.dtype), read("moment 1", "f32"),
        read("moment 2", "f32"), read("master", "f32"))
    return kc.kernel("optimizer", {
        kc.write("next moment 1", both, "f32"), kc.write("next moment 2", both, "f32"), kc.write("next master", both, "f32"),
        kc.write("weights", both, s.dtype),
    })
end

-- The loss and its gradient at the last layer.  Ranks that share the words send each other three figures a row: the greatest
-- logit, the sum of exponentials and the target's logit.
local function loss(s, p)
    local rows, b, list = p.batch * p.seq, layers.builder(s, p), layers.head(s, p)
    list[#list + 1] = kc.lib.softmax.cross_entropy { m = rows, n = s.vocab, dtype = s.dtype }
    local sums = {}
    b:comm(sums, { "allreduce", s.ranks.tensor, dtype = "f32" }, "row figure", "b t", "row figure of all")
    if sums[1] then list[#list + 1] = kc.times(sums[1], 3) end
    local d = kc.map({ name = "softmax backward", flops = 3, special = 1 }, b:read("logits", "b t v"), b:read("lse", "b t", "f32"))
    list[#list + 1] = kc.kernel("loss backward", { b:write("d logits", d) })
    backward.product(b, list, { "head", x = "last", ins = "k", outs = "v", dy = "d logits", dtype = s.head })
    b:comm(list, { "allreduce", s.ranks.tensor }, "d last", "b t k", "d last of all")
    backward.norm(b, list, { "last norm", x = "stream", dy = "d last", to = "d stream", kind = s.norm })
    return list
end

-- What replicas sum up of their gradients: those of experts are summed over the ranks that do not share them.
local function gradients(s, sum)
    local list = {}
    local function summed(name, n, ranks)
        if n > 0 and ranks > 1 then
            local made = kc.comm("allreduce", kc.tensor(name, "n", s.dtype, { n = n }),
                { ranks = ranks, name = name .. " of all", algorithm = s.ranks.algorithm })
            list[#list + 1] = kc.kernel("allreduce", { made })
        end
    end
    summed("gradients", sum.stored - sum.experts, s.ranks.data)
    summed("gradients of experts", sum.experts, s.ranks.data / math.max(1, s.ranks.expert / s.ranks.tensor))
    return list
end

-- The program of one microbatch, forward and backward, through all stages; the last one of a step sums up the gradients of
-- each layer beside the backward pass of the next.
local function microbatch(model, p, last)
    local s = model.rank
    local parts, back = layers.embedding(s, p), {}
    for n, group in ipairs(s.groups) do
        parts[#parts + 1] = kc.times(kc.program("layer", layers.layer(s, p, group)), group.count)
        local layer = kc.program("layer backward", backward.layer(s, p, group))
        local sums = last and gradients(s, model.parameters.layers[n]) or {}
        if sums[1] then layer = kc.beside("layer backward and sums", { layer, kc.program("sums of gradients", sums) }) end
        back[#s.groups + 1 - n] = kc.times(layer, group.count)
    end
    append(parts, layers.sends(s, p))
    append(parts, loss(s, p))
    append(parts, back)
    append(parts, layers.sends(s, p))
    parts[#parts + 1] = kc.lib.embedding.backward { tokens = p.batch * p.seq, vocab = s.vocab, hidden = s.hidden, dtype = s.dtype }
    return kc.program("forward and backward", parts)
end

-- What follows the last microbatch: sums of the gradients of words, and the optimizer.
local function finish(model)
    local s = model.rank
    local parts = gradients(s, model.parameters.ends)
    parts[#parts + 1] = optimizer(s, model.parameters.stored)
    return kc.program("update", parts)
end

-- A program of one step of one replica: what all stages of its pipeline do.
--     seq        tokens of a sequence, required
--     batch      sequences: 1
--     microbatches    parts of the batch, which they divide, one after another: 1
--     recompute  what the backward pass computes again, to keep less: "none"; "selective": the core of attention; "full": the
--                forward pass of each layer (Korthikanti et al., arXiv 2205.05198): "none"
-- Gradients have the model's dtype.  Replicas sum them up by allreduces, in the last microbatch, each layer's beside the
-- backward pass of the layer before it; those of words and the last norm follow alone.
function training.step(model, p)
    p = checked("transformer.train_step", model, p)
    local s, many = model.rank, p.microbatches
    local one = merge(p, { batch = p.batch / many, cached = 0, kv_dtype = s.dtype, training = true, logits = "all" })
    local parts = { many > 1 and kc.times(microbatch(model, one, false), many - 1) or nil }
    parts[#parts + 1] = microbatch(model, one, true)
    parts[#parts + 1] = finish(model)
    return kc.program(model.name .. " training step", parts)
end

-- Bytes that the backward pass of a layer reads of a token, kept by the forward pass; figures of a row (its log-sum-exp, the
-- factor of its norm, the router's choice) are left out.
--     streams    the residual stream and what is made of it in front of a branch and behind
--     kept       in each kind of branch, and what the core of it adds, which "selective" computes again
local kept = {}

function kept.heads(a)
    local q, k = a.heads * a.head_dim, a.kv_heads * a.head_dim
    local made = (a.rope or a.qk_norm) and q or 0                      -- Q is written again; K and V in place
    return q + k + a.kv_heads * a.value_dim + made + (a.qk_norm and k or 0), a.heads * a.value_dim
end

function kept.latent(a)
    local q, wide = a.heads * (a.head_dim + a.rope_dim), a.latent_dim + a.rope_dim
    local inputs = a.q_rank and 2 * a.q_rank + q or q                  -- before and behind the norm, and of all heads
    return inputs + 2 * wide + a.heads * (a.rope_dim + a.head_dim + a.value_dim), a.heads * a.value_dim
end

-- The states of chunks are f32; scores are of one chunk.
function kept.state(a, bytes)
    local width = a.heads * a.head_dim
    local u = width + 2 * a.groups * a.state
    return width + u + a.heads + u + width, width + a.chunk + width * a.state / a.chunk * 4 / bytes
end

function kept.dense(m)
    return (m.gated and 3 or 2) * m.inner, 0
end

function kept.experts(m, _, model)
    local shared = (m.gated and 3 or 2) * m.shared
    local travels = model.rank.ranks.expert > model.rank.ranks.tensor  -- rows of others have to be kept
    return m.experts + shared + m.rows * ((m.gated and 3 or 2) * m.inner + model.rank.hidden * (travels and 3 or 1)), 0
end

local function kept_bytes(model, group, recompute)
    local s = model.rank
    local bytes = kc.dtype(s.dtype).bits / 8
    if recompute == "full" then return bytes * s.hidden end
    local all = s.hidden * (group.pre and group.norms or 0)
    for _, branch in ipairs { group.attention or false, group.mlp or false } do
        if branch then
            local outside, core = kept[branch.kind](branch, bytes, model)
            all = all + outside + (recompute == "selective" and 0 or core) + s.hidden * (group.post and 2 or 1)
        end
    end
    return bytes * (group.attention and group.mlp and group.norms == 1 and all - s.hidden or all)
end

-- Byte that a rank holds in a step: weights, gradients and optimizer (12 byte a parameter: two moments and master weights) of
-- its stage, and activations between the passes: of its layers, of as many microbatches as there are stages (1F1B, Narayanan et
-- al., arXiv 2104.04473), of one layer in full where layers are computed again, and the logits.
local function memory(model, p)
    local s, stages = model.rank, model.options.pipeline
    local tokens = p.batch / p.microbatches * p.seq
    local bytes, all, most = kc.dtype(s.dtype).bits / 8, 0, 0
    for _, group in ipairs(s.groups) do
        all = all + group.count * kept_bytes(model, group, p.recompute)
        most = math.max(most, kept_bytes(model, group, "none"))
    end
    all = all / stages * math.min(stages, p.microbatches)
    if p.recompute == "full" then all = all + most end
    local m = {
        weights = model.parameters.bytes / stages, gradients = bytes * model.parameters.stored / stages,
        optimizer = 12 * model.parameters.stored / stages, activations = tokens * (all + bytes * 2 * s.vocab),
    }
    m.total = m.weights + m.gradients + m.optimizer + m.activations
    return m
end

-- What a step takes on a device.
--     device    a device or its name, required
--     seq, batch, microbatches, recompute    as of `step`
--     best      each kernel in the fastest schedule that a tuned library would try: true
--     options   those of kc.evaluate: none
-- Gives, of one rank:
--     time                 of a step: the microbatches one after another, a stage's share of their layers each; the bubble, in
--                          which a stage waits for the first one to come and the last one to leave; the update
--     bubble               (stages - 1) / microbatches, the time in it over that of the microbatches
--     tokens_per_second    of all replicas
--     model_flops, hardware_flops    of matmuls, mfu and hfu: both over time and the dense peak of the model's dtype
--     memory               by what it is for
--     result               of `step`, kernel by kernel: what all stages do
function training.train(model, p)
    p = checked("transformer.train", model, p, {
        device = parameters.required, best = true, options = parameters.optional_table,
    })
    local shape = { seq = p.seq, batch = p.batch, microbatches = p.microbatches, recompute = p.recompute }
    local device = kc.device(p.device)
    local function timed(x) return p.best and kc.best(x, device, nil, p.options) or kc.evaluate(x, device, p.options) end
    local result, stages = timed(training.step(model, shape)), model.options.pipeline
    local bubble = (stages - 1) / p.microbatches
    local waits = bubble > 0 and bubble * (result.time - timed(finish(model)).time) or 0
    local time = (result.time + waits) / stages
    local forward = kc.count(model:prefill { seq = p.seq, batch = p.batch, logits = "all" }).matrix_flops
    local peak = device.matrix and (device.matrix[model.shape.dtype] or device.matrix.f16)
    local function of_peak(flops) return peak and flops / time / peak end
    local needed, done = 3 * forward / stages, result.matrix_flops / stages
    return {
        time = time, bubble = bubble, tokens_per_second = p.batch * p.seq / time * model.options.data, model_flops = needed,
        hardware_flops = done, mfu = of_peak(needed), hfu = of_peak(done), memory = memory(model, shape), result = result,
    }
end

return training
