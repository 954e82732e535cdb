-- transformer_training.lua: a step of training: forward, backward, optimizer; what it takes in time and memory.
--
-- The backward pass of a matmul Y = X W is two: dX = dY W^T and dW = X^T dY.  That of attention is five, since the scores are
-- computed again (FlashAttention): 2.5 of the forward pass.  Counted as a model's work, where nothing is done twice, backward
-- is twice forward: model FLOP; what the kernels do is hardware FLOP.  Both are of matmuls alone.
-- For layers of heads with a dense MLP between two norms; others are refused.
local kc = require "kcost"
local parameters, layers = kc.lib.parameters, kc.lib.transformer_layers
local take, size, one_of = parameters.take, parameters.size, parameters.one_of

local training = {}

local modes = { "none", "selective", "full" }

local function checked(call, model, p, more)
    local declared = parameters.merge({ seq = size, batch = 1, recompute = "none" }, more)
    p = take(call, p, declared)
    one_of(call, "recompute", p.recompute, modes)
    for _, group in ipairs(model.rank.groups) do
        local a, m = group.attention, group.mlp
        if not (a and a.kind == "heads" and not a.qk_norm and m and m.kind == "dense" and group.norms == 2 and not group.post) then
            error(call .. ": the layers of " .. model.name .. " have no backward pass here: only heads, two norms and a dense MLP do")
        end
    end
    return p
end

