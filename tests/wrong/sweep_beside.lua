-- error: kc.sweep: 'both' runs kernels beside each other, and a sweep adds them up; sweep its parts, or evaluate it in a loop
-- line: 7
local kc = require "kcost"

local C = kc.tensor("C", "m n", "f16", { m = 64, n = 16 })
local both = kc.beside("both", { kc.comm("allreduce", C, { ranks = 2 }), kc.write("D", kc.read(C)) })
kc.sweep { kernel = both, device = "h100-sxm5", size = { m = { 64, 128 } } }
