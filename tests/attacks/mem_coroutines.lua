-- expect: error, budget or memory
-- threat: a thousand bytes and more for each coroutine that is kept
-- vm: any
local t = {}
while true do t[#t + 1] = coroutine.create(print) end
