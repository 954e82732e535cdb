-- check_layers.lua: a step of a model layer by layer: the sums are the model's; and what it says of a model by name.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"
local merge = kc.lib.parameters.merge

local t = tally.new("layers")
local function load(name, options)
  return kc.lib.transformer(kc.load_json(here .. "/../data/models/" .. name .. ".json"), options)
end

-- Times count, over all rows.
local function sum(rows, field)
  local all = 0
  for _, row in ipairs(rows) do all = all + row.count * (row[field] or row.terms[field]) end
  return all
end

local device = "h200-sxm"
local steps = {
  decode = { cached = 9999, batch = 3 }, prefill = { seq = 300, batch = 2 }, chunked = { requests = { { 40, 10 }, { 1, 99 } } },
}
for _, name in ipairs { "nested", "hybrid", "quantised", "delta", "selective", "chunked" } do
  for _, options in ipairs { {}, { tensor = 2, pipeline = 2 } } do
    local m = load(name, options)
    for step, p in pairs(steps) do
      if step ~= "chunked" or m.state == 0 then t:try(name .. ", " .. step, function()
        local whole = kc.evaluate(m[step](m, p), device)
        local rows = m:layers(merge(p, { step = step, device = device, best = false }))
        local label, terms = name .. ", " .. step .. (options.tensor and ", ranks: " or ": "), m:bytes(whole)
        for _, field in ipairs { "flops", "matrix_flops", "bytes", "time" } do
          t:near(label .. field, sum(rows, field), whole[field], 1e-12)
        end
        t:near(label .. "link", sum(rows, "link_bytes"), whole.link_bytes or 0, 1e-12)
        for _, field in ipairs { "weights", "cache_read", "cache_written", "activations", "total" } do
          t:near(label .. field, sum(rows, field), terms[field], 1e-12)
        end
        for _, field in ipairs { "stored", "active" } do t:equal(label .. field, sum(rows, field), m.parameters[field]) end
        t:equal(label .. "cache", sum(rows, "cache"), m.cache)
        t:equal(label .. "state", sum(rows, "state"), m.state)
        local tokens = step == "chunked" and 41 or (p.seq or 1) * p.batch
        t:near(label .. "touched", sum(rows, "touched"), m:touched { tokens = tokens }, 1e-14)
        local kernels = 0
        for _, row in ipairs(rows) do kernels = kernels + #row.kernels end
        t:equal(label .. "kernels", kernels, #whole.kernels)
      end) end
    end
  end
end

local rows = load("nested"):layers { cached = 5000 }
t:equal("named by what they have", rows[2].name .. "; " .. rows[3].name, "attention, window 1024, dense; attention, dense")
t:equal("how many there are", rows[2].count + rows[3].count, 34)
t:equal("no device, no time", rows[2].time, nil)
t:equal("a window's cache", rows[2].terms.cache_read, 4096 * 1024)
t:equal("that of all keys", rows[3].terms.cache_read, 4096 * 5001)
t:is_true("in schedules", load("nested"):layers { cached = 50, device = device }[2].time > 0)

local function refused(what, p, ...)
  t:refused(what, "check_layers", "transformer%.", function() local answer = load("nested"):layers(p) return answer end, ...)
end
refused("no parameters", nil, "layers", "table")
refused("another step", { step = "encode" }, "layers", "step", "decode", "prefill")
refused("a parameter that its step lacks", { cached = 9, sequences = 2 }, "decode", "sequences")
refused("without what it needs", { step = "prefill" }, "prefill", "seq")

t:finish()
