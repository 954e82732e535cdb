-- error: softmax.rows: passes: expected 1 or 2 or 3, got 4
-- line: 4
local kc = require "kcost"
local k = kc.lib.softmax.rows { m = 1024, n = 4096, passes = 4 }
return k