-- dX and dW of Y = X W; `ins` and `outs` are the dims that X and Y have beside tokens.  With `more`, { name, gradient }, a
-- second matrix of the same X.
local function backward(b, list, x, name, ins, outs, dy, dtype, more, bias)
    local function gradient(of) return b:read(of, "b t " .. outs) end
    local weights = ins .. " " .. outs
    local dx = kc.matmul(gradient(dy), b:read("W " .. name, weights, dtype), outs)
    if more then dx = kc.matmul(gradient(more[2]), b:read("W " .. more[1], weights, dtype), outs, { into = dx }) end
    list[#list + 1] = kc.kernel(name .. " dX", { b:write("d " .. x, dx, nil, "b t " .. ins) })
    local written = {}
    for _, one in ipairs { { name, dy }, more } do
        local dw = kc.matmul(b:read(x, "b t " .. ins), gradient(one[2]), "b t")
        written[#written + 1] = b:write("gradient " .. one[1], dw, nil, weights)
        if bias then
            written[#written + 1] = b:write("gradient " .. one[1] .. " bias", kc.reduce("sum", gradient(one[2]), "b t"))
        end
    end
    list[#list + 1] = kc.kernel(name .. " dW", written)
end

-- The gradient of a norm, as norm.lua has it, added to the stream's; and that of its weights, a kernel of its own: its rows
-- are summed up over tokens.
local function norm_backward(b, list, kind)
    local r, dY, x = b:read("row factor", "b t", "f32"), b:read("d normed", "b t k"), b:read("stream", "b t k")
    if kind == "layer" then x = kc.map("sub", x, b:read("row mean", "b t", "f32")) end
    local n, g = kc.map("mul", x, r), kc.map("mul", dY, b:read("W norm", "k"))
    local function mean(of) return kc.map("scale", kc.reduce("sum", of, "k")) end
    local dX = kc.map("sub", g, kc.map("mul", n, mean(kc.map("mul", g, n))))
    if kind == "layer" then dX = kc.map("sub", dX, mean(g)) end
    dX = kc.map("add", kc.map("mul", dX, r), b:read("d residual", "b t k"))
    list[#list + 1] = kc.kernel("norm dX", { b:write("d stream", dX, nil, "b t k") })
    local written = { b:write("gradient norm", kc.reduce("sum", kc.map("mul", dY, n), "b t")) }
    if kind == "layer" then written[2] = b:write("gradient norm bias", kc.reduce("sum", dY, "b t")) end
    list[#list + 1] = kc.kernel("norm dW", written)
end

local function mlp_backward(b, list, m)
    local one = b:with { f = m.inner }
    backward(one, list, "H", "down", "f", "k", "d stream", m.down, nil, m.bias)
    local dH, U = one:read("d H", "b t f"), one:read("U", "b t f")
    if m.gated then
        local G = one:read("G", "b t f")
        list[#list + 1] = kc.kernel("activation backward", {
            one:write("d G", kc.map({ name = "gate", flops = 6, special = 2 }, dH, G, U)),
            one:write("d U", kc.map("mul", dH, kc.map(m.act, G))),
        })
        backward(one, list, "normed", "gate", "k", "f", "d G", m.up, { "up", "d U" }, m.bias)
    else
        list[#list + 1] = kc.kernel("activation backward",
            { one:write("d U", kc.map({ name = "activation", flops = 12, special = 1 }, dH, U)) })
        backward(one, list, "normed", "up", "k", "f", "d U", m.up, nil, m.bias)
    end
end

-- The gradients of attention from the log-sum-exp of each row, as attention.flash_backward has them, untiled.
local function core_backward(b, list, a)
    local O, dO = b:read("O", "b t g h e"), b:read("d O", "b t g h e")
    list[#list + 1] = kc.kernel("row sums", { b:write("row sum", kc.reduce("sum", kc.map("mul", dO, O), "e"), "f32", "b t g h") })
    local q, k = b:read("Q", "b t g h d"), b:read("cache K", "b j g d")
    local function masked(scores)
        scores = kc.causal(scores, "t", "j")
        return a.window and a.window < b.p.seq and kc.mask(scores, "t", "j", { lo = 1 - a.window }) or scores
    end
    local function row(name) return b:read(name, "b t g h", "f32") end
    local P = kc.map("exp", kc.map("sub", masked(kc.matmul(q, k, "d")), row("row lse")))
    local dP = kc.matmul(dO, b:read("cache V", "b j g e"), "e")
    local dS = kc.map("mul", P, kc.map("sub", dP, row("row sum")))
    list[#list + 1] = kc.kernel("attention backward", {
        b:write("d V", kc.matmul(P, dO, "t h"), nil, "b j g e"), b:write("d K", kc.matmul(dS, q, "t h"), nil, "b j g d"),
        b:write("d Q", kc.matmul(dS, k, "j"), nil, "b t g h d"),
    })
end

local function attention_backward(b, list, a)
    local o = b:with { m = a.heads * a.value_dim, n = (a.heads + 2 * a.kv_heads) * a.head_dim }
    backward(o, list, "O", "out", "m", "k", "d stream", a.out, nil, a.out_bias)
    core_backward(b, list, a)
    local turned = o:read("d turned", "b t n")
    list[#list + 1] = kc.kernel("rope backward", { o:write("d QKV", a.rope and kc.map("rope", turned) or turned) })
    backward(o, list, "normed", "qkv", "k", "n", "d QKV", a.qkv, nil, a.qkv_bias)
end

-- The kernels of a layer's backward pass; what the forward pass dropped is computed again first.
local function layer_backward(s, p, group)
    local b, list = layers.builder(s, p, group), {}
    if p.recompute == "full" then
        list = layers.layer(s, p, group)
    elseif p.recompute == "selective" then
        list[1] = b:attention_core(group.attention)
    end
    mlp_backward(b, list, group.mlp)
    norm_backward(b, list, s.norm)
    attention_backward(b, list, group.attention)
    norm_backward(b, list, s.norm)
    return list
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

-- A program of one step on one rank.
--     seq        tokens of a sequence, required
--     batch      sequences: 1
--     recompute  what the backward pass computes again, to keep less: "none"; "selective": the core of attention; "full": the
--                forward pass of each layer (Korthikanti et al., arXiv 2205.05198): "none"
-- Gradients have the model's dtype.
function training.step(model, p)
    p = checked("transformer.train_step", model, p)
    local s = model.rank
    p.cached, p.kv_dtype, p.training, p.logits = 0, s.dtype, true, "all"
    local forward, back = { layers.embedding(s, p) }, {}
    for n, group in ipairs(s.groups) do
        forward[n + 1] = kc.times(kc.program("layer", layers.layer(s, p, group)), group.count)
        back[#s.groups + 1 - n] = kc.times(kc.program("layer backward", layer_backward(s, p, group)), group.count)
    end
    local rows, b, ends = p.batch * p.seq, layers.builder(s, p), layers.head(s, p)
    for _, kernel in ipairs(ends) do forward[#forward + 1] = kernel end
    forward[#forward + 1] = kc.lib.softmax.cross_entropy { m = rows, n = s.vocab, dtype = s.dtype }
    local d = kc.map({ name = "softmax backward", flops = 3, special = 1 }, b:read("logits", "b t v"), b:read("lse", "b t", "f32"))
    local head = { kc.kernel("loss backward", { b:write("d logits", d) }) }
    backward(b, head, "last", "head", "k", "v", "d logits", s.head)
    norm_backward(b, head, s.norm)
    local parts = { kc.program("forward", forward), kc.program("head backward", head) }
    for _, layer in ipairs(back) do parts[#parts + 1] = layer end
    parts[#parts + 1] = kc.lib.embedding.backward { tokens = rows, vocab = s.vocab, hidden = s.hidden, dtype = s.dtype }
    parts[#parts + 1] = optimizer(s, model.parameters.stored)
    return kc.program(model.name .. " training step", parts)
end

-- Elements that the backward pass of a layer reads of a token, kept by the forward pass.
local function kept(s, group, recompute)
    local a, m = group.attention, group.mlp
    if recompute == "full" then return s.hidden end
    local q = a.heads * a.head_dim
    local qkv = q + 2 * a.kv_heads * a.head_dim
    local all = 4 * s.hidden                              -- the stream and the norm, twice
        + qkv + (a.rope and q or 0) + q                   -- before and after the rope, K and V in place; O
        + (m.gated and 3 or 2) * m.inner
    return recompute == "selective" and all - q or all
end

-- Byte that a step holds: weights, gradients and optimizer (12 byte a parameter: two moments and master weights) of one rank,
-- and activations between the passes: of all layers, of one in full where layers are computed again, and the logits.
local function memory(model, p)
    local s, tokens = model.rank, p.batch * p.seq
    local bytes, elements, most = kc.dtype(s.dtype).bits / 8, 0, 0
    for _, group in ipairs(s.groups) do
        elements = elements + group.count * kept(s, group, p.recompute)
        most = math.max(most, kept(s, group, "none"))
    end
    if p.recompute == "full" then elements = elements + most end
    local m = {
        weights = model.parameters.bytes, gradients = bytes * model.parameters.stored, optimizer = 12 * model.parameters.stored,
        activations = bytes * tokens * (elements + 2 * s.vocab),
    }
    m.total = m.weights + m.gradients + m.optimizer + m.activations
    return m
end

-- What a step takes on a device.
--     device    a device or its name, required
--     seq, batch, recompute    as of `step`
--     best      each kernel in the fastest schedule that a tuned library would try: true
--     options   those of kc.evaluate: none
-- Gives time, tokens_per_second (of all replicas), model_flops and hardware_flops of matmuls, mfu and hfu (both over time and
-- the dense peak of the model's dtype), memory by what it is for, and result, kernel by kernel.
function training.train(model, p)
    p = checked("transformer.train", model, p, {
        device = parameters.required, best = true, options = parameters.optional_table,
    })
    local shape = { seq = p.seq, batch = p.batch, recompute = p.recompute }
    local device, program = kc.device(p.device), training.step(model, shape)
    local result = p.best and kc.best(program, device, nil, p.options) or kc.evaluate(program, device, p.options)
    local forward = kc.count(model:prefill { seq = p.seq, batch = p.batch, logits = "all" }).matrix_flops
    local peak = device.matrix and (device.matrix[model.shape.dtype] or device.matrix.f16)
    local function of_peak(flops) return peak and flops / result.time / peak end
    return {
        time = result.time, tokens_per_second = p.batch * p.seq / result.time * model.options.data, model_flops = 3 * forward,
        hardware_flops = result.matrix_flops, mfu = of_peak(3 * forward), hfu = of_peak(result.matrix_flops),
        memory = memory(model, shape), result = result,
    }
end

return training
