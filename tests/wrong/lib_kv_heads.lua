-- error: attention.decode: kv_heads: 5 do not divide heads, 32
-- line: 4
local kc = require "kcost"
local k = kc.lib.attention.decode { cached = 1024, head_dim = 64, heads = 32, kv_heads = 5 }
return k
