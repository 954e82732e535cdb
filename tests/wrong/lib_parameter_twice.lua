-- error: attention.fused: head_dim: is given already, as d
-- line: 4
local kc = require "kcost"
local k = kc.lib.attention.fused { i = 1024, d = 64, head_dim = 64 }
return k
