-- expect: finishes or error
-- threat: profiles, rows and predictions of thousands of entries, hostile patterns, odd numbers; files that a sandbox has not
-- vm: any
local kc = require "kcost"

for _, path in ipairs { "/etc/passwd", "times.csv", "-", "", "x\0y" } do
  if pcall(kc.load_json, path) or pcall(kc.load_profile, path) or pcall(kc.calibrate, { device = "l4", profile = path }) or
    pcall(kc.device, path .. ".lua") then error("ESCAPE: a file was read") end
end
local r = kc.evaluate(kc.write("C", kc.map("relu", kc.read(kc.tensor("A", "i", "f16", { i = 1000 })))), "l4")
local patterns = { [("k"):rep(50)] = r, [(".-"):rep(20) .. "x"] = r, ["%"] = r, ["["] = r, ["%f"] = r, [("("):rep(40)] = r, [("a|"):rep(1e4)] = r, [("a*"):rep(30) .. "b"] = r }
for _, n in ipairs { 10, 1000 } do
  local list, predictions, rows = {}, {}, {}
  for i = 1, n do
    list[i] = { name = ("a"):rep(30) .. i, time_measured = 1e-3, launches = 1 }
    predictions["a" .. i], rows[i] = r, { name = "r" .. i, time = 1e-6 * i, flops = 1e9 * i, bytes = 1e6 * i }
  end
  for _, by in ipairs { "name", "grid", "order", "x" } do
    for _, p in ipairs { patterns, predictions, { r, r, r }, {}, list } do
      pcall(kc.match, { kernels = list, launches = list }, p, { device = "l4", by = by })
    end
  end
  pcall(kc.calibrate, { device = "l4", rows = rows })
end
for _, v in ipairs { 0, -1, 0 / 0, 1 / 0, 1e300, 1e-300, "x", {}, true } do
  local rows, kernels = {}, {}
  for i = 1, 20 do rows[i] = { name = "r" .. i, time = v, flops = v, bytes = v } end
  for i = 1, 20 do kernels[i] = { name = v, time_measured = v, bytes_measured = v, flops_measured = v, launches = v, ctas_measured = v } end
  pcall(kc.calibrate, { device = "l4", rows = rows })
  pcall(kc.match, { kernels = kernels, launches = kernels }, { r }, { device = "l4" })
  pcall(kc.match, { kernels = v, launches = v }, v, { device = v })
end
