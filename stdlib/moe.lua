-- moe.lua: a mixture of experts: a router picks top_k of the experts for each token, and their outputs add up.
--
--     G = softmax(X Wr)     O[t] = sum over the top_k experts x of G[t,x] E_x(X[t])
--     E(x) = (silu(x Wg) * (x Wu)) Wd
--
-- Dims: t tokens, x experts, s the places of a token's experts, k features, f inner features; sizes in elements.
-- Parameters of every function here:
--     tokens, experts, top_k, hidden    sizes, required
--     dtype                             of all activations: "bf16"
local kc = require "kcost"
local take, merge, size, optional = kc.lib.parameters.take, kc.lib.parameters.merge, kc.lib.parameters.size,
    kc.lib.parameters.optional

local moe = {}

local function taken(call, p, more)
    p = take(call, p, merge({ tokens = size, experts = size, top_k = size, dtype = "bf16" }, more))
    if p.top_k > p.experts then error(call .. ": top_k: is more than experts") end
    p.size = { t = p.tokens, x = p.experts, s = p.top_k, k = p.hidden, f = p.inner, n = p.hidden }
    return p
end

local function read(p, name, dims, dtype)
    return kc.read(kc.tensor(name, dims, dtype or p.dtype, p.size))
end

-- How many different experts the tokens reach, on average, if the router spreads them evenly:
--     experts (1 - (1 - top_k / experts)^tokens)
-- It has no hidden and dtype.
function moe.distinct(p)
    p = taken("moe.distinct", p)
    return p.experts * (1 - (1 - p.top_k / p.experts) ^ p.tokens)
end

-- The router, one untiled kernel: weights and numbers of the experts of each token.
-- Useful work: 2 tokens hidden experts FLOP in the matmul; 5 FLOP (softmax 4, top-k 1) and 1 exp for each token and
-- expert, 1 reciprocal a token; 2 FLOP and 1 reciprocal for each weight (sum, quotient).  Compulsory traffic: X,
-- Wr, and a weight and an i32 number for each token and place.
function moe.route(p)
    p = taken("moe.route", p, { hidden = size })
    local gate = kc.softmax(kc.matmul(read(p, "X", "t k"), read(p, "Wr", "k x"), "k"), "x")
    local top = kc.reduce("topk", gate, "x", { size = { s = p.top_k } })
    local weight = kc.map("div", top, kc.reduce("sum", top, "s"))
    local number = kc.cast(kc.map({ name = "index", flops = 0 }, top), "i32")
    return kc.kernel("router", { kc.write("weight", weight, "f32"), kc.write("expert", number, "i32") })
end

-- What the experts of `p` are: their weights' dtype, and how many matrices each has.
local expert = { hidden = size, inner = size, gated = true, weights = { "dtype" } }

local function activated(p, product)
    if not p.gated then return kc.map("gelu", product("Wu")) end
    return kc.map("mul", kc.map("silu", product("Wg")), product("Wu"))
end

-- The experts, a program of two untiled kernels (up; down with the weighted sum).
--     inner     features between the two, required
--     gated     three matrices and silu; false: two and gelu: true
--     weights   dtype of the matrices: dtype
--     distinct  experts that are read: what moe.distinct says, on average; experts is "all of them"
-- Useful work, with r = tokens top_k: 2 r hidden inner FLOP a matrix; 3 FLOP and 2 special ops (gelu: 8 and 1) an
-- element between; 2 r hidden to add up.  Compulsory traffic: X, O, the weights' routing and what is between once,
-- and the matrices of the distinct experts.  Dense is { experts = 1, top_k = 1 }.
function moe.mlp(p)
    p = taken("moe.mlp", p, merge(expert, { distinct = optional }))
    local distinct = p.distinct or p.experts * (1 - (1 - p.top_k / p.experts) ^ p.tokens)
    local function matrix(name, dims)
        return kc.read(kc.tensor(name, "x " .. dims, p.weights, p.size), "[t s] " .. dims,
            { size = p.size, distinct = distinct })
    end
    local x = read(p, "X", "t k")
    local H = kc.write("H", activated(p, function(name) return kc.matmul(x, matrix(name, "k f"), "k") end), p.dtype)
    local y = kc.matmul(kc.read(H), matrix("Wd", "f n"), "f")
    local O = kc.reduce("sum", kc.map("mul", y, read(p, "weight", "t s", "f32")), "s")
    return kc.program("experts", { H, kc.write("O", O, p.dtype) })
end

-- The experts where the number of rows of each is known, a program of two grouped products and the sum: rows
-- are sorted by expert, each expert reads its own once.  It has no tokens, experts and top_k.
--     rows      a list of the rows of each expert, required
--     inner, gated, weights    as of `mlp`
--     tile      of both products: { t = 128, f = 128, k = 64 } and { t = 128, n = 128, f = 64 }
function moe.grouped(p)
    p = take("moe.grouped", p, merge(expert, {
        rows = kc.lib.parameters.required, dtype = "bf16", tile = kc.lib.parameters.optional_table,
    }))
    local list = kc.lib.parameters.numbers(p.rows)
    if not list then error("moe.grouped: rows: expected a list such as { 17, 4, 300 }") end
    local up, down = {}, {}
    for number, rows in ipairs(list) do
        if rows > 0 then
            local one = merge(p, { size = { t = rows, k = p.hidden, f = p.inner, n = p.hidden } })
            local x = read(one, "X", "t k")
            local function product(name) return kc.matmul(x, read(one, name, "k f", p.weights), "k") end
            local H = kc.write("H", activated(p, product), p.dtype)
            local Y = kc.write("Y", kc.matmul(read(one, "H", "t f"), read(one, "Wd", "f n", p.weights), "f"), p.dtype)
            local name = " of expert " .. kc.str(number)
            up[#up + 1] = kc.tile(kc.kernel("up" .. name, { H }), p.tile or { t = 128, f = 128, k = 64 })
            down[#down + 1] = kc.tile(kc.kernel("down" .. name, { Y }), p.tile or { t = 128, n = 128, f = 64 })
        end
    end
    return kc.program("experts", { kc.group("up", up), kc.group("down", down) })
end

return moe
