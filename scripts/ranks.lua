-- ranks.lua: how should devices share a model: its heads, its experts, its layers or its users, and what does the link take?
--
-- Tensor ranks share every matmul and every head, so each token comes sooner; each branch of a layer ends in an allreduce,
-- whose latencies are what is left of a small batch's time.  Stages of a pipeline share the layers and send little, but a token
-- still passes all of them: they raise tokens a second, each at work on a batch of its own.  Replicas share nothing and serve
-- users of their own; where they have experts in common, tokens travel to them and back by all-to-alls, and a device holds fewer
-- weights that more tokens share.  "token/s" is of all devices together.
--
--     kcost scripts/ranks.lua --set config=path/to/config.json --set batch=256 --set devices=16 --device b200
local kc = require "kcost"
local report = kc.lib.report

local file = kc.param("config", "")
local prompt, output, batch = kc.param("prompt", 2048), kc.param("output", 512), kc.param("batch", 64)   -- of all users
local devices, device = kc.param("devices", 8), kc.param("device", "h100-sxm5")

local config = file ~= "" and kc.load_json(file) or {                        -- Mixtral-8x7B
    model_type = "mixtral", hidden_size = 4096, intermediate_size = 14336, num_hidden_layers = 32, num_attention_heads = 32,
    num_key_value_heads = 8, num_local_experts = 8, num_experts_per_tok = 2, vocab_size = 32000, torch_dtype = "bfloat16",
}
local shapes = {}
for tensor = 1, devices do
    local rest = devices / tensor
    if rest == math.floor(rest) then
        shapes[#shapes + 1] = { tensor = tensor, data = rest }
        if rest > 1 then shapes[#shapes + 1] = { tensor = tensor, pipeline = rest } end
        shapes[#shapes + 1] = { tensor = tensor, data = rest, expert = devices }
    end
end

local function served(shape)
    local model = kc.lib.transformer(config, shape)
    local users = math.ceil(batch / (shape.data or 1) / (shape.pipeline or 1))       -- of one replica and stage, at once
    local s = model:serve { device = device, prompt = prompt, output = output, batch = users, options = { launch = "graph" } }
    return {
        report.si(s.ttft, "s"), report.si(s.tpot, "s"), string.format("%.0f %%", 100 * (s.decode.times.link or 0) / s.tpot),
        report.si(s.tokens_per_second, ""), report.si(s.memory.weights, "B"), s.memory.largest_batch,
    }
end

local lines = {}
for _, shape in ipairs(shapes) do
    local good, line = pcall(served, shape)
    if not good then line = { tostring(line):match("transformer: (.*)") or tostring(line) } end
    for n, ranks in ipairs { shape.tensor, shape.pipeline or 1, shape.data or 1, shape.expert or "" } do table.insert(line, n, ranks) end
    lines[#lines + 1] = line
end
return string.format("%s users on %s %s, prompts of %s tokens:\n\n", kc.str(batch), kc.str(devices), kc.device(device).id, kc.str(prompt))
    .. report.table({ "tensor", "pipeline", "data", "expert", "first token", "next token", "on the link", "token/s", "weights",
        "largest batch" }, lines)
