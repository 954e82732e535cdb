-- error: attention.flash: kv_head: no such parameter; there are batch, cached, causal, dtype, head_dim, heads, keys, kv_dtype, kv_heads, loops, packed, schedule, seq, tile, value_dim, window; did you mean 'kv_heads'?
-- line: 4
local kc = require "kcost"
local k = kc.lib.attention.flash { seq = 1024, head_dim = 64, kv_head = 2 }
return k
