-- expect: finishes or error
-- threat: every metamethod, throwing, yielding, growing, lying, in every argument and option of every call, in a coroutine too
-- vm: any
local kc = require "kcost"

local C = kc.write("C", kc.map("relu", kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))))
local n = 0
local bad = {
  function() error("thrown", 0) end, coroutine.yield, function() n = n + 1 return n % 100 > 0 and setmetatable({}, {}) or nil end,
  function(t) n = n + 1 rawset(t, n % 50, n) return n end, function() return ("x"):rep(1e5) end, 5, "x", {}, C,
}
local events = { "__index", "__len", "__pairs", "__ipairs", "__call", "__eq", "__lt", "__le", "__concat", "__tostring", "__name", "__newindex",
  "__unm", "__add", "__mode", "__metatable", "__close" }
for _, b in ipairs(bad) do
  local events_of = {}
  for _, event in ipairs(events) do events_of[event] = b end
  local ok, t = pcall(setmetatable, { i = 10, 1, 2 }, events_of)
  for _, f in pairs(ok and kc or {}) do
    for _, a in ipairs { { t }, { t, t, t, t }, { "A", t, t }, { "A", "i", t }, { "A", "i", "f16", t }, { C, t }, { C, "l4", t }, { C, { i = t }, t },
      { "allreduce", C, t }, { { t }, { t }, t }, { { kernel = C, device = t, tile = t, size = { i = t }, where = t, keep = t, fields = t } },
      { "x", { C, t }, t }, { C, "time < 1", t }, { { kernels = t, launches = t }, { t }, t }, { { device = "l4", rows = { t } } } } do
      local call = function() return f((unpack or table.unpack)(a)) end
      if type(f) == "function" then
        local co = coroutine.create(call)
        coroutine.resume(co)
        coroutine.resume(co)
        pcall(call)
      end
    end
  end
end
