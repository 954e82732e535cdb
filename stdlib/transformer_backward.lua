-- transformer_backward.lua: the kernels of a layer's backward pass.
--
-- The backward pass of a matmul Y = X W is two: dX = dY W^T and dW = X^T dY.  That of attention is five, since the scores are
-- computed again (FlashAttention): 2.5 of the forward pass; those of a latent's positions count with them.  "d X" is the
-- gradient of the tensor X, "gradient W" that of the weights W.  Where tensor ranks share a branch, the gradient of what it
-- reads is a sum over them: an allreduce of [b t k], of the latents where these are what all heads read.  Rows of experts
-- travel as in the forward pass.
local kc = require "kcost"
local layers, states = require "kcost.internal.transformer_layers", require "kcost.internal.transformer_states"

local backward = {}

-- The gradients of a norm, as norm.lua has them; that of its weights is a kernel of its own: its rows are summed up.
--     n    { name, x =, dy =, to =, kind =, rows = "b t", over = "k", onto = a gradient that is added, plain = no weights }
function backward.norm(b, list, n)
    local name, rows, over = n[1], n.rows or "b t", n.over or "k"
    local dims = rows .. " " .. over
    local r, dY, x = b:read("row factor", rows, "f32"), b:read(n.dy, dims), b:read(n.x, dims)
    if n.kind == "layer" then x = kc.map("sub", x, b:read("row mean", rows, "f32")) end
    local y, g = kc.map("mul", x, r), n.plain and dY or kc.map("mul", dY, b:read("W " .. name, over))
    local function mean(of) return kc.map("scale", kc.reduce("sum", of, over)) end
    local dX = kc.map("sub", g, kc.map("mul", y, mean(kc.map("mul", g, y))))
    if n.kind == "layer" then dX = kc.map("sub", dX, mean(g)) end
    dX = kc.map("mul", dX, r)
    if n.onto then dX = kc.map("add", dX, b:read(n.onto, dims)) end
    list[#list + 1] = kc.kernel(name .. " dX", { b:write(n.to, dX, nil, dims) })
    if n.plain then return end
    local written = { b:write("gradient " .. name, kc.reduce("sum", kc.map("mul", dY, y), rows)) }
    if n.kind == "layer" then written[2] = b:write("gradient " .. name .. " bias", kc.reduce("sum", dY, rows)) end
    list[#list + 1] = kc.kernel(name .. " dW", written)
end

-- dX and dW of Y = X W.
--     m    { name, x =, ins =, outs =, dy =, dtype = } with the dims that X and Y have beside tokens; more = { name, dy } of a
--          second matrix of the same X, bias =, onto = a gradient that is added to dX, row = a factor of each row of dY
function backward.product(b, list, m)
    local name, weights = m[1], m.ins .. " " .. m.outs
    local both = { { name, m.dy }, m.more }
    local dx
    for _, one in ipairs(both) do
        dx = kc.matmul(b:read(one[2], "b t " .. m.outs), b:read("W " .. one[1], weights, m.dtype), m.outs, { into = dx })
    end
    if m.onto then dx = kc.map("add", dx, b:read(m.onto, "b t " .. m.ins)) end
    list[#list + 1] = kc.kernel(name .. " dX", { b:write("d " .. m.x, dx, nil, "b t " .. m.ins) })
    local written = {}
    for _, one in ipairs(both) do
        local dY = b:read(one[2], "b t " .. m.outs)
        if m.row then dY = kc.map("mul", dY, b:read(m.row, "b t", "f32")) end
        local dW = kc.matmul(b:read(m.x, "b t " .. m.ins), dY, "b t")
        written[#written + 1] = b:write("gradient " .. one[1], dW, nil, weights)
        if m.bias then written[#written + 1] = b:write("gradient " .. one[1] .. " bias", kc.reduce("sum", dY, "b t")) end
    end
    list[#list + 1] = kc.kernel(name .. " dW", written)
end

-- ---- the MLP and the experts -----------------------------------------------------------------------------------

-- The gradients of the gate and of what goes through it, from that of their product, over these dims.
local function activation_backward(b, names, m, dims)
    local function read(name) return b:read(name, dims) end
    local dH, U = read("d " .. names .. "H"), read(names .. "U")
    if not m.gated then
        return kc.kernel(names .. "activation backward",
            { b:write("d " .. names .. "U", kc.map({ name = "activation", flops = 12, special = 1 }, dH, U), nil, dims) })
    end
    local G = read(names .. "G")
    return kc.kernel(names .. "activation backward", {
        b:write("d " .. names .. "G", kc.map({ name = "gate", flops = 6, special = 2 }, dH, G, U), nil, dims),
        b:write("d " .. names .. "U", kc.map("mul", dH, kc.map(m.act, G)), nil, dims),
    })
end

-- The gradient of a sigmoid that scales a row: from dH before the scaling, since dY . Y = dH . H.
local function gate_backward(b, list)
    local H, dH = b:read("shared H", "b t f"), b:read("d shared H", "b t f")
    local d = kc.map({ name = "sigmoid backward", flops = 3 }, kc.reduce("sum", kc.map("mul", H, dH), "f"),
        b:read("shared gate", "b t", "f32"))
    list[#list + 1] = kc.kernel("shared gate dX", {
        b:write("d shared gate", d, "f32"), b:write("d shared H scaled", kc.map("mul", dH, b:read("shared gate", "b t", "f32"))),
    })
    local dW = kc.map("mul", b:read(b.from, "b t k"), b:read("d shared gate", "b t", "f32"))
    list[#list + 1] = kc.kernel("shared gate dW", { b:write("gradient shared gate", kc.reduce("sum", dW, "b t")) })
end

local function dense_backward(b, list, m, names, dy, onto)
    local one = b:with { f = m.inner }
    local gate = m.shared_gate and "shared gate" or nil
    backward.product(one, list, {
        names .. "down", x = names .. "H", ins = "f", outs = "k", dy = dy, dtype = m.down, bias = m.bias, row = gate,
    })
    if gate then gate_backward(one, list) end
    list[#list + 1] = activation_backward(one, names, m, "b t f")
    local dU = "d " .. names .. "U"
    backward.product(one, list, {
        names .. (m.gated and "gate" or "up"), x = b.from, ins = "k", outs = "f", dy = m.gated and "d " .. names .. "G" or dU,
        more = m.gated and { names .. "up", dU } or nil, dtype = m.up, bias = m.bias, onto = onto,
    })
end

-- Kernels of the experts of one part of the rows, each with its bytes of weights and gradients as of the experts reached.
local function expert_backward(b, m)
    local function weights(name, dims, dtype) return kc.read(b:tensor("W experts " .. name, dims, dtype), { scale = b.scale }) end
    local function gradient(name, value, dims)
        return kc.write("gradient experts " .. name, value, { dtype = b.s.dtype, dims = dims, scale = b.scale })
    end
    local function row(name, dims) return b:read(name, dims) end
    local dY, dU, dG = row(b:sent("d experts Y"), "x y k"), row("d experts U", "x y f"), m.gated and row("d experts G", "x y f") or nil
    local down = { gradient("down", kc.matmul(row("experts H", "x y f"), dY, "y"), "x f k") }
    if m.bias then down[2] = gradient("down bias", kc.reduce("sum", dY, "y"), "x k") end
    local dX, up = nil, {}
    for _, one in ipairs { { "up", dU }, dG and { "gate", dG } or nil } do
        dX = kc.matmul(one[2], weights(one[1], "x k f", m.up), "f", { into = dX })
        up[#up + 1] = gradient(one[1], kc.matmul(b:expert_rows(), one[2], "y"), "x k f")
        if m.bias then up[#up + 1] = gradient(one[1] .. " bias", kc.reduce("sum", one[2], "y"), "x f") end
    end
    return {
        kc.kernel("experts down dX",
            { b:write("d experts H", kc.matmul(dY, weights("down", "x f k", m.down), "k"), nil, "x y f") }),
        kc.kernel("experts down dW", down), activation_backward(b, "experts ", m, "x y f"),
        kc.kernel("experts up dX", { b:write("d rows", dX, nil, "x y k") }), kc.kernel("experts up dW", up),
    }
end

-- From the gradient of the weights that a token gives its experts, through their normalisation and the softmax.
local function router_backward(b, list, m, onto)
    local one = b:with { x = m.experts, s = m.top_k }
    local P = one:read("router P", "b t x")
    local dP = kc.map({ name = "scatter", flops = 0 }, P,
        kc.reduce({ name = "scatter", flops = 0 }, one:read("d routed", "b t s", "f32"), "s"))
    local total = kc.reduce("sum", kc.map("mul", P, dP), "x")
    list[#list + 1] = kc.kernel("softmax backward", { one:write("d router", kc.map("mul", P, kc.map("sub", dP, total))) })
    backward.product(one, list, {
        "router", x = b.from, ins = "k", outs = "x", dy = "d router", dtype = b.s.dtype, bias = m.router_bias, onto = onto,
    })
end

local function experts_backward(b, list, m, dy, onto)
    if m.shared > 0 then
        dense_backward(b, list, layers.shared(m), "shared ", dy, onto)
        onto = "d input"
    end
    local back = b:places(m)
    local d, routed = b:read(dy, "b t k"), back:read("routed", "b t s", "f32")
    local function times(x, y) return kc.map({ name = "mul", flops = back.share }, x, y) end
    local function sum(x, over) return kc.reduce({ name = "sum", flops = back.share }, x, over) end
    list[#list + 1] = kc.kernel("combine backward", {
        kc.write("d experts Y", times(d, routed), { dtype = b.s.dtype, dims = "b t s k", scale = back.share }),
        back:write("d routed", sum(times(d, back:read_places("experts Y")), "k"), "f32"),
    })
    b:travel(list, m, "d experts Y")
    b:each_part(list, m, expert_backward)
    b:travel(list, m, "d rows")
    router_backward(b, list, m, onto)
    local dX = kc.map("add", sum(back:read_places("d rows"), "s"), b:read("d input", "b t k"))
    list[#list + 1] = kc.kernel("rows dX", { b:write("d " .. b.from, dX, nil, "b t k") })
end

-- ---- attention of heads -------------------------------------------------------------------------------------------

-- The gradients of softmax(q k^T) v from the log-sum-exp of each row, as attention.flash_backward has them, untiled: of the
-- scores, out of probabilities that are computed again, and of V.
--     scores    as the forward pass has them, masked; rows: their dims
local function probabilities(b, rows, scores, V)
    local dO = b:read("d O", rows .. " e")
    local function row(name) return b:read(name, rows, "f32") end
    local P = kc.map("exp", kc.map("sub", scores, row("row lse")))
    return P, kc.map("mul", P, kc.map("sub", kc.matmul(dO, V, "e"), row("row sum"))), dO
end

-- The sum over e of dO O, of each row.
local function row_sums(b, rows)
    local O, dO = b:read("O", rows .. " e"), b:read("d O", rows .. " e")
    return kc.kernel("row sums", { b:write("row sum", kc.reduce("sum", kc.map("mul", dO, O), "e"), "f32", rows) })
end

local function core_backward(b, list, a)
    list[#list + 1] = row_sums(b, "b t g h")
    list[#list + 1] = b:each_request("attention backward", a, function(one)
        local q, k, V = one:read("Q", "b t g h d"), one:read("cache K", "b j g d"), one:read("cache V", "b j g e")
        local P, dS, dO = probabilities(one, "b t g h", one:masked(a, kc.matmul(q, k, "d"), "j"), V)
        return kc.kernel("attention backward", {
            one:write("d V", kc.matmul(P, dO, "t h"), nil, "b j g e"), one:write("d K", kc.matmul(dS, q, "t h"), nil, "b j g d"),
            one:write("d Q", kc.matmul(dS, k, "j"), nil, "b t g h d"),
        })
    end)
    if a.sinks then
        list[#list + 1] = kc.kernel("sinks dW", { b:write("gradient sinks", kc.reduce("sum", b:read("row sum", "b t g h", "f32"), "b t")) })
    end
end

-- Through the norms of Q and K, over the sizes of a head or, where these are "all", of all heads.
local function head_norms_backward(b, list, a)
    local whole = a.qk_norm == "all"
    backward.norm(b, list, {
        "q norm", x = "QKV", dy = "d turned", to = "d Q normed", kind = "rms", rows = whole and "b t" or "b t g h",
        over = whole and "g h d" or "d", plain = a.qk_norm == "plain",
    })
    backward.norm(b, list, {
        "k norm", x = "QKV: K", dy = "d turned: K", to = "d K normed", kind = "rms", rows = whole and "b t" or "b t g",
        over = whole and "g d" or "d", plain = a.qk_norm == "plain",
    })
end

local mixers = {}

function mixers.heads(b, list, a, dy, onto)
    local o = b:with { m = a.heads * a.value_dim, n = a.heads * a.head_dim + a.kv_heads * (a.head_dim + a.value_dim) }
    backward.product(o, list, { "out", x = "O", ins = "m", outs = "k", dy = dy, dtype = a.out, bias = a.out_bias })
    core_backward(b, list, a)
    local turned = o:read("d turned", "b t n")
    list[#list + 1] = kc.kernel("rope backward", { o:write("d QKV", a.rope and kc.map("rope", turned) or turned) })
    if a.qk_norm then head_norms_backward(b, list, a) end
    backward.product(o, list, {
        "qkv", x = b.from, ins = "k", outs = "n", dy = "d QKV", dtype = a.qkv, bias = a.qkv_bias, onto = onto,
    })
end

-- ---- attention with a latent --------------------------------------------------------------------------------------

function mixers.latent(b, list, a, dy, onto)
    local wide = a.latent_dim + a.rope_dim
    local rows, all = a.q_rank or a.heads * (a.head_dim + a.rope_dim), a.heads * (a.head_dim + a.rope_dim)
    local o = b:with { m = a.heads * a.value_dim, n = rows + wide, q = rows, i = all }
    backward.product(o, list, { "out", x = "O", ins = "m", outs = "k", dy = dy, dtype = a.out })

    local q, K = b:read(a.q_rank and "Q" or "QC", "b t h d"), b:read("K", "b j h d")
    local Qr, R = b:read("Qr", "b t h r"), b:read("cache R", "b j r")
    local scores = b:masked(a, kc.matmul(Qr, R, "r", { into = kc.matmul(q, K, "d") }), "j")
    list[#list + 1] = row_sums(b, "b t h")
    local P, dS, dO = probabilities(b, "b t h", scores, b:read("V", "b j h e"))
    list[#list + 1] = kc.kernel("attention backward", {
        b:write("d V", kc.matmul(P, dO, "t"), nil, "b j h e"), b:write("d K", kc.matmul(dS, q, "t"), nil, "b j h d"),
        b:write("d R", kc.matmul(dS, Qr, "t h"), nil, "b j r"), b:write("d Q", kc.matmul(dS, K, "j"), nil, "b t h d"),
        b:write("d Qr", kc.matmul(dS, R, "j"), nil, "b t h r"),
    })

    local C, dK, dV = b:read("cache C", "b j c"), b:read("d K", "b j h d"), b:read("d V", "b j h e")
    local dC = kc.matmul(dK, b:read("W k_b", "h d c", a.kv_b), "h d")
    dC = kc.matmul(dV, b:read("W v_b", "h c e", a.kv_b), "h e", { into = dC })
    list[#list + 1] = kc.kernel("keys and values dX", { b:write("d C", dC, nil, "b j c") })
    list[#list + 1] = kc.kernel("keys and values dW", {
        b:write("gradient k_b", kc.matmul(dK, C, "b j"), nil, "h d c"), b:write("gradient v_b", kc.matmul(C, dV, "b j"), nil, "h c e"),
    })
    list[#list + 1] = kc.kernel("rope backward", {
        b:write("d Q: position", kc.map("rope", b:read("d Qr", "b t h r")), nil, "b t h r"),
        b:write("d QC: R", kc.map("rope", b:read("d R", "b t r")), nil, "b t r"),
    })
    if a.q_rank then
        backward.product(o, list, { "q", x = "Qa", ins = "q", outs = "i", dy = "d Q", dtype = a.qkv })
        backward.norm(o, list, { "q norm", x = "QC", dy = "d Qa", to = "d QC", kind = "rms", over = "q" })
    end
    backward.norm(o, list, { "latent norm", x = "QC: C", dy = "d C", to = "d QC: C", kind = "rms", over = "c" })
    if a.q_rank then o:comm(list, { "allreduce", b.s.ranks.tensor }, "d QC", "b t n", "d QC of all") end
    backward.product(o, list, { "down", x = b.from, ins = "k", outs = "n", dy = "d QC", dtype = a.qkv, onto = onto })
end

-- ---- a state-space layer -------------------------------------------------------------------------------------------

-- Through O = norm(Y silu(Z)).
local function gated_norm_backward(b, list)
    local function read(name) return b:read(name, "b t m") end
    local Y, Z, dO, r = read("Y"), read("ZXBC: Z"), read("d O"), b:read("row factor", "b t", "f32")
    local n = kc.map("mul", kc.map("mul", Y, kc.map("silu", Z)), r)
    local g = kc.map("mul", dO, b:read("W gated norm", "m"))
    local mean = kc.map("scale", kc.reduce("sum", kc.map("mul", g, n), "m"))
    local d = kc.map("mul", kc.map("sub", g, kc.map("mul", n, mean)), r)
    list[#list + 1] = kc.kernel("gated norm dX", {
        b:write("d Y", kc.map("mul", d, kc.map("silu", Z)), nil, "b t m"),
        b:write("d ZXBC: Z", kc.map({ name = "gate", flops = 6, special = 2 }, d, Y, Z), nil, "b t m"),
    })
    list[#list + 1] = kc.kernel("gated norm dW", { b:write("gradient gated norm", kc.reduce("sum", kc.map("mul", dO, n), "b t")) })
end

-- Through silu(sum of taps by weights): what the sum was is computed again.
local function conv_backward(b, list, a)
    local taps = b:read("ZXBC: X, B, C", "b z u", nil, "b t+q u")
    local before = b:bias(kc.reduce("sum", kc.map("mul", taps, b:read("W conv", "u q")), "q"), "conv", "u", a.conv_bias)
    list[#list + 1] = kc.kernel("silu backward", {
        b:write("d conv", kc.map({ name = "silu backward", flops = 5, special = 2 }, before, b:read("d XBC", "b t u")), nil, "b t u"),
    })
    local later = kc.map("mul", b:read("d conv", "b z u", nil, "b t+q u"), b:read("W conv", "u q"))
    list[#list + 1] = kc.kernel("conv dX", { b:write("d ZXBC: X, B, C", kc.reduce("sum", later, "q"), nil, "b t u") })
    local dW = kc.map("mul", taps, b:read("d conv", "b t u"))
    local written = { b:write("gradient conv", kc.reduce("sum", dW, "b t"), nil, "u q") }
    if a.conv_bias then written[2] = b:write("gradient conv bias", kc.reduce("sum", b:read("d conv", "b t u"), "b t")) end
    list[#list + 1] = kc.kernel("conv dW", written)
end

-- Gradients of each head's A, D and bias of dt: sums over tokens of what the scan's backward pass says of each.
local function heads_backward(b, list)
    local d = b:read("d dA", "b t h", "f32")
    list[#list + 1] = kc.kernel("heads dW", {
        b:write("gradient A", kc.reduce("sum", d, "b t")), b:write("gradient D", kc.reduce("sum", d, "b t")),
        b:write("gradient dt bias", kc.reduce("sum", d, "b t")),
    })
end

function mixers.state(b, list, a, dy, onto)
    local one = states.state_sizes(b, a)
    backward.product(one, list, { "out", x = "O", ins = "m", outs = "k", dy = dy, dtype = a.out, bias = a.proj_bias })
    gated_norm_backward(one, list)
    list[#list + 1] = kc.lib.scan.ssd_backward(states.ssd_sizes(b, a))
    heads_backward(one, list)
    conv_backward(one, list, a)
    backward.product(one, list, {
        "in", x = b.from, ins = "k", outs = "n", dy = "d ZXBC", dtype = a.qkv, bias = a.proj_bias, onto = onto,
    })
end

-- ---- a layer ----------------------------------------------------------------------------------------------------------

-- From the gradient of a branch's end to that of the stream before it: through the norm behind it, `inside`, the sum over ranks
-- and the norm before it.
--     branch    "attention" or "mlp"; first: the name of a gradient that this one joins, or nothing
local function branch_backward(b, list, s, group, branch, inside)
    local dy = "d stream"
    if group.post then
        dy = "d branch"
        backward.norm(b, list, { branch .. " post norm", x = "branch", dy = "d stream", to = dy, kind = s.norm })
    end
    inside(dy, not group.pre and "d stream: before" or nil)
end

local function input_backward(b, list, s, group, branch)
    local a = branch == "attention" and group.attention
    if not (a and a.q_rank) then
        b:comm(list, { "allreduce", s.ranks.tensor }, "d " .. b.from, "b t k", "d " .. b.from .. " of all")
    end
    if not group.pre then return end
    backward.norm(b, list, {
        branch .. " norm", x = "stream", dy = "d normed", to = "d stream", kind = s.norm, onto = "d stream: before",
    })
end

-- What the backward pass computes again of a layer's mixer: what is behind its matmuls by weights.
local function core_again(b, a)
    if a.kind == "state" then return kc.lib.scan.ssd(states.ssd_sizes(b, a)) end
    return a.kind == "latent" and b:latent_heads(a) or b:each_request("attention", a, function(one) return one:attention_core(a) end)
end

-- The kernels of a layer's backward pass; what the forward pass dropped is computed again first.
function backward.layer(s, p, group)
    local b, list = layers.builder(s, p, group), {}
    local a, m = group.attention, group.mlp
    if p.recompute == "full" then
        list = layers.layer(s, p, group)
    elseif p.recompute == "selective" and a then
        list[1] = core_again(b, a)
    end
    local one_norm = a and m and group.norms == 1               -- for both branches, which are parallel
    if m then
        branch_backward(b, list, s, group, "mlp", function(dy, onto)
            if m.kind == "experts" then experts_backward(b, list, m, dy, onto) else dense_backward(b, list, m, "", dy, onto) end
        end)
        if not one_norm then input_backward(b, list, s, group, "mlp") end
    end
    if a then
        branch_backward(b, list, s, group, "attention", function(dy, onto)
            mixers[a.kind](b, list, a, dy, one_norm and "d input" or onto)
        end)
        input_backward(b, list, s, group, "attention")
    end
    return list
end

-- Has a layer a backward pass here?
function backward.knows(group)
    local a = group.attention
    return not a or mixers[a.kind] ~= nil and not a.gate
end

return backward
