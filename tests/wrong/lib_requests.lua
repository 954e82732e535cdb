-- error: attention.ragged: requests[1]: expected { new, cached } tokens
-- line: 4
local kc = require "kcost"
local k = kc.lib.attention.ragged { requests = { 512, 1 }, head_dim = 64 }
return k
