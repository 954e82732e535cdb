-- expect: error, budget
-- threat: a coroutine of an earlier run knows nothing of the limit of this one (run twice in one VM)
-- vm: any
co = co or coroutine.create(function() while true do coroutine.yield() for i = 1, 1e12 do end end end)
for i = 1, 3 do coroutine.resume(co) end
while true do end
