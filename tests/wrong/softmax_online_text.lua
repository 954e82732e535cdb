-- error: kc.softmax: opts.online is 'yes', and true or false is wanted
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.softmax(kc.read(A), "k", { online = "yes" })
