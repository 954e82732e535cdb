-- expect: error, budget
-- threat: tonumber of megabytes of digits, again and again: no allocation, no instruction
-- vm: any
local s = string.rep("1", 1e6)
while true do tonumber(s) end
