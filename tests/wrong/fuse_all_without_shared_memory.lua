-- error: kc.fuse_all: mine does not state cores, so no tile can be checked against it; evaluate gives the time untiled
-- line: 6
local kc = require "kcost"
local A = kc.tensor("A", "i", "f16", { i = 1024 })
local mine = kc.device { name = "mine", hbm = { bandwidth = 1e12 }, vector = { f32 = 1e12 } }
kc.fuse_all(kc.program("one", { kc.write("B", kc.map("exp", kc.read(A))) }), mine)
