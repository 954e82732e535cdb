-- roofline101.lua: the roofline model in five steps.
--
-- A kernel does FLOP and moves bytes.  Its arithmetic intensity is FLOP / byte.  A device has a roof for
-- each: peak FLOP/s and bandwidth byte/s.  The kernel can't be faster than
--
--     time >= max(FLOP / peak, bytes / bandwidth)
--
-- and the two are equal at the ridge point, intensity = peak / bandwidth.  Below it, memory binds.
--
--     kcost scripts/roofline101.lua --set n=8192 --device rtx-4090
local kc = require "kcost"
local report, gemm, norm = kc.lib.report, kc.lib.gemm, kc.lib.norm
local elementwise, attention = kc.lib.elementwise, kc.lib.attention

local n = kc.param("n", 4096)
local devices = report.words(kc.param("device", "a100-sxm4-40gb h100-sxm5"))
local product = gemm.plain { m = n, n = n, k = n }

local function table_of(title, head, rows)
    return title .. "\n\n" .. report.table(head, rows)
end

-- 1. Few FLOP per element: memory binds.  GELU does 9 ops for the 4 bytes that it moves, RMSNorm 4.
local memory_bound = kc.compare({
    elementwise.apply { what = "gelu", n = n * n },
    norm.rms { m = n, k = n },
    product,
}, devices)

-- 2. A tile loads (m k + k n) elements for 2 m n k FLOP: with m = n, m / 2 FLOP per byte in f16.  k
-- cancels out: a deeper tile loads more and does more.
local tiles = {}
for _, side in ipairs { 16, 32, 64, 128, 256 } do
    local c = kc.count(kc.tile(product, { m = side, n = side, k = 64 }))
    tiles[#tiles + 1] = {
        kc.str(side) .. " x " .. kc.str(side) .. " x 64", report.si(c.bytes_read, "B"),
        c.flops / c.bytes_read, report.si(c.smem, "B"),
    }
end

-- 3. With every element moved once: m n k / (m k + k n + m n) in f16, n / 3 for a square.  It crosses
-- the ridge at n = 3 ridge.
local head, squares, crossing = { "m x n x k", "FLOP", "bytes", "intensity" }, {}, {}
for _, device in ipairs(devices) do
    local ridge = kc.evaluate(product, device).ridge
    head[#head + 1] = device
    crossing[#crossing + 1] = string.format("%s: ridge %.1f, crossed at n = %.0f", device, ridge, 3 * ridge)
end
for _, shape in ipairs { { 1, n }, { 16, n }, { 256, 256 }, { 1024, 1024 }, { n, n } } do
    local m, side = shape[1], shape[2]
    local x = gemm.plain { m = m, n = side, k = side }
    local c = kc.count(x)
    local row = {
        kc.str(m) .. " x " .. kc.str(side) .. " x " .. kc.str(side),
        report.si(c.flops, "FLOP"), report.si(c.bytes, "B"), string.format("%.1f", c.intensity),
    }
    for _, device in ipairs(devices) do
        local share = c.intensity / kc.evaluate(x, device).ridge
        row[#row + 1] = share < 1 and string.format("%.1f %% of peak", 100 * share) or "compute-bound"
    end
    squares[#squares + 1] = row
end

-- 4. The ways to less traffic.  Tile: an element that is on chip is used by the whole tile.  Fuse: what
-- the next kernel reads needn't leave the chip.  Don't build it: recompute, or keep a tile at a time.
local less = {}
local function against(what, before, after)
    local was, is = kc.count(before).bytes, kc.count(after).bytes
    less[#less + 1] = { what, report.si(was, "B"), report.si(is, "B"), string.format("%.3g x", was / is) }
end

local C = product.tensors[1]
local gelu = elementwise.apply { what = "gelu", input = C }
local X, R = kc.tensor("X", "m k", "f16", { m = n, k = n }), kc.tensor("R", "m k", "f16", { m = n, k = n })
local H = kc.write("H", kc.map("add", kc.read(X), kc.read(R)))
local normed = norm.rms { m = n, k = n, input = H }
local heads = { b = 64, h = 16, i = 1024, d = 64 }

against("matmul: no tile, then 128 x 128 x 64",
    kc.tile(product, { m = 1, n = 1, k = 1 }), kc.tile(product, { m = 128, n = 128, k = 64 }))
against("matmul, then gelu as its epilogue", kc.program("apart", { product, gelu }),
    kc.fuse("gemm gelu", { product, gelu }))
against("residual add, then rmsnorm in the same kernel", kc.program("apart", { H, normed }),
    kc.fuse("add rmsnorm", { H, normed }, { save = { "H" } }))
against("attention, then without the score matrix", attention.standard(heads), attention.fused(heads))

-- 5. Overlap: load tile k+1 while computing k and storing k-1.  One after the other, the parts add up;
-- side by side, the longest remains.  The tile is so large that a core holds one CTA: no other CTA fills
-- the gaps.
local overlaps = {}
for _, device in ipairs(devices) do
    local alone
    for _, overlap in ipairs { "none", "load", "all" } do
        local tile = { m = 128, n = 256, k = 64 }
        local fits, r = pcall(kc.evaluate, kc.tile(product, tile, { overlap = overlap, stages = 3 }), device)
        if fits then
            alone = alone or r.time
            overlaps[#overlaps + 1] = {
                device, overlap, report.si(r.time, "s"), string.format("%.2f x", alone / r.time), r.bound,
            }
        end
    end
    if not alone then overlaps[#overlaps + 1] = { device, "", "does not fit" } end
end

return {
    "1. Two elementwise kernels and a matmul of " .. kc.str(n) .. ":",
    memory_bound,
    table_of("2. A tile of a matmul: FLOP per byte loaded.",
        { "tile", "loaded", "FLOP a byte", "shared memory" }, tiles),
    table_of("3. A whole matmul, every element moved once.", head, squares)
        .. "\n\n" .. table.concat(crossing, "\n"),
    table_of("4. Ways to less traffic.", { "", "before", "after", "less" }, less),
    table_of("5. What overlap gains, 128 x 256 x 64 tiles, 3 stages.",
        { "device", "overlap", "time", "faster", "bound" }, overlaps),
}
