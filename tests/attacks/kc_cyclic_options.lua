-- expect: finishes or error
-- threat: tables that hold themselves, or 10^4 tables deep, as every option, figure, axis, row and condition there is
-- vm: any
local kc = require "kcost"

local C = kc.write("C", kc.map("relu", kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))))
local D = kc.device "h100-sxm5"
local cyclic, deep = {}, {}
local at = deep
for _, k in ipairs { 1, "i", "as", "hbm", "source", "matrix", "size", "tile", "kernels", "launches", "rows", "name", "device", "kernel", "top", "by" } do cyclic[k] = cyclic end
for _ = 1, 1e4 do at.hbm = {} at[1] = at.hbm at = at.hbm end
local long = {}
for i = 1, 5000 do long["x" .. i] = i end
for _, t in ipairs { cyclic, deep, long, { [C] = C }, { [1] = C, [3] = C }, { C, C, C }, { {} }, { { C } } } do
  for _, option in ipairs { "size", "scale", "distinct", "dtype", "dims", "index", "math", "unit", "into", "online", "lo", "hi", "ranks", "over", "save",
    "grid", "order", "stages", "warps", "split", "combine", "hold", "place", "raster", "cluster", "vector", "threads", "path", "overlap", "l2", "cache",
    "launch", "convention", "measured", "where", "keep", "fields", "shard", "tile", "device", "message", "kernels", "rows", "profile", "by" } do
    local o = { [option] = t }
    local v = kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))
    for _, f in ipairs {
      function() kc.read(kc.tensor("A", "i", "f16", { i = 1000 }), o) end, function() kc.write("B", v, o) end, function() kc.matmul(v, v, "i", o) end,
      function() kc.reduce("sum", v, "i", o) end, function() kc.softmax(v, "i", o) end, function() kc.mask(v, "i", "i", o) end,
      function() kc.comm("allreduce", C, o) end, function() kc.fuse("f", { C }, o) end, function() kc.tile(C, { i = 8 }, o) end,
      function() kc.count(C, o) end, function() kc.evaluate(C, D, o) end, function() kc.best(C, D, o) end, function() kc.best(C, D, nil, o) end,
      function() kc.fuse_all(kc.program("p", { C }), D, o) end, function() kc.compare({ C }, { D }, o) end, function() kc.expect(C, "bytes > 0", o) end,
      function() o.kernel = C kc.sweep(o) end, function() kc.match({ kernels = t, launches = t }, t, o) end, function() kc.calibrate(o) end,
      function() D:with(o) end, function() D:with { [option] = o } end, function() kc.occupancy(D, o) end, function() kc.dtype(o) end,
    } do
      local ok, e = pcall(f)
      if not ok and e ~= "not enough memory" and not tostring(e):find("%.lua:?%d*: ") then error("ESCAPE: " .. tostring(e)) end
    end
  end
  pcall(D.with, D, t)
  pcall(kc.device, t)
  pcall(kc.load_json, t)
  pcall(kc.load_profile, t)
  pcall(kc.help, t)
  pcall(kc.str, t)
  pcall(kc.param, t, t)
end
