-- flashattn_tiles.lua: which tiles suit flash attention, at which sequence length and head size?
--
-- A CTA owns i queries and walks the keys in steps of j.  A larger i loads K and V less often, n/i times a head;
-- a larger j means fewer steps, each of which rescales the accumulator.  Both take shared memory and registers,
-- and the accumulator of O is i x e in f32.  Causal masks waste the tiles on the diagonal, more of them the larger
-- the tile.
--
--     kcost scripts/flashattn_tiles.lua --set causal=true --device h200-sxm
local kc = require "kcost"

local device, causal = kc.param("device", "h100-sxm5"), kc.param("causal", false)
local flash = kc.lib.attention.flash { b = kc.param("b", 16), h = kc.param("h", 16), i = 4096, d = 64, causal = causal }

local function sweep(keep)
    return kc.sweep {
        kernel = flash,
        device = device,
        size = { ["i j"] = { 1024, 4096, 16384 }, ["d e"] = { 64, 128 } },
        tile = { i = kc.pow2(32, 256), j = kc.pow2(16, 256) },
        stages = { 1, 2, 3 },
        warps = { 4, 8 },
        where = "tile.i >= tile.j",
        keep = keep,
        fields = { "time", "bound", "throughput", "smem", "register_bytes", "occupancy", "waves", "tile_efficiency" },
    }
end

return { sweep { best_per = "size" }, sweep { top = 8 } }
