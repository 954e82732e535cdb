-- expect: finishes
-- threat: gsub in the callback of gsub: 900 of them fill a stack of 8 MiB on LuaJIT
-- vm: any
local d = 0
local function f() d = d + 1 return (("x"):gsub("x", f)) end
assert(not pcall(f))
return d
