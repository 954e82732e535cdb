-- expect: error, budget
-- threat: a C function as the callback of gsub: millions of calls without an instruction
-- vm: any
local s = string.rep("x", 1e6)
while true do s:gsub(".", string.upper) end
