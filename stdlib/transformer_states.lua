-- transformer_states.lua: the kernels of layers that keep a state in place of keys and values; scan.lua has the formulas.
--
-- Each takes a builder (transformer_layers.lua), the group and the list of kernels that it adds to.  The state, in f32, and the
-- last taps of the convolution lie in the cache between steps; one new token is a step from state to state, several are done in
-- whole chunks.  Dims beside those of a layer: u channels of the convolution of q taps over z tokens, m what comes out of all
-- heads; in the state p or e features of a head by e or d; r rank of dt, w dt, B and C together.
local kc = require "kcost"
local states = {}

-- silu(sum of taps by weights) of channels u: of the rows `from` that came before, or of those in the cache.
local function convolution(b, list, from, bias)
    local decode = b.p.seq == 1
    local taps = b:read(decode and "cache taps" or from, "b z u", nil, "b t+q u")
    local x = b:bias(kc.reduce("sum", kc.map("mul", taps, b:read("W conv", "u q")), "q"), "conv", "u", bias)
    local made = { b:write("XBC", kc.map("silu", x), nil, "b t u") }
    if decode then made[2] = b:write("cache taps: new", b:read(from, "b t u"), nil, "b t u") end
    list[#list + 1] = kc.kernel("conv", made)
end

-- Whole chunks of the new tokens.
local function chunks(p, chunk) return math.ceil(p.seq / chunk) * chunk end

-- ---- Mamba-2 -------------------------------------------------------------------------------------------------------

-- The builder with the sizes of such a layer.
function states.state_sizes(b, a)
    local width = a.heads * a.head_dim
    local u = width + 2 * a.groups * a.state
    return b:with { n = width + u + a.heads, u = u, q = a.conv, z = b.p.seq + a.conv - 1, m = width,
        h = a.heads, p = a.head_dim, g = a.groups, e = a.state }
end

-- The parameters of scan.ssd.
function states.ssd_sizes(b, a)
    return {
        batch = b.p.batch, seq = chunks(b.p, a.chunk), heads = a.heads, head_dim = a.head_dim, state = a.state, chunk = a.chunk,
        dtype = b.s.dtype,
    }
end

-- H = exp(dt A) H + dt B x, y = C H + D x of one token.
local function state_step(b)
    local function head(name) return b:read("W " .. name, "h") end
    local dt = kc.map("exp", kc.map("add", b:read("ZXBC: dt", "b t h"), head("dt bias")))
    local x = b:read("XBC", "b t h p")
    local kept = kc.map("mul", b:read("cache H", "b h p e", "f32"), kc.map("exp", kc.map("mul", dt, head("A"))))
    local B, C = b:read("XBC: B", "b t g e"), b:read("XBC: C", "b t g e")
    local in_group = kc.reduce({ name = "group", flops = 0 }, B, "g")
    local of_group = kc.reduce({ name = "group", flops = 0 }, C, "g")
    local state = kc.map("add", kept, kc.map("mul", in_group, kc.map("mul", x, dt)))
    local y = kc.map("add", kc.reduce("sum", kc.map("mul", state, of_group), "e"), kc.map("mul", x, head("D")))
    return kc.kernel("state step", {
        b:write("cache H: new", state, "f32", "b t h p e"), b:write("Y", y, nil, "b t h p"),
    })
end

-- in, the convolution, the chunks or a step, the gate behind them with its norm, out.
function states.state(b, group, list)
    local a, one = group.attention, states.state_sizes(b, group.attention)
    local y = one:product(b:input(), "in", "k n", "k", a.qkv)
    list[#list + 1] = kc.kernel("in", { one:write("ZXBC", one:bias(y, "in", "n", a.proj_bias), nil, "b t n") })
    convolution(one, list, "ZXBC: X, B, C", a.conv_bias)
    list[#list + 1] = b.p.seq == 1 and state_step(one) or kc.lib.scan.ssd(states.ssd_sizes(b, a))
    local gated = kc.map("mul", one:read("Y", "b t m"), kc.map("silu", one:read("ZXBC: Z", "b t m")))
    list[#list + 1] = kc.kernel("gated norm", { one:write("O", one:normed(gated, "m", "gated norm", "rms")) })
    local out = one:product(one:read("O", "b t m"), "out", "m k", "m", a.out)
    b:onto(list, group, one:bias(out, "out", "k", a.proj_bias), "out")
end

-- ---- Mamba ---------------------------------------------------------------------------------------------------------

-- dt, B and C out of what the convolution made, each behind a norm where the layer has these; all heads of a rank have their
-- own channels, so the ranks add up what they read of them.
local function selection(b, list, a)
    local ranks = b.s.ranks.tensor
    local made = ranks > 1 and "partial dt B C" or "dt B C"
    list[#list + 1] = kc.kernel("x", { b:write(made, b:product(b:read("XBC", "b t u"), "x", "u w", "u", a.qkv), nil, "b t w") })
    b:comm(list, { "allreduce", ranks }, made, "b t w", "dt B C")
    local function part(name, dim)
        local x = b:read(name, "b t " .. dim)
        return a.norms and b:normed(x, dim, name .. " norm", "rms") or x
    end
    local dt = kc.map("add", b:product(part("dt B C", "r"), "dt", "r u", "r", a.qkv), b:read("W dt bias", "u"))
    list[#list + 1] = kc.kernel("dt", {
        b:write("dt", kc.map({ name = "softplus", flops = 1, special = 2 }, dt), nil, "b t u"),
        b:write("B", part("dt B C: B", "e"), nil, "b t e"), b:write("C", part("dt B C: C", "e"), nil, "b t e"),
    })
end

-- H = exp(dt A) H + dt B x, y = C H + D x, times silu(z), of one token or one after another.
local function selective_scan(b)
    local decode = b.p.seq == 1
    local dt, x = b:read("dt", "b t u"), b:read("XBC", "b t u")
    local decay = kc.map("exp", kc.map("mul", dt, b:read("W A", "u e", "f32")))
    local input = kc.map("mul", kc.map("mul", dt, b:read("B", "b t e")), x)
    local state
    if decode then
        state = kc.map("add", kc.map("mul", b:read("cache H", "b u e", "f32"), decay), input)
    else
        state = kc.scan({ name = "recurrence", flops = 2 }, kc.map({ name = "pair", flops = 0 }, decay, input), "t")
    end
    local y = kc.reduce("sum", kc.map("mul", state, b:read("C", "b t e")), "e")
    y = kc.map("add", y, kc.map("mul", x, b:read("W D", "u")))
    y = kc.map("mul", y, kc.map("silu", b:read("XZ: Z", "b t u")))
    return kc.kernel(decode and "state step" or "selective scan", {
        b:write("O", y, nil, "b t u"), decode and b:write("cache H: new", state, "f32", "b t u e") or nil,
    })
end

-- in, the convolution, dt with B and C, the scan or a step with its gate, out.
function states.selective(b, group, list)
    local a = group.attention
    local one = b:with { n = 2 * a.inner, u = a.inner, q = a.conv, z = b.p.seq + a.conv - 1, r = a.rank, e = a.state,
        w = a.rank + 2 * a.state }
    local y = one:product(b:input(), "in", "k n", "k", a.qkv)
    list[#list + 1] = kc.kernel("in", { one:write("XZ", one:bias(y, "in", "n", a.proj_bias), nil, "b t n") })
    convolution(one, list, "XZ: X", a.conv_bias)
    selection(one, list, a)
    list[#list + 1] = selective_scan(one)
    local out = one:product(one:read("O", "b t u"), "out", "u k", "u", a.out)
    b:onto(list, group, one:bias(out, "out", "k", a.proj_bias), "out")
end

-- ---- gated delta rule ------------------------------------------------------------------------------------------------

-- Of each head the rate of the rule and the decay of the state, out of one row of figures each.
local function gates(b)
    local beta = kc.map("sigmoid", b:read("QKVZ: b", "b t g h"))
    local step = kc.map("add", b:read("QKVZ: a", "b t g h"), b:read("W dt bias", "g h"))
    return beta, kc.map({ name = "softplus", flops = 2, special = 3 }, step, b:read("W A", "g h"))
end

-- Q and K of length 1, and the gates, for the chunks.
local function delta_inputs(b)
    local beta, decay = gates(b)
    local function unit(name) return b:normed(b:read(name, "b t g d"), "d", nil, "rms") end
    return kc.kernel("gates", {
        b:write("Q", unit("XBC"), nil, "b t g d"), b:write("K", unit("XBC: K"), nil, "b t g d"),
        b:write("beta", beta, "f32", "b t g h"), b:write("g", decay, "f32", "b t g h"),
    })
end

-- H = exp(g) H, H = H + k beta (v - k H), y = q H of one token.
local function delta_step(b)
    local beta, decay = gates(b)
    local function unit(name) return b:normed(b:read(name, "b t g d"), "d", nil, "rms") end
    local kept, k = kc.map("mul", b:read("cache H", "b g h d e", "f32"), kc.map("exp", decay)), unit("XBC: K")
    local found = kc.reduce("sum", kc.map("mul", kept, k), "d")
    local delta = kc.map("mul", kc.map("sub", b:read("XBC: V", "b t g h e"), found), beta)
    local state = kc.map("add", kept, kc.map("mul", k, delta))
    local y = kc.reduce("sum", kc.map("mul", state, unit("XBC")), "d")
    return kc.kernel("state step", {
        b:write("cache H: new", state, "f32", "b t g h d e"), b:write("Y", y, nil, "b t g h e"),
    })
end

-- in, the convolution, the gates and the chunks or a step, the norm of each head with its gate, out.
function states.delta(b, group, list)
    local a, p = group.attention, b.p
    local values = a.heads * a.value_dim
    local u = 2 * a.key_heads * a.key_dim + values
    local one = b:with { n = u + values + 2 * a.heads, u = u, q = a.conv, z = p.seq + a.conv - 1, m = values,
        g = a.key_heads, h = a.heads / a.key_heads, d = a.key_dim, e = a.value_dim }
    list[#list + 1] = kc.kernel("in", { one:write("QKVZ", one:product(b:input(), "in", "k n", "k", a.qkv), nil, "b t n") })
    convolution(one, list, "QKVZ: Q, K, V", false)
    if p.seq == 1 then
        list[#list + 1] = delta_step(one)
    else
        list[#list + 1] = delta_inputs(one)
        list[#list + 1] = kc.lib.scan.gated_delta {
            batch = p.batch, seq = chunks(p, a.chunk), heads = a.heads, key_heads = a.key_heads, state = a.key_dim,
            head_dim = a.value_dim, chunk = a.chunk, dtype = b.s.dtype,
        }
    end
    local y = one:normed(one:read("Y", "b t g h e"), "e", "gated norm", "rms")
    y = kc.map("mul", y, kc.map("silu", one:read("QKVZ: Z", "b t g h e")))
    list[#list + 1] = kc.kernel("gated norm", { one:write("O", y, nil, "b t g h e") })
    b:onto(list, group, one:product(one:read("O", "b t m"), "out", "m k", "m", a.out), "out")
end

return states
