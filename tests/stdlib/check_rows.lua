-- check_rows.lua: norms, softmaxes, elementwise ops, embeddings and sampling against closed forms.

local agree = require "agree"
local kc = require "kcost"
local norm, softmax, elementwise, sampling = kc.lib.norm, kc.lib.softmax, kc.lib.elementwise, kc.lib.sampling

local m, k, n = 10, 64, 50
local X = 2 * m * k                                -- a matrix of rows in f16
local tiles = { { m = 4, k = 16 }, { m = 1, k = 64 } }

agree.all("rms", norm.rms { m = m, k = k }, { vector = 4 * m * k + 2 * m, special = m, bytes = 2 * X + 2 * k }, tiles)
agree.all("rms with residual", norm.rms { m = m, k = k, residual = true },
  { vector = 5 * m * k + 2 * m, special = m, bytes = 4 * X + 2 * k }, tiles)
agree.all("layer", norm.layer { m = m, k = k },
  { vector = 7 * m * k + 3 * m, special = m, bytes = 2 * X + 4 * k }, tiles)
agree.all("layer with residual", norm.layer { m = m, k = k, residual = true },
  { vector = 8 * m * k + 3 * m, special = m, bytes = 4 * X + 4 * k }, tiles)
agree.all("rms backward", norm.rms_backward { m = m, k = k },
  { vector = 9 * m * k + m, bytes = 3 * X + 2 * 2 * k + 4 * m }, tiles)
agree.all("layer backward", norm.layer_backward { m = m, k = k },
  { vector = 13 * m * k + 2 * m, bytes = 3 * X + 3 * 2 * k + 2 * 4 * m }, tiles)
-- rows shared by 3 CTAs: the sums over them are partials
agree.all("rms backward, shared", norm.rms_backward { m = m, k = k, splits = 3 },
  { vector = 9 * m * k + m, bytes = 3 * X + 2 * 2 * k + 4 * m })
agree.all("layer backward, shared", norm.layer_backward { m = m, k = k, splits = 3 },
  { vector = 13 * m * k + 2 * m, bytes = 3 * X + 3 * 2 * k + 2 * 4 * m })
-- a row that does not stay on chip is read in each pass
for call, passes in pairs { rms = 2, layer = 3, rms_backward = 2, layer_backward = 2 } do
  agree.t:equal(call .. ": passes", kc.count(kc.tile(norm[call] { m = m, k = k }, { m = 1, k = 16 })).passes, passes)
end

local rows = 2 * m * n
for passes = 1, 3 do
  local x = softmax.rows { m = m, n = n, passes = passes, tile = 16 }
  agree.all("softmax " .. passes, x, { vector = 4 * m * n, special = m * n + m, bytes = 2 * rows })
  agree.t:equal("softmax passes", kc.count(x).bytes, (passes + 1) * rows)
end
agree.all("naive", softmax.naive { m = m, n = n, tile = 16 }, { vector = 2 * m * n, special = 2 * m * n, bytes = 2 * rows })
agree.t:equal("naive passes", kc.count(softmax.naive { m = m, n = n, tile = 16 }).bytes, 3 * rows)
agree.all("softmax backward", softmax.backward { m = m, n = n }, { vector = 4 * m * n, bytes = 3 * rows }, { { n = 16 } })
agree.all("cross entropy", softmax.cross_entropy { m = m, n = n },
  { vector = 3 * m * n + m, special = m * n + m, bytes = rows + 4 * m + 4 * m }, { { n = 16 } })
-- the head: logits stay on chip; the target's is the one whose number fits
agree.all("head", softmax.head { m = m, n = n, k = k, tile = { m = 4, n = 16, k = 16 } }, {
  matrix = 2 * m * n * k, vector = 4 * m * n + m, special = m * n + m, bytes = X + 2 * n * k + 4 * m + 4 * m,
})

