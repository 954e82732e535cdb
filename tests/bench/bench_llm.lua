-- bench_llm.lua: the task of baseline/llm_napkin.c in the language: Llama-2-7B, prefill of 2,048 tokens and decoding
-- for 1 to 256 sequences; ten steps of 15 kernels.
--
-- The work and the bytes are those of the baseline, kernel by kernel; printed, so that bench.lua compares them.
local kc = require "kcost"
local measure = require "measure"

local device = kc.device "h100-sxm5"
local layers, hidden, heads, head, ffn, words = 32, 4096, 32, 128, 11008, 32000

local function tensor(name, dims, size) return kc.read(kc.tensor(name, dims, "f16", size)) end

-- Rows are r = batch * tokens, but for the last token of each sequence: s = batch.
local function gemm(name, rows, columns, depth, row)
    row = row or "r"
    local size = { [row] = rows, n = columns, k = depth }
    return kc.write(name, kc.matmul(tensor(name .. ".x", row .. " k", size), tensor(name .. ".w", "k n", size)))
end

-- FLOP an element, of inputs that all have rows and columns but for a weight.
local function map(name, flops, rows, columns, second, row)
    row = row or "r"
    local size = { [row] = rows, n = columns }
    return kc.write(name, kc.map({ flops = flops }, tensor(name .. ".x", row .. " n", size), tensor(name .. ".y", second, size)))
end

local function attention(batch, tokens, context)
    local size = { b = batch, a = heads, t = tokens, c = context, d = head, e = head }
    local scores = kc.matmul(tensor("Q", "b a t d", size), tensor("K", "b a c d", size))
    return kc.write("O", kc.matmul(kc.map({ flops = 5 }, scores), tensor("V", "b a c e", size)))
end

local function step(batch, tokens, context)
    local rows = batch * tokens
    local layer = kc.program("layer", {
        map("norm", 4, rows, hidden, "n"),
        gemm("q", rows, hidden, hidden), gemm("k", rows, hidden, hidden), gemm("v", rows, hidden, hidden),
        attention(batch, tokens, context),
        gemm("o", rows, hidden, hidden), map("add", 1, rows, hidden, "r n"),
        map("norm2", 4, rows, hidden, "n"),
        gemm("gate", rows, ffn, hidden), gemm("up", rows, ffn, hidden), map("act", 5, rows, ffn, "r n"),
        gemm("down", rows, hidden, ffn), map("add2", 1, rows, hidden, "r n"),
    })
    return kc.program("step", { kc.times(layer, layers), map("last", 4, batch, hidden, "n", "s"),
                                gemm("head", batch, words, hidden, "s") })
end

-- Each step's program, by `each`.
local function task(each)
    local steps = { each(1, 2048, 2048) }
    for power = 0, 8 do steps[#steps + 1] = each(2 ^ power, 1, 2048) end
    return steps
end

local programs = task(step)
local function evaluated()
    local results = {}
    for i, program in ipairs(programs) do results[i] = kc.evaluate(program, device) end
    return results
end

local fresh, results = measure.least(20, function()
    return task(function(...) return kc.evaluate(step(...), device) end)
end)
local ready = measure.least(50, evaluated)
-- All of one program.
local resized, again = measure.least(50, function()
    return task(function(batch, tokens, context)
        local sizes = { b = batch, r = batch * tokens, s = batch, t = tokens, c = context }
        return kc.evaluate(kc.resize(programs[2], sizes), device)
    end)
end)
local sweep = { kernel = programs[2], device = device, size = { ["b r s"] = kc.pow2(1, 256) }, threads = 1 }
local swept = measure.least(50, function() return kc.sweep(sweep) end)

for i, r in ipairs(results) do
    assert(r.flops == again[i].flops and r.bytes == again[i].bytes and r.time == again[i].time)
    print(("%s flops=%.0f bytes=%.0f"):format(i > 1 and "decode " or "prefill", r.flops, r.bytes))
end
measure.row("a task, built and evaluated", fresh * 1e6)
measure.row("a task, evaluated", ready * 1e6)
measure.row("a task, resized and evaluated", resized * 1e6)
measure.row("its nine decoding steps, swept", swept * 1e6)
