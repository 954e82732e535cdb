-- mla.lua: what does latent attention read, and when is it worth absorbing the projections?
--
-- The cache holds one latent of 512 and a key of 64 a token for all heads, in place of 2 h 128.  K and V can be made
-- of it at each step (expanded): 2 * 512 * 256 FLOP for each head and cached token.  Absorbed, the heads work in the
-- latent: 2 (2 * 512 + 64) FLOP a pair in place of 2 (192 + 128), but K and V never exist.  For few new tokens
-- absorbing wins by far; in a prefill each key is made once and met by many queries, and expanding wins.
-- DeepSeek-V2, arXiv 2405.04434; 128 heads.
--
--     kcost scripts/mla.lua --set batch=64 --set cached=32768 --device h200-sxm
local kc = require "kcost"
local report, mla, cache = kc.lib.report, kc.lib.mla, kc.lib.kv_cache

local heads, batch, cached = kc.param("heads", 128), kc.param("batch", 32), kc.param("cached", 4096)
local device = kc.device(kc.param("device", "h100-sxm5"))

local function bytes(parts) return report.si(cache.bytes { parts = parts }, "B") end
local sizes = {
    { "latent", bytes(cache.latent()) },
    { "all heads", bytes(cache.heads { kv_heads = heads, head_dim = 192, value_dim = 128 }) },
    { "GQA, 8 heads", bytes(cache.heads { kv_heads = 8, head_dim = 128 }) },
}

-- New tokens of each sequence behind the cached ones: FLOP, and the time of the best schedules.
local lines = {}
for _, new in ipairs { 1, 4, 16, 64, 256, 1024 } do
    local p = { batch = batch, heads = heads, cached = cached, seq = new }
    local absorbed, expanded = mla.absorbed(p), mla.expanded(p)
    local a, e = kc.best(absorbed, device), kc.best(expanded, device)
    lines[#lines + 1] = {
        new, report.si(a.flops, "FLOP"), report.si(e.flops, "FLOP"), report.si(a.bytes, "B"), report.si(e.bytes, "B"),
        report.si(a.time, "s"), report.si(e.time, "s"), a.time < e.time and "absorbed" or "expanded",
    }
end

local head = { "new tokens", "absorbed", "expanded", "absorbed", "expanded", "absorbed", "expanded", "faster" }
return {
    "A layer's cache of one token:\n\n" .. report.table({ "", "bytes" }, sizes),
    "New tokens of " .. kc.str(batch) .. " sequences behind " .. kc.str(cached) .. " cached, on " .. device.id .. ":\n\n"
        .. report.table(head, lines),
    kc.best(mla.latent { batch = batch, heads = heads, cached = cached }, device),
}
