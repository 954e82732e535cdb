-- transformer_serving.lua: what a model does for its users on a device: first token, next tokens, what fits.
local _, core = ...
local kc = require "kcost"
local parameters = kc.lib.parameters
local take, size, optional, optional_table = parameters.take, parameters.size, parameters.optional, parameters.optional_table

local serving = {}

-- What fits of a model (transformer.lua) on each of its ranks: a table of bytes and sequences.
--     device     a device or its name, required
--     tokens     of a sequence at its longest, required
--     batch      sequences: 1
--     page       slots of a page of the cache: 1
--     usable     share of the device's memory that weights and cache may fill; the rest is for activations: 0.9
-- Gives weights, cache (of the batch) and capacity in byte, fits (true or false) and largest_batch: the sequences whose cache
-- fits beside the weights, 0 where the weights do not.  Stages of a pipeline divide weights and cache evenly.
function serving.memory(model, p)
    p = take("transformer.memory", p, { device = parameters.required, tokens = size, batch = 1, page = 1, usable = optional })
    local usable = p.usable or 0.9
    if type(usable) ~= "number" or not (usable > 0 and usable <= 1) then
        error("transformer.memory: usable: expected a share above 0, up to 1")
    end
    local hbm, stages = kc.device(p.device).hbm, model.options.pipeline
    local weights = model.parameters.bytes / stages
    local sequence = (model:cache_bytes { tokens = p.tokens, page = p.page }) / stages
    local left = usable * hbm.capacity - weights
    return core.record {
        weights = weights, cache = p.batch * sequence, capacity = hbm.capacity,
        largest_batch = math.max(0, math.floor(left / sequence)), fits = p.batch * sequence <= left,
    }
end

-- The dense peak that MFU divides by: that of the model's dtype, by name, where the device has one.
local function peak_of(device, dtype)
    return device.matrix and (device.matrix[dtype] or dtype == "bf16" and device.matrix.f16) or nil
end

-- A prompt, then tokens one by one, on a device.
--     device     a device or its name, required
--     prompt     tokens of a request, required
--     output     tokens that are generated: 256
--     batch      sequences that are decoded together: 1
--     best       each kernel in the fastest schedule that a tuned library would try; false: untiled, at sustained roofs: true
--     page, usable    as of `memory`
--     options    those of kc.evaluate ({ launch = "graph" }): none
-- Gives, in s, byte and tokens:
--     ttft                 time to the first token: the prefill of one prompt
--     tpot                 time of a token after it: a decode step of the batch, half of the output behind it
--     request_time         ttft + (output - 1) tpot
--     tokens_per_second    of decoding: batch / tpot of one replica; times the replicas, and times the stages, each of which
--                          works on a batch of its own
--     prefill_mfu, decode_mfu    matrix FLOP that the step needs, over time and the dense peak of the model's dtype
--     prefill_mbu, decode_mbu    bytes of weights and cache that the step reads, over time and HBM's datasheet bandwidth
--     prefill, decode      results, kernel by kernel
--     prefill_bytes, decode_bytes    as model:bytes gives them
--     memory               as of `memory`, at prompt + output tokens, of the batches of all stages
--     notes                a sentence for a step of which no such schedule fits the device: it is untiled then
-- The times have what ranks send each other.  Stages of a pipeline: MFU and MBU are of the one that is at work.
function serving.serve(model, p)
    p = take("transformer.serve", p, {
        device = parameters.required, prompt = size, output = 256, batch = 1, best = true, page = 1, usable = optional,
        options = optional_table,
    })
    local device = kc.device(p.device)
    local notes = {}
    local function timed(program)
        if p.best then
            local good, r = pcall(kc.best, program, device, nil, p.options)
            if good then return r end
            notes[#notes + 1] = program.name .. " is untiled: " .. tostring(r):gsub("^.-kc%.best: ", "")
        end
        return (kc.evaluate(program, device, p.options))
    end
    local prefill = timed(model:prefill { seq = p.prompt })
    local decode = timed(model:decode { batch = p.batch, cached = p.prompt + math.floor(p.output / 2) })
    local peak, first, next_ = peak_of(device, model.shape.dtype), model:bytes(prefill), model:bytes(decode)
    local function mfu(r) return peak and r.matrix_flops / r.time / peak end
    local function mbu(r, bytes) return (bytes.weights + bytes.cache_read) / r.time / device.hbm.bandwidth end
    return {
        ttft = prefill.time, tpot = decode.time, request_time = prefill.time + (p.output - 1) * decode.time,
        tokens_per_second = p.batch / decode.time * model.options.data * model.options.pipeline,
        prefill_mfu = mfu(prefill), decode_mfu = mfu(decode),
        prefill_mbu = mbu(prefill, first), decode_mbu = mbu(decode, next_),
        notes = notes, prefill = prefill, decode = decode, prefill_bytes = first, decode_bytes = next_,
        memory = serving.memory(model, {
            device = device, tokens = p.prompt + p.output, batch = p.batch * model.options.pipeline, page = p.page,
            usable = p.usable,
        }),
    }
end

return serving
