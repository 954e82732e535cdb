-- expect: error, budget
-- threat: each callback swallows its own error
-- vm: any
local s = string.rep("x", 1e6)
local function spin() while true do end end
while true do pcall(string.gsub, s, ".", function() pcall(spin) end) end
