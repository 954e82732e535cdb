-- error: kc: r.times has no field 'hmb'; did you mean 'hbm'?
-- line: 5
local kc = require "kcost"
local r = kc.evaluate(kc.lib.gemm.plain { m = 64, n = 64, k = 64 }, "h100-sxm5")
return { r.times.hmb }
