-- error: kc.fuse: kernel 'f': T cannot stay on chip: it is written by a scatter; keep it out of the fuse, or save it and read it in a later kernel
-- line: 10
local kc = require "kcost"

local size = { p = 8, r = 2, y = 16, f = 4 }
local X = kc.read(kc.tensor("X", "p f", "f32", size))
local W = kc.read(kc.tensor("W", "r f", "f32", size))
local T = kc.write("T", kc.matmul(X, W, "f"), { dims = "y", index = "2*p+r", size = { y = 16 } })
local U = kc.write("U", kc.map("relu", kc.read(T)))
kc.fuse("f", { T, U })
