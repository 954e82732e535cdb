-- expect: finishes
-- threat: the order of pairs tells the seed of the state, and differs between runs and engines
-- vm: any
local t = { 10, 20, 30, abc = 1, ab = 2, x = 3, [true] = 4, [false] = 5, [2.5] = 6, [-1] = 7 }
for i = 1, 200 do t["key" .. i * 7919 % 1000] = i end
local last, seen = nil, 0
local function rank(k) return type(k) == "number" and 1 or type(k) == "string" and 2 or 3 end
for k, v in pairs(t) do
  if last ~= nil and rank(last) == rank(k) and rank(k) < 3 then assert(last < k) end
  if last ~= nil then assert(rank(last) <= rank(k)) end
  assert(t[k] == v)
  last, seen = k, seen + 1
  t[k] = nil
  if k == "ab" then t.abc = nil end
end
assert(seen == 209 and next(t) == nil)
return "safe"
