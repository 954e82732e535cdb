-- error: kc.resize: 'h' of X follows from the index that reads it; resize the dims in that index
-- line: 9
local kc = require "kcost"

local size = { n = 1, c = 8, h = 16, w = 16, f = 8, r = 3, s = 3, p = 14, q = 14 }
local X = kc.read(kc.tensor("X", "n c h w", "f16", size), "n c p+r q+s", { size = size })
local W = kc.read(kc.tensor("W", "f c r s", "f16", size))
local Y = kc.write("Y", kc.matmul(X, W, "c r s"))
kc.resize(Y, { h = 32 })
