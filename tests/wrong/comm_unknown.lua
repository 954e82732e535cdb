-- error: kc.comm: there is no 'allredoce'; there are allreduce, allgather, reducescatter, alltoall, broadcast and sendrecv; did you mean 'allreduce'?
-- line: 6
local kc = require "kcost"

local C = kc.tensor("C", "m n", "f16", { m = 64, n = 16 })
kc.comm("allredoce", C, { ranks = 2 })
