-- error: kc.best: tpu-v4 does not state smem.per_core, the shared memory of a core, so no tile can be checked against it; evaluate gives the time untiled
-- line: 6
local kc = require "kcost"

local A = kc.tensor("A", "m k", "f16", { m = 64, k = 32 })
kc.best(kc.write("B", kc.map("relu", kc.read(A))), "tpu-v4")
