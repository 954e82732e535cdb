-- error: kc.tile: 'C.allreduce' is the allreduce between devices: it has no tiles
-- line: 6
local kc = require "kcost"

local C = kc.tensor("C", "m n", "f16", { m = 64, n = 16 })
kc.tile(kc.comm("allreduce", C, { ranks = 2 }), { m = 8 })
