-- ops.lua: the operators that published counts are about, out of the stdlib.
--
-- Every function gives a kernel or a program.

local kc = require "kcost"

local ops = {}

local names = {
  fp16 = "f16", bf16 = "bf16", fp32 = "f32", fp64 = "f64", double = "f64", int8 = "i8", fp8 = "f8e4m3",
}
function ops.dtype(name) return names[name] or name end

-- C[m,n] = A[m,k] B[k,n].  Options: dtype, weights, out, bias.
function ops.linear(m, k, n, o)
  o = o or {}
  return kc.lib.gemm.plain { m = m, k = k, n = n, dtype = o.dtype, weights = o.weights, out = o.out, bias = o.bias }
end

-- Its two gradients: dX = dY W^T and dW = X^T dY, each of the forward's FLOP.
function ops.linear_backward(m, k, n)
  return kc.program("backward", { ops.linear(m, n, k), ops.linear(k, m, n) })
end

-- c: n, cin, cout, h, w, kh, kw and optionally stride, pad, groups, dtype, bias; without h and kh of one axis.
local function shape(c, bias)
  return {
    batch = c.n, channels = c.cin, filters = c.cout, groups = c.groups, image = c.h and { c.h, c.w } or c.w,
    filter = c.kh and { c.kh, c.kw } or c.kw, stride = c.stride, pad = c.pad, dtype = c.dtype or "f32",
    bias = bias and c.bias or nil,
  }
end

function ops.conv(c) return kc.lib.conv.forward(shape(c, true)) end
function ops.conv_backward_data(c) return kc.lib.conv.backward_data(shape(c)) end
function ops.conv_backward_weight(c) return kc.lib.conv.backward_weight(shape(c)) end

-- a: B, H, Sq, Sk, d, causal, dtype.
local function heads(a)
  return {
    batch = a.B, heads = a.H, seq = a.Sq, keys = a.Sk, head_dim = a.d, dtype = a.dtype,
    causal = a.causal and a.causal ~= 0 or false,
  }
end

-- O = softmax(Q K^T) V in one kernel: two matmuls.
function ops.attention(a) return kc.lib.attention.fused(heads(a)) end

-- The gradients dQ, dK, dV: four matmuls where P was kept, five where the scores are computed again (flash).
function ops.attention_backward(a)
  local backward = a.flash and kc.lib.attention.flash_backward or kc.lib.attention.standard_backward
  return backward(heads(a))
end

-- The K and V of `tokens` tokens, as the projections append them to a cache:
-- `parts` tensors of `width` elements a token.
function ops.kv_append(tokens, width, parts, dtype)
  local size = { t = tokens, k = 64, n = width }
  local x = kc.read(kc.tensor("x", "t k", "bf16", size))
  local out = {}
  for part = 1, parts do
    local w = kc.read(kc.tensor("W" .. part, "k n", "bf16", size))
    out[part] = kc.write("cache" .. part, kc.matmul(x, w), dtype)
  end
  return kc.kernel("append", out)
end

-- The row of a tensor in a result's ledger.
function ops.row(result, name)
  for _, row in ipairs(result.tensors) do
    if row.name == name then return row end
  end
  error("no tensor '" .. name .. "' in the result of " .. result.name)
end

return ops
