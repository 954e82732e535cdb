-- expect: error, budget
-- threat: spinning within 20 slots of the top of the stack: a hook finds no room, and pcall swallows that
-- vm: any
local function deep(n)
  local ok = pcall(deep, n + 1)
  if not ok then for i = 1, 1e9 do pcall(deep, n + 1) end end
end
while true do pcall(deep, 0) end
