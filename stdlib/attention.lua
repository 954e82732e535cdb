-- attention.lua: the core of attention, from Q, K and V to O.
--
--     S[i,j] = sum_d Q[i,d] K[j,d]     P = softmax over j of S     O[i,e] = sum_j P[i,j] V[j,e]
--
-- Dims: b batch, g groups of heads that share K and V, h heads (of a group, where there are groups), i queries,
-- j keys, d and e head sizes; sizes in elements.  The factor 1/sqrt(d) is folded into Q.  Parameters of every
-- function here, but those that it says it lacks; the letter of a dim may stand for its name:
--     seq (i)          queries of a sequence, required
--     cached           tokens before them whose keys and values are there already: 0
--     keys (j)         keys of a sequence: cached + seq
--     head_dim (d)     of Q and K, required
--     value_dim (e)    of V and O: head_dim
--     batch (b)        sequences: 1
--     heads (h)        query heads: 1
--     kv_heads (g)     heads of K and V, which divide heads (GQA; 1 is MQA): heads
--     dtype            of all tensors: "f16"; below 16 bits, what is written has 16
--     kv_dtype         of K and V, scales included where it has any ("mxf8", a kc.dtype): dtype
--     causal           true: a query sees no later key, the last one sees all keys (j - i <= keys - seq);
--                      "top-left": the first one sees one key (j <= i); false.  Pairs are counted exactly;
--                      half the square is a convention: kc.count(x, { convention = { causal = "half" } })
--     window           a query sees that many keys, its own the last; where there are fewer, these: all
-- Useful work, with n live pairs of a query and a key in all heads: 2 n (d + e) FLOP in matmuls; softmax 4 n FLOP
-- and n exps.  In one kernel the division is done on O: 3 n + batch heads seq e FLOP.  Compulsory traffic in
-- one kernel: Q, K, V and O once, of K and V what some query sees.
local kc = require "kcost"
local parameters = kc.lib.parameters
local take, merge, one_of = parameters.take, parameters.merge, parameters.one_of
local size, optional, optional_size, optional_table = parameters.size, parameters.optional, parameters.optional_size,
    parameters.optional_table

local attention = {}

local letters = {
    b = "batch", g = "kv_heads", h = "heads", i = "seq", j = "keys", d = "head_dim", e = "value_dim",
}

local function declared(more)
    return merge({
        seq = size, cached = 0, keys = optional_size, head_dim = size, value_dim = { "head_dim" }, batch = 1, heads = 1,
        kv_heads = { "heads" }, dtype = "f16", kv_dtype = { "dtype" }, causal = optional, window = optional_size,
    }, more)
end

-- The parameters of `call`, checked against each other; errors are at the line that called it.
local function checked(call, p)
    local function refuse(text) error(call .. ": " .. text) end
    if p.keys and p.cached > 0 then refuse("keys: are cached + seq, where cached is given") end
    p.keys = p.keys or p.cached + p.seq
    if p.heads % p.kv_heads ~= 0 then
        refuse("kv_heads: " .. kc.str(p.kv_heads) .. " do not divide heads, " .. kc.str(p.heads))
    end
    if p.causal == "half" then
        refuse("causal: half the square is a convention of counting: causal = true, and { convention = { causal = \"half\" } }"
            .. " as the options of kc.count")
    end
    if p.causal ~= nil and p.causal ~= true and p.causal ~= false and p.causal ~= "top-left" then
        refuse("causal: expected true, false or \"top-left\", got " .. tostring(p.causal))
    end
    if p.window and p.causal == "top-left" then refuse("window: ends at a query's own key: causal is true") end
    return p
end

local function taken(call, p, more)
    return checked(call, take(call, p, declared(more), letters))
end

