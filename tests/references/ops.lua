-- ops.lua: the operators that published counts are about, written in kcost's language.
--
-- Every function gives a written tensor or a program; `p` is a prefix that keeps
-- tensor names apart where several operators meet in one kernel.

local kc = require "kcost"

local ops = {}

local names = {
  fp16 = "f16", bf16 = "bf16", fp32 = "f32", fp64 = "f64", double = "f64", int8 = "i8", fp8 = "f8e4m3",
}
function ops.dtype(name) return names[name] or name end

-- Y[m,n] = X[m,k] W[k,n].  Options: dtype, weights, out, bias.
function ops.linear(p, m, k, n, o)
  o = o or {}
  local dtype = o.dtype or "f16"
  local size = { m = m, k = k, n = n }
  local x = kc.read(kc.tensor(p .. "X", "m k", dtype, size))
  local w = kc.read(kc.tensor(p .. "W", "k n", o.weights or dtype, size))
  local y = kc.matmul(x, w)
  if o.bias then y = kc.map("add", y, kc.read(kc.tensor(p .. "bias", "n", dtype, size))) end
  return kc.write(p .. "Y", y, o.out or dtype)
end

-- Its two gradients: dX = dY W^T and dW = X^T dY, each of the forward's FLOP.
function ops.linear_backward(p, m, k, n, o)
  o = o or {}
  local dtype = o.dtype or "f16"
  local size = { m = m, k = k, n = n }
  local X = kc.tensor(p .. "X", "m k", dtype, size)
  local W = kc.tensor(p .. "W", "k n", dtype, size)
  local dY = kc.tensor(p .. "dY", "m n", dtype, size)
  return kc.program(p .. "backward", {
    kc.write(p .. "dX", kc.matmul(kc.read(dY), kc.read(W), "n"), dtype),
    kc.write(p .. "dW", kc.matmul(kc.read(X), kc.read(dY), "m"), dtype),
  })
end

-- One position of a convolution's input: "2*p+r-1".
local function position(stride, p, r, pad)
  local text = (stride == 1 and p or stride .. "*" .. p) .. "+" .. r
  if pad > 0 then text = text .. "-" .. pad end
  return text
end

-- c: n, cin, cout, h, w, kh, kw and optionally stride, pad, groups, dtype.
local function shape(c)
  local s = c.stride or 1
  local pad = c.pad or 0
  local g = c.groups or 1
  local size = {
    n = c.n or 1, g = g, c = c.cin / g, f = c.cout / g, h = c.h, w = c.w, r = c.kh, s = c.kw,
    p = math.floor((c.h + 2 * pad - c.kh) / s) + 1,
    q = math.floor((c.w + 2 * pad - c.kw) / s) + 1,
  }
  local index = "n g c " .. position(s, "p", "r", pad) .. " " .. position(s, "q", "s", pad)
  return size, index, c.dtype or "f32"
end

function ops.conv(p, c)
  local size, index, dtype = shape(c)
  local x = kc.read(kc.tensor(p .. "X", "n g c h w", dtype, size), index, { size = size })
  local w = kc.read(kc.tensor(p .. "W", "g f c r s", dtype, size))
  local y = kc.matmul(x, w, "c r s")
  if c.bias then y = kc.map("add", y, kc.read(kc.tensor(p .. "bias", "g f", dtype, size))) end
  return kc.write(p .. "Y", y, { dtype = dtype, dims = "n g f p q" })
end

-- The gradient of the input scatters each output point over its taps.
function ops.conv_backward_data(p, c)
  local size, index, dtype = shape(c)
  local dy = kc.read(kc.tensor(p .. "dY", "n g f p q", dtype, size))
  local w = kc.read(kc.tensor(p .. "W", "g f c r s", dtype, size))
  return kc.write(p .. "dX", kc.matmul(dy, w, "f"),
    { dtype = dtype, dims = "n g c h w", index = index, size = { h = c.h, w = c.w } })
end

function ops.conv_backward_weight(p, c)
  local size, index, dtype = shape(c)
  local dy = kc.read(kc.tensor(p .. "dY", "n g f p q", dtype, size))
  local x = kc.read(kc.tensor(p .. "X", "n g c h w", dtype, size), index, { size = size })
  return kc.write(p .. "dW", kc.matmul(dy, x, "n p q"), { dtype = dtype, dims = "g f c r s" })
end

-- a: B, H, Sq, Sk, d, optionally e (of V, default d), causal, dtype.
local function heads(p, a)
  local size = { b = a.B or 1, h = a.H or 1, i = a.Sq, j = a.Sk or a.Sq, d = a.d, e = a.e or a.d }
  local dtype = a.dtype or "f16"
  local function tensor(name, dims) return kc.tensor(p .. name, dims, dtype, size) end
  local t = {
    Q = tensor("Q", "b h i d"), K = tensor("K", "b h j d"), V = tensor("V", "b h j e"),
    O = tensor("O", "b h i e"), dO = tensor("dO", "b h i e"), P = tensor("P", "b h i j"),
  }
  local function masked(value)
    if a.causal and a.causal ~= 0 then return kc.causal(value, "i", "j") end
    return value
  end
  local function probabilities()
    return kc.softmax(masked(kc.matmul(kc.read(t.Q), kc.read(t.K))), "j", { online = true })
  end
  return t, dtype, masked, probabilities
end

-- O = softmax(Q K^T) V in one kernel: two matmuls.
function ops.attention(p, a)
  local t, dtype, _, probabilities = heads(p, a)
  return kc.write(p .. "O", kc.matmul(probabilities(), kc.read(t.V)), dtype)
end

-- The gradients dQ, dK, dV: four matmuls where P was kept, five where the
-- scores are computed again (flash).
function ops.attention_backward(p, a)
  local t, dtype, masked, probabilities = heads(p, a)
  local P = a.flash and probabilities() or masked(kc.read(t.P))
  local dP = kc.matmul(kc.read(t.dO), kc.read(t.V), "e")
  local delta = kc.reduce("sum", kc.map("mul", kc.read(t.dO), kc.read(t.O)), "e")
  local dS = masked(kc.map("mul", P, kc.map("sub", dP, delta)))
  return kc.kernel(p .. "attention_backward", {
    kc.write(p .. "dV", kc.matmul(P, kc.read(t.dO), "i"), dtype),
    kc.write(p .. "dQ", kc.matmul(dS, kc.read(t.K), "j"), dtype),
    kc.write(p .. "dK", kc.matmul(dS, kc.read(t.Q), "i"), dtype),
  })
end

-- The K and V of `tokens` tokens, as the projections append them to a cache:
-- `parts` tensors of `width` elements a token.
function ops.kv_append(p, tokens, width, parts, dtype)
  local size = { t = tokens, k = 64, n = width }
  local x = kc.read(kc.tensor(p .. "x", "t k", "bf16", size))
  local out = {}
  for part = 1, parts do
    local w = kc.read(kc.tensor(p .. "W" .. part, "k n", "bf16", size))
    out[part] = kc.write(p .. "cache" .. part, kc.matmul(x, w), dtype)
  end
  return kc.kernel(p .. "append", out)
end

-- The row of a tensor in a result's ledger.
function ops.row(result, name)
  for _, row in ipairs(result.tensors) do
    if row.name == name then return row end
  end
  error("no tensor '" .. name .. "' in the result of " .. result.name)
end

return ops
