-- expect: error
-- threat: an object that is its own __call: the stack grows by one a step and is shifted each time
-- vm: any
local mt = {}
local t = setmetatable({}, mt)
mt.__call = t
while true do
  local ok, e = pcall(t)
  if not mt.again then mt.again = true else t() end
end
