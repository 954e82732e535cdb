-- error: kc.range: step is inf, and a finite number is wanted
-- line: 4
local kc = require "kcost"
local sizes = kc.range(1, 10, 1 / 0)
return sizes
