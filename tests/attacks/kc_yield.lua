-- expect: finishes or error
-- threat: yields and errors from metamethods while our calls run
-- vm: any
local kc = require "kcost"

local A = kc.tensor("A", "i", "f16", { i = 1000 })
local t = setmetatable({}, { __tostring = coroutine.yield, __index = coroutine.yield, __len = coroutine.yield, __concat = coroutine.yield })
for _, f in ipairs { kc.str, print, tostring, kc.count, kc.tensor, kc.read, kc.param, kc.device, kc.dtype } do
  local co = coroutine.create(function() f(t, t, t) end)
  coroutine.resume(co)
  coroutine.resume(co)
end
local co = coroutine.wrap(function() local k = kc.write("B", kc.read(A)) coroutine.yield(k) return kc.count(k) end)
local k = co()
return k, co()
