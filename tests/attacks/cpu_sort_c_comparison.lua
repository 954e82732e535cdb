-- expect: error, budget or script
-- threat: a comparison function in C: no instruction of the VM runs while it sorts
-- vm: any
local t = {}
for i = 1, 30000 do t[i] = i end
while true do table.sort(t, rawequal) end
