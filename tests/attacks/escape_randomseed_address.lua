-- expect: finishes
-- threat: math.randomseed returns the address of the state
-- vm: any
local ok, a, b = pcall(math.randomseed)
if ok and (a or b) then error("ESCAPE: the seed is returned") end
return "safe"
