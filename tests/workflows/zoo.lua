-- zoo.lua: one op, named parameters.
local kc = require "kcost"
local attention, mla = kc.lib.attention, kc.lib.mla

local function with(more) return kc.lib.parameters.merge({ heads = 32, head_dim = 128 }, more) end
return kc.compare({
    attention.flash(with { seq = 4096, causal = true }),                        -- MHA
    attention.flash(with { seq = 4096, causal = true, kv_heads = 8 }),          -- GQA
    attention.flash(with { seq = 4096, causal = true, kv_heads = 1 }),          -- MQA
    attention.flash(with { seq = 4096, causal = true, window = 1024 }),
    attention.flash(with { seq = 1024, cached = 3072, causal = true }),         -- a chunk of a prefill
    attention.chunked(with { seq = 4096, chunk = 1024 }),
    attention.prefix(with { seq = 4096, prefix = 1024 }),
    attention.ragged(with { requests = { { 512, 0 }, { 1, 4096 }, { 1, 100 } } }),
    attention.decode(with { cached = 4095 }),
    attention.decode(with { cached = 4095, kv_dtype = "f8" }),
    attention.decode(with { cached = 4095, page = 16 }),
    attention.decode(with { cached = 4095, seq = 5 }),                          -- checks four drafted tokens
    mla.heads { heads = 32, seq = 4096 },
    mla.absorbed { heads = 32, cached = 4095 },
}, kc.param("device", "h100"))
