-- check_models.lua: mixtures of experts, scans and state-space models, caches and drafts against closed forms.

local agree = require "agree"
local kc = require "kcost"
local moe, scan, kv_cache, speculative = kc.lib.moe, kc.lib.scan, kc.lib.kv_cache, kc.lib.speculative
local t = agree.t

-- Mixture: T tokens, x experts, s each, k features, f inside.
local T, x, s, k, f = 5, 8, 2, 16, 24
agree.all("router", moe.route { tokens = T, experts = x, top_k = s, hidden = k }, {
  matrix = 2 * T * k * x, vector = 5 * T * x + 2 * T * s, special = T * x + T + T * s,
  bytes = 2 * (T * k + k * x) + 2 * 4 * T * s,
}, { { t = 2, k = 8 } })
local rows = T * s
for _, gated in ipairs { true, false } do
  local matrices = gated and 3 or 2
  for _, distinct in ipairs { 3, 5.5, x } do
    local p = { tokens = T, experts = x, top_k = s, hidden = k, inner = f, gated = gated, distinct = distinct }
    agree.all("experts", moe.mlp(p), {
      matrix = 2 * rows * k * f * matrices, vector = (gated and 3 or 8) * rows * f + 2 * rows * k,
      special = (gated and 2 or 1) * rows * f,
      bytes = 2 * 2 * T * k + 4 * rows + 2 * 2 * rows * f + matrices * distinct * 2 * k * f,
    })
  end
end
t:near("distinct", moe.distinct { tokens = T, experts = x, top_k = s }, x * (1 - (6 / 8) ^ 5), 1e-15)
-- rows are known: each expert with rows is read once
agree.all("grouped experts", moe.grouped { rows = { 7, 0, 3 }, hidden = k, inner = f }, {
  matrix = 2 * 10 * k * f * 3, vector = 3 * 10 * f, special = 2 * 10 * f,
  bytes = 2 * (2 * 10 * k + 2 * 10 * f + 2 * 3 * k * f),
})
-- dense: one expert for all
agree.form("dense", moe.mlp { tokens = T, experts = 1, top_k = 1, hidden = k, inner = f }, {
  matrix = 2 * T * k * f * 3, vector = 3 * T * f + 2 * T * k, special = 2 * T * f,
  bytes = 2 * 2 * T * k + 4 * T + 2 * 2 * T * f + 3 * 2 * k * f,
})

-- Scans.
agree.all("prefix sum", scan.prefix_sum { m = 4, n = 100 }, { vector = 400, bytes = 2 * 1600 }, { { m = 1, n = 32 } })
-- 5 chunks a row: sums written, read, running sums written, read
agree.all("prefix sum in chunks", scan.prefix_sum { m = 4, n = 100, chunk = 20 },
  { vector = 3 * 400 + 20, bytes = 3 * 1600 + 4 * 80 })
local b, L, D, N = 2, 20, 6, 4
agree.all("selective", scan.selective { batch = b, seq = L, channels = D, state = N }, {
  vector = 7 * b * L * D * N, special = b * L * D * N, bytes = 2 * b * L * (3 * D + 2 * N) + 4 * D * N,
}, { { t = 8 } })

