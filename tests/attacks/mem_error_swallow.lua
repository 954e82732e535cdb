-- expect: error
-- threat: the error of the memory limit is swallowed, for ever
-- vm: any
local t = {}
local function grow() while true do t[#t + 1] = ("x"):rep(1000) .. #t end end
while true do pcall(grow) end
