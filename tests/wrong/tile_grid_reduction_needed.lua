-- error: kc.count: div needs sum complete, but it is reduced over 'j', which runs across CTAs; its partials are combined after the kernel; leave 'j' out of the grid, or write sum in a kernel of its own (div > sum)
-- line: 8
local kc = require "kcost"

local size = { i = 1024, j = 1024 }
local X = kc.read(kc.tensor("X", "i j", "f16", size))
local Y = kc.write("Y", kc.map("div", X, kc.reduce("sum", X, "j")))
local r = kc.count(kc.tile(Y, { i = 64, j = 128 }, { grid = "i j" }))
return r
