-- transformer.lua: a model out of its config.json: parameters, cache, and programs of its steps.
--
--     local model = kc.lib.transformer(kc.load_json("config.json"), { kv_dtype = "f8" })
--     kc.evaluate(model:decode { batch = 16, cached = 2047 }, "h100-sxm5")
--
-- The first argument is a table as kc.load_json gives it.  Options, none of them required:
--     weights       dtype of all matrices of the layers: what the file says
--     kv_dtype      of the cache: the model's dtype
--     activations   what inputs of matmuls by weights below 16 bits are rounded to: what the file says
--     tensor        ranks that share the heads, inner features and words of every layer: 1
--     expert        ranks that share the experts of a layer: 1.  Those beyond `tensor` are replicas (`data`), whose
--                   tokens meet in the experts
--     data          replicas of the whole, each with a batch of its own: 1
--     pipeline      ranks that share the layers: 1
-- Programs are those of one rank.  A token passes all stages of a pipeline one after another, so a step's program has all
-- layers; memory and throughput know the stages.  What ranks send each other goes over the device's link
-- (transformer_layers.lua says what): a device whose file states none is an error, device:with { link = { bandwidth = … } }
-- gives it one, say of a slower network.
-- A model has
--     shape         what config.lua read; audit: its notes, one a key; model:audit_table() as text
--     parameters    { stored, matrix, vector, active, experts, bytes } of one rank: matrix are all matrices, tables of words
--                   and positions included, each once where words are tied; vector norms, biases and the like; stored both;
--                   active the matrices that a token is multiplied by, the head but no table, of experts only its own; experts
--                   what these store; bytes of all.  layers, a list with the same of a layer of each group of the shape, and
--                   ends, of what stands before and behind them
--     cache         bytes of a token in all layers, windows or not; state: bytes of a sequence, however long, where layers
--                   have one
-- and methods, each of which takes one table of named parameters:
--     model:prefill { seq =, batch =, cached = }      programs of a step
--     model:decode { cached =, batch =, seq = }
--     model:chunked { requests = { { new, cached }, … } }
--     model:train_step { seq =, batch =, microbatches =, recompute = }
--     model:bytes(x)                                  what a program or its result moves, term by term
--     model:touched { tokens = }                      matrix elements that a step reads
--     model:cache_bytes { tokens =, batch =, page = }
--     model:memory { device =, tokens =, batch = }    what fits
--     model:serve { device =, prompt =, output =, batch = }    times to the first and the next token, MFU, MBU
--     model:train { device =, seq =, batch =, recompute = }    time of a step, MFU, HFU, memory
-- Layers that are alike are one kernel list with kc.times, so alternating layers stand apart.
-- A program can be resized: b sequences, t new tokens, j keys, tied as in { ["t j"] = 4096 } of a prefill.  Not so the
-- experts, whose distinct number is part of the program, and windows at lengths near them.
-- Models: Vaswani et al., arXiv 1706.03762; the family's page for what differs.
local kc = require "kcost"
local parameters, layers, config, report = kc.lib.parameters, kc.lib.transformer_layers, kc.lib.config, kc.lib.report
local take, merge, optional = parameters.take, parameters.merge, parameters.optional

local model = {}
model.__index = model

-- ---- the shape of one rank --------------------------------------------------------------------------------------

local function share(call, name, size, ranks)
    if size % ranks ~= 0 then
        error(call .. ": " .. kc.str(ranks) .. " ranks do not divide " .. name .. ", " .. kc.str(size))
    end
    return size / ranks
end

local function rank_attention(a, ranks)
    if a.kind == "selective" then return merge(a, { inner = share("transformer", "the inner size", a.inner, ranks) }) end
    local heads = share("transformer", "the heads", a.heads, ranks)
    if a.kind == "state" then return merge(a, { heads = heads, groups = math.max(1, math.floor(a.groups / ranks)) }) end
    if a.kind == "delta" then
        return merge(a, { heads = heads, key_heads = share("transformer", "the heads of Q and K", a.key_heads, ranks) })
    end
    if a.kind == "latent" then return merge(a, { heads = heads }) end
    -- fewer heads of K and V than ranks: each rank has one
    local kv = a.kv_heads < ranks and 1 or share("transformer", "the heads of K and V", a.kv_heads, ranks)
    return merge(a, { heads = heads, kv_heads = kv })
end

