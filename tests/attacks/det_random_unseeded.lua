-- expect: finishes
-- threat: random numbers that differ between runs
-- vm: any
local t = {}
for i = 1, 8 do t[i] = math.random(1, 1000) end
assert(math.random() < 1 and math.random(5) <= 5)
return table.concat(t, " ")
