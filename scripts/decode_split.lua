-- decode_split.lua: how many CTAs should share the keys of one sequence in a decode step?
--
-- A step reads the whole cache for one query of each head, 2 FLOP a byte in f16 for each head that shares it: it is
-- as fast as the cache can be read.  With a CTA for each head of K and V, few sequences leave most cores idle;
-- FlashDecoding splits the keys.  Each share then writes a partial O, a maximum and a sum in f32, and a small
-- kernel merges them, so too many splits cost as well.
--
--     kcost scripts/decode_split.lua --set batch=4 --set context=131072 --device h200-sxm
local kc = require "kcost"
local report, decode = kc.lib.report, kc.lib.attention.decode

local context, head_dim = kc.param("context", 16384), kc.param("head_dim", 128)
local heads, kv_heads = kc.param("heads", 32), kc.param("kv_heads", 8)
local device = kc.device(kc.param("device", "h100-sxm5"))
local batches = report.words(kc.param("batch", "1 4 16 64"))
local splits = report.words(kc.param("splits", "1 2 4 8 16 32 64"))

local function step(batch, split)
    return decode {
        batch = batch, heads = heads, kv_heads = kv_heads, head_dim = head_dim, cached = context - 1, splits = split,
    }
end

-- The time of each, and the share of it that the cache alone would take at the full bandwidth.
local lines = {}
for _, batch in ipairs(batches) do
    local line, best = { batch }, nil
    for _, split in ipairs(splits) do
        local r = kc.evaluate(step(tonumber(batch), tonumber(split)), device, { launch = "graph" })
        line[#line + 1] = report.si(r.time, "s")
        if not best or r.time < best.time then best = { time = r.time, split = split, roof = r.roof_time } end
    end
    line[#line + 1] = best.split
    line[#line + 1] = string.format("%.0f %%", 100 * best.roof / best.time)
    lines[#lines + 1] = line
end
local head = { "sequences" }
for _, split in ipairs(splits) do head[#head + 1] = split .. (split == "1" and " CTA" or " CTAs") end
head[#head + 1], head[#head + 2] = "best", "of roof"

-- What the merge moves beside the cache, in the widest split of one sequence.
local widest = step(1, tonumber(splits[#splits]))
return {
    "One token of sequences of " .. kc.str(context) .. " on " .. device.id .. ", CTAs that share the keys of a head:\n\n"
        .. report.table(head, lines),
    kc.compare({ step(1, 1), widest }, { device.id }, { launch = "graph" }),
}
