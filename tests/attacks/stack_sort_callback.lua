-- expect: finishes
-- threat: sort in the comparison function of sort
-- vm: any
local d = 0
local function f() d = d + 1 table.sort({ 2, 1 }, f) return false end
assert(not pcall(f))
return d
