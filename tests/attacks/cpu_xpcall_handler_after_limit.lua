-- expect: error, budget
-- threat: the handler starts the next loop when the limit was hit
-- vm: any
local function spin() while true do end end
while true do xpcall(spin, function() pcall(spin) return spin() end) end
