-- expect: error, budget or script
-- threat: concat and unpack over a range of 10^9 holes
-- vm: any
pcall(table.concat, {}, "", 1, 2^31 - 2)
pcall(table.unpack, {}, -2^31, 2^31 - 1)
pcall(table.unpack, {}, 1, 1e8)
local t = {}
for i = 1, 10000 do t[i] = "" end
while true do table.concat(t) end
