-- expect: error, budget
-- threat: two coroutines resume and yield for ever
-- vm: any
local a = coroutine.wrap(function() while true do coroutine.yield(1) end end)
local b = coroutine.wrap(function() while true do a() coroutine.yield(2) end end)
while true do b() end
