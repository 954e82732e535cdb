-- error: kc.fuse_all: none of the 58 schedules tried for 'B' runs; the last: no CTA fits on h100-sxm5: shared memory: a CTA takes 524288 bytes, h100-sxm5 has 128: 524160 too many; with tile k = 1 it takes 128 and fits; registers: with 32 warps a thread takes 145, h100-sxm5 has 64: 81 too many; the values that are alive at once take 524544 bytes and must shrink to 228352, by smaller tiles
-- line: 6
local kc = require "kcost"
local A = kc.tensor("A", "m k", "f16", { m = 4096, k = 4096 })
local tiny = kc.device("h100-sxm5"):with { smem = { per_core = 2 ^ 7, per_cta = 2 ^ 7, reserved = 0 } }
kc.fuse_all(kc.program("one", { kc.write("B", kc.softmax(kc.read(A), "k")) }), tiny)
