-- check_attention.lua: kc.lib.attention and kc.lib.mla against closed forms over counted pairs of query and key.

local agree = require "agree"
local kc = require "kcost"
local attention, mla = kc.lib.attention, kc.lib.mla

local b, h, g, i, d, e = 2, 4, 2, 12, 8, 6

-- Pairs of one head, counted one by one: queries are the last of the keys.
local function live(queries, keys, sees)
  local n = 0
  for q = 0, queries - 1 do
    for k = 0, keys - 1 do
      if sees(q, k, keys - queries + q) then n = n + 1 end
    end
  end
  return n
end
local function all() return true end
local function causal(_, k, own) return k <= own end

-- Work in one kernel: two matmuls; maximum, subtract and sum a pair, the division on O; an exp a pair, a reciprocal
-- a row.
local function fused(pairs_of_head, heads, rows, bytes)
  local n = heads * pairs_of_head
  return {
    matrix = 2 * n * (d + e), vector = 3 * n + heads * rows * e, special = n + heads * rows, bytes = bytes,
  }
end
-- Q and O of `heads`, K and V of `kv` heads, in f16.
local function once(heads, queries, kv, keys) return 2 * (d + e) * (heads * queries + kv * keys) end

local function shape(more)
  local p = { batch = b, heads = h, seq = i, head_dim = d, value_dim = e }
  for name, value in pairs(more or {}) do p[name] = value end
  return p
end
local tile = { i = 5, j = 4 }
local tiles = { tile, { i = 12, j = 3 } }

-- Masks and caches, fused and in both loop orders.
local cases = {
  { "full", {}, all, i },
  { "cached", { cached = 9 }, all, i + 9 },
  { "cross", { keys = 7 }, all, 7 },
  { "causal", { causal = true }, causal, i },
  { "causal behind a cache", { causal = true, cached = 9 }, causal, i + 9 },
  { "top-left", { causal = "top-left", cached = 9 }, function(q, k) return k <= q end, i + 9, i },
  { "window", { window = 4 }, function(_, k, own) return k <= own and k > own - 4 end, i },
  { "window behind a cache", { window = 4, cached = 9 },
    function(_, k, own) return k <= own and k > own - 4 end, i + 9, i + 3 },
  { "window larger than the sequence", { window = 100 }, causal, i },
}
for _, case in ipairs(cases) do
  local name, more, sees, keys, seen = case[1], case[2], case[3], case[4], case[5] or case[4]
  local n = live(i, keys, sees)
  local want = fused(n, b * h, i, once(b * h, i, b * h, seen))
  agree.all(name, attention.fused(shape(more)), want, tiles)
  for _, loops in ipairs { "fa1", "fa2" } do
    more.loops, more.tile = loops, tile
    agree.all(name .. " " .. loops, attention.flash(shape(more)), want)
  end
  more.loops, more.tile = nil, nil
  -- three kernels: 4 FLOP an element of the softmax; S and P move whole, written and read
  local standard = fused(n, b * h, i, once(b * h, i, b * h, seen) + 4 * 2 * b * h * i * keys)
  standard.vector = 4 * b * h * n
  if seen == keys then agree.all(name .. " standard", attention.standard(shape(more)), standard) end
end

-- Heads that share K and V: the work stays, K and V are those of fewer heads; packed or not.
local n = live(i, i, causal)
for _, kv in ipairs { g, 1 } do
  local want = fused(n, b * h, i, once(b * h, i, b * kv, i))
  agree.all("GQA", attention.fused(shape { kv_heads = kv, causal = true }), want, tiles)
  for _, packed in ipairs { true, false } do
    agree.all("GQA flash", attention.flash(shape { kv_heads = kv, causal = true, packed = packed }), want)
  end
end
-- packed, one CTA loads K once for the heads that share it
local function moved(x, name)
  for _, tensor in ipairs(kc.count(x).tensors) do
    if tensor.name == name then return tensor.bytes_read + tensor.bytes_written end
  end
end
agree.t:equal("packed: K once", moved(attention.flash(shape { kv_heads = g, packed = true }), "K"), 2 * b * g * i * d)
agree.t:equal("not packed: K for each head", moved(attention.flash(shape { kv_heads = g }), "K"), 2 * b * h * i * d)

-- Lengths of their own in one launch.
local requests = { { 5, 0 }, { 1, 20 }, { 3, 7 } }
local pairs_of_all, rows, keys = 0, 0, 0
for _, r in ipairs(requests) do
  pairs_of_all = pairs_of_all + live(r[1], r[1] + r[2], causal)
  rows, keys = rows + r[1], keys + r[1] + r[2]
end
agree.all("ragged", attention.ragged { requests = requests, heads = h, head_dim = d, value_dim = e, tile = tile },
  fused(pairs_of_all, h, rows, once(h, rows, h, keys)))
-- a prefix of 5: its keys are read by both parts
agree.all("prefix", attention.prefix(shape { prefix = 5, tile = tile }),
  fused(live(i, i, function(q, k) return k <= math.max(q, 4) end), b * h, i, once(b * h, i, b * h, i + 5)))
-- chunks of 5, 5 and 2
agree.all("chunked", attention.chunked(shape { chunk = 5, tile = tile }),
  fused(live(i, i, function(q, k) return k <= q and math.floor(k / 5) == math.floor(q / 5) end), b * h, i,
    once(b * h, i, b * h, i)))

