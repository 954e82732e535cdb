-- expect: finishes or error
-- threat: names of many kilobytes, of every byte, with formats in them, wherever a name is taken
-- vm: any
local kc = require "kcost"

local A = kc.tensor("A", "i", "f16", { i = 1000 })
local B = kc.write("B", kc.map("relu", kc.read(A)))
local gemm = kc.lib.gemm
for _, n in ipairs { ("x"):rep(2e5), ("x\0"):rep(1e3), ("%s%n%p"):rep(1e4), ("\255\192"):rep(1e4), ("\27[2J"):rep(100), "", " ", "\n", ("x "):rep(1e4), ("[%w]*"):rep(1e3) } do
  for _, f in ipairs {
    function() return kc[n] end, function() return A[n] end, function() return B[n] end, function() return kc.lib[n] end, function() return gemm[n] end,
    function() return kc.device(n) end, function() return kc.dtype(n) end, function() return kc.tensor("A", "i", n, { i = 1 }) end,
    function() return kc.tensor("A", n, "f16", { [n] = 1 }) end, function() return kc.map(n, kc.read(A)) end, function() return kc.reduce(n, kc.read(A), "i") end,
    function() return kc.read(A, n) end, function() return kc.evaluate(B, n) end, function() return require(n) end, function() return kc.tile(B, { [n] = 1 }) end,
    function() return kc.tile(B, {}, { [n] = 1 }) end, function() return kc.count(B, { [n] = 1 }) end, function() return kc.count(B, { convention = n }) end,
    function() return kc.expect(B, n) end, function() return kc.resize(B, { [n] = 1 }) end, function() return kc.rename(B, { i = n }) end,
    function() return kc.comm(n, B, { ranks = 2 }) end, function() return kc.evaluate(B, "l4", { launch = n }) end, function() return kc.evaluate(B, "l4")[n] end,
    function() return kc.evaluate(B, "l4"):explain(n) end, function() return kc.fuse("f", { B }, { save = { n } }) end, function() return kc.load_json(n) end,
    function() return kc.load_profile(n) end, function() return kc.match({ kernels = {}, launches = {} }, { [n] = B }, { device = "l4" }) end,
    function() return kc.sweep { kernel = B, size = { [n] = { 1 } } } end, function() return kc.device("l4"):with { [n] = 1 } end,
  } do
    local ok, e = pcall(f)
    if not ok and e ~= "not enough memory" and not tostring(e):find("%.lua:?%d*: ") then error("ESCAPE: " .. tostring(e):sub(1, 300)) end
  end
  for _, f in ipairs { kc.help, kc.str, function(name) return kc.param(name, name) end } do pcall(f, n) end
  pcall(function()
    local k = kc.write(n .. "b", kc.map({ flops = 1, name = n }, kc.read(kc.tensor(n, "i", "f16", { i = 1000 }))))
    local r = kc.evaluate(kc.program(n, { k }), "l4")
    tostring(k) tostring(r) r:table() r:explain() tostring(kc.compare({ k, k }, { "l4" }))
    kc.expect(r, "time < 0", n)
  end)
end