-- Dims of Q and O, of K and V and of S, and their sizes.
local function dims_of(p)
    local grouped = p.kv_heads ~= p.heads
    return {
        rows = grouped and "b g h i " or "b h i ", columns = grouped and "b g j " or "b h j ",
        scores = grouped and "b g h i j" or "b h i j", stats = grouped and "b g h i" or "b h i",
        queries = grouped and "h i" or "i",
        size = {
            b = p.batch, g = p.kv_heads, h = grouped and p.heads / p.kv_heads or p.heads, i = p.seq, j = p.keys,
            d = p.head_dim, e = p.value_dim,
        },
    }
end

local function masked(p, scores)
    if p.causal == "top-left" then return kc.mask(scores, "i", "j", { hi = 0 }) end
    if p.causal or p.window then scores = kc.causal(scores, "i", "j") end
    if p.window then scores = kc.mask(scores, "i", "j", { lo = p.keys - p.seq - p.window + 1 }) end
    return scores
end

-- The dtype of what is written; nothing: that of the language's default, at least 16 bits.
local function out(p)
    return kc.dtype(p.dtype).bits >= 16 and p.dtype or nil
end

-- The three written tensors: scores, probabilities, output.
local function steps(p)
    local dims = dims_of(p)
    local Q = kc.tensor("Q", dims.rows .. "d", p.dtype, dims.size)
    local K = kc.tensor("K", dims.columns .. "d", p.kv_dtype, dims.size)
    local V = kc.tensor("V", dims.columns .. "e", p.kv_dtype, dims.size)
    local S = kc.write("S", masked(p, kc.matmul(kc.read(Q), kc.read(K), "d")), out(p))
    local P = kc.write("P", kc.softmax(kc.read(S), "j", { online = true }))
    return { S, P, kc.write("O", kc.matmul(kc.read(P), kc.read(V), "j"), out(p)) }
end

-- A program of three untiled kernels: S and P are written to HBM and read again, 4 b h i j elements.
function attention.standard(p)
    return kc.program("standard attention", steps(taken("attention.standard", p)))
end

-- One untiled kernel: S and P stay on chip.  What no tiling can beat.
function attention.fused(p)
    return kc.fuse("fused attention", steps(taken("attention.fused", p)))
end

local tiled = { loops = "fa2", packed = false, tile = optional_table, schedule = optional_table }

local orders = {
    fa1 = { grid = "b h", order = "j i" },
    fa2 = { grid = "b h i", order = "j" },
    grouped_fa1 = { grid = "b g h", order = "j i" },
    grouped_fa2 = { grid = "b g h i", order = "j" },
}

-- One flash kernel: `p` taken with the parameters of `tiled`.
local function flash(name, p)
    local shared = p.heads / p.kv_heads
    local tile = { i = 128, j = 64 }
    if p.packed then tile = { h = shared, i = math.max(1, math.floor(128 / shared)), j = 64 } end
    local order = orders[(shared > 1 and "grouped_" or "") .. p.loops]
    if p.window then name = name .. ", window " .. kc.str(p.window) end
    return kc.tile(kc.fuse(name, steps(p)), p.tile or tile, merge(order, p.schedule))
end

-- One tiled kernel, a FlashAttention.
--     loops      "fa2": a CTA owns a block of queries and walks the keys (Dao, arXiv 2307.08691,
--                algorithm 1); "fa1": a CTA owns a head and walks the keys outside the queries, so O and
--                its row statistics go out to HBM and come back (Dao et al., arXiv 2205.14135,
--                algorithm 1): "fa2"
--     packed     the heads that share K and V are rows of one tile, so that K and V are loaded once: false
--     tile       tile sizes: { i = 128, j = 64 }
--     schedule   more options of kc.tile.  { overlap = "all" } lets exps run beside matmuls and loads, as two
--                warpgroups in turns do (FlashAttention 3, arXiv 2407.08608), { warps = 12 } gives it them: none
function attention.flash(p)
    p = taken("attention.flash", p, tiled)
    one_of("attention.flash", "loops", p.loops, { "fa1", "fa2" })
    return flash("flash attention", p)
end

-- ---- several lengths in one launch ------------------------------------------------------------------