-- the vocabulary shared by 3: partials of 3 a row are written and read
agree.all("head, shared", softmax.head { m = m, n = n, k = k, splits = 3, tile = { m = 4, n = 16, k = 16 } }, {
  matrix = 2 * m * n * k, vector = 4 * m * n + m + 4 * 3 * m, special = m * n + m + 2 * 3 * m,
  bytes = X + 2 * n * k + 4 * m + 4 * m + 2 * 2 * 4 * 3 * m,
})

local N, E = 1280, 2 * 1280
local line = { { n = 100 } }
agree.all("apply", elementwise.apply { n = N, what = { flops = 3, special = 1 } },
  { vector = 3 * N, special = N, bytes = 2 * E }, line)
agree.all("gelu", elementwise.gelu { n = N }, { vector = 8 * N, special = N, bytes = 2 * E }, line)
agree.all("silu", elementwise.silu { n = N }, { vector = 2 * N, special = 2 * N, bytes = 2 * E }, line)
agree.all("swiglu", elementwise.swiglu { n = N }, { vector = 3 * N, special = 2 * N, bytes = 3 * E }, line)
agree.all("dropout", elementwise.dropout { n = N, keep_mask = true }, { vector = 3 * N, bytes = 2 * E + N }, line)
agree.all("dropout without mask", elementwise.dropout { n = N }, { vector = 3 * N, bytes = 2 * E }, line)
agree.all("cast", elementwise.cast { n = N, to = "f32" }, { bytes = 3 * E }, line)
agree.all("cast to blocks", elementwise.cast { n = N, to = "mxf8" }, { bytes = E + N * 8.25 / 8 }, line)
-- 3 sequences of 7 tokens, 4 heads of 16: a cosine and a sine for each token and pair
agree.all("rope", elementwise.rope { batch = 3, seq = 7, heads = 4, head_dim = 16 },
  { vector = 3 * 3 * 7 * 64, bytes = 2 * 2 * 3 * 7 * 64 + 2 * 2 * 7 * 8 }, { { t = 2 } })
agree.all("quantise", elementwise.quantise { n = N },
  { vector = 3 * N + 10, special = 10, bytes = E + N + 4 * 10 }, { { m = 3 } })
agree.all("dequantise", elementwise.dequantise { n = N, block = 64, scale_dtype = "f16" },
  { vector = N, bytes = E + N + 2 * 20 }, { { m = 3 } })

-- 30 tokens over 20 rows: each row once; 5 over 20: 5
local gather = kc.lib.embedding.gather
agree.all("embedding", gather { tokens = 30, vocab = 20, hidden = k }, { bytes = 2 * k * (20 + 30) + 4 * 30 }, { { t = 7 } })
agree.all("few tokens", gather { tokens = 5, vocab = 20, hidden = k }, { bytes = 2 * k * (5 + 5) + 4 * 5 }, { { t = 2 } })
agree.all("expected rows", gather { tokens = 30, vocab = 20, hidden = k, distinct = 15.5 },
  { bytes = 2 * k * (15.5 + 30) + 4 * 30 })

local scatter = kc.lib.embedding.backward
agree.all("embedding backward", scatter { tokens = 30, vocab = 20, hidden = k },
  { bytes = 2 * k * (30 + 20) + 4 * 30 }, { { t = 7 } })
agree.all("few rows", scatter { tokens = 5, vocab = 20, hidden = k }, { bytes = 2 * k * (5 + 5) + 4 * 5 }, { { t = 2 } })

local logits = 4 * m * n
local row = { { m = 1, n = 16 }, { m = 3, n = 50 } }
agree.all("top-k", sampling.topk { m = m, n = n, k = 5 }, { vector = m * n, bytes = logits + 8 * 5 * m }, row)
agree.all("greedy", sampling.greedy { m = m, n = n }, { vector = m * n, bytes = logits + 4 * m }, row)
agree.all("categorical", sampling.categorical { m = m, n = n },
  { vector = 7 * m * n, special = m * n + m, bytes = logits + 4 * m }, row)
agree.all("categorical of few", sampling.categorical_topk { m = m, n = n, k = 5 },
  { vector = m * n + 7 * 5 * m, special = 5 * m + m, bytes = logits + 4 * m }, row)

agree.finish()
