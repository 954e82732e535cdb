-- expect: error
-- threat: results and arguments without number
-- vm: any
local t = {}
for i = 1, 7000 do t[i] = i end
local function more(...) return more(1, 2, 3, 4, 5, 6, 7, 8, ...) end
assert(not pcall(string.byte, ("x"):rep(1e6), 1, -1))
more(table.unpack(t))