-- What `call` takes that sets seq, cached and keys itself: the parameters of `flash` without `those`.
local function parts_taken(call, p, those, more)
    local known = declared(merge(tiled, more))
    for _, name in ipairs(those) do known[name] = nil end
    p = merge({ seq = 1 }, take(call, p, known, letters))
    one_of(call, "loops", p.loops, { "fa1", "fa2" })
    return checked(call, merge(p, { cached = 0, batch = p.batch or 1 }))
end

-- Flash kernels, grids end to end, one for each of `parts`: parameters that differ from p's.
local function group(name, p, parts)
    local kernels = {}
    for n, part in ipairs(parts) do
        part.keys = part.cached + part.seq
        kernels[n] = flash(name .. " " .. kc.str(n), merge(p, part))
    end
    return kc.group(name, kernels)
end

local function whole(x, least)
    return type(x) == "number" and x >= least and x == math.floor(x)
end

-- "512 1+4096" is { { 512, 0 }, { 1, 4096 } }.
local function requests_of(given)
    if type(given) == "number" then given = kc.str(given) end
    if type(given) ~= "string" then return given end
    local requests = {}
    for word in given:gmatch("[^%s,]+") do
        local new, cached = word:match("^(%d+)%+?(%d*)$")
        requests[#requests + 1] = { tonumber(new or 0), tonumber(cached) or 0 }
    end
    return requests
end

-- Sequences of different lengths in one launch: chunks of prefills beside decodes.  It has no seq, cached,
-- keys and batch.
--     requests   a list of { new, cached } tokens, or as text: "512 1+4096"; required
--     causal     true
--     loops, packed, tile, schedule    as of `flash`
-- Live pairs of a request, causal: new cached + new (new + 1) / 2.
function attention.ragged(p)
    local given = p
    p = parts_taken("attention.ragged", p, { "seq", "cached", "keys", "batch" },
        { requests = parameters.required, causal = true })
    local parts, requests = {}, requests_of(given.requests)
    if type(requests) ~= "table" then
        error("attention.ragged: requests: expected a list such as { { 512, 0 }, { 1, 4096 } }")
    end
    for n, request in ipairs(requests) do
        if type(request) ~= "table" or not whole(request[1], 1) or not whole(request[2], 0) then
            error("attention.ragged: requests[" .. n .. "]: expected { new, cached } tokens")
        end
        parts[n] = { seq = request[1], cached = request[2] }
    end
    return group("ragged attention", p, parts)
end

local positions = { "cached", "keys", "causal", "window" }

-- A bidirectional prefix, then causal: a prefix of tokens sees itself, what follows sees all before it.
--     prefix     tokens, required
--     loops, packed, tile, schedule    as of `flash`; no cached, keys, causal and window
-- Live pairs, with c = seq - prefix: prefix^2 + c prefix + c (c + 1) / 2.  The two parts are two grids of one
-- launch, each of which reads the keys of the prefix.
function attention.prefix(p)
    p = parts_taken("attention.prefix", p, positions, { prefix = size })
    if p.prefix >= p.seq then error("attention.prefix: prefix: must be shorter than seq") end
    return group("prefix attention", p, {
        { seq = p.prefix, cached = 0 }, { seq = p.seq - p.prefix, cached = p.prefix, causal = true },
    })
end

-- Causal inside chunks of the sequence, and nothing across them (local attention).
--     chunk      tokens, required
--     loops, packed, tile, schedule    as of `flash`; no cached, keys, causal and window
-- Live pairs of a whole chunk: chunk (chunk + 1) / 2.
function attention.chunked(p)
    p = parts_taken("attention.chunked", p, positions, { chunk = size })
    local chunk = math.min(p.chunk, p.seq)
    local rest = p.seq % chunk
    local parts = { { seq = chunk, cached = 0, causal = true, batch = p.batch * (p.seq - rest) / chunk } }
    if rest > 0 then parts[2] = { seq = rest, cached = 0, causal = true } end
    return group("chunked attention", p, parts)
end

-- ---- decode ------------------------------------------------------------------------------------------

-- Keys and values that lie in pages of a pool: [b p] finds the page of sequence b, s is a slot of it.
local function paged_steps(p)
    local dims = dims_of(p)
    local sizes, head = dims.size, p.kv_heads ~= p.heads and "g" or "h"
    sizes.s, sizes.p = p.page, math.ceil(p.keys / p.page)
    sizes.n = sizes.p * p.batch
    local function pages(name, dim)
        local pool = kc.tensor(name, "n s " .. head .. " " .. dim, p.kv_dtype, sizes)
        return kc.read(pool, "[b p] s " .. head .. " " .. dim, { size = sizes })
    end
    local Q = kc.read(kc.tensor("Q", dims.rows .. "d", p.dtype, sizes))
    -- Slots behind the last key that a query sees lie outside this tensor, which says what is useful.
    local behind = p.causal and "-i+" .. kc.str(p.seq - 1) or ""
    local context = kc.read(kc.tensor("context", "j", "bool", sizes), kc.str(p.page) .. "*p+s" .. behind,
        { size = sizes, scale = 0 })
    local scores = kc.map({ name = "page", flops = 0 }, kc.matmul(Q, pages("K", "d"), "d"),
        kc.read(kc.tensor("pages", "b p", "i32", sizes)), context)
    local probabilities = kc.softmax(scores, "p s", { online = true })
    return { kc.write("O", kc.matmul(probabilities, pages("V", "e"), "p s"), out(p)) }
end

-- New tokens of sequences whose other keys and values are cached, one tiled kernel: a CTA owns the heads
-- that share K and V.  With one new token it is the step of a decode, with more the check of so many
-- drafted tokens (speculative decoding), causal at the end: K and V once, FLOP seq times.
--     cached     tokens, required
--     seq        new tokens: 1
--     causal     true
--     splits     CTAs that share the keys of a sequence (FlashDecoding), so that few sequences fill a
--                device; each writes e + 2 f32 a row, and a small kernel merges them: 1
--     page       slots of a page (PagedAttention, arXiv 2309.06180): whole pages are loaded, and 4 bytes of a
--                page table for each; without window: none
--     tile       tile sizes: { j = 64 }, of pages { p = 64 / page }
--     schedule   more options of kc.tile: none
function attention.decode(p)
    p = taken("attention.decode", p, {
        cached = size, seq = 1, causal = true, splits = 1, page = optional_size, tile = optional_table,
        schedule = optional_table,
    })
    if p.page and p.window then error("attention.decode: page: has no window") end
    local shared = p.heads / p.kv_heads
    local keys = p.page and "p" or "j"
    local tile = { i = p.seq, h = shared > 1 and shared or nil, j = 64 }
    if p.page then tile.j, tile.p, tile.s = nil, math.max(1, math.floor(64 / p.page)), p.page end
    local kernel = p.page and kc.kernel("paged decode attention", paged_steps(p))
        or kc.fuse("decode attention", steps(p))
    return kc.tile(kernel, p.tile or tile, merge({
        grid = shared > 1 and "b g" or "b h", order = keys, split = p.splits > 1 and { [keys] = p.splits } or nil,
    }, p.schedule))
end

-- ---- backward ----------------------------------------------------------------------------------------
--
--     dV[j,e] = sum_i P[i,j] dO[i,e]      dP[i,j] = sum_e dO[i,e] V[j,e]
--     dS = P * (dP - D)                   D[i]    = sum_e dO[i,e] O[i,e]
--     dQ[i,d] = sum_j dS[i,j] K[j,d]      dK[j,d] = sum_i dS[i,j] Q[i,d]

-- The reads that both ways share, and D, a kernel of its own in both.
local function gradients(p)
    local dims = dims_of(p)
    local function tensor(name, which, dtype) return kc.tensor(name, which, dtype or p.dtype, dims.size) end
    local r = {
        dims = dims, tensor = tensor, dO = kc.read(tensor("dO", dims.rows .. "e")),
        q = kc.read(tensor("Q", dims.rows .. "d")), k = kc.read(tensor("K", dims.columns .. "d", p.kv_dtype)),
        v = kc.read(tensor("V", dims.columns .. "e", p.kv_dtype)),
    }
    local O = kc.read(tensor("O", dims.rows .. "e"))
    r.D = kc.write("D", kc.reduce("sum", kc.map("mul", r.dO, O), "e"), "f32")
    return r
end

-- From a P that the forward pass kept: a program of six untiled kernels.  Four matmuls, of n live pairs
-- 4 n (d + e) FLOP; P is read twice, dP written and read, dS written and read twice.
function attention.standard_backward(p)
    p = taken("attention.standard_backward", p)
    local r = gradients(p)
    local P = masked(p, kc.read(r.tensor("P", r.dims.scores)))
    local dP = kc.write("dP", masked(p, kc.matmul(r.dO, r.v, "e")), out(p))
    local dS = kc.write("dS", kc.map("mul", P, kc.map("sub", kc.read(dP), kc.read(r.D))), out(p))
    local scores = masked(p, kc.read(dS))
    return kc.program("standard attention backward", {
        r.D, kc.write("dV", kc.matmul(P, r.dO, r.dims.queries), out(p)), dP, dS,
        kc.write("dQ", kc.matmul(scores, r.k, "j"), out(p)),
        kc.write("dK", kc.matmul(scores, r.q, r.dims.queries), out(p)),
    })
end

-- From the log-sum-exp L of each row: P = exp(S - L) is computed again, nothing n x n moves.
--     how      "two": a kernel that owns keys (dK, dV) and one that owns queries (dQ); S and dP are
--              computed in both, seven matmuls; "atomic": one that owns keys, whose CTAs add their share
--              of dQ to HBM in f32, and a last one that rounds it, five matmuls (arXiv 2307.08691): "atomic"
--     tile     tile sizes: { i = 64, j = 128 }
-- Useful work of five matmuls, with n live pairs: 2 n (3 d + 2 e) FLOP, 2.5 of the forward pass where e = d.
function attention.flash_backward(p)
    p = taken("attention.flash_backward", p, { how = "atomic", tile = { i = 64, j = 128 } })
    one_of("attention.flash_backward", "how", p.how, { "atomic", "two" })
    local r = gradients(p)
    local L = kc.read(r.tensor("L", r.dims.stats, "f32"))
    local P = kc.map("exp", kc.map("sub", masked(p, kc.matmul(r.q, r.k, "d")), L))
    local dS = kc.map("mul", P, kc.map("sub", kc.matmul(r.dO, r.v, "e"), kc.read(r.D)))
    local dV = kc.write("dV", kc.matmul(P, r.dO, r.dims.queries), out(p))
    local dK = kc.write("dK", kc.matmul(dS, r.q, r.dims.queries), out(p))
    local dQ = kc.matmul(dS, r.k, "j")
    local grouped = p.kv_heads ~= p.heads
    local keys = { grid = grouped and "b g j" or "b h j", order = grouped and "h i" or "i" }
    if p.how == "two" then
        return kc.program("flash attention backward", {
            r.D, kc.tile(kc.kernel("dK dV", { dK, dV }), p.tile, keys),
            kc.tile(kc.write("dQ", dQ, out(p)), { i = p.tile.j, j = p.tile.i },
                { grid = grouped and "b g h i" or "b h i", order = "j" }),
        })
    end
    keys.combine = "atomic"
    local sum = kc.write("dQ sum", dQ, "f32")
    return kc.program("flash attention backward", {
        r.D, kc.tile(kc.kernel("dK dV dQ", { dK, dV, sum }), p.tile, keys),
        kc.write("dQ", kc.read(sum), out(p) or "f16"),
    })
end

return attention
