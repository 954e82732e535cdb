-- error: kc.fuse: 'f' would hold C.allreduce with other work: the allreduce between devices is a kernel of its own; leave it out, and run it before, after or (kc.beside) at the same time
-- line: 8
local kc = require "kcost"

local C = kc.tensor("C", "m n", "f16", { m = 64, n = 16 })
local S = kc.comm("allreduce", C, { ranks = 2 })
local D = kc.write("D", kc.map("gelu", kc.read(S)))
kc.fuse("f", { S, D })
