-- check_best.lua: kc.best of every kernel of the stdlib: never slower than the schedule it was given, near the untiled
-- estimate where tuned libraries are.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"
local usual = require "usual"
local lib = kc.lib

local t = tally.new("best")

-- Untiled, a kernel has no schedule to compare with.
local function scheduled(r)
  for _, note in ipairs(r.notes) do
    if note:find("^untiled: ") then return false end
  end
  return true
end

-- Does a device lack what a kernel needs, whatever its schedule?
local lacks = { "neither a matrix nor a vector roof", "no vector unit for", "which the device does not state" }
local function cannot(message)
  for _, lack in ipairs(lacks) do
    if message:find(lack, 1, true) then return true end
  end
  return false
end

-- x's best on a device: not slower than x, and nothing is found that is better than itself.
local function never_slower(name, x, device)
  local good, best = pcall(kc.best, x, device)
  if not good then
    t:is_true(name, cannot(best), best)
    return nil
  end
  local own_good, own = pcall(kc.evaluate, x, device)
  if own_good and scheduled(own) then
    t:is_true(name .. " is not slower than its own schedule", best.time <= own.time, best.time .. " after " .. own.time)
  end
  local again = kc.best(best.kernel, device)
  t:is_true(name .. " again", again.time <= best.time, again.time .. " after " .. best.time)
  return best, own_good and own
end

local families = {}
for family in pairs(usual) do families[#families + 1] = family end
table.sort(families)
for _, name in ipairs { "h100-sxm5", "a100-sxm4-80gb", "b200", "t4", "mi300x", "m2-ultra-76core" } do
  local device = kc.device(name)
  for _, family in ipairs(families) do
    for call, p in pairs(usual[family]) do
      local good, x = pcall(lib[family][call], p)
      if good and type(x) == "userdata" and pcall(kc.count, x) then
        never_slower(family .. "." .. call .. " on " .. name, x, device)
      end
    end
  end
end

-- At sizes that people use: how many times the untiled estimate the best takes, at most.  An untiled kernel has no
-- waves, no latencies and no start of its own, so that small ones stay far from it.
local causal = { seq = 4096, head_dim = 128, heads = 32, kv_heads = 8, causal = true }
local image = { image = { 56, 56 }, filter = 3, channels = 64, filters = 64, pad = 1, batch = 32 }
local chunks = { seq = 4096, heads = 32, batch = 4 }
local logits = { m = 64, n = 128256, k = 50 }
local decode = { cached = 8191, heads = 128, batch = 16 }
local pins = {
  { "gemm", lib.gemm.plain { m = 4096, n = 4096, k = 4096 }, { h100 = 1.1, mi300x = 1.5 } },
  { "a tall gemm", lib.gemm.plain { m = 65536, n = 64, k = 64 }, { h100 = 1.6 } },
  { "a gemm of a long k", lib.gemm.plain { m = 64, n = 64, k = 65536 }, { h100 = 1.9 } },
  { "a gemv", lib.gemm.plain { m = 1, n = 8192, k = 8192 }, { h100 = 1.1 } },
  { "batched, shared", lib.gemm.batched { batch = 64, m = 1, n = 4096, k = 4096, shared = true }, { h100 = 1.3 } },
  { "attention", lib.attention.fused(causal), { h100 = 1.6, mi300x = 1.5 } },
  { "conv forward", lib.conv.forward(image), { h100 = 1.9, mi300x = 1.8 } },
  { "conv data gradient", lib.conv.backward_data(image), { h100 = 2.1 } },
  { "conv weight gradient", lib.conv.backward_weight(image), { h100 = 2.4, mi300x = 2.1, t4 = 1.6 } },
  { "Winograd", lib.conv.winograd { image = { 56, 56 }, channels = 64, filters = 64, pad = 1, batch = 32 },
    { h100 = 1.2, mi300x = 1.3 } },
  { "rms", lib.norm.rms { m = 8192, k = 4096 }, { h100 = 1.1 } },
  { "rms backward", lib.norm.rms_backward { m = 8192, k = 4096 }, { h100 = 1.15 } },
  { "rms backward of few rows", lib.norm.rms_backward { m = 16, k = 16384 }, { h100 = 4.2 } },
  { "layer backward of few rows", lib.norm.layer_backward { m = 16, k = 16384 }, { h100 = 4.9 } },
  { "layer backward of wide rows", lib.norm.layer_backward { m = 8192, k = 16384 }, { h100 = 1.15 } },
  { "top-k", lib.sampling.topk(logits), { h100 = 1.15 } },
  { "top-k categorical", lib.sampling.categorical_topk(logits), { h100 = 1.35, t4 = 1.1 } },
  { "a prefix sum in chunks", lib.scan.prefix_sum { n = 2 ^ 26, chunk = 4096 }, { h100 = 1.1, mi300x = 1.1, t4 = 1.1 } },
  { "linear attention", lib.scan.linear_attention(chunks), { h100 = 1.2, mi300x = 1.6, t4 = 1.5 } },
  { "mixture of experts", lib.moe.mlp { tokens = 4096, hidden = 4096, inner = 14336, experts = 8, top_k = 2 },
    { h100 = 1, mi300x = 1 } },
}
for _, pin in ipairs(pins) do
  for name, most in pairs(pin[3]) do
    local label = pin[1] .. " on " .. name
    local best, own = never_slower(label, pin[2], kc.device(name))
    t:is_true(label .. " is near the untiled estimate", best.time <= most * own.time, best.time .. " against " .. own.time)
  end
end

-- Of heads as wide as a latent, whose own schedule does not fit everywhere: times over the roof.
local wide = {
  { "mla.latent", lib.mla.latent(decode), { h100 = 1.9, mi300x = 5.3, ["mi250x-gcd"] = 2.9 } },
  { "mla.absorbed", lib.mla.absorbed(decode), { h100 = 1.9, mi300x = 4.9 } },
}
for _, pin in ipairs(wide) do
  for name, most in pairs(pin[3]) do
    local label = pin[1] .. " on " .. name
    local best = never_slower(label, pin[2], kc.device(name))
    t:is_true(label .. " is near its roof", best.time <= most * best.roof_time, best.time .. " against " .. best.roof_time)
  end
end

t:finish()
