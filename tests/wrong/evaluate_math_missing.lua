-- error: kc.evaluate: v100-sxm2-16gb has no matrix roof for f8e4m3, which math asks for; leave math out and a wider one serves
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 64, n = 64 }
local A = kc.read(kc.tensor("A", "m k", "f16", size))
local B = kc.read(kc.tensor("B", "k n", "f16", size))
local C = kc.write("C", kc.matmul(A, B, "k", { math = "f8" }))
local r = kc.evaluate(C, "v100-sxm2-16gb")
return r
