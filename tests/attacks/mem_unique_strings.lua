-- expect: error, budget or memory
-- threat: short strings that differ: the table of strings grows while they are kept
-- vm: any
local t, i = {}, 0
while true do i = i + 1 t[i] = "s" .. i end
