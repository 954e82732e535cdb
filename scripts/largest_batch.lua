-- largest_batch.lua: how many sequences fit beside the weights, and what sets the limit?
--
-- A cache holds, for each token and layer, K and V of each head that is kept, or a latent.  What a device has left
-- beside the weights, over the cache of one sequence, is the largest batch.  Fewer heads, a latent, a window and
-- f8 multiply it; pages cost half of one a sequence on average, where slots for the longest sequence cost the rest.
-- GB is 10^9 throughout: 80 GB of HBM are 74.5 GiB.
--
--     kcost scripts/largest_batch.lua --set context=131072 --device h200-sxm
local kc = require "kcost"
local report, cache = kc.lib.report, kc.lib.kv_cache

local context, page = kc.param("context", 8192), kc.param("page", 16)
local kept = kc.param("usable", 0.9)                -- of the capacity; the rest is for activations
local devices = report.words(kc.param("device", "a100-sxm4-80gb h100-sxm5 h200-sxm b200"))

local function heads(n, dim, dtype) return cache.heads { kv_heads = n, head_dim = dim, dtype = dtype or "bf16" } end
local models = {
    { "Llama-2-7B, MHA", layers = 32, parts = heads(32, 128), weights = 2 * 6.738e9 },
    { "Llama-3.1-8B, GQA", layers = 32, parts = heads(8, 128), weights = 2 * 8.030e9 },
    { "the same, cache f8", layers = 32, parts = heads(8, 128, "f8"), weights = 2 * 8.030e9 },
    { "Mistral-7B, window", layers = 32, parts = heads(8, 128), weights = 2 * 7.248e9, window = 4096 },
    { "Falcon-7B, MQA", layers = 32, parts = heads(1, 64), weights = 2 * 7.2e9 },
    { "a latent, 32 layers", layers = 32, parts = cache.latent(), weights = 2 * 8e9 },
}

local lines = {}
for _, model in ipairs(models) do
    local function bytes(tokens, slots)
        return cache.bytes {
            parts = model.parts, layers = model.layers, window = model.window, tokens = tokens, page = slots,
        }
    end
    local line = { model[1], report.si(bytes(1, 1), "B"), report.si(bytes(context, page), "B") }
    for _, device in ipairs(devices) do
        local left = kept * kc.device(device).hbm.capacity - model.weights
        line[#line + 1] = left > 0 and math.floor(left / bytes(context, page)) or "no room"
    end
    lines[#lines + 1] = line
end

local head = { "", "a token", "a sequence" }
for _, device in ipairs(devices) do head[#head + 1] = kc.device(device).id end
return "Sequences of " .. kc.str(context) .. " tokens beside the weights, in " .. kc.str(100 * kept)
    .. " % of the memory, pages of " .. kc.str(page) .. ":\n\n" .. report.table(head, lines)
