-- error: kc.comm: over is for allgather and reducescatter; allreduce keeps the shape of C
-- line: 6
local kc = require "kcost"

local C = kc.tensor("C", "m n", "f16", { m = 64, n = 16 })
kc.comm("allreduce", C, { ranks = 2, over = "m" })
