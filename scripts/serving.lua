-- serving.lua: how fast is a model out of its config.json on four devices, and how many sequences fit?
--
-- Prefill multiplies every token of a prompt by the weights: it is bound by the matrix unit, and MFU says how well.  A
-- decode step reads the weights that its tokens touch and the cache of each sequence: it is bound by memory, and MBU says how
-- well.  A larger batch shares the weights but not the cache; what the memory has left beside the weights limits it.
-- Give the file of any model of a family that kcost knows:
--
--     kcost scripts/serving.lua --set config=path/to/config.json --set batch=64 --device h200-sxm
local kc = require "kcost"
local report = kc.lib.report

local file = kc.param("config", "")
local prompt, output, batch = kc.param("prompt", 2048), kc.param("output", 256), kc.param("batch", 16)
local ranks = kc.param("tensor", 1)                -- that share each layer; each branch ends in an allreduce
local devices = report.words(kc.param("device", "a100-sxm4-80gb h100-sxm5 h200-sxm mi300x"))

local model = kc.lib.transformer(file ~= "" and kc.load_json(file) or {     -- Llama-3.1-8B
    model_type = "llama", hidden_size = 4096, intermediate_size = 14336, num_hidden_layers = 32, num_attention_heads = 32,
    num_key_value_heads = 8, vocab_size = 128256, torch_dtype = "bfloat16", tie_word_embeddings = false,
}, { tensor = ranks })

local function percent(x) return x and string.format("%.0f %%", 100 * x) or "" end
local rows, notes, bytes = {}, {}, nil
for _, name in ipairs(devices) do
    local s = model:serve { device = name, prompt = prompt, output = output, batch = batch, options = { launch = "graph" } }
    bytes = s.decode_bytes
    for _, note in ipairs(s.notes) do notes[#notes + 1] = note .. "\n" end
    rows[#rows + 1] = {
        s.decode.device, report.si(s.ttft, "s"), percent(s.prefill_mfu), report.si(s.tpot, "s"), percent(s.decode_mbu),
        report.si(s.tokens_per_second, ""), s.memory.largest_batch,
    }
end

local terms = {}
for _, term in ipairs { "weights", "cache_read", "cache_written", "activations", "total" } do
    terms[#terms + 1] = { (term:gsub("_", " ")), report.si(bytes[term], "B") }
end
local layers = {}
for i, r in ipairs(model:layers { batch = batch, cached = prompt, device = devices[1], options = { launch = "graph" } }) do
    layers[i] = { r.name, r.count, report.si(r.stored, ""), report.si(r.active, ""), report.si(r.bytes, "B"), report.si(r.time, "s") }
end
return {
    model:summary() .. "\n",
    string.format("Prompts of %s tokens, then %s more of %s sequences:\n", kc.str(prompt), kc.str(output), kc.str(batch)),
    report.table({ "", "first token", "MFU", "next token", "MBU", "token/s", "largest batch" }, rows),
    table.concat(notes) .. "\nWhat a decode step moves:\n\n" .. report.table({ "", "HBM" }, terms),
    "\nOne layer of each kind of it on " .. kc.device(devices[1]).id .. ":\n\n"
        .. report.table({ "", "layers", "stored", "multiplied", "HBM", "time" }, layers) .. "\n",
    "\nThe file, key by key:\n\n" .. model:audit_table(),
}
