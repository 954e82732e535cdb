-- expect: error, budget
-- threat: counts for which no closed form serves: one of them walks 2^28 points, a sweep has many
-- vm: any
local kc = require "kcost"
local n = 4000
local s = { p = n, r = n, q = n, c = n, u = n }
local X, Y = kc.tensor("X", "p q", "f16", s), kc.tensor("Y", "p q", "f16", s)
local a, b = kc.read(X, "p+r q", { size = s }), kc.read(Y, "2*p+c q+u", { size = s })
local k = kc.write("Z", kc.reduce("sum", kc.map("add", a, b), "r c u"))
local tiles = { p = { 7 }, q = kc.range(13, 100), r = { 11 }, c = { 3 }, u = { 17 } }
pcall(kc.sweep, { kernel = k, device = "l4", tile = tiles })
pcall(kc.best, k, "l4", { tile = tiles })
pcall(kc.count, kc.tile(k, { p = 7, q = 13, r = 11, c = 3, u = 17 }))
while true do end