-- Chunks of q tokens: h heads, p features, n state.
local h, p, n, q, chunks = 3, 8, 4, 6, 5
local tokens, pairs_of_chunk = b * q * chunks, q * (q + 1) / 2
local live = b * chunks * pairs_of_chunk
local size = { batch = b, seq = q * chunks, heads = h, head_dim = p, state = n, chunk = q }
local states, score = b * h * chunks * n * p, b * chunks * q * q
agree.all("ssd", scan.ssd(size), {
  matrix = 2 * 2 * n * p * tokens * h + 2 * n * live + 2 * p * live * h,
  vector = tokens * h + (1 + n) * tokens * h + 2 * states + 2 * live * h + 2 * p * tokens * h,
  special = tokens * h + b * h * chunks + live * h + tokens * h,
  -- dA; a written, read twice; a end twice; B twice, C twice, X twice, Y; S and H; G in bf16
  bytes = 4 * 4 * tokens * h + 2 * 4 * b * h * chunks + 2 * tokens * (4 * n + 3 * p * h) + 4 * 4 * states
    + 2 * 2 * score,
})
-- by kernel, inputs: of a token and head, of a chunk's end, of X, of B, of a state; then dG whole, G and dG where they are live
agree.all("ssd backward", scan.ssd_backward(size), {
  matrix = 2 * (2 * 2 * n * p * tokens * h + 2 * n * live + 2 * p * live * h),
  vector = tokens * h * (p + 1 + n + p + 2 * n + 4 * p + 1) + 4 * live * h + 2 * states + 2 * n * tokens,
  special = 2 * tokens * h + live * h + b * h * chunks,
  bytes = 3 * 4 * tokens * h + 2 * 4 * b * h * chunks + 10 * 2 * p * tokens * h + 10 * 2 * n * tokens + 5 * 4 * states
    + 2 * score + 2 * 2 * live,
})
agree.all("linear attention", scan.linear_attention(size), {
  matrix = 4 * n * p * tokens * h + 2 * (n + p) * live * h, vector = states + p * tokens * h,
  bytes = 2 * tokens * h * (3 * n + 3 * p) + 4 * 4 * states,
})
local state = b * h * n * p
-- the gated delta rule: one head of K and Q; without a token's own pair there are fewer
local few = live - b * chunks * q
local delta = { batch = b, seq = q * chunks, heads = h, key_heads = 1, head_dim = p, state = n, chunk = q }
agree.all("gated delta rule", scan.gated_delta(delta), {
  matrix = 2 * n * (few + live) + 2 * (n + 2 * p) * live * h + 6 * n * p * tokens * h,
  vector = tokens * h * (1 + 1 + n + p + 1 + n + p + 2 * p) + (3 * few + 2 * live) * h + 2 * states
    + q * (q - 1) * (q - 2) / 3 * b * chunks * h,
  special = 3 * tokens * h + (few + live) * h + b * h * chunks,
  -- of a token and head in f32: log a, a written and read four times, beta twice, not for a chunk's first token in A; ends; K four
  -- times, Q once; V, U and V new twice, Y; W twice; A in f32, T whole and where it is live; H twice
  bytes = 4 * 8 * tokens * h - 4 * b * chunks * h + 4 * b * h * chunks + 2 * n * tokens * 5 + 2 * p * tokens * h * 6
    + 2 * n * tokens * h * 2 + 2 * 4 * score * h + 2 * score * h + 2 * live * h + 2 * 4 * states,
})
agree.all("step", scan.step { batch = b, heads = h, head_dim = p, state = n }, {
  vector = 5 * state, special = b * h, bytes = 2 * 4 * state + 4 * b * h + 2 * 2 * b * n + 2 * 2 * b * h * p,
}, { { p = 4 } })

-- Caches: parts, pages, windows, scales.
local parts = kv_cache.heads { kv_heads = 2, head_dim = 64, value_dim = 32 }
t:equal("a token", kv_cache.bytes { parts = parts }, 2 * 2 * (64 + 32))
t:equal("pages", kv_cache.bytes { parts = parts, tokens = 17, page = 16, batch = 3, layers = 5 }, 384 * 32 * 3 * 5)
t:equal("window", kv_cache.bytes { parts = parts, tokens = 5000, window = 100 }, 384 * 100)
t:equal("window is not more than there is", kv_cache.bytes { parts = parts, tokens = 50, window = 100 }, 384 * 50)
t:equal("latent", kv_cache.bytes { parts = kv_cache.latent { dtype = "f8" } }, 512 + 2 * 64)

-- Drafts: 1 + a + a^2 + … tokens a round.
local sum = 0
for i = 0, 5 do sum = sum + 0.8 ^ i end
t:near("tokens", speculative.tokens { acceptance = 0.8, drafts = 5 }, sum, 1e-14)
t:equal("all accepted", speculative.tokens { acceptance = 1, drafts = 5 }, 6)
t:equal("none accepted", speculative.tokens { acceptance = 0, drafts = 5 }, 1)
local decode = kc.lib.attention.decode
local function of(heads, new)
  return decode { cached = 2047, heads = heads, kv_heads = heads / 4, head_dim = 128, seq = new, splits = 8 }
end
local e = speculative.evaluate {
  acceptance = 0.8, drafts = 4, step = of(32), verify = of(32, 5), draft = of(4), device = "h100-sxm5",
}
local round = kc.evaluate(of(32, 5), "h100-sxm5").time + 4 * kc.evaluate(of(4), "h100-sxm5").time
t:near("round", e.time, round, 1e-14)
t:near("speed-up", e.speedup, kc.evaluate(of(32), "h100-sxm5").time / (round / e.tokens), 1e-14)

agree.finish()
