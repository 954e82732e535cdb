-- error: kc.fuse_all: program is a tensor, and a program is wanted: kc.program("name", { … })
-- line: 6
local kc = require "kcost"
local size = { i = 1024 }
local A = kc.tensor("A", "i", "f16", size)
kc.fuse_all(kc.write("B", kc.map("exp", kc.read(A))), "h100-sxm5")
