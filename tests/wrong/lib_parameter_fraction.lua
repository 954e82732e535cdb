-- error: norm.rms: k: expected a whole number of at least 1, got 127.5
-- line: 4
local kc = require "kcost"
local k = kc.lib.norm.rms { m = 1024, k = 127.5 }
return k
