-- transformer_layers.lua: the kernels of one layer of a transformer, and of what stands before and behind the layers.
--
-- Dims: b sequences, t new tokens of each, j keys, w keys in a window, k hidden features, m and n features in and out, g
-- groups of heads that share K and V, h heads of a group, d and e head sizes, c latent, r position, f inner features, x
-- experts, y rows of an expert, s the places of a token's experts, v words.  A tensor that one kernel writes and another reads
-- has one name; where the other walks it under other dims, it is the same bytes under that name, and parts of it that one kernel
-- reads beside each other are named "QKV", "QKV: K", "QKV: V".  A name with a colon says whose bytes these are: the stream
-- that a kernel adds to is "stream: before", what a step puts into the cache "cache K: new".
--
-- A step `p` is { batch =, seq =, cached =, cast =, absorbed = } beside the shape `s` of config.lua:
--     x + attention(norm(x)) + mlp(norm(…)), the sums done behind the last matmul of each branch
-- What ranks send each other (`s.ranks`, numbers by kind of parallelism) are kernels of their own:
--     tensor    an allreduce of [b t k] behind the table of words and each branch, the first rank adding the stream; parallel
--               branches share one; an allgather of the logits (Shoeybi et al., arXiv 1909.08053)
--     expert    beyond the tensor ranks an all-to-all of tokens top_k / tensor rows to their experts, and one home; within them
--               every rank has all tokens, and the branch's allreduce adds up its experts' (Lepikhin et al., arXiv 2006.16668)
--     pipeline  a send of [b t k] from stage to stage
-- Names of weights begin with "W ", those of the cache with "cache ": what `role` goes by.
local kc = require "kcost"
local states = require "kcost.internal.transformer_states"
local layers = {}

-- What a tensor of that name is: "weights", "cache" or "activations".
function layers.role(name)
    return name:find("^W ") and "weights" or name:find("^cache ") and "cache" or "activations"
end

-- A builder of kernels of the step `p` of shape `s`, for the sizes that all of them share.
local builder = {}
builder.__index = builder

-- The tensor of that name and those dims is one, however often it is read.
function builder:tensor(name, dims, dtype)
    local key = name .. "|" .. dims
    local tensor = self.tensors[key] or kc.tensor(name, dims, dtype or self.s.dtype, self.size)
    self.tensors[key] = tensor
    return tensor
end

function builder:read(name, dims, dtype, index)
    local tensor = self:tensor(name, dims, dtype)
    return index and kc.read(tensor, index, { size = self.size }) or kc.read(tensor)
end

-- Rows of x by a matrix of weights.  Below 16 bits both are computed in the weights' dtype where the step says so.
function builder:product(x, name, dims, over, dtype)
    local w = self:read("W " .. name, dims, dtype)
    if self.s.activations and kc.dtype(dtype).bits < 16 then x = kc.cast(x, self.s.activations) end
    return kc.matmul(x, w, over)
end

-- What a branch reads: the stream behind its norm, or as it is where norms stand behind the branches.
function builder:input()
    return self:read(self.from, "b t k")
end

function builder:bias(y, name, dims, wanted)
    return wanted and kc.map("add", y, self:read("W " .. name .. " bias", dims)) or y
end

function builder:write(name, value, dtype, dims)
    return kc.write(name, value, dims and { dtype = dtype or self.s.dtype, dims = dims } or dtype or self.s.dtype)
end

-- The builder with other sizes beside its own.
function builder:with(more)
    local size = {}
    for dim, n in pairs(self.size) do size[dim] = n end
    for dim, n in pairs(more) do size[dim] = n end
    return setmetatable({ s = self.s, p = self.p, size = size, tensors = self.tensors, from = self.from }, builder)
end

-- x / its root mean square (or the layer norm of x) over `dim`, times weights: 4 (7) FLOP an element, 2 (3) and a special
-- op a row, as in norm.lua.  Without a name there are no weights: 3.
function builder:normed(x, dim, name, kind)
    local function root(total) return kc.map({ flops = 2, special = 1 }, total) end
    if kind == "layer" then
        local centred = kc.map("sub", x, kc.map("scale", kc.reduce("sum", x, dim)))
        local y = kc.map("mul", centred, root(kc.reduce("sum", kc.map("mul", centred, centred), dim)))
        return kc.map("add", kc.map("mul", y, self:read("W " .. name, dim)), self:read("W " .. name .. " bias", dim))
    end
    local y = kc.map("mul", x, root(kc.reduce("sum", kc.map("mul", x, x), dim)))
    return name and kc.map("mul", y, self:read("W " .. name, dim)) or y
