-- layer.lua: one Llama-2-7B layer at a prefill of 2048 tokens in f16: parts, and the whole in one kernel.

local kc = require "kcost"
local ops = require "ops"

local layer = {
  -- What the four compared models count: multiply-add 2, matmuls only, full scores.
  convention = { multiply_add = 2, vector = false, special = false, causal = "full" },
}

local T, D, F, H, HEAD = 2048, 4096, 11008, 32, 128

layer["q_proj or out_proj"] = function() return ops.linear(T, D, D) end
layer["gate or up or down projection"] = function() return ops.linear(T, D, F) end
layer["QK^T or PV with scores through HBM"] = function()
  local size = { h = H, i = T, j = T, d = HEAD }
  return kc.write("S", kc.matmul(kc.read(kc.tensor("Q", "h i d", "f16", size)), kc.read(kc.tensor("K", "h j d", "f16", size))))
end

-- Nothing but the weights, the input and the output touches HBM.
layer["whole layer without norms fully fused: weights + input once + output once"] = function()
  local size = { i = T, j = T, c = D, h = H, d = HEAD, e = HEAD, f = F, o = D, u = D, w = D }
  local function weight(name, dims) return kc.read(kc.tensor(name, dims, "f16", size)) end
  local X = kc.tensor("X", "i c", "f16", size)
  local Q = kc.matmul(kc.read(X), weight("Wq", "c h d"))
  local rows = kc.read(X, "j c", { size = size })
  local K = kc.matmul(rows, weight("Wk", "c h d"))
  local V = kc.matmul(rows, weight("Wv", "c h e"))
  local P = kc.softmax(kc.matmul(Q, K, "d"), "j", { online = true })
  local A = kc.matmul(P, V, "j")
  local O = kc.matmul(A, weight("Wo", "h e o"), "h e")
  local R = kc.map("add", O, kc.read(X, "i o"))
  local gated = kc.map("mul", kc.map("silu", kc.matmul(R, weight("Wgate", "o f"), "o")),
    kc.matmul(R, weight("Wup", "o f"), "o"))
  local down = kc.matmul(gated, weight("Wdown", "f u"), "f")
  return kc.write("Y", kc.map("add", down, kc.read(X, "i u")), "f16")
end

return layer
