-- error: kc.program: 'T' reads P, but a fuse before it kept that on chip and nothing writes it; add save = { "P" } to the fuse (net > T)
-- line: 14
local kc = require "kcost"

local size = { i = 1024, j = 1024, d = 64, e = 64 }
local Q = kc.tensor("Q", "i d", "f16", size)
local K = kc.tensor("K", "j d", "f16", size)
local V = kc.tensor("V", "j e", "f16", size)
local S = kc.write("S", kc.matmul(kc.read(Q), kc.read(K)))
local P = kc.write("P", kc.softmax(kc.read(S), "j", { online = true }))
local O = kc.write("O", kc.matmul(kc.read(P), kc.read(V)))
local flash = kc.fuse("flash", { S, P, O })
local T = kc.write("T", kc.map("relu", kc.read(P)))
kc.program("net", { flash, T })
