-- error: kc.lib: there is no kernel family 'match'; there are attention, collective, conv, elementwise, embedding, gemm, kv_cache, mla, moe, norm, parameters, report, sampling, scan, softmax, speculative, stencil, stream, transformer
-- line: 5
local kc = require "kcost"

local names = kc.lib.match.names
return names
