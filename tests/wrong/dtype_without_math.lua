-- error: kc.dtype: math of 'mine' must be a built-in dtype, such as "f16"; it is missing
-- line: 5
local kc = require "kcost"

kc.dtype{ name = "mine", bits = 4 }
