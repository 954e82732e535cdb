-- expect: finishes or error
-- threat: axes, fields, keeps, shards, threads and figures of every odd number and length
-- vm: any
local kc = require "kcost"

local s = { i = 64, j = 64, k = 64 }
local C = kc.write("C", kc.matmul(kc.read(kc.tensor("A", "i k", "f16", s)), kc.read(kc.tensor("B", "k j", "f16", s))))
local T = kc.tile(C, { i = 16, j = 16, k = 16 })
local said = 0
local function sweep(k, axes)
  axes.kernel, axes.device, axes.threads = k, axes.device or "h100-sxm5", axes.threads or 1
  local ok, e = pcall(kc.sweep, axes)
  if ok then return e end
  said = said + 1
  if not e:find("%.lua:?%d*: kc%.") and e ~= "not enough memory" then error("ESCAPE: " .. e) end
end
local function many(n, value) local t = {} for i = 1, n do t[i] = value end return t end
local odd = { 0, -1, 0.5, 1e-300, 1e300, 0 / 0, 1 / 0, 2^53 - 1, 2^53, 1 }
for _, v in ipairs(odd) do
  for _, f in ipairs { "hbm.bandwidth", "cores", "clock", "smem.per_core", "l2.size", "link.bandwidth", "warp", "max_warps", "hbm.sector", "launch.stream" } do
    sweep(T, { [f] = { v, v } })
  end
  sweep(C, { tile = { i = { v }, j = { v } } })
  sweep(C, { size = { ["i j"] = { v } } })
  sweep(T, { stages = { v }, warps = { v }, group = { v } })
  sweep(C, { tile = { i = { 1, 2 } }, keep = { top = v } })
  sweep(C, { tile = { i = { 1, 2 } }, shard = { 1, v } })
  sweep(C, { tile = { i = { 1, 2 } }, shard = { v, 2 } })
  sweep(C, { tile = { i = { 1, 2 } }, threads = v })
end
for _, n in ipairs { 10, 1000 } do
  sweep(C, { device = many(n, "l4"), keep = { top = 1 } })
  sweep(C, { order = many(n, { "i", "j", "k" }), keep = { top = 1 } })
  sweep(C, { dtype = { A = many(n, "f8") }, keep = { top = 1 } })
  sweep(C, { tile = { i = { 1, 2 } }, fields = many(n, "time") })
  sweep(C, { tile = { i = { 1, 2 } }, fields = { ("x"):rep(n) } })
  sweep(C, { tile = { i = { 1, 2 } }, keep = { pareto = many(n, "time") } })
  sweep(C, { tile = { i = { 1, 2 } }, keep = { best_per = many(n, "tile") } })
  sweep(C, { tile = { i = { 1, 2 } }, keep = { top = 1, by = ("x"):rep(n) } })
  local tiles = {}
  for i = 1, n do tiles["x" .. i] = { 1, 2 } end
  sweep(C, { tile = tiles })
  sweep(C, { size = tiles })
  pcall(kc.best, C, "l4", { tile = tiles })
end
return said
