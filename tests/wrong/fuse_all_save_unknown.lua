-- error: kc.fuse_all: save: no kernel of 'one' makes 'b'; did you mean 'B'?
-- line: 6
local kc = require "kcost"
local A = kc.tensor("A", "i", "f16", { i = 1024 })
local B = kc.write("B", kc.map("exp", kc.read(A)))
kc.fuse_all(kc.program("one", { B }), "h100-sxm5", { save = { "b" } })
