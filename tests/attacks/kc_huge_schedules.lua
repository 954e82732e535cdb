-- expect: finishes or error
-- threat: stages, splits, warps, clusters, rasters and tiles of up to 2^53, which no loop may count down or up to
-- vm: any
local kc = require "kcost"

local said = 0
local function try(f, ...)
  local ok, e = pcall(f, ...)
  if ok then return e end
  said = said + 1
  if not e:find("%.lua:?%d*: kc%.") and e ~= "not enough memory" then error("ESCAPE: " .. e) end
end
for _, n in ipairs { 4096, 2^50 } do
  local s = { i = n, j = n, k = n }
  local A, B = kc.read(kc.tensor("A", "i k", "f16", s)), kc.read(kc.tensor("B", "k j", "f16", s))
  local C, D = kc.write("C", kc.matmul(A, B)), kc.write("C", kc.matmul(kc.causal(A, "i", "k"), kc.mask(B, "k", "j", { lo = -5, hi = 9 })))
  for _, m in ipairs { 7, 2^20, 2^53 - 1, 2^53, 0, 0.5, 0 / 0 } do
    for _, opts in ipairs { { stages = m }, { stages = { A = m } }, { warps = m }, { split = { k = m } }, { cluster = { i = m } },
      { vector = m }, { threads = m }, { raster = { "j", "i", group = m } }, { split = { k = m }, order = "k i", grid = "j" } } do
      for _, k in ipairs { C, D } do
        local t = try(kc.tile, k, { i = 128, j = 128, k = 64 }, opts)
        if t then try(kc.evaluate, t, "l4") try(kc.evaluate, t, "h100-sxm5") try(kc.count, t) end
      end
    end
    for _, k in ipairs { C, D } do
      local t = try(kc.tile, k, { i = m, j = m, k = m })
      if t then try(kc.evaluate, t, "mi300x") end
    end
  end
end
return said
