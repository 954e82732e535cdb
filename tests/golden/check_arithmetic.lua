-- check_arithmetic.lua: the figures that the scripts show, computed by hand.
--
-- Golden outputs say that nothing changed; this says that what is kept is right.  Each expectation is
-- written as the sum a person would do on paper, with no loop nest and no rule of kcost's.
local kc = require "kcost"

local passed, failed = 0, 0
local function is(what, got, want)
    if got == want then
        passed = passed + 1
    else
        failed = failed + 1
        print(what .. ": got " .. tostring(got) .. ", expected " .. tostring(want))
    end
end

local function row(x, name)
    for _, t in ipairs(kc.count(x).tensors) do
        if t.name == name then return t end
    end
    return { bytes_read = 0, bytes_written = 0, spill = 0, reload = 0 }
end

-- Attention of 64 * 16 heads, 1024 queries and keys, head size 64, f16.
local heads, n, d = 64 * 16, 1024, 64
local pairs_all = heads * n * n                     -- scores: 2^30
local U = heads * n * d * 2                         -- Q, K, V or O: 134,217,728 B
local W = pairs_all * 2                             -- S or P: 2,147,483,648 B
local R = heads * n * 4                             -- a statistic in f32: 4,194,304 B
local shape = { b = 64, h = 16, i = n, d = d }

local function with(more)
    local p = {}
    for name, value in pairs(shape) do p[name] = value end
    for name, value in pairs(more) do p[name] = value end
    return p
end

local attention = kc.lib.attention
local standard, fused = attention.standard(shape), attention.fused(shape)
local fa2 = attention.flash(shape)
local fa1 = attention.flash(with { loops = "fa1", tile = { i = 64, j = 256 } })

is("S and P move four times, 8.59 GB", 4 * W, 8589934592)
is("unfused: Q K V O once, S and P written and read", kc.count(standard).bytes, 4 * U + 4 * W)
is("unfused: S", row(standard, "S").bytes_read + row(standard, "S").bytes_written, 2 * W)
is("unfused: P", row(standard, "P").bytes_read + row(standard, "P").bytes_written, 2 * W)
is("fused: Q K V O once", kc.count(fused).bytes, 4 * U)
for _, x in ipairs { fused, fa1, fa2 } do
    is("fused: nothing of S moves", row(x, "S").bytes_read + row(x, "S").bytes_written, 0)
    is("fused: nothing of P moves", row(x, "P").bytes_read + row(x, "P").bytes_written, 0)
    is("fused: one pass", kc.count(x).passes, 1)
end

-- Two matmuls of 2 n^2 d a head.
for _, x in ipairs { standard, fused, fa1, fa2 } do
    is("attention: matmul FLOP", kc.count(x).matrix_flops, 2 * 2 * pairs_all * d)
    is("attention: an exp a score, a reciprocal a row", kc.count(x).special_ops, pairs_all + heads * n)
end
is("unfused: max, subtract, sum, normalise", kc.count(standard).vector_flops, 4 * pairs_all)
is("fused: the division is done on O", kc.count(fused).vector_flops, 3 * pairs_all + heads * n * d)
is("fa2: useful work as untiled", kc.count(fa2).vector_flops, kc.count(fused).vector_flops)

-- FlashAttention 2: 1024 / 128 = 8 blocks of queries, each loads K and V.
is("fa2: Q and O once, K and V 8 times", kc.count(fa2).bytes, 2 * U + 8 * 2 * U)
is("fa2: K", row(fa2, "K").bytes_read, 8 * U)
is("fa2: reloaded", row(fa2, "K").reload + row(fa2, "V").reload, 14 * U)
is("fa2: CTAs", kc.count(fa2).ctas, heads * 8)

-- FlashAttention 1: 1024 / 256 = 4 blocks of keys; Q is loaded 4 times; O and the two statistics leave
-- 3 times and come back 3 times, in f32: O is then 2 U.
is("fa1: K and V once", row(fa1, "K").bytes_read + row(fa1, "V").bytes_read, 2 * U)
is("fa1: Q 4 times", row(fa1, "Q").bytes_read, 4 * U)
is("fa1: O spills", row(fa1, "O").spill, 3 * 2 * U + 3 * 2 * U)
is("fa1: the maximum spills", row(fa1, "P.max").spill, 6 * R)
is("fa1: the sum spills", row(fa1, "P.sum").spill, 6 * R)
is("fa1: all", kc.count(fa1).bytes, (2 + 4 + 1 + 12) * U + 12 * R)
is("fa1: CTAs", kc.count(fa1).ctas, heads)

