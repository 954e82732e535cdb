-- error: kc.fuse_all: device is nothing, and a device or the name of one is wanted
-- line: 6
local kc = require "kcost"
local A = kc.tensor("A", "i", "f16", { i = 1024 })
local B = kc.write("B", kc.map("exp", kc.read(A)))
kc.fuse_all(kc.program("one", { B }))
