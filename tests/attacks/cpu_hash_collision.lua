-- expect: error, budget
-- threat: integer keys that all fall into one chain: one rehash of 2^16 of them runs for a second inside C
-- vm: any
local t, step = {}, 2^20 - 1
for i = 1, 1e9 do t[i * step] = i end
while true do end
