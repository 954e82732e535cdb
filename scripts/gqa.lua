-- gqa.lua: what do heads gain that share keys and values?
--
-- MHA keeps a K and a V for each of h heads, GQA for each of g groups, MQA one.  The work is the same for all.
-- The cache, and with it a decode step, which reads it whole, shrink by h / g; prefill, which is bound by its
-- matmuls, hardly changes.  In a decode step the heads of a group are the rows of one tile, so a byte of the cache
-- serves h / g heads: 2 h / g FLOP a byte in f16, until the ridge.
--
--     kcost scripts/gqa.lua --set heads=64 --set context=32768 --device h200-sxm
local kc = require "kcost"
local report, attention, cache = kc.lib.report, kc.lib.attention, kc.lib.kv_cache

local heads, head_dim = kc.param("heads", 32), kc.param("head_dim", 128)
local batch, context = kc.param("batch", 16), kc.param("context", 8192)
local device = kc.device(kc.param("device", "h100-sxm5"))

local lines = {}
for _, kv_heads in ipairs { heads, heads / 4, heads / 8, 1 } do
    local p = { batch = batch, heads = heads, kv_heads = kv_heads, head_dim = head_dim, dtype = "bf16" }
    local function with(more) return kc.lib.parameters.merge(p, more) end
    local decode = kc.best(attention.decode(with { cached = context - 1 }), device)
    local prefill = kc.evaluate(attention.flash(with { batch = 1, seq = context, causal = true }), device)
    local bytes = cache.bytes { parts = cache.heads { kv_heads = kv_heads, head_dim = head_dim } }
    lines[#lines + 1] = {
        kv_heads == heads and "MHA" or kv_heads == 1 and "MQA" or "GQA", kv_heads, report.si(bytes, "B"),
        report.si(prefill.time, "s"), report.si(decode.time, "s"), report.si(decode.bytes, "B"),
        string.format("%.3g", decode.intensity), decode.bound,
    }
end

local head = { "", "K, V heads", "cache a token", "prefill", "decode", "HBM", "FLOP/B", "bound by" }
return kc.str(heads) .. " heads of " .. kc.str(head_dim) .. ", " .. kc.str(context) .. " tokens; a layer's prefill of "
    .. "one sequence and decode of " .. kc.str(batch) .. " on " .. device.id .. ":\n\n" .. report.table(head, lines)
