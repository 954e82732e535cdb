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
--     algorithm     of what ranks send each other, "ring" or "tree", as of collective.lua: "ring"
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
--     model:summary()                                 its size in one line
--     model:chunked { requests = { { new, cached }, … } }
--     model:train_step { seq =, batch =, microbatches =, recompute = }
--     model:bytes(x)                                  what a program or its result moves, term by term
--     model:layers { step =, device =, … }            a step layer by layer
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
local parameters, report, config = kc.lib.parameters, kc.lib.report, require "kcost.internal.config"
local layers, stored = require "kcost.internal.transformer_layers", require "kcost.internal.transformer_stored"
local take, merge, optional = parameters.take, parameters.merge, parameters.optional

local _, core = ...

local model = {}
model.__index = model

-- Matrix elements that a step of so many tokens reads: active ones, and of experts as many as are reached.
--     tokens     of the step, required
--     distinct   experts that are reached in a layer: on average, as moe.distinct
function model:touched(p)
    p = take("transformer.touched", p, { tokens = parameters.size, distinct = parameters.optional_size })
    local sum = self.parameters.ends.active
    for n, group in ipairs(self.rank.groups) do
        sum = sum + group.count * stored.touched(self.rank, group, self.parameters.layers[n], p.tokens, p.distinct)
    end
    return sum
end

-- Bytes of the cache of one rank: `batch` sequences of `tokens` each, windows and chunks kept, whole pages, states included.
--     tokens    required
--     batch     1
--     page      slots of a page: 1
function model:cache_bytes(p)
    p = take("transformer.cache_bytes", p, { tokens = parameters.size, batch = 1, page = 1 })
    local slots = 0
    for _, group in ipairs(self.rank.groups) do
        local a = group.attention
        slots = slots + group.count * stored.slots(a, p.tokens, p.page) * stored.of_token(a)
    end
    return p.batch * (slots * kc.dtype(self.kv_dtype).bits / 8 + self.state)
end

-- ---- programs ------------------------------------------------------------------------------------------------------

local function append(list, more)
    for _, part in ipairs(more) do list[#list + 1] = part end
end

-- The program of one step, of a name and parameters out of `steps` below.
local function program(self, name, p)
    local s = self.rank
    p.kv_dtype = self.kv_dtype
    local parts = layers.embedding(s, p)
    for _, group in ipairs(s.groups) do
        local layer = kc.program("layer", layers.layer(s, p, group))
        parts[#parts + 1] = group.count > 1 and kc.times(layer, group.count) or layer
    end
    append(parts, layers.sends(s, p))
    append(parts, layers.head(s, p.sequences and merge(p, { batch = p.sequences, seq = 1 }) or p))
    return kc.program(self.name .. " " .. name, parts)
end

-- By name: what the parameters of a step are to transformer_layers.lua.
local steps = {}

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
    return program(self, "prefill", steps.prefill(self, p))
end

function steps.prefill(self, p)
    return checked("transformer.prefill", self, take("transformer.prefill", p, merge(step, { seq = parameters.size, cached = 0 })))
end

-- A new token of each sequence, or several that a draft proposed; a latent is absorbed.
--     cached     tokens before them, required
--     batch      sequences: 1
--     seq        new tokens: 1
--     logits, distinct    as of prefill; logits of all new tokens
function model:decode(p)
    return program(self, "decode", steps.decode(self, p))
end

function steps.decode(self, p)
    p = take("transformer.decode", p, merge(step, { seq = 1, cached = parameters.size, logits = "all" }))
    p = checked("transformer.decode", self, p)
    if p.seq == 1 then p.logits = "last" end
    p.absorbed = true
    return p
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
    return program(self, "step", steps.chunked(self, p))
end

function steps.chunked(self, p)
    p = take("transformer.chunked", p, { requests = parameters.required, distinct = optional })
    local requests, sequences, tokens = requests_of(p.requests)
    for _, group in ipairs(self.rank.groups) do
        if stored.has_state(group.attention) then
            error("transformer.chunked: requests: layers with a state have no chunks here")
        end
    end
    local longest = 0
    for _, request in ipairs(requests) do longest = math.max(longest, request.seq + request.cached) end
    return checked("transformer.chunked", self, {
        requests = requests, batch = tokens, seq = 1, cached = longest - 1, absorbed = true, logits = "last", distinct = p.distinct,
        sequences = sequences,
    })
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
    return core.record(sum)
end

model.bytes = bytes_of

-- A step layer by layer: transformer_sums.lua.
function model:layers(p)
    return require("kcost.internal.transformer_sums").layers(self, p, steps)
end

-- What fits beside the weights, and what a user waits for: transformer_serving.lua.
function model:memory(p)
    return require("kcost.internal.transformer_serving").memory(self, p)
end

function model:serve(p)
    return require("kcost.internal.transformer_serving").serve(self, p)
end

-- A step of training, and what it takes: transformer_training.lua.
function model:train_step(p)
    return require("kcost.internal.transformer_training").step(self, p)
end

function model:train(p)
    return require("kcost.internal.transformer_training").train(self, p)
end

-- "llama: 8.030 G parameters, …": its size in one line, which print shows.
function model:summary()
    local n = self.parameters
    return ("%s: %s parameters, %s of them multiplied by each token; %s in memory, cache %s a token"):format(self.name,
        report.si(n.stored, ""), report.si(n.active, ""), report.si(n.bytes, "B"), report.si(self.cache, "B"))
end

model.__tostring = model.summary

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
        algorithm = "ring",
    })
    parameters.one_of("transformer", "algorithm", o.algorithm, { "ring", "tree" })
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
    if o.pipeline > shape.layers then
        error("transformer: pipeline: " .. kc.str(o.pipeline) .. " stages have a layer each at least, and there are "
            .. kc.str(shape.layers) .. " layers")
    end
    local has_experts = false
    for _, group in ipairs(shape.groups) do has_experts = has_experts or group.mlp and group.mlp.kind == "experts" end
    if o.expert > 1 and not has_experts then error("transformer: expert: " .. shape.family .. " has no experts in this file") end
    local self = setmetatable({ shape = shape, audit = shape.audit, name = shape.family, options = o }, model)
    self.rank, self.kv_dtype = stored.rank(shape, o), o.kv_dtype or shape.dtype
    self.parameters = stored.parameters(self.rank)
    self.cache, self.state = 0, 0
    for _, group in ipairs(self.rank.groups) do
        self.cache = self.cache + group.count * stored.of_token(group.attention) * kc.dtype(self.kv_dtype).bits / 8
        self.state = self.state + group.count * stored.of_sequence(self.rank, group.attention)
    end
    return self
end

return setmetatable({}, { __call = new })
