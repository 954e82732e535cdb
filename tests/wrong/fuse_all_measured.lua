-- error: kc.fuse_all: opts has no option 'measured'; there are 'save', 'l2', 'cache', 'launch', 'convention'
-- line: 6
local kc = require "kcost"
local A = kc.tensor("A", "i", "f16", { i = 1024 })
local B = kc.write("B", kc.map("exp", kc.read(A)))
kc.fuse_all(kc.program("one", { B }), "h100-sxm5", { measured = 1e-3 })
