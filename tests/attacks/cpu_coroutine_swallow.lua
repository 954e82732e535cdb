-- expect: error, budget
-- threat: resume swallows the error of the limit, a level deeper each time
-- vm: any
local function f() while true do coroutine.resume(coroutine.create(f)) end end
while true do coroutine.resume(coroutine.create(function() f() end)) end
