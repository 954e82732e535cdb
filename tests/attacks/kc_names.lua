-- expect: error, budget or memory
-- threat: looks for the nearest of thousands of names, without end
-- vm: any
local kc = require "kcost"

local gemm = kc.lib.gemm
for n = 1, 9000 do gemm[("name"):rep(8) .. n] = n end
while true do pcall(function() return gemm[("nmae"):rep(8)] end) end
