-- speculative.lua: how many tokens should a draft model propose?
--
-- A decode step reads all weights for one token of each sequence.  Checking g drafted tokens and one more reads them
-- once too and does g + 1 times the work: nearly free while memory binds.  A token is kept with chance a, so a round
-- makes (1 - a^(g + 1)) / (1 - a) tokens, in the time of g steps of the draft and one check (Leviathan et al., arXiv
-- 2211.17192).  With many sequences the check is bound by its matmuls, and drafting stops paying.
--
--     kcost scripts/speculative.lua --set acceptance=0.6 --set batch="1 64" --device h200-sxm
local kc = require "kcost"
local report, gemm, speculative = kc.lib.report, kc.lib.gemm, kc.lib.speculative

local acceptance, context = kc.param("acceptance", 0.8), kc.param("context", 4096)
local batches = report.words(kc.param("batch", "1 8 32 128"))
local device = kc.device(kc.param("device", "h100-sxm5"))

-- A step of a model: its layers' products and attention, and the head; `new` tokens of each sequence.
local function step(model, batch, new)
    local m, D = batch * new, model.hidden
    local function product(n, k) return gemm.plain { m = m, n = n, k = k, dtype = "bf16" } end
    local layer = kc.program("layer", {
        product(D + 2 * model.kv_heads * 128, D),
        kc.lib.attention.decode {
            batch = batch, heads = D / 128, kv_heads = model.kv_heads, head_dim = 128, cached = context - new,
            seq = new, splits = math.max(1, 32 / batch), dtype = "bf16",
        },
        product(D, D), product(2 * model.inner, D), product(D, model.inner),
    })
    return kc.program("step", { kc.times(layer, model.layers), product(128256, D) })
end
local large = { layers = 80, hidden = 8192, kv_heads = 8, inner = 28672 }
local small = { layers = 16, hidden = 2048, kv_heads = 8, inner = 8192 }

local lines = {}
for _, word in ipairs(batches) do
    local batch = tonumber(word)
    local line = { word, report.si(kc.evaluate(step(large, batch, 1), device, { launch = "graph" }).time, "s") }
    for _, drafts in ipairs { 1, 2, 4, 8 } do
        local r = speculative.evaluate {
            acceptance = acceptance, drafts = drafts, step = step(large, batch, 1), draft = step(small, batch, 1),
            verify = step(large, batch, drafts + 1), device = device, options = { launch = "graph" },
        }
        line[#line + 1] = string.format("%.2f x", r.speedup)
    end
    lines[#lines + 1] = line
end
local head = { "sequences", "a token", "1 draft", "2 drafts", "4 drafts", "8 drafts" }
return "A model of 70e9 weights and a draft of 1.2e9, as if one " .. device.id .. " held them; acceptance "
    .. kc.str(acceptance) .. ":\n\n" .. report.table(head, lines)
