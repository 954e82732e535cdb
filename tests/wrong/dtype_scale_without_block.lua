-- error: kc.dtype: scale_bits and zero_bits need a block in 'mine'
-- line: 5
local kc = require "kcost"

kc.dtype{ name = "mine", bits = 4, scale_bits = 16 }
