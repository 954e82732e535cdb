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
local function made(kernels, field, value)
  local p = { kind = "profile", source = "by hand", form = "plain", kernels = kernels, launches = kernels, notes = {}, launch_count = 1, rows = 1 }
  if field then p[field] = value end
  return p
end
-- A call of broken insides is an error of ours, not of the engine's.
local function refused(f, ...)
  local good, message = pcall(f, ...)
  if not good and not message:find("kc%.%l+: ") and message ~= "not enough memory" then error("ESCAPE: " .. message) end
end
for _, v in ipairs { 0, -1, 0 / 0, 1 / 0, 1e300, 1e-300, "x", {}, true } do
  local rows, kernels = {}, {}
  for i = 1, 20 do rows[i] = { name = "r" .. i, time = v, flops = v, bytes = v } end
  for i = 1, 20 do kernels[i] = { name = v, time_measured = v, bytes_measured = v, flops_measured = v, launches = v, ctas_measured = v } end
  pcall(kc.calibrate, { device = "l4", rows = rows })
  pcall(kc.match, made(kernels), { r }, { device = "l4" })
  pcall(kc.match, made(v), v, { device = v })
end
local cyclic, metered = {}, setmetatable({}, { __index = function(_, k) return k end, __metatable = false })
cyclic.a, cyclic.work_measured, cyclic.name, cyclic.launches, cyclic[1] = cyclic, cyclic, "k", 1, cyclic
for _, v in ipairs { -1, 0 / 0, 1 / 0, 1e300, 1e-300, "x", {}, { {} }, print, r, cyclic, metered } do
  local broken = { { kind = "profile" }, made(v), made { v }, made { { name = "k", launches = 1, work_measured = { vector = v } } },
    made { { name = "k", launches = 1, work_measured = { vector = { f64 = v } } } } }
  for _, field in ipairs { "source", "form", "launches", "notes", "launch_count", "rows" } do broken[#broken + 1] = made({}, field, v) end
  for _, field in ipairs { "name", "launches", "grid", "flags", "causes", "residual", "time_measured", "bytes_measured", "ctas_measured",
    "clock_measured", "work_measured" } do
    broken[#broken + 1] = made { { name = "k", launches = 1, time_measured = 1e-3, [field] = v } }
  end
  for _, p in ipairs(broken) do
    refused(function() return tostring(kc.match(p, { k = r }, { device = "l4" })) end)
    refused(kc.calibrate, { device = "l4", profile = p, kernels = { k = 1 } })
  end
end
for _, n in ipairs { 10, 1000 } do
  local list, predictions, rows = {}, {}, {}
  for i = 1, n do
    list[i] = { name = ("a"):rep(30) .. i, time_measured = 1e-3, launches = 1 }
    predictions["a" .. i], rows[i] = r, { name = "r" .. i, time = 1e-6 * i, flops = 1e9 * i, bytes = 1e6 * i }
  end
  for _, by in ipairs { "name", "grid", "order", "x" } do
    for _, p in ipairs { patterns, predictions, { r, r, r }, {}, list } do
      pcall(kc.match, made(list), p, { device = "l4", by = by })
    end
  end
  pcall(kc.calibrate, { device = "l4", rows = rows })
end
