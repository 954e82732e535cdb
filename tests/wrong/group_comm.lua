-- error: kc.group: 'C.allreduce' is the allreduce between devices, which shares no launch; kc.beside runs it at the same time
-- line: 6
local kc = require "kcost"

local C = kc.tensor("C", "m n", "f16", { m = 64, n = 16 })
kc.group("g", { kc.comm("allreduce", C, { ranks = 2 }) })
