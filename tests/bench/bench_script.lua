-- bench_script.lua: what a script pays for a kernel that it builds, counts or evaluates.
local kc = require "kcost"
local measure = require "measure"

local device = kc.device "h100-sxm5"

local function row(name, unit, times, work) measure.row(name, measure.least(times, work) / unit) end

local function matmul()
    local size = { m = 4096, n = 4096, k = 4096 }
    return kc.write("C", kc.matmul(kc.read(kc.tensor("A", "m k", "f16", size)), kc.read(kc.tensor("B", "k n", "f16", size))))
end

local function attention()
    local size = { b = 8, h = 16, i = 4096, j = 4096, d = 128, e = 128 }
    local Q, K = kc.tensor("Q", "b h i d", "f16", size), kc.tensor("K", "b h j d", "f16", size)
    local V = kc.tensor("V", "b h j e", "f16", size)
    local S = kc.write("S", kc.matmul(kc.read(Q), kc.read(K)))
    local P = kc.write("P", kc.softmax(kc.read(S), "j", { online = true }))
    local O = kc.write("O", kc.matmul(kc.read(P), kc.read(V)))
    return kc.tile(kc.fuse("flash", { S, P, O }), { i = 128, j = 64 })
end

local ready = { matmul = kc.tile(matmul(), { m = 128, n = 128, k = 64 }), attention = attention() }
row("matmul, evaluated", 1e-6, 5000, function() return kc.evaluate(ready.matmul, device) end)
row("attention, evaluated", 1e-6, 2000, function() return kc.evaluate(ready.attention, device) end)
row("attention, built, fused, tiled, evaluated", 1e-6, 1000, function() return kc.evaluate(attention(), device) end)
row("matmul, built and counted", 1e-9, 2000, function() return kc.count(matmul()) end)
