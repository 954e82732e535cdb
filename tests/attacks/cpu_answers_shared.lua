-- expect: error, budget
-- threat: lists that share their items: a few bytes that are 12^9 answers
-- vm: any
local list = {}
for _ = 1, 9 do
  local longer = {}
  for i = 1, 12 do longer[i] = list end
  list = longer
end
return list
