-- attention.lua: the core of attention.  b batch, h heads, i queries, j keys, d head size of Q and K,
-- e head size of V; every size in elements.
--
--     S[i,j] = sum_d Q[i,d] K[j,d]     P = softmax over j of S     O[i,e] = sum_j P[i,j] V[j,e]
--
-- The factor 1/sqrt(d) is folded into Q.  Parameters of every function here:
--     i, d       sizes, required
--     b, h       sizes: 1
--     j, e       sizes: the same as i, d
--     dtype      of all tensors: "f16"
--     causal     a query sees no later key (j - i <= size(j) - size(i)): false
-- Useful work, without the mask: 2 b h i j (d + e) FLOP in matmuls.  Compulsory traffic when fused:
-- Q, K, V and O once.
local kc = require "kcost"
local take, required = kc.lib.parameters.take, kc.lib.parameters.required

local attention = {}

local function parameters(more)
    local all = {
        i = required, d = required, b = 1, h = 1, j = { "i" }, e = { "d" }, dtype = "f16", causal = false,
    }
    for name, default in pairs(more or {}) do all[name] = default end
    return all
end

-- The three written tensors: scores, probabilities, output.
local function steps(p)
    local size = { b = p.b, h = p.h, i = p.i, j = p.j, d = p.d, e = p.e }
    local Q = kc.tensor("Q", "b h i d", p.dtype, size)
    local K = kc.tensor("K", "b h j d", p.dtype, size)
    local V = kc.tensor("V", "b h j e", p.dtype, size)
    local scores = kc.matmul(kc.read(Q), kc.read(K), "d")
    if p.causal then scores = kc.causal(scores, "i", "j") end
    local S = kc.write("S", scores)
    local P = kc.write("P", kc.softmax(kc.read(S), "j", { online = true }))
    return { S, P, kc.write("O", kc.matmul(kc.read(P), kc.read(V), "j")) }
end

-- A program of three untiled kernels: S and P are written to HBM and read again, 4 b h i j elements.
function attention.standard(p)
    return kc.program("standard attention", steps(take("attention.standard", p, parameters())))
end

-- One untiled kernel: S and P stay on chip.  What no tiling can beat.
function attention.fused(p)
    return kc.fuse("fused attention", steps(take("attention.fused", p, parameters())))
end

-- One tiled kernel, a FlashAttention.
--     loops    "fa2": a CTA owns a block of queries and walks the keys (Dao, arXiv 2307.08691,
--              algorithm 1); "fa1": a CTA owns a head and walks the keys outside the queries, so O and
--              its row statistics go out to HBM and come back (Dao et al., arXiv 2205.14135,
--              algorithm 1): "fa2"
--     tile     tile sizes: { i = 128, j = 64 }
function attention.flash(p)
    p = take("attention.flash", p, parameters { loops = "fa2", tile = false })
    local orders = {
        fa1 = { grid = "b h", order = "j i" },
        fa2 = { grid = "b h i", order = "j" },
    }
    if not orders[p.loops] then
        error("attention.flash: loops: expected \"fa1\" or \"fa2\", got " .. tostring(p.loops), 2)
    end
    return kc.tile(kc.fuse("flash attention", steps(p)), p.tile or { i = 128, j = 64 }, orders[p.loops])
end

return attention
