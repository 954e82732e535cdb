-- expect: finishes or error
-- threat: costs, scales, repetitions, ranks and widths at both ends of a double: no figure is infinite or none
-- vm: any
local kc = require "kcost"

local function check(r)
  for _, f in ipairs { "flops", "bytes", "time", "roof_time", "serial_time", "intensity", "executed_flops", "l2_bytes", "ctas" } do
    local x = r[f]
    if x and not (x >= 0 and x < math.huge) then error("ESCAPE: " .. f .. " is " .. kc.str(x)) end
  end
end
local function ask(C)
  local ok, r = pcall(kc.evaluate, C, "h100-sxm5")
  if ok then check(r) tostring(r) r:explain() r:sensitivity() r:table() end
  ok, r = pcall(kc.evaluate, kc.tile(C, { i = 128 }), "l4")
  if ok then check(r) end
  pcall(kc.best, C, "l4")
  for _, n in ipairs { 1, 2^52, 1e300 } do
    ok, r = pcall(function() return kc.evaluate(kc.times(kc.times(C, n), n), "l4") end)
    if ok then check(r) end
  end
end
local s = { i = 2^40, j = 2 }
local A = kc.tensor("A", "i j", "f16", s)
for _, n in ipairs { 0, 1e-320, 1e-300, 1, 2^53, 1e15, 1e300, 1.7e308, 1 / 0, 0 / 0, -1 } do
  for _, make in ipairs {
    function() return kc.map({ flops = n, special = n }, kc.read(A)) end,
    function() return kc.reduce({ flops = n }, kc.read(A), "j") end,
    function() return kc.read(A, { scale = n }) end,
    function() return kc.read(A, "[i] j", { size = s, distinct = n }) end,
    function() return kc.mask(kc.read(A), "i", "j", { lo = -n, hi = n }) end,
    function() return kc.read(kc.tensor("W", "i", kc.dtype { name = "w", bits = n, block = n, scale_bits = n, zero_bits = n, math = "f16" }, s)) end,
    function() return kc.read(kc.comm("allreduce", A, { ranks = n, algorithm = "tree" })) end,
    function() return kc.read(kc.comm("allgather", A, { ranks = n })) end,
  } do
    pcall(function() ask(kc.write("C", make())) end)
    pcall(function() ask(kc.write("C", make(), { scale = n })) end)
  end
  for _, f in ipairs { "threads", "registers", "smem", "tmem", "stages", "stage", "keep" } do
    pcall(kc.occupancy, "h100-sxm5", { threads = 256, registers = 128, stage = 1024, [f] = n })
  end
  pcall(kc.range, n, 1e300, n)
  pcall(kc.range, 1, n)
  pcall(kc.pow2, 1, n)
  pcall(kc.pow2, n, 2^53)
end
