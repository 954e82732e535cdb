-- error: kc.comm: C has no dim 'k' to go over; it has m n
-- line: 6
local kc = require "kcost"

local C = kc.tensor("C", "m n", "f16", { m = 64, n = 16 })
kc.comm("allgather", C, { ranks = 2, over = "k" })
