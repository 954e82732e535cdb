-- expect: error, budget
-- threat: a __close that loops in a coroutine which is dropped
-- vm: lua54
local mt = { __close = function() while true do end end }
while true do
  local co = coroutine.wrap(function() local x <close> = setmetatable({}, mt) coroutine.yield() error("x") end)
  co() pcall(co)
end
