-- expect: finishes or error
-- threat: devices whose figures are at every end of a double, under kernels of all kinds
-- vm: any
local kc = require "kcost"

local s = { i = 4096, j = 4096, k = 4096 }
local C = kc.write("C", kc.matmul(kc.read(kc.tensor("A", "i k", "f16", s)), kc.read(kc.tensor("B", "k j", "f16", s))))
local t = kc.tile(C, { i = 128, j = 128, k = 64 }, { raster = { "j", "i", group = 8 } })
local stencil = kc.tile(kc.write("S", kc.reduce("sum", kc.read(kc.tensor("X", "p", "f16", { p = 1e6 }), "q+r-1", { size = { q = 1e6, r = 3 } }), "r")), { q = 256 })
local row = kc.write("R", kc.softmax(kc.read(kc.tensor("X", "i j", "f16", s)), "j"))
local figures = {
  hbm = { "bandwidth", "size", "latency", "sector" }, l2 = { "bandwidth", "size", "latency", "parts" }, smem = { "per_core", "per_cta", "reserved", "bandwidth" },
  registers = { "per_core", "per_thread", "unit" }, launch = { "stream", "graph", "eager", "fixed" }, link = { "bandwidth", "latency" },
  sustained = { "matrix", "hbm", "l2" }, overlap = { "mma", "wgmma" }, llc = { "size", "bandwidth" }, matrix = { "f16" }, rate = { "f16" },
}
for _, v in ipairs { 0, -1, 1e-300, 1e300, 0 / 0, 1 / 0, 2^53, 1, 0.5, 1e9 } do
  local changes = {}
  for _, f in ipairs { "cores", "clock", "warp", "max_warps", "max_ctas", "max_threads", "special", "matrix_clock" } do changes[#changes + 1] = { [f] = v } end
  for name, list in pairs(figures) do for _, f in ipairs(list) do changes[#changes + 1] = { [name] = { [f] = v } } end end
  for _, change in ipairs(changes) do
    local ok, d = pcall(function() return kc.device("h100-sxm5"):with(change) end)
    for _, k in ipairs(ok and { C, t, stencil, row } or {}) do
      local good, r = pcall(kc.evaluate, k, d)
      if good and not (r.time >= 0 and r.time < math.huge) then error("ESCAPE: a time of " .. kc.str(r.time)) end
    end
    if ok then pcall(kc.occupancy, d, { threads = 256, registers = 64 }) tostring(d) end
  end
end
