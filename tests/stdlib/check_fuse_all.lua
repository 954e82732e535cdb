-- check_fuse_all.lua: models out of their config.json, fused for a device: the same work, no more bytes, no more time, and
-- fused again nothing changes; what stays apart has its reason.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"

local t = tally.new("fuse_all")
local shared = (os.getenv("SHARED") or "../shared") .. "/reference/models/"

local function names(f) return table.concat(f.kernels, ", ") end

-- The group of these kernels in a list of r.
local function group(list, kernels)
  for _, f in ipairs(list) do
    if names(f) == kernels then return f end
  end
end

-- `work`: its useful FLOP once it is fused, the same as before if it is left out.
local function check(id, program, device, work)
  local good, best = pcall(kc.best, program, device)
  if not good then
    t:is_true(id .. " as best", not pcall(kc.fuse_all, program, device), "a kernel of it runs nowhere, fused or not")
    return nil
  end
  local r = kc.fuse_all(program, device)
  t:is_true(id .. " time", r.time <= best.time, "it takes longer than unfused")
  t:is_true(id .. " bytes", r.bytes <= best.bytes, "it moves more than unfused")
  t:near(id .. " matrix work", r.matrix_flops, best.matrix_flops, 0)
  t:near(id .. " work", r.flops, work or best.flops, 1e-12)
  t:equal(id .. " launches", r.launches <= best.launches, true)
  local saved = 0
  for _, f in ipairs(r.fused) do saved = saved + f.apart.time - f.time end
  t:near(id .. " what the groups save", best.time - r.time, saved, 1e-6)
  for _, f in ipairs(r.refused) do t:is_true(id .. " " .. names(f), type(f.why) == "string" and #f.why > 0, "no reason") end
  local again = kc.fuse_all(r.kernel, device)
  t:equal(id .. " again", #again.fused, 0)
  t:equal(id .. " again time", again.time, r.time)
  return r
end

-- ---- models ------------------------------------------------------------------------------------------------------

for _, name in ipairs { "Llama-2-7b-chat-hf", "Meta-Llama-3.1-8B" } do
  local path = shared .. "meta-llama--" .. name .. "_config.json"
  local file = io.open(path)
  if file then
    file:close()
    local model = kc.lib.transformer(kc.load_json(path))
    local step = check(name .. " decode", model:decode { cached = 2048, batch = 8 }, "h100-sxm5")
    t:is_true(name .. " a norm in front of a small matmul", group(step.fused, "attention norm, qkv"), "it stays apart")
    local prompt = check(name .. " prefill", model:prefill { seq = 2048 }, "a100-sxm4-80gb")
    local part = group(prompt.refused, "qkv, rope") or group(prompt.refused, "attention norm + qkv, rope")
    t:is_true(name .. " a part", part and part.why:find("QKV as a whole", 1, true), "another reason")
    local cache = group(prompt.refused, "rope, attention")
    t:is_true(name .. " the cache", cache and cache.why:find("a part of it, cache K: new", 1, true), "another reason")
  else
    t:skip(name, "no such file")
  end
end

for _, name in ipairs { "Qwen--Qwen3-30B-A3B", "deepseek-ai--DeepSeek-V3", "openai--gpt-oss-20b" } do
  local file = io.open(shared .. name .. "_config.json")
  if file then
    file:close()
    local model = kc.lib.transformer(kc.load_json(shared .. name .. "_config.json"))
    check(name .. " decode", model:decode { cached = 512, batch = 4 }, "h100-sxm5")
    check(name .. " prefill", model:prefill { seq = 512 }, "mi300x")
  else
    t:skip(name, "no such file")
  end
end

for _, name in ipairs { "hybrid", "nested", "quantised" } do
  local model = kc.lib.transformer(kc.load_json(here .. "/../data/models/" .. name .. ".json"))
  check(name .. " decode", model:decode { cached = 64, batch = 2 }, "h100-sxm5")
  check(name .. " prefill", model:prefill { seq = 128 }, "mi300x")
end

-- The tail of a training step: gradients that are wanted later stay written.
local small = {
  model_type = "llama", hidden_size = 512, intermediate_size = 1024, num_hidden_layers = 2, num_attention_heads = 4,
  vocab_size = 1000, rms_norm_eps = 1e-5, torch_dtype = "float16",
}
check("training", kc.lib.transformer(small):train_step { batch = 2, seq = 256 }, "h100-sxm5")

-- ---- kernels of the stdlib ---------------------------------------------------------------------------------------

local p = { batch = 2, heads = 8, seq = 1024, head_dim = 64 }
local flash = kc.best(kc.lib.attention.fused(p), "h100-sxm5") -- it divides behind the second matmul
local attention = check("attention.standard", kc.lib.attention.standard(p), "h100-sxm5", flash.flops)
t:is_true("attention.standard as one", group(attention.fused, "S, P, O"), "it stays apart")
t:is_true("as flash", attention.time <= flash.time, "slower than flash")

return t:finish()