-- Decode and the check of drafts, in one piece, split and in pages of 8 slots.
for _, new in ipairs { 1, 3 } do
  local context = 30 + new
  local pages = math.ceil(context / 8)
  local counted = live(new, context, causal)
  for _, splits in ipairs { 1, 3 } do
    local p = shape { kv_heads = g, seq = new, cached = 30, splits = splits, tile = { h = 2, i = new, j = 8 } }
    agree.all("decode", attention.decode(p), fused(counted, b * h, new, once(b * h, new, b * g, context)))
    p.page, p.tile = 8, { h = 2, i = new, p = 1, s = 8 }
    agree.all("paged decode", attention.decode(p),
      fused(counted, b * h, new, once(b * h, new, b * g, 8 * pages) + 4 * b * pages))
    -- partials: O, maximum and sum of a row in f32, written and read by each of the CTAs that share the keys
    if splits > 1 then
      local x = attention.decode(p)
      agree.t:equal("partials", moved(x, "O"), 2 * b * h * new * e + 2 * splits * 4 * b * h * new * e)
      agree.t:equal("statistics", moved(x, "O.max") + moved(x, "O.sum"), 2 * 2 * splits * 4 * b * h * new)
    end
  end
end
-- a quantised cache of 32 head sizes a scale: 8.25 bits an element
local quantised = kc.count(attention.decode { cached = 63, head_dim = 32, heads = h, kv_heads = 1, kv_dtype = "mxf8" })
agree.t:equal("quantised cache", quantised.bytes_min, 2 * 2 * h * 32 + 2 * 64 * 32 * 8.25 / 8)

-- Backward: four matmuls from a kept P, five from the log-sum-exp, seven in two kernels.
for _, kv in ipairs { h, g } do
  local qo, kvs, score = 2 * b * h * i, 2 * b * kv * i, 2 * b * h * i * i
  local stats, dot = 4 * b * h * i, 2 * b * h * i * e
  local N = b * h * n
  local p = shape { kv_heads = kv, causal = true, tile = { i = 4, j = 6 } }
  local kept = shape { kv_heads = kv, causal = true }
  agree.all("standard backward", attention.standard_backward(kept), {
    matrix = 2 * N * (2 * d + 2 * e), vector = 2 * N + dot,
    -- D: dO, O; dV: P, dO; dP: dO, V; dS: P, dP, D; dQ: dS, K; dK: dS, Q
    -- of P, which no kernel here wrote, only what is live
    bytes = (3 * e + e) * qo + 2 * e * kvs + 2 * d * (qo + kvs) + 5 * score + 2 * 2 * N + 2 * stats,
  })
  -- subtract L, subtract D and product; an exp
  agree.all("flash backward", attention.flash_backward(p), {
    matrix = 2 * N * (3 * d + 2 * e), vector = 3 * N + dot, special = N,
    bytes = (3 * e + d + d) * qo + 2 * (d + e) * kvs + 3 * stats + 2 * 4 * b * h * i * d,
  })
  p.how = "two"
  agree.all("flash backward, two kernels", attention.flash_backward(p), {
    matrix = 2 * N * (4 * d + 3 * e), vector = 6 * N + dot, special = 2 * N,
    bytes = (4 * e + 3 * d) * qo + 3 * (d + e) * kvs + 5 * stats,
  })
end

-- MLA: c latent, r position.
local c, r, context = 16, 4, 20
local m = live(2, context, causal)
local N, token = b * h * m, b * h * 2 * 2         -- pairs; bytes of a feature of all new tokens and heads
local function latent(more)
  local p = {
    batch = b, heads = h, seq = 2, cached = context - 2, head_dim = d, value_dim = e, rope_dim = r, latent_dim = c,
    tile = { h = 1, i = 2, j = 8 },
  }
  for name, value in pairs(more or {}) do p[name] = value end
  return p
end
local cache, full = 2 * b * context, 2 * b * h * context     -- bytes of a feature of the cache; of every head
local softmax = { vector = 3 * N, special = N + b * h * 2 }
local function form(matrix, out, bytes)
  return { matrix = matrix, vector = softmax.vector + b * h * 2 * out, special = softmax.special, bytes = bytes }
end
agree.all("MLA of heads", mla.heads(latent()),
  form(2 * N * (d + r + e), e, token * (d + r + e) + full * (d + e) + cache * r))
for _, splits in ipairs { 1, 3 } do
  agree.all("MLA in the latent", mla.latent(latent { splits = splits }),
    form(2 * N * (2 * c + r), c, token * (2 * c + r) + cache * (c + r)))
end
agree.all("MLA absorbed", mla.absorbed(latent()), form(2 * N * (2 * c + r) + 2 * b * h * 2 * c * (d + e), c,
  token * (4 * c + r + d + e) + cache * (c + r) + 2 * h * c * (d + e)))
agree.all("MLA expanded", mla.expanded(latent()), form(2 * N * (d + r + e) + 2 * b * h * context * c * (d + e), e,
  token * (d + r + e) + 2 * full * (d + e) + cache * (2 * c + r) + 2 * h * c * (d + e)))

agree.finish()
