-- expect: finishes or error
-- threat: cyclic tables, lists with holes, keys and metamethods of every kind as arguments of every call
-- vm: any
local kc = require "kcost"

local cyclic = {}
cyclic[1], cyclic.i, cyclic.x, cyclic[cyclic] = cyclic, cyclic, cyclic, cyclic
local angry = setmetatable({}, { __index = function() error("ESCAPE: read through a metamethod") end, __len = error, __pairs = error })
local A = kc.tensor("A", "i", "f16", { i = 1000 })
local values = { cyclic, angry, { [0.5] = 1 }, { 1, nil, 3 }, { [true] = A }, A, kc.read(A), "x", "", ("x"):rep(1e5), 0 / 0, -1, true, print,
  coroutine.create(print), kc, kc.lib, { ["i\0"] = 1 }, "a\0b" }
local n = 0
for name, f in pairs(kc) do
  if type(f) == "function" then
    for _, a in ipairs(values) do
      pcall(f, a)
      for _, b in ipairs(values) do
        local ok, e = pcall(f, a, b, b, b)
        n = n + 1
        if not ok and tostring(e):find("ESCAPE", 1, true) then error(e) end
      end
    end
  end
end
return n
