-- expect: finishes
-- threat: garbage that is many times the limit, in large pieces
-- vm: any
local n = 0
for i = 1, 2000 do n = n + #(("x"):rep(60000) .. i) end
return n
