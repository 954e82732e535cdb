-- expect: finishes or error
-- threat: every function of every file of the stdlib with nothing, itself, texts, models of 10^9 layers and experts
-- vm: any
local kc = require "kcost"

local cyclic = {}
for _, k in ipairs { 1, "x", "layers", "config", "m", "kernels", "size" } do cyclic[k] = cyclic end
local function model(k, n)
  local t = { hidden_size = 4096, num_hidden_layers = 32, num_attention_heads = 32, vocab_size = 32000, intermediate_size = 11008, batch = 1, seq = 128,
    tokens = 128, m = 64, n = 64, k = 64, b = 1, h = 8, i = 128, j = 128, d = 64, hidden = 4096, layers = 32, heads = 32, experts = 8, top = 2, ranks = 8 }
  t[k] = n
  return t
end
local arguments = { {}, cyclic, 1e9, -1, 0 / 0, "x", ("x"):rep(1e5), true, print, model("seq", 1), { m = 1e15, n = 1e15, k = 1e15 } }
for _, k in ipairs { "layers", "num_hidden_layers", "experts", "heads", "seq", "ranks", "top", "batch", "tokens", "m", "h" } do
  for _, n in ipairs { 1e9, 2^53 - 1, 0, -1, 0.5, 0 / 0, "x" } do arguments[#arguments + 1] = model(k, n) end
end
for _, name in ipairs { "attention", "collective", "conv", "elementwise", "embedding", "gemm", "kv_cache", "mla", "moe", "norm", "parameters", "plot",
  "sampling", "scan", "softmax", "speculative", "stencil", "stream", "transformer", "config", "match", "report", "calibrate", "diff" } do
  local ok, lib = pcall(function() return kc.lib[name] end)
  local again, required = pcall(require, "kcost.internal." .. name)
  for _, from in ipairs { ok and lib or {}, again and required or {} } do
    for _, f in pairs(type(from) == "table" and from or {}) do
      for _, a in ipairs(type(f) == "function" and arguments or {}) do pcall(f, a) pcall(f, a, "l4", a) end
    end
  end
end
