-- error: kc.best: space has no axes to choose from: tile = { i = { 64, 128 } }, stages = { 2, 3 }, say; without a space the schedules of a tuned library are tried
-- line: 5
local kc = require "kcost"
local gemm = kc.lib.gemm.plain { m = 64, n = 64, k = 64 }
local r = kc.best(gemm, "h100-sxm5", { where = "occupancy >= 2" })
return r
