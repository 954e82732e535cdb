-- transformer_stored.lua: what a model (transformer.lua) stores and keeps: the shape of one rank, its parameters, what a layer
-- keeps of a token and of a sequence.
local kc = require "kcost"
local parameters, layers = kc.lib.parameters, require "kcost.internal.transformer_layers"
local merge = parameters.merge

local stored = {}

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

-- The shape of one rank: heads, inner features, experts and words that it has of `s`.
--     o    the options of a model
function stored.rank(s, o)
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

-- ---- parameters ----------------------------------------------------------------------------------------

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

-- Of all, of a layer of each group (`layers`), and of what stands before and behind these (`ends`).
function stored.parameters(s)
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

-- Matrix elements that a step of so many tokens reads of a layer of the group, which has `one` of them: active ones, and of
-- experts as many as are reached.
function stored.touched(s, group, one, tokens, distinct)
    local m = group.mlp
    if not (m and m.kind == "experts") then return one.active end
    local reached = layers.distinct(m, { batch = tokens, seq = 1, distinct = distinct })
    return one.active + (m.gated and 3 or 2) * s.hidden * m.inner * (reached - m.rows)
end

-- ---- cache -----------------------------------------------------------------------------------------------------------

-- Elements that a layer of this mixer keeps of a token.
function stored.of_token(a)
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

-- Has the layer a state?
function stored.has_state(a)
    return a ~= nil and states[a.kind] ~= nil
end

-- Bytes that a layer keeps of a sequence: the state in f32, and the taps.
function stored.of_sequence(s, a)
    if not stored.has_state(a) then return 0 end
    local elements, channels = states[a.kind](a)
    return elements * 4 + channels * (a.conv - 1) * kc.dtype(s.dtype).bits / 8
end

-- Slots of a layer's cache for a sequence of so many tokens: windows and chunks kept, whole pages.
function stored.slots(a, tokens, page)
    local most = a and (a.window or a.kind == "heads" and a.chunk)
    return math.ceil(math.min(tokens, most or tokens) / page) * page
end

return stored