-- Causal: 1 + 2 + ... + 1024 pairs a head.
local live = n * (n + 1) / 2
local causal = {
    standard = attention.standard(with { causal = true }), fused = attention.fused(with { causal = true }),
    fa2 = attention.flash(with { causal = true }),
    fa1 = attention.flash(with { causal = true, loops = "fa1", tile = { i = 64, j = 256 } }),
}
for _, name in ipairs { "standard", "fused", "fa1", "fa2" } do
    is("causal " .. name .. ": matmul FLOP", kc.count(causal[name]).matrix_flops, 4 * heads * live * d)
    is("causal " .. name .. ": exps", kc.count(causal[name]).special_ops, heads * (live + n))
end
is("causal, unfused: tensors move whole", kc.count(causal.standard).bytes, 4 * U + 4 * W)
-- Block r of 128 queries sees 128 (r + 1) keys, 2 (r + 1) tiles of 64: 2 (1 + ... + 8) = 72 of 128.
is("causal fa2: K", row(causal.fa2, "K").bytes_read, heads * 72 * 64 * d * 2)
is("causal fa2: executed", kc.count(causal.fa2).executed_matrix_flops, 4 * heads * 72 * 128 * 64 * d)
is("causal fa2: all", kc.count(causal.fa2).bytes, 2 * U + 2 * heads * 72 * 64 * d * 2)
-- Blocks of 256 keys are live for 16, 12, 8, 4 tiles of 64 queries: 40.  A tile of queries has 1 to 4
-- live trips, so it comes back 4 * (0 + 1 + 2 + 3) = 24 times.
is("causal fa1: Q", row(causal.fa1, "Q").bytes_read, heads * 40 * 64 * d * 2)
is("causal fa1: O spills", row(causal.fa1, "O").spill, 2 * heads * 24 * 64 * d * 4)
is("causal fa1: the maximum spills", row(causal.fa1, "P.max").spill, 2 * heads * 24 * 64 * 4)

-- The primer: a tile of side s loads 2 s k elements of 2 B for 2 s^2 k FLOP, s / 2 FLOP a byte.
local product = kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }
for _, side in ipairs { 16, 32, 64, 128, 256 } do
    local c = kc.count(kc.tile(product, { m = side, n = side, k = 64 }))
    is("tile: FLOP a loaded byte", c.flops / c.bytes_read, side / 2)
end
is("a square matmul: n / 3", kc.count(kc.lib.gemm.plain { m = 3072, n = 3072, k = 3072 }).intensity, 1024)
local gemv = kc.count(kc.lib.gemm.plain { m = 1, n = 4096, k = 4096 })
is("a matrix-vector product", gemv.intensity, 4096 * 4096 / (4096 + 4096 * 4096 + 4096))
is("no tile: both operands for every product",
    kc.count(kc.tile(product, { m = 1, n = 1, k = 1 })).bytes_read, 2 * 2 * 4096 ^ 3)

-- Elementwise and rows: A is an array of 4096^2 in f16.
local A = 4096 * 4096 * 2
local gelu = kc.lib.elementwise.apply { what = "gelu", n = 4096 * 4096 }
is("gelu: 8 + 1 ops for 4 bytes", kc.count(gelu).intensity, 9 / 4)
local rms = kc.lib.norm.rms { m = 4096, k = 4096 }
is("rmsnorm: in, out, weight", kc.count(rms).bytes, 2 * A + 4096 * 2)
is("rmsnorm: 4 an element, 3 a row", kc.count(rms).flops, 4 * 4096 * 4096 + 3 * 4096)
local layer = kc.lib.norm.layer { m = 4096, k = 4096 }
is("layernorm: in, out, weight, bias", kc.count(layer).bytes, 2 * A + 2 * 4096 * 2)
is("layernorm: 7 an element, 4 a row", kc.count(layer).flops, 7 * 4096 * 4096 + 4 * 4096)
is("rmsnorm in tiles: two passes", kc.count(kc.tile(rms, { m = 1, k = 1024 })).passes, 2)
is("layernorm in tiles: three passes", kc.count(kc.tile(layer, { m = 1, k = 1024 })).passes, 3)
is("layernorm in one tile: one pass", kc.count(kc.tile(layer, { m = 1, k = 4096 })).passes, 1)

local fused_gelu = kc.fuse("gemm gelu", {
    product, kc.lib.elementwise.apply { what = "gelu", input = product.tensors[1] },
})
is("epilogue: C neither written nor read", kc.count(fused_gelu).bytes, 3 * A)

-- The walk over every tile agrees, ragged tiles and masks included.
for _, loops in ipairs { "fa1", "fa2" } do
    for _, mask in ipairs { false, true } do
        local x = kc.lib.attention.flash {
            b = 2, h = 1, i = 50, j = 70, d = 8, causal = mask, loops = loops, tile = { i = 16, j = 32 },
        }
        local good, message = pcall(kc.verify, x)
        is("verify " .. loops .. (mask and " causal" or "") .. ": " .. tostring(message), good, true)
    end
end

print(passed .. " passed, " .. failed .. " failed")
os.exit(failed == 0 and 0 or 1)
