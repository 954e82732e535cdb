-- error: kc.tensor: unknown dtype 'fp16'; did you mean 'f16'?
-- line: 5
local kc = require "kcost"

kc.tensor("A", "m k", "fp16", { m = 4, k = 4 })
