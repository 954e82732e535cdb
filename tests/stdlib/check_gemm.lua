-- check_gemm.lua: kc.lib.gemm against closed forms: FLOP are 2 m n k, bytes each matrix once.

local agree = require "agree"
local kc = require "kcost"
local gemm = kc.lib.gemm

local m, n, k = 20, 24, 48
local product = 2 * m * n * k
local abc = 2 * (m * k + k * n + m * n)           -- A, B and C in f16
local tiles = { { m = 8, n = 16, k = 16 }, { m = 16, n = 24, k = 48 } }

local function sizes(more)
  local p = { m = m, n = n, k = k }
  for name, value in pairs(more or {}) do p[name] = value end
  return p
end

agree.all("plain", gemm.plain(sizes()), { matrix = product, bytes = abc }, tiles)
agree.all("plain f32", gemm.plain(sizes { dtype = "f32" }), { matrix = product, bytes = 2 * abc }, tiles)
-- bias, activation (relu 1) and residual: 3 FLOP an element of C; a vector of n and a matrix m n more
agree.all("epilogue", gemm.plain(sizes { bias = true, epilogue = "relu", residual = true }),
  { matrix = product, vector = 3 * m * n, bytes = abc + 2 * n + 2 * m * n }, tiles)
-- gelu: 8 FLOP and 1 special op
agree.all("gelu", gemm.plain(sizes { epilogue = "gelu" }),
  { matrix = product, vector = 8 * m * n, special = m * n, bytes = abc }, tiles)
-- W4A16: 4 bits a weight and 16 bits for each 128 of them; 2 FLOP to dequantise each
agree.all("W4A16", gemm.plain(sizes { k = 128, weights = "i4g128", dequantise = 2 }),
  { matrix = 2 * m * n * 128, vector = 2 * 128 * n, bytes = 2 * (m * 128 + m * n) + 128 * n * (4 + 16 / 128) / 8 },
  { { m = 20, n = 8, k = 32 } })
-- W8A8: bytes of one byte in, f16 out, an f32 factor for each row and column, two products an element
agree.all("W8A8", gemm.plain(sizes { dtype = "i8", out = "f16", scale = "both" }),
  { matrix = product, vector = 2 * m * n, bytes = m * k + k * n + 2 * m * n + 4 * m + 4 * n }, tiles)
agree.all("scaled rows", gemm.plain(sizes { scale = "row" }),
  { matrix = product, vector = m * n, bytes = abc + 4 * m }, tiles)
agree.all("batched", gemm.batched(sizes { batch = 3 }), { matrix = 3 * product, bytes = 3 * abc }, tiles)
agree.all("one B for all", gemm.batched(sizes { batch = 3, shared = true, residual = true }),
  { matrix = 3 * product, vector = 3 * m * n, bytes = 3 * abc - 2 * 2 * k * n + 3 * 2 * m * n }, tiles)
agree.all("gemv", gemm.vector { n = n, k = k }, { vector = 2 * n * k, bytes = 2 * (n * k + n + k) },
  { { n = 8, k = 16 } })
agree.all("gemv in 4 bits", gemm.vector { n = n, k = 128, weights = "i4g128", bias = true },
  { vector = 2 * n * 128 + n, bytes = n * 128 * 4.125 / 8 + 2 * (128 + n + n) }, { { n = 8, k = 64 } })
-- 2:4: half the products, half of B with 2 bits more for each that is kept, all of A
agree.all("2:4", gemm.sparse(sizes()), { matrix = product / 2, bytes = 2 * m * k + 18 / 8 * k / 2 * n + 2 * m * n },
  { { m = 8, n = 16, c = 8 } })

-- rows of experts: one of them has none and is not read
local rows = { 17, 0, 4, 30 }
agree.all("grouped", gemm.grouped { rows = rows, n = n, k = k, tile = { m = 16, n = 16, k = 16 } },
  { matrix = 2 * 51 * n * k, bytes = 2 * (51 * (k + n) + 3 * k * n) })

-- split: each of 4 CTAs writes and reads m n partials in f32 beside the result
for _, how in ipairs { "kernel", "atomic" } do
  local split = gemm.split_k(sizes { splits = 4, combine = how, tile = { m = 16, n = 16, k = 12 } })
  agree.all("split " .. how, split, { matrix = product, bytes = abc })
  for _, tensor in ipairs(kc.count(split).tensors) do
    if tensor.name == "C" and how == "kernel" then agree.t:equal("partials", tensor.split, 2 * 4 * m * n * 4) end
  end
end
agree.all("stream-k", gemm.split_k(sizes { splits = "stream", tile = { m = 16, n = 16, k = 12 } }),
  { matrix = product, bytes = abc })

-- what another kernel wrote
local rms = kc.lib.norm.rms { m = m, k = k }
agree.all("input", gemm.plain(sizes { input = rms.tensors[1] }), { matrix = product, bytes = abc }, tiles)

agree.finish()
