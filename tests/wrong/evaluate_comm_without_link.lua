-- error: kc.evaluate: the allreduce of 2 ranks needs link.bandwidth, which the device does not state; rtx-4090:with{ link = { bandwidth = … } } gives it one
-- line: 6
local kc = require "kcost"

local C = kc.tensor("C", "m n", "f16", { m = 64, n = 16 })
kc.evaluate(kc.comm("allreduce", C, { ranks = 2 }), "rtx-4090")
