-- transformer_sums.lua: a step of a model (transformer.lua) layer by layer.
local kc = require "kcost"
local parameters = kc.lib.parameters
local layers, stored = require "kcost.internal.transformer_layers", require "kcost.internal.transformer_stored"

local sums = {}

-- Kernels of a list of kernels and programs, as a result of them lists them.
local function launched(parts)
    local n = 0
    for _, part in ipairs(parts) do
        local good, inside = pcall(function() return part.kernels end)
        n = n + (good and launched(inside) or 1)
    end
    return n
end

-- What the layers of a group are: "attention, window 4096, dense", "state".
local function kind_of(group)
    local a, m, words = group.attention, group.mlp, {}
    if a then
        words[1] = a.kind == "heads" and "attention" or a.kind
        words[2] = a.window and "window " .. kc.str(a.window) or a.kind == "heads" and a.chunk and "chunk " .. kc.str(a.chunk) or nil
    end
    if m then words[#words + 1] = m.kind end
    return table.concat(words, ", ")
end

-- The parts of a step in launch order: what stands in front, the layers of each group, what stands behind.
local function parts_of(model, p)
    local s, ends = model.rank, model.parameters.ends
    local parts = { { name = "words", kernels = launched(layers.embedding(s, p)) } }
    for n, group in ipairs(s.groups) do
        local one, a = model.parameters.layers[n], group.attention
        parts[#parts + 1] = {
            name = kind_of(group), count = group.count, kernels = launched(layers.layer(s, p, group)), stored = one.stored,
            active = one.active, touched = stored.touched(s, group, one, p.batch * p.seq, p.distinct),
            cache = stored.of_token(a) * kc.dtype(model.kv_dtype).bits / 8, state = stored.of_sequence(s, a),
        }
    end
    if s.ranks.pipeline > 1 then parts[#parts + 1] = { name = "sends", kernels = 1, count = s.ranks.pipeline - 1 } end
    local last = layers.head(s, p)
    parts[#parts + 1] = { name = "head", kernels = launched(last), stored = ends.stored, active = ends.active, touched = ends.active }
    return parts
end

local figures = { "flops", "matrix_flops", "bytes", "link_bytes", "time" }

-- The results of one part: its figures are those of one of its layers.
local function filled(model, part, results, from)
    local count = part.count or 1
    part.count, part.terms = count, { weights = 0, cache_read = 0, cache_written = 0, activations = 0, total = 0 }
    for _, name in ipairs { "stored", "active", "touched", "cache", "state" } do part[name] = part[name] or 0 end
    local list = {}
    for n = 1, part.kernels do
        local r = results[from + n]
        list[n] = r
        for _, name in ipairs(figures) do
            if r[name] then part[name] = (part[name] or 0) + r[name] / count end
        end
        for term, bytes in pairs(model:bytes(r)) do part.terms[term] = part.terms[term] + bytes / count end
    end
    part.link_bytes, part.kernels = part.link_bytes or 0, list
    return part
end

-- The result that is asked for: a count, the fastest schedules on a device, or those that there are.
local function asked(program, p)
    if p.device == nil then return (kc.count(program)) end
    if p.best then return (kc.best(program, p.device, nil, p.options)) end
    return (kc.evaluate(program, p.device, p.options))
end

-- A step of a model, layer by layer.
--     step      "decode", "prefill" or "chunked": "decode"
--     device    where its time is wanted: none, and then there is none
--     best      each kernel in the fastest schedule that a tuned library would try: true
--     options   those of kc.evaluate: none
--     and the parameters of that step
-- Gives a list in launch order: "words"; of each group of layers that are alike one of them, named by what it has, and how many
-- there are; "head", in which the tables of words and positions are counted.  Each has, of one rank,
--     name, count
--     stored, active, touched    parameters; matrix elements that a token is multiplied by; those that the step reads
--     cache, state               bytes kept of a token and of a sequence
--     flops, matrix_flops, bytes, link_bytes, time    of one such layer; time on a device
--     terms                      its bytes, as of model:bytes
--     kernels                    results of its kernels, of all layers of the group
-- Times count, the figures add up to those of the step's result.
function sums.layers(model, p, steps)
    local call = "transformer.layers"
    if type(p) ~= "table" then error(call .. ": parameters: expected a table such as { step = \"decode\", cached = 2047 }") end
    local own = { step = "decode", best = true }
    local rest = {}
    for name, value in pairs(p) do
        if name == "step" or name == "device" or name == "best" or name == "options" then own[name] = value else rest[name] = value end
    end
    parameters.take(call, own, {
        step = "decode", device = parameters.optional, best = true, options = parameters.optional_table,
    })
    parameters.one_of(call, "step", own.step, { "decode", "prefill", "chunked" })
    local result = asked(model[own.step](model, rest), own)
    local shape = steps[own.step](model, rest)
    shape.kv_dtype = model.kv_dtype
    local rows, from = {}, 0
    for n, part in ipairs(parts_of(model, shape)) do
        local kernels = part.kernels
        rows[n] = filled(model, part, result.kernels, from)
        from = from + kernels
    end
    return rows
end

return sums
