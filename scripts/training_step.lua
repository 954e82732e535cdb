-- training_step.lua: what does a step of training cost, and what does recomputation trade?
--
-- Backward is two matmuls for each of forward: a model's work is 6 FLOP a parameter and token, and attention's on top.
-- Activations wait for the backward pass in memory.  Computing the core of attention again keeps one tensor less of each
-- layer; computing whole layers again keeps little more than what runs between them, for a third more work.  MFU counts
-- a model's work, HFU what the kernels really do: only HFU rises with recomputation.
--
--     kcost scripts/training_step.lua --set config=path/to/config.json --set seq=8192 --set tensor=8 --device b200
local kc = require "kcost"
local report = kc.lib.report

local file = kc.param("config", "")
local seq, batch, ranks = kc.param("seq", 4096), kc.param("batch", 2), kc.param("tensor", 2)
local device = kc.param("device", "h100-sxm5")

local model = kc.lib.transformer(file ~= "" and kc.load_json(file) or {     -- Llama-2-7B
    model_type = "llama", hidden_size = 4096, intermediate_size = 11008, num_hidden_layers = 32, num_attention_heads = 32,
    vocab_size = 32000, torch_dtype = "bfloat16",
}, { tensor = ranks })

local function percent(x) return x and string.format("%.1f %%", 100 * x) or "" end
local rows, last = {}, nil
for _, recompute in ipairs { "none", "selective", "full" } do
    local t = model:train { device = device, seq = seq, batch = batch, recompute = recompute }
    rows[#rows + 1] = {
        recompute, report.si(t.time, "s"), report.si(t.model_flops, "FLOP"), report.si(t.hardware_flops, "FLOP"), percent(t.mfu),
        percent(t.hfu), report.si(t.memory.activations, "B"), report.si(t.memory.total, "B"),
    }
    last = t
end

local parts = {}
for _, part in ipairs { "weights", "gradients", "optimizer" } do
    parts[#parts + 1] = part .. " " .. report.si(last.memory[part], "B")
end
return string.format("%s, %s sequences of %s tokens on each of %s ranks of %s:\n\n",
    model.name, kc.str(batch), kc.str(seq), kc.str(ranks), last.result.device)
    .. report.table({ "recomputed", "time", "model", "kernels", "MFU", "HFU", "activations", "memory" }, rows)
    .. "\n\nof the memory " .. table.concat(parts, ", ")
