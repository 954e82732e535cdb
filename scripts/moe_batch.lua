-- moe_batch.lua: how many experts does a batch read, and when does a mixture stop being bound by memory?
--
-- Each token uses k of N experts.  B tokens, spread evenly, reach N (1 - (1 - k / N)^B) different ones, and each of
-- these is read once.  A small batch reads k experts a token, so a larger batch costs nearly in proportion; once all
-- are read, more tokens are free until the matmuls bind.  A dense MLP of the same work is at its ridge N / k times
-- earlier.  A tool that counts all N for every batch, or B k of them, is wrong in between.
--
--     kcost scripts/moe_batch.lua --set experts=256 --set hidden=7168 --set inner=2048 --set weights=f8
local kc = require "kcost"
local report, moe = kc.lib.report, kc.lib.moe

local experts, top_k = kc.param("experts", 128), kc.param("top_k", 8)
local hidden, inner = kc.param("hidden", 2048), kc.param("inner", 768)
local weights = kc.param("weights", "bf16")
local device = kc.device(kc.param("device", "h100-sxm5"))

local lines = {}
for _, tokens in ipairs(kc.pow2(1, 16384)) do
    local p = { tokens = tokens, experts = experts, top_k = top_k, hidden = hidden, inner = inner, weights = weights }
    local r = kc.evaluate(moe.mlp(p), device, { launch = "graph" })
    local dense = kc.evaluate(moe.mlp {
        tokens = tokens, experts = 1, top_k = 1, hidden = hidden, inner = inner * top_k, weights = weights,
    }, device, { launch = "graph" })
    lines[#lines + 1] = {
        tokens, string.format("%.1f", moe.distinct { tokens = tokens, experts = experts, top_k = top_k }),
        report.si(r.bytes, "B"), report.si(r.time, "s"), report.si(r.time / tokens, "s"), r.bound,
        report.si(dense.time, "s"), dense.bound,
    }
end

local head = { "tokens", "experts read", "HBM", "time", "a token", "bound by", "dense", "bound by" }
return kc.str(top_k) .. " of " .. kc.str(experts) .. " experts of " .. kc.str(hidden) .. " x " .. kc.str(inner) .. " in "
    .. weights .. " on " .. device.id .. ", untiled; beside a dense MLP of the same work:\n\n" .. report.table(head, lines)
