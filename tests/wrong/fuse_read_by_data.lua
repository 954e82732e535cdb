-- error: kc.fuse: kernel 'f': T cannot stay on chip: it is read where data says; keep it out of the fuse, or save it and read it in a later kernel
-- line: 9
local kc = require "kcost"

local size = { m = 16, k = 4, x = 8 }
local A = kc.tensor("A", "x k", "f16", size)
local T = kc.write("T", kc.map("relu", kc.read(A)))
local U = kc.write("U", kc.map("relu", kc.read(T, "[m] k", { size = size })))
kc.fuse("f", { T, U })
