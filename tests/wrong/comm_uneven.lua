-- error: kc.comm: 'm' of C is 64, which 3 ranks can't share evenly; name another dim as over, or pad it
-- line: 6
local kc = require "kcost"

local C = kc.tensor("C", "m n", "f16", { m = 64, n = 16 })
kc.comm("reducescatter", C, { ranks = 3 })
