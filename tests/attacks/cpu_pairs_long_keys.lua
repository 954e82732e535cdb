-- expect: error, budget or memory
-- threat: keys of kilobytes that differ in their last byte, put into order by pairs
-- vm: any
local t, prefix = {}, ("x"):rep(7000)
pcall(function() for i = 1, 8000 do t[prefix .. i] = i end end)
while true do for _ in pairs(t) do break end end
