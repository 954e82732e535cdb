-- check_references.lua: published counts, each rebuilt in kcost's language and compared.
--
-- Every row of tests/data/references.csv whose `match` is yes and that the language
-- can express is built from its shapes, counted under its source's convention, and must
-- land within its tolerance.  No figure is written here: all come out of kc.count and
-- kc.evaluate.  Rows of other quantities are compared where a rule says how.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/?.lua;" .. here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local csv = require "csv"
local tally = require "tally"

local counted = { flops = true, bytes = true, intensity = true, ridge = true }

-- Rows that the language can't express, and why: exact ids, or patterns with "*".
local counter = "a hardware counter's reading; the kernel's source loop is not in the row"
local inexpressible = {
  { pattern = "nersc.gpp.*", why = counter },
  { pattern = "nersc.ert.fma", why = "a ratio of two measured ceilings" },
  { pattern = "kc.ecm.*", why = "the rule of ECM is not a roof: levels do not overlap each other" },
  { pattern = "kc.2d5.n1000.mem", why = "what a cache keeps from the sweep before is no traffic of a count" },
  { pattern = "flashmla.dequant.cycles", why = "four conversion instructions, each at a rate of its own" },
  { pattern = "boehm.k%d.smem", why = "thread tiles of a hand-written kernel; a schedule has those of a CTA" },
  { pattern = "meg.mfu", why = "a measured rate over a peak; no kernel" },
  { pattern = "meg.agg", why = "a measured rate times devices; no kernel" },
  { pattern = "nano.params", why = "a GPT-2 without biases, which no config.json describes" },
  { pattern = "*.bw", why = "bus times data rate; `kcost devices --check` works it out of a device's file" },
}

-- The first rule whose pattern is the whole id: exact ids before patterns with "*".
local function find(rules, id)
  for _, rule in ipairs(rules) do
    if rule.pattern == id then return rule end
  end
  for _, rule in ipairs(rules) do
    local pattern = "^" .. rule.pattern:gsub("%*", ".*") .. "$"
    if id:find(pattern) then return rule end
  end
end

-- Counts what a rule built: one object, or a list of them for a ratio.
local function ask(rule, object, device)
  local options = { convention = rule.convention }
  if device then return kc.evaluate(object, device, options) end
  if type(object) == "table" and getmetatable(object) == nil then
    local out = {}
    for i, one in ipairs(object) do out[i] = kc.count(one, options) end
    return out
  end
  return kc.count(object, options)
end

local rules = {}
for _, file in ipairs{ "dense", "nets", "memory", "rates" } do
  for _, rule in ipairs(require(file)) do rules[#rules + 1] = rule end
end

local t = tally.new("references")
local asserted = 0
for _, row in ipairs(csv.read(here .. "/../data/references.csv")) do
  if row.match == "yes" then
    local rule = find(rules, row.id)
    if rule and not rule.value and not rule.pick and not counted[row.quantity] then rule = nil end
    local id = row.id .. " [" .. row.source .. "]"
    if rule then
      t:try(id, function()
        local config = csv.config(row.config)
        local got = rule.value and rule.value(config)
        if not got then
          local object, device = rule.build(config, row)
          local result = ask(rule, object, device)
          if rule.pick then got = rule.pick(result, config) else got = result[row.quantity] end
        end
        t:near(id, got, tonumber(row.expected), tonumber(row.tolerance))
      end)
      if counted[row.quantity] then asserted = asserted + 1 end
    else
      local exception = find(inexpressible, row.id)
      if exception then
        t:skip(id, exception.why)
      else
        t:fail(id, "no rule builds it")
      end
    end
  end
end
t:is_true("rows", asserted >= 100, "only " .. asserted .. " rows of FLOP, byte, intensity and ridge are asserted")

-- Operator figures on which four other models agree to the digit: one Llama-2-7B
-- layer, prefill of 2048 tokens, f16, matmuls only, each operand through HBM once.
local layer = require "layer"
for _, row in ipairs(csv.read(here .. "/../data/agreements.csv")) do
  local id = row.op .. " [" .. row.agreeing .. "]"
  t:try(id, function()
    local build = assert(layer[row.op], "no kernel for it")
    local result = kc.count(build(), { convention = layer.convention })
    t:equal(id .. " FLOP", result.flops, tonumber(row.flops))
    t:equal(id .. " bytes", result.bytes, tonumber(row.bytes))
  end)
end

t:finish()
