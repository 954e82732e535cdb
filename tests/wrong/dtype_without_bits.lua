-- error: kc.dtype: bits is nothing, and a number is wanted
-- line: 5
local kc = require "kcost"

kc.dtype{ name = "mine" }
