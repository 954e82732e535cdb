-- error: kc.comm: opts.ranks is nothing, and a number of devices is wanted
-- line: 6
local kc = require "kcost"

local C = kc.tensor("C", "m n", "f16", { m = 64, n = 16 })
kc.comm("allreduce", C, { algorithm = "tree" })
