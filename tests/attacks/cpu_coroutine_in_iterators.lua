-- expect: error, budget
-- threat: the loop runs in a coroutine that sort, gsub and tostring call
-- vm: any
local function spin() coroutine.wrap(function() while true do end end)() end
pcall(table.sort, { 2, 1 }, spin)
pcall(string.gsub, "x", "x", spin)
pcall(tostring, setmetatable({}, { __tostring = spin }))
while true do end