local function rank_mlp(m, o)
    if m.kind == "dense" then return merge(m, { inner = share("transformer", "the inner size", m.inner, o.tensor) }) end
    local replicas = math.max(1, o.expert / o.tensor)
    return merge(m, {
        inner = share("transformer", "the experts' inner size", m.inner, math.max(1, o.tensor / o.expert)),
        shared = share("transformer", "the shared expert's inner size", m.shared, o.tensor),
        held = share("transformer", "the experts", m.experts, o.expert), replicas = replicas,
        rows = m.top_k * replicas / o.expert,
    })
end

local function rank_shape(s, o)
    local groups = {}
    for n, group in ipairs(s.groups) do
        local weights = o.weights and { qkv = o.weights, out = o.weights, kv_b = o.weights } or nil
        local mlp = o.weights and
            { up = o.weights, down = o.weights, shared_up = o.weights, shared_down = o.weights } or nil
        groups[n] = merge(group, {
            attention = group.attention and rank_attention(merge(group.attention, weights), o.tensor),
            mlp = group.mlp and rank_mlp(merge(group.mlp, mlp), o),
        })
    end
    local words = math.ceil(s.vocab / o.tensor)
    return merge(s, { groups = groups, vocab = words, activations = o.activations or s.activations, ranks = o })
end

-- ---- parameters and cache ----------------------------------------------------------------------------------------

-- Adds matrices of `n` elements and a dtype, of which a token is multiplied by `active`.
local function matrix(sum, n, dtype, active)
    sum.matrix, sum.active = sum.matrix + n, sum.active + (active or n)
    sum.bytes = sum.bytes + n * kc.dtype(dtype).bits / 8
end

local function vector(sum, n, dtype)
    sum.vector, sum.bytes = sum.vector + n, sum.bytes + n * kc.dtype(dtype).bits / 8
end

local adders = {}                                                  -- of a layer's mixer, by its kind

function adders.state(sum, s, a)
    local width, k = a.heads * a.head_dim, s.hidden
    local channels = width + 2 * a.groups * a.state
    matrix(sum, k * (width + channels + a.heads), a.qkv)
    matrix(sum, channels * a.conv, s.dtype)
    matrix(sum, width * k, a.out)
    vector(sum, 3 * a.heads + width, s.dtype)                      -- A, D, the bias of dt; the norm
    if a.conv_bias then vector(sum, channels, s.dtype) end
    if a.proj_bias then vector(sum, width + channels + a.heads + k, s.dtype) end
end

function adders.selective(sum, s, a)
    local k, inner = s.hidden, a.inner
    matrix(sum, 2 * k * inner, a.qkv)
    matrix(sum, inner * a.conv, s.dtype)
    matrix(sum, inner * (a.rank + 2 * a.state) + a.rank * inner, a.qkv)
    matrix(sum, inner * k, a.out)
    vector(sum, inner * (a.state + 2), s.dtype)                      -- A, D, the bias of dt
    if a.norms then vector(sum, a.rank + 2 * a.state, s.dtype) end
    if a.conv_bias then vector(sum, inner, s.dtype) end
    if a.proj_bias then vector(sum, 2 * inner + k, s.dtype) end
end

function adders.delta(sum, s, a)
    local k, values = s.hidden, a.heads * a.value_dim
    local channels = 2 * a.key_heads * a.key_dim + values
    matrix(sum, k * (channels + values + 2 * a.heads), a.qkv)
    matrix(sum, channels * a.conv, s.dtype)
    matrix(sum, values * k, a.out)
    vector(sum, 2 * a.heads + a.value_dim, s.dtype)                  -- A, the bias of dt; the norm
end

function adders.latent(sum, s, a)
    local k, wide, turned = s.hidden, a.latent_dim + a.rope_dim, a.heads * (a.head_dim + a.rope_dim)
    matrix(sum, k * ((a.q_rank or turned) + wide), a.qkv)
    if a.q_rank then
        matrix(sum, a.q_rank * turned, a.qkv)
        vector(sum, a.q_rank, s.dtype)
    end
    matrix(sum, a.latent_dim * a.heads * (a.head_dim + a.value_dim), a.kv_b)
    vector(sum, a.latent_dim, s.dtype)
    matrix(sum, a.heads * a.value_dim * k, a.out)
end

