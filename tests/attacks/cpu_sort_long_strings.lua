-- expect: error, budget
-- threat: comparing equal-prefix strings of megabytes, n log n times, inside C
-- vm: any
local s = string.rep("x", 1e6)
local t = {}
for i = 1, 20 do t[i] = s .. i end
for i = 21, 5000 do t[i] = t[i % 20 + 1] end
while true do table.sort(t) end
