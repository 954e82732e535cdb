-- error: kc.comm: algorithm must be "ring" or "tree", not 'rings'; did you mean 'ring'?
-- line: 6
local kc = require "kcost"

local C = kc.tensor("C", "m n", "f16", { m = 64, n = 16 })
kc.comm("allreduce", C, { ranks = 2, algorithm = "rings" })