function adders.heads(sum, s, a)
    local k, q, kv = s.hidden, a.heads * a.head_dim, a.kv_heads * (a.head_dim + a.value_dim)
    matrix(sum, k * ((a.gate and 2 or 1) * q + kv), a.qkv)
    if a.qkv_bias then vector(sum, q + kv, s.dtype) end
    if a.out_bias then vector(sum, k, s.dtype) end
    if a.qk_norm and a.qk_norm ~= "plain" then
        vector(sum, a.qk_norm == "all" and q + a.kv_heads * a.head_dim or 2 * a.head_dim, s.dtype)
    end
    if a.sinks then vector(sum, a.heads, s.dtype) end
    matrix(sum, a.heads * a.value_dim * k, a.out)
end

local function add_mlp(sum, s, m)
    local k, ups = s.hidden, m.gated and 2 or 1
    local function dense(inner, up, down, count, active, bias)
        matrix(sum, count * ups * k * inner, up, active * ups * k * inner)
        matrix(sum, count * inner * k, down, active * inner * k)
        if bias then vector(sum, count * (ups * inner + k), s.dtype) end
    end
    if m.kind == "dense" then return dense(m.inner, m.up, m.down, 1, 1, m.bias) end
    matrix(sum, k * m.experts, s.dtype)
    if m.router_bias then vector(sum, m.experts, s.dtype) end
    local before = sum.matrix + sum.vector
    dense(m.inner, m.up, m.down, m.held, m.rows, m.bias)
    sum.experts = sum.experts + sum.matrix + sum.vector - before
    if m.shared > 0 then dense(m.shared, m.shared_up, m.shared_down, 1, 1) end
    if m.shared_gate then matrix(sum, k, s.dtype) end
end

local function nothing() return { matrix = 0, active = 0, vector = 0, experts = 0, bytes = 0 } end

local function add(sum, one, times)
    for key, n in pairs(one) do sum[key] = sum[key] + times * n end
end

-- Of all, of a layer of each group, and of what stands before and behind the layers.
local function counted(s)
    local norm = (s.norm == "layer" and 2 or 1) * s.hidden
    local sum, ends, each = nothing(), nothing(), {}
    for n, group in ipairs(s.groups) do
        local one, mixer = nothing(), group.attention
        if mixer then adders[mixer.kind](one, s, mixer) end
        if group.mlp then add_mlp(one, s, group.mlp) end
        local branches = (mixer and 1 or 0) + (group.mlp and 1 or 0)
        vector(one, norm * ((group.pre and group.norms or 0) + (group.post and branches or 0)), s.dtype)
        add(sum, one, group.count)
        each[n] = one
    end
    vector(ends, norm, s.dtype)
    matrix(ends, s.vocab * s.hidden, s.dtype, s.tied and s.vocab * s.hidden or 0)
    if not s.tied then matrix(ends, s.vocab * s.hidden, s.head) end
    if s.positions then matrix(ends, s.positions * s.hidden, s.dtype, 0) end
    add(sum, ends, 1)
    sum.stored, ends.stored = sum.matrix + sum.vector, ends.matrix + ends.vector
    for _, one in ipairs(each) do one.stored = one.matrix + one.vector end
    sum.layers, sum.ends = each, ends
    return sum
end

-- Matrix elements that a step of so many tokens reads: active ones, and of experts as many as are reached.
--     tokens     of the step, required
--     distinct   experts that are reached in a layer: on average, as moe.distinct
function model:touched(p)
    p = take("transformer.touched", p, { tokens = parameters.size, distinct = parameters.optional_size })
    local sum = self.parameters.active
    for _, group in ipairs(self.rank.groups) do
        local m = group.mlp
        if m and m.kind == "experts" then
            local reached = layers.distinct(m, { batch = p.tokens, seq = 1, distinct = p.distinct })
            sum = sum + group.count * (m.gated and 3 or 2) * self.rank.hidden * m.inner * (reached - m.rows)
        end
    end
    return sum
end

-- Elements that a layer keeps of a token.
local function kept(a)
    if a and a.kind == "latent" then return a.latent_dim + a.rope_dim end
    return a and a.kind == "heads" and a.kv_heads * (a.head_dim + a.value_dim) or 0
end

-- Elements of a layer's state of a sequence, however long, and the channels of which it keeps the last taps.
local states = {}

function states.state(a)
    local width = a.heads * a.head_dim
    return width * a.state, width + 2 * a.groups * a.state
end

function states.selective(a) return a.inner * a.state, a.inner end

function states.delta(a)
    return a.heads * a.key_dim * a.value_dim, 2 * a.key_heads * a.key_dim + a.heads * a.value_dim
end

