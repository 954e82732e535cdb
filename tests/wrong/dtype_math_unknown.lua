-- error: kc.dtype: math of 'mine' must be a built-in dtype, not 'f15'; did you mean 'f16'?
-- line: 5
local kc = require "kcost"

kc.dtype{ name = "mine", bits = 4, math = "f15" }