end

function builder:norm(name, from, to)
    return kc.kernel(name, { self:write(to, self:normed(self:read(from, "b t k"), "k", name, self.s.norm)) })
end

-- stream + norm(branch): what models with a norm behind each branch do.
function builder:post_norm(name)
    local y = self:normed(self:read("branch", "b t k"), "k", name, self.s.norm)
    return kc.kernel(name, { self:write("stream", kc.map("add", y, self:read("stream: before", "b t k"))) })
end

-- What the ranks of a collective make of the tensor of that name and those dims: `to`, or nothing to do for one rank.
--     how    { what, ranks, over = a dim, dtype = }
function builder:comm(list, how, from, dims, to)
    if how[2] <= 1 then return end
    local made = kc.comm(how[1], self:tensor(from, dims, how.dtype),
        { ranks = how[2], over = how.over, name = to, algorithm = self.s.ranks.algorithm })
    list[#list + 1] = kc.kernel(how[1], { made })
end

-- The kernel that writes `to`, or this rank's part of the sum that it is, and the sum over ranks.
function builder:summed(list, name, y, to)
    local ranks = self.s.ranks.tensor
    list[#list + 1] = kc.kernel(name, { self:write(ranks > 1 and "partial" or to, y, nil, "b t k") })
    self:comm(list, { "allreduce", ranks }, "partial", "b t k", to)
end

-- The end of a branch: onto the stream, or by itself where a norm follows.  With `more` another branch joins this one before
-- ranks add up theirs.
function builder:onto(list, group, y, name, more)
    if not group.post then y = kc.map("add", y, self:read("stream: before", "b t k")) end
    local to = group.post and "branch" or "stream"
    if not more then return self:summed(list, name, y, to) end
    list[#list + 1] = kc.kernel(name, { self:write(to, y, nil, "b t k") })
end

-- ---- attention of heads ----------------------------------------------------------------------------------------

-- Keys that this step's queries see: all, or those in a window.
local function keys_of(p, window)
    local keys = p.cached + p.seq
    return window and math.min(keys, p.seq - 1 + window) or keys
end

-- Requests as queries see them that look no further back than the start of their chunk: the rest of the chunk that a request
-- begins in, whole ones, the start of the last one; keys before a chunk are not there for it.
local function in_chunks(requests, chunk)
    local list = {}
    for _, r in ipairs(requests) do
        local function part(batch, seq, cached)
            if batch * seq > 0 then list[#list + 1] = { batch = r.batch * batch, seq = seq, cached = cached } end
        end
        local before = r.cached % chunk
        local first = before > 0 and math.min(chunk - before, r.seq) or 0
        part(1, first, before)
        part(math.floor((r.seq - first) / chunk), chunk, 0)
        part(1, (r.seq - first) % chunk, 0)
    end
    return list
end

-- The attention of a step: one kernel, or where requests differ in length, all of them in one launch: what `kernel_of` makes
-- of a builder of each.
function builder:each_request(name, a, kernel_of)
    local requests = self.p.requests
    if a.chunk and (requests or a.chunk < self.p.cached + self.p.seq) then requests = in_chunks(requests or { self.p }, a.chunk) end
    if not requests then return kernel_of(self) end
    local kernels = {}
    for n, request in ipairs(requests) do
        local one = self:with { b = request.batch, t = request.seq, j = request.cached + request.seq }
        one.tensors, one.p = {}, { kv_dtype = self.p.kv_dtype, batch = request.batch, seq = request.seq, cached = request.cached }
        kernels[n] = kernel_of(one)
    end
    return #kernels > 1 and kc.group(name, kernels) or kernels[1]
end

-- Scores of queries t and keys: only those that a query sees.
function builder:masked(a, scores, keys)
    local p = self.p
    if p.seq == 1 then return scores end
    scores = kc.causal(scores, "t", keys)
    local all = keys_of(p, a.window)
    return a.window and a.window < all and kc.mask(scores, "t", keys, { lo = all - p.seq - a.window + 1 }) or scores
end

function builder:attention_core(a)
    local p, j = self.p, a.window and "w" or "j"
    local q = self:read((a.rope or a.qk_norm) and "Q" or "QKV", "b t g h d")
    local one = self:with { [j] = keys_of(p, a.window) }
    local K = one:read("cache K", "b " .. j .. " g d", p.kv_dtype)
    local V = one:read("cache V", "b " .. j .. " g e", p.kv_dtype)
    local scores = self:masked(a, kc.matmul(q, K, "d"), j)
    local O = kc.matmul(kc.softmax(scores, j, { online = true }), V, j)
    if a.sinks then O = kc.map({ name = "sink", flops = 0 }, O, one:read("W sinks", "g h")) end
    if a.gate then O = kc.map("mul", O, kc.map("sigmoid", one:read("QKV: gate", "b t g h e"))) end
    local sees = a.window and ", window " .. kc.str(a.window) or a.chunk and ", chunk " .. kc.str(a.chunk) or ""
    return kc.kernel("attention" .. sees,
        { one:write("O", O, nil, "b t g h e") })
end

-- Q, K and V of the new tokens, and where Q then lies: K and V go to the cache, turned by their position.
function builder:heads(group, list)
    local a, size = group.attention, self.size
    local shared, d, e = size.h, size.d, size.e
    local q_width, k_width = size.g * shared * d, size.g * d
    local n = (a.gate and 2 or 1) * q_width + k_width + size.g * e
    local wide = self:with { n = n }
    local y = wide:product(self:input(), "qkv", "k n", "k", a.qkv)
    list[#list + 1] = kc.kernel("qkv", { wide:write("QKV", wide:bias(y, "qkv", "n", a.qkv_bias), nil, "b t n") })

    local q, k, v = self:read("QKV", "b t g h d"), self:read("QKV: K", "b t g d"), self:read("QKV: V", "b t g e")
    local function turned(x, name, heads)
        if a.qk_norm then x = self:normed(x, a.qk_norm == "all" and heads or "d", a.qk_norm ~= "plain" and name, "rms") end
        return a.rope and kc.map("rope", x) or x
    end
    local moves = { self:write("cache K: new", turned(k, "k norm", "g d"), self.p.kv_dtype, "b t g d"),
        self:write("cache V: new", v, self.p.kv_dtype, "b t g e") }
    if a.rope or a.qk_norm then
        moves[3] = self:write("Q", turned(q, "q norm", "g h d"), nil, "b t g h d")
    end
    list[#list + 1] = kc.kernel(a.rope and "rope" or "cache", moves)
    list[#list + 1] = self:each_request("attention", a, function(one) return one:attention_core(a) end)
    local o = self:with { m = size.g * shared * e }
    local out = o:product(o:read("O", "b t m"), "out", "m k", "m", a.out)
    self:onto(list, group, o:bias(out, "out", "k", a.out_bias), "out", group.parallel)
end

-- ---- attention with a latent: mla.lua has the formulas ---------------------------------------------------------

-- softmax over the keys of content + Qr R.
function builder:latent_probabilities(content)
    local R = self:read("cache R", "b j r", self.p.kv_dtype)
    local scores = kc.matmul(self:read("Qr", "b t h r"), R, "r", { into = content })
    return kc.softmax(self.p.seq > 1 and kc.causal(scores, "t", "j") or scores, "j", { online = true })
end

-- Attention in the latent, which serves as keys and as values.
function builder:latent_core()
    local C = self:read("cache C", "b j c", self.p.kv_dtype)
    local P = self:latent_probabilities(kc.matmul(self:read("Qc", "b t h c"), C, "c"))
    return kc.kernel("latent attention", { self:write("Oc", kc.matmul(P, C, "j"), nil, "b t h c") })
end

-- Attention of heads whose keys and values were made out of the latents.
function builder:latent_heads(a)
    local q = self:read(a.q_rank and "Q" or "QC", "b t h d")
    local P = self:latent_probabilities(kc.matmul(q, self:read("K", "b j h d"), "d"))
    return kc.kernel("attention", { self:write("O", kc.matmul(P, self:read("V", "b j h e"), "j"), nil, "b t h e") })
end

function builder:latent(group, list)
    local a, p = group.attention, self.p
    local wide = a.latent_dim + a.rope_dim
    local rows = a.q_rank or a.heads * (a.head_dim + a.rope_dim)
    local one = self:with { n = rows + wide, q = rows, i = a.heads * (a.head_dim + a.rope_dim) }
    local y = one:product(self:input(), "down", "k n", "k", a.qkv)
    list[#list + 1] = kc.kernel("down", { one:write("QC", y, nil, "b t n") })

    local C = one:normed(one:read("QC: C", "b t c"), "c", "latent norm", "rms")
    local R = kc.map("rope", one:read("QC: R", "b t r"))
    local moves = { one:write("cache C: new", C, p.kv_dtype, "b t c"), one:write("cache R: new", R, p.kv_dtype, "b t r") }
    if a.q_rank then
        moves[3] = one:write("Qa", one:normed(one:read("QC", "b t q"), "q", "q norm", "rms"))
    end
    list[#list + 1] = kc.kernel("latents", moves)
    local from = a.q_rank and "Q" or "QC"
    if a.q_rank then
        list[#list + 1] = kc.kernel("q", { one:write("Q", one:product(one:read("Qa", "b t q"), "q", "q i", "q", a.qkv)) })
    end
    local q, qr = one:read(from, "b t h d"), kc.map("rope", one:read(from .. ": position", "b t h r"))
    if p.absorbed then
        list[#list + 1] = kc.kernel("absorb", {
            one:write("Qc", kc.matmul(q, one:read("W k_b", "h d c", a.kv_b), "d"), nil, "b t h c"),
            one:write("Qr", qr, nil, "b t h r"),
        })
        list[#list + 1] = one:each_request("latent attention", a, builder.latent_core)
        list[#list + 1] = kc.kernel("values",
            { one:write("O", kc.matmul(one:read("Oc", "b t h c"), one:read("W v_b", "h c e", a.kv_b), "c"), nil, "b t h e") })
    else
        local latents = one:read("cache C", "b j c", p.kv_dtype)
        list[#list + 1] = kc.kernel("rope", { one:write("Qr", qr, nil, "b t h r") })
        list[#list + 1] = kc.kernel("keys and values", {
            one:write("K", kc.matmul(latents, one:read("W k_b", "h d c", a.kv_b), "c"), nil, "b j h d"),
            one:write("V", kc.matmul(latents, one:read("W v_b", "h c e", a.kv_b), "c"), nil, "b j h e"),
        })
        list[#list + 1] = one:latent_heads(a)
    end
    local o = one:with { m = a.heads * a.value_dim }
    self:onto(list, group, o:product(o:read("O", "b t m"), "out", "m k", "m", a.out), "out")
end

-- ---- the MLP and the experts -----------------------------------------------------------------------------------

-- The kernels of H = act(gate) through, over these dims: one, or in training two, since what the backward pass reads is
-- written before the activation.
function builder:activated(m, names, gate, through, dims)
    local before
    if self.p.training then
        before = kc.kernel(names .. "up", {
            self:write(names .. "U", through, nil, dims), gate and self:write(names .. "G", gate, nil, dims) or nil,
        })
        gate, through = gate and self:read(names .. "G", dims), self:read(names .. "U", dims)
    end
    local h = gate and kc.map("mul", kc.map(m.act, gate), through) or kc.map(m.act, through)
    local last = kc.kernel(names .. (before and "activation" or "up"), { self:write(names .. "H", h, nil, dims) })
    if before then return before, last end
    return last
end

function builder:dense(group, list, m, names)
    local one = self:with { f = m.inner }
    local x = self:input()
    local function up(name) return one:bias(one:product(x, name, "k f", "k", m.up), name, "f", m.bias) end
    for _, kernel in ipairs { one:activated(m, names, m.gated and up(names .. "gate") or nil, up(names .. "up"), "b t f") } do
        list[#list + 1] = kernel
    end
    local y = one:product(one:read(names .. "H", "b t f"), names .. "down", "f k", "f", m.down)
    y = one:bias(y, names .. "down", "k", m.bias)
    if m.shared_gate then
        y = kc.map("mul", y, kc.map("sigmoid", kc.matmul(x, self:read("W shared gate", "k"), "k")))
    end
    self:onto(list, group, y, names .. "down", names ~= "")
end

-- How many of this rank's experts are read: given, or on average, if the router spreads the tokens of all replicas evenly.
function layers.distinct(m, p)
    local reached = p.distinct or m.experts * (1 - (1 - m.top_k / m.experts) ^ (p.batch * p.seq * m.replicas))
    return math.min(reached, m.experts) * m.held / m.experts
end

-- The expert that all tokens use, as a dense MLP.
function layers.shared(m)
    return { inner = m.shared, gated = m.gated, act = m.act, up = m.shared_up, down = m.shared_down, shared_gate = m.shared_gate }
end

function builder:experts(group, list)
    local m = group.mlp
    local routed = self:with { x = m.experts, s = m.top_k }
    local gate = kc.matmul(self:input(), routed:read("W router", "k x"), "k")
    gate = kc.softmax(routed:bias(gate, "router", "x", m.router_bias), "x")
    local top = kc.reduce("topk", gate, "x", { size = { s = m.top_k } })
    list[#list + 1] = kc.kernel("router", {
        routed:write("routed", kc.map("div", top, kc.reduce("sum", top, "s")), "f32"),
        routed:write("expert", kc.cast(kc.map({ name = "index", flops = 0 }, top), "i32"), "i32"),
        self.p.training and routed:write("router P", gate) or nil,
    })
    if m.shared > 0 then self:dense(group, list, layers.shared(m), "shared ") end
    self:travel(list, m, "rows")
    self:each_part(list, m, builder.expert)
    self:travel(list, m, "experts Y")
    local back = self:places(m)
    local y = kc.map({ name = "mul", flops = back.share }, back:read_places("experts Y"), back:read("routed", "b t s", "f32"))
    self:onto(list, group, kc.reduce({ name = "sum", flops = back.share }, y, "s"), "combine")
end

-- Do tokens of several replicas meet in the experts?  Then rows travel, and are the tensor of this name where they arrive.
function builder:sent(name)
    return self.s.ranks.expert > self.s.ranks.tensor and name .. " sent" or name
end

-- Rows of tokens to the ranks of their experts, or home: each of the tensor ranks sends its share of the tokens.
function builder:travel(list, m, name)
    local ranks = self.s.ranks
    if self:sent(name) == name then return end
    local rows = self:with { r = math.ceil(self.p.batch * self.p.seq * m.top_k / ranks.tensor) }
    rows:comm(list, { "alltoall", ranks.expert }, name, "r k", rows:sent(name))
end

-- The builder with the places of a token's experts on this rank, which may have less than a whole one of a token: `share` is
-- what a place has on average.
function builder:places(m)
    local one = self:with { s = math.ceil(m.rows) }
    one.share = m.rows / math.ceil(m.rows)
    return one
end

function builder:read_places(name)
    return kc.read(self:tensor(self:sent(name), "b t s k"), { scale = self.share })
end

-- The rows of all tokens sorted by expert, as evenly as whole rows allow: builders of one or two parts, whose experts have
-- y rows each.  `reached` experts are read on average, which no whole number is: `scale` makes their bytes so many.
function builder:sorted(m)
    local p = self.p
    local tokens = p.batch * p.seq
    local rows, reached = math.ceil(tokens * m.rows - 1e-9), layers.distinct(m, p)
    local experts = math.min(rows, math.ceil(reached - 1e-9))
    local least = math.floor(rows / experts)
    local more = rows - least * experts
    local parts = {}
    local function part(x, y)
        if x == 0 then return end
        local one = self:with { x = x, y = y, f = m.inner, r = tokens }
        one.tensors, one.scale = {}, math.min(1, reached / experts)
        one.distinct = math.min(tokens, rows) * x * y / rows
        parts[#parts + 1] = one
    end
    part(more, least + 1)
    part(experts - more, least)
    return parts
end

-- The kernels of each part, which `kernels_of` makes of its builder, a launch for those that are alike.
function builder:each_part(list, m, kernels_of)
    local launches = {}
    for _, part in ipairs(self:sorted(m)) do
        for n, kernel in ipairs(kernels_of(part, m)) do
            launches[n] = launches[n] or {}
            table.insert(launches[n], kernel)
        end
    end
    for _, kernels in ipairs(launches) do
        list[#list + 1] = #kernels > 1 and kc.group(kernels[1].name, kernels) or kernels[1]
    end
end

function builder:expert_product(a, name, dims, over, dtype, bias)
    if self.s.activations and kc.dtype(dtype).bits < 16 then a = kc.cast(a, self.s.activations) end
    local c = kc.matmul(a, kc.read(self:tensor("W experts " .. name, dims, dtype), { scale = self.scale }), over)
    if not bias then return c end
    return kc.map("add", c, kc.read(self:tensor("W experts " .. name .. " bias", bias), { scale = self.scale }))
end

-- The rows of this part's experts: as they came, or picked out of all tokens.
function builder:expert_rows()
    if self:sent("rows") ~= "rows" then return self:read(self:sent("rows"), "x y k") end
    return kc.read(self:tensor(self.from, "r k"), "[x y] k", { size = self.size, distinct = self.distinct })
end

function builder:expert(m)
    local x = self:expert_rows()
    local function up(name) return self:expert_product(x, name, "x k f", "k", m.up, m.bias and "x f") end
    local first, h = self:activated(m, "experts ", m.gated and up("gate") or nil, up("up"), "x y f")
    local y = self:expert_product(self:read("experts H", "x y f"), "down", "x f k", "f", m.down, m.bias and "x k")
    local kernels = { first, h }
    kernels[#kernels + 1] = kc.kernel("experts down", { self:write("experts Y", y, nil, "x y k") })
    return kernels
end

-- ---- a layer, and the ends --------------------------------------------------------------------------------------

-- A builder of a step in the layers of a group, or outside of them.
local function sizes(s, p, group)
    local a = group and group.attention
    local size = { b = p.batch, t = p.seq, j = p.cached + p.seq, k = s.hidden, v = s.vocab, p = s.positions }
    if a and a.kind == "heads" then
        size.g, size.h, size.d, size.e = a.kv_heads, a.heads / a.kv_heads, a.head_dim, a.value_dim
    elseif a and a.kind == "latent" then
        size.h, size.d, size.e, size.c, size.r = a.heads, a.head_dim, a.value_dim, a.latent_dim, a.rope_dim
    end
    return setmetatable({ s = s, p = p, size = size, tensors = {}, from = (not group or group.pre) and "normed" or "stream" }, builder)
end

-- The kernels of one layer of the group, in launch order.
function layers.layer(s, p, group)
    local b, list = sizes(s, p, group), {}
    local kind, mlp = group.attention and group.attention.kind, group.mlp
    if kind then
        list[1] = group.pre and b:norm("attention norm", "stream", "normed") or nil
        local mixer = builder[kind] or states[kind]
        mixer(b, group, list)
        if group.post then list[#list + 1] = b:post_norm("attention post norm") end
    end
    if mlp then
        if group.pre and (group.norms > 1 or not kind) then list[#list + 1] = b:norm("mlp norm", "stream", "normed") end
        if mlp.kind == "experts" then b:experts(group, list) else b:dense(group, list, mlp, "") end
        if group.post then list[#list + 1] = b:post_norm("mlp post norm") end
    end
    return list
end

-- Rows of the table of words, and of positions where they are learned.
function layers.embedding(s, p)
    local b = sizes(s, p)
    local token = b:read("token", "b t", "i32")
    local rows = kc.map({ name = "gather", flops = 0 }, b:read("W words", "v k", nil, "[b t] k"), token)
    if s.positions then
        rows = kc.map("add", rows, b:read("W positions", "p k", nil, "[t] k"))
    end
    local list = {}
    b:summed(list, "embedding", rows, "stream")
    return list
end

-- The stream from each stage of a pipeline to the next one.
function layers.sends(s, p)
    local list = {}
    sizes(s, p):comm(list, { "sendrecv", s.ranks.pipeline > 1 and 2 or 1 }, "stream", "b t k", "stream of the next stage")
    return list[1] and { kc.times(list[1], s.ranks.pipeline - 1) } or list
end

-- The last norm and the matmul with the words, of each sequence's last token: which row that is makes no difference to a
-- count, and the first is there at any length.
function layers.head(s, p)
    local b = sizes(s, p)
    local last = p.logits == "all" and "b t k" or "b 0 k"
    local x = b:normed(b:read("stream", "b t k", nil, last), "k", "last norm", s.norm)
    local out = p.logits == "all" and "b t k" or "b k"
    local list = {
        kc.kernel("last norm", { b:write("last", x, nil, out) }),
        kc.kernel("head", { b:write("logits", b:product(b:read("last", out), "head", "k v", "k", s.head)) }),
    }
    local ranks = p.training and 1 or s.ranks.tensor        -- the loss is worked out on the ranks' own words
    b:comm(list, { "allgather", ranks, over = "v" }, "logits", p.logits == "all" and "b t v" or "b v", "logits of all words")
    return list
end

layers.builder = sizes

return layers