-- Bytes that a layer keeps of a sequence: the state in f32, and the taps.
local function kept_state(s, a)
    if not (a and states[a.kind]) then return 0 end
    local elements, channels = states[a.kind](a)
    return elements * 4 + channels * (a.conv - 1) * kc.dtype(s.dtype).bits / 8
end

-- Bytes of the cache of one rank: `batch` sequences of `tokens` each, windows and chunks kept, whole pages, states included.
--     tokens    required
--     batch     1
--     page      slots of a page: 1
function model:cache_bytes(p)
    p = take("transformer.cache_bytes", p, { tokens = parameters.size, batch = 1, page = 1 })
    local slots = 0
    for _, group in ipairs(self.rank.groups) do
        local a = group.attention or {}
        local tokens = math.min(p.tokens, a.window or a.chunk or p.tokens)
        slots = slots + group.count * math.ceil(tokens / p.page) * p.page * kept(group.attention)
    end
    return p.batch * (slots * kc.dtype(self.kv_dtype).bits / 8 + self.state)
end

-- ---- programs ------------------------------------------------------------------------------------------------------

local function append(list, more)
    for _, part in ipairs(more) do list[#list + 1] = part end
end

-- The program of one step; `heads` sequences come out of it where that is not the batch.
local function program(self, name, p, heads)
    local s = self.rank
    p.kv_dtype = self.kv_dtype
    local parts = layers.embedding(s, p)
    for _, group in ipairs(s.groups) do
        local layer = kc.program("layer", layers.layer(s, p, group))
        parts[#parts + 1] = group.count > 1 and kc.times(layer, group.count) or layer
    end
    append(parts, layers.sends(s, p))
    append(parts, layers.head(s, heads and merge(p, { batch = heads, seq = 1 }) or p))
    return kc.program(self.name .. " " .. name, parts)
end

local step = { batch = 1, logits = "last", distinct = optional }

local function checked(call, self, p)
    parameters.one_of(call, "logits", p.logits, { "last", "all" })
    if p.distinct == "all" then p.distinct = math.huge end
    if p.distinct ~= nil and not (type(p.distinct) == "number" and p.distinct >= 1) then
        error(call .. ': distinct: expected a number of at least 1 or "all"')
    end
    local context = self.shape.positions
    if context and p.cached + p.seq > context then
        error(call .. ": " .. kc.str(p.cached + p.seq) .. " tokens are more than the table of positions has, " .. kc.str(context))
    end
    return p
end

-- New tokens of sequences, a program: attention in one untiled kernel a layer, K and V of a latent made for every head.
--     seq        new tokens of each sequence, required
--     batch      sequences: 1
--     cached     tokens that are in the cache already (a chunk of a longer prompt): 0
--     logits     "last": of each sequence's last token, "all": "last"
--     distinct   experts that are read in a layer, or "all", never more than top_k a token: on average, as moe.distinct,
--                experts (1 - (1 - top_k / experts)^tokens)
function model:prefill(p)
    p = checked("transformer.prefill", self, take("transformer.prefill", p, merge(step, { seq = parameters.size, cached = 0 })))
    return program(self, "prefill", p)
end

-- A new token of each sequence, or several that a draft proposed; a latent is absorbed.
--     cached     tokens before them, required
--     batch      sequences: 1
--     seq        new tokens: 1
--     logits, distinct    as of prefill; logits of all new tokens
function model:decode(p)
    p = take("transformer.decode", p, merge(step, { seq = 1, cached = parameters.size, logits = "all" }))
    p = checked("transformer.decode", self, p)
    if p.seq == 1 then p.logits = "last" end
    p.absorbed = true
    return program(self, "decode", p)
end

local function whole(x, least)
    return type(x) == "number" and x >= least and x < 2^53 and x == math.floor(x)
end

-- Requests that are alike, each { batch =, seq =, cached = }, in the order of their first; their number and their tokens.
local function requests_of(list)
    local requests, by, tokens = {}, {}, 0
    if type(list) ~= "table" or #list == 0 then
        error("transformer.chunked: requests: expected a list such as { { 512, 0 }, { 1, 4096 } }")
    end
    for n, request in ipairs(list) do
        if type(request) ~= "table" or not whole(request[1], 1) or not whole(request[2], 0) then
            error("transformer.chunked: requests[" .. n .. "]: expected { new, cached } tokens")
        end
        local key = kc.str(request[1]) .. " " .. kc.str(request[2])
        if not by[key] then
            by[key] = { batch = 0, seq = request[1], cached = request[2] }
            requests[#requests + 1] = by[key]
        end
        by[key].batch, tokens = by[key].batch + 1, tokens + request[1]
    end
    return requests, #list, tokens
end

-- One step of a batch that mixes chunks of prompts with decodes: their tokens share every matmul, attention of all is one
-- launch, and of each request the last token has logits.  A latent is absorbed for all.
--     requests   a list of { new, cached } tokens, required
--     distinct   as of prefill
function model:chunked(p)
    p = take("transformer.chunked", p, { requests = parameters.required, distinct = optional })
    local requests, sequences, tokens = requests_of(p.requests)
    for _, group in ipairs(self.rank.groups) do
        if group.attention and states[group.attention.kind] then
            error("transformer.chunked: requests: layers with a state have no chunks here")
        end
    end
    local longest = 0
    for _, request in ipairs(requests) do longest = math.max(longest, request.seq + request.cached) end
    p = checked("transformer.chunked", self, {
        requests = requests, batch = tokens, seq = 1, cached = longest - 1, absorbed = true, logits = "last", distinct = p.distinct,
    })
    return program(self, "step", p, sequences)
end

-- ---- bytes, term by term -----------------------------------------------------------------------------------------

-- HBM bytes of a step's program or result by what they are for: { weights, cache_read, cache_written, activations, total }.
local function bytes_of(_, x)
    local good, tensors = pcall(function() return x.tensors end)
    if not good or type(tensors) ~= "table" or type(tensors[1]) ~= "table" or not tensors[1].bytes_read then
        tensors = kc.count(x).tensors
    end
    local sum = { weights = 0, cache_read = 0, cache_written = 0, activations = 0, total = 0 }
    for _, tensor in ipairs(tensors) do
        local role, read, written = layers.role(tensor.name), tensor.bytes_read, tensor.bytes_written
        if role == "cache" then
            sum.cache_read, sum.cache_written = sum.cache_read + read, sum.cache_written + written
        else
            sum[role] = sum[role] + read + written
        end
        sum.total = sum.total + read + written
    end
    return sum
end

model.bytes = bytes_of

-- What fits beside the weights, and what a user waits for: transformer_serving.lua.
function model:memory(p)
    return kc.lib.transformer_serving.memory(self, p)
end

function model:serve(p)
    return kc.lib.transformer_serving.serve(self, p)
end

-- A step of training, and what it takes: transformer_training.lua.
function model:train_step(p)
    return kc.lib.transformer_training.step(self, p)
end

function model:train(p)
    return kc.lib.transformer_training.train(self, p)
end

-- The audit as text: each key of the file, what became of it, its value.
function model:audit_table()
    local rows = {}
    for n, note in ipairs(self.audit) do rows[n] = { note.key, note.status, note.value, note.note or "" } end
    return report.table({ "key", "", "value", "" }, rows)
end

local function dtype_option(name, value)
    local good, dtype = pcall(kc.dtype, value)
    if not good then error("transformer: " .. name .. ": expected a dtype, got " .. tostring(value)) end
    return dtype
end

local function new(_, given, options)
    local o = take("transformer", options or {}, {
        weights = optional, kv_dtype = optional, activations = optional, tensor = 1, expert = 1, data = 1, pipeline = 1,
    })
    local shape = config.read("transformer", given)
    for _, name in ipairs { "weights", "kv_dtype", "activations" } do
        if o[name] then dtype_option(name, o[name]) end
    end
    if o.expert > o.tensor then
        if o.expert % o.tensor ~= 0 then error("transformer: expert: must be a multiple of tensor, where it is more") end
        if o.data % (o.expert / o.tensor) ~= 0 then
            error("transformer: expert: " .. kc.str(o.expert / o.tensor) .. " replicas share the experts, and data is " .. kc.str(o.data))
        end
    end
    if o.expert < o.tensor and o.tensor % o.expert ~= 0 then error("transformer: expert: must divide tensor, where it is less") end
    local self = setmetatable({ shape = shape, audit = shape.audit, name = shape.family, options = o }, model)
    self.rank, self.kv_dtype = rank_shape(shape, o), o.kv_dtype or shape.dtype
    self.parameters = counted(self.rank)
    self.cache, self.state = 0, 0
    for _, group in ipairs(self.rank.groups) do
        self.cache = self.cache + group.count * kept(group.attention) * kc.dtype(self.kv_dtype).bits / 8
        self.state = self.state + group.count * kept_state(shape, group.attention)
    end
    return self
end

return setmetatable({}, { __call = new })
