-- mla.lua: multi-head latent attention, whose cache holds one latent vector a token for all heads.
--
--     K[h,j,d] = sum_c Wk[h,d,c] C[j,c]        S[h,i,j] = sum_d Q[h,i,d] K[h,j,d] + sum_r Qr[h,i,r] R[j,r]
--     V[h,j,e] = sum_c Wv[h,e,c] C[j,c]        O[h,i,e] = sum_j softmax_j(S)[h,i,j] V[h,j,e]
--
-- C is the latent and R the key that carries the position; both are the cache.  Absorbed, the heads work in
-- the latent: Qc = Q Wk, S = Qc C + Qr R, Oc = P C, O = Oc Wv, and K and V never exist (DeepSeek-V2,
-- arXiv 2405.04434, section 2.1).  Dims: b batch, h heads, i queries, j keys, d and e head sizes, c latent,
-- r position; sizes in elements.  Parameters of every function here:
--     seq (i)          new tokens of a sequence: 1
--     cached           tokens before them, whose C and R are in the cache: 0
--     head_dim (d)     of Q without the position: 128
--     rope_dim (r)     of the position: 64
--     value_dim (e)    of V and O: head_dim
--     latent_dim (c)   512
--     batch (b)        sequences: 1
--     heads (h)        1
--     dtype            of all tensors: "bf16"
--     kv_dtype         of C and R: dtype
--     causal           a query sees no later key: true
--     tile             tile sizes of the attention: { i = 128, j = 64 }; of `latent` { h = 64, i = 1, j = 64 }
--     splits           CTAs that share the keys, as in attention.decode: 1
-- n is the number of live pairs of a query and a key in all heads.
local kc = require "kcost"
local take = kc.lib.parameters.take

local mla = {}

local letters = {
    b = "batch", h = "heads", i = "seq", d = "head_dim", e = "value_dim", c = "latent_dim", r = "rope_dim",
}

local function taken(call, p)
    p = take(call, p, {
        seq = 1, cached = 0, head_dim = 128, rope_dim = 64, value_dim = { "head_dim" }, latent_dim = 512, batch = 1,
        heads = 1, dtype = "bf16", kv_dtype = { "dtype" }, causal = true, splits = 1,
        tile = kc.lib.parameters.optional_table,
    }, letters)
    p.size = {
        b = p.batch, h = p.heads, i = p.seq, j = p.cached + p.seq, d = p.head_dim, e = p.value_dim,
        c = p.latent_dim, r = p.rope_dim,
    }
    return p
end

local function read(p, name, dims, dtype)
    return kc.read(kc.tensor(name, dims, dtype or p.dtype, p.size))
end

-- softmax_j(content + Qr R), with the position's share of the scores added to that of the content.
local function probabilities(p, content)
    local scores = kc.matmul(read(p, "Qr", "b h i r"), read(p, "R", "b j r", p.kv_dtype), "r", { into = content })
    return kc.softmax(p.causal and kc.causal(scores, "i", "j") or scores, "j", { online = true })
end

local function tiled(p, name, O, tile, grid)
    return kc.tile(kc.kernel(name, { O }), p.tile or tile,
        { grid = grid, order = "j", split = p.splits > 1 and { j = p.splits } or nil })
end

local function attention_over(p, K, V)
    local O = kc.matmul(probabilities(p, kc.matmul(read(p, "Q", "b h i d"), K, "d")), V, "j")
    return tiled(p, "attention over heads", kc.write("O", O, p.dtype), { i = 128, j = 64 }, "b h i")
end

-- Attention over keys and values of every head that exist already (a prefill), one tiled kernel.
-- Useful work: 2 n (d + r + e) FLOP in matmuls.  Compulsory traffic: Q, Qr, O, K and V of all heads, R once.
function mla.heads(p)
    p = taken("mla.heads", p)
    return attention_over(p, read(p, "K", "b h j d"), read(p, "V", "b h j e"))
end

local function latent(p)
    local C = read(p, "C", "b j c", p.kv_dtype)
    local P = probabilities(p, kc.matmul(read(p, "Qc", "b h i c"), C, "c"))
    return tiled(p, "attention in the latent", kc.write("Oc", kc.matmul(P, C, "j"), p.dtype),
        { h = 64, i = 1, j = 64 }, "b h i")
end

-- Attention in the latent, as FlashMLA does it, one tiled kernel: C serves as keys and as values.
-- Useful work: 2 n (2 c + r) FLOP in matmuls.  Compulsory traffic: Qc, Qr, Oc, C and R once: with one query
-- of many heads (2 c + r) / (c + r) heads FLOP for each byte of a 2-byte cache.
function mla.latent(p)
    return latent(taken("mla.latent", p))
end

-- The whole of it absorbed, a program of three kernels: Qc = Q Wk, attention in the latent, O = Oc Wv.
-- Useful work beyond mla.latent: 2 b h i c (d + e) FLOP; Wk and Wv are read once, h c (d + e) elements.
function mla.absorbed(p)
    p = taken("mla.absorbed", p)
    return kc.program("MLA absorbed", {
        kc.write("Qc", kc.matmul(read(p, "Q", "b h i d"), read(p, "Wk", "h d c"), "d"), p.dtype),
        latent(p),
        kc.write("O", kc.matmul(read(p, "Oc", "b h i c"), read(p, "Wv", "h e c"), "c"), p.dtype),
    })
end

-- The whole of it with K and V of all heads made from the cache at each step, a program of three kernels.
-- Useful work beyond mla.heads: 2 b h j c (d + e) FLOP.
function mla.expanded(p)
    p = taken("mla.expanded", p)
    local K = kc.write("K", kc.matmul(read(p, "C", "b j c", p.kv_dtype), read(p, "Wk", "h d c"), "c"),
        { dtype = p.dtype, dims = "b h j d" })
    local V = kc.write("V", kc.matmul(read(p, "C", "b j c", p.kv_dtype), read(p, "Wv", "h e c"), "c"),
        { dtype = p.dtype, dims = "b h j e" })
    return kc.program("MLA expanded", { K, V, attention_over(p, kc.read(K), kc.read(V)) })
end

return mla
