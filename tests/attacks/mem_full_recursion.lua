-- expect: error, budget or memory
-- threat: the time limit is hit where the memory is full: what is said of it asks for some
-- vm: any
local list
local function down(n)
  if n > 0 then return down(n - 1) + 0 end
  pcall(function() while true do list = { list } end end)
  for _ = 1, 2 do list = list[1] end
  while true do end
end
down(20)
