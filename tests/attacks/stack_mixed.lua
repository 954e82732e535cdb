-- expect: finishes
-- threat: coroutines, callbacks, pcall, tostring and metamethods in turn
-- vm: any
local d = 0
local f
local mt = { __tostring = function() f() return "" end, __index = function() return f() end }
local ways = {
  function() pcall(f) end, function() coroutine.wrap(f)() end, function() local s = ("x"):gsub("x", f) end,
  function() table.sort({ 2, 1 }, f) end, function() tostring(setmetatable({}, mt)) end,
  function() return setmetatable({}, mt).x end, function() xpcall(f, f) end,
  function() string.format("%s", setmetatable({}, mt)) end,
}
function f() d = d + 1 if d < 3000 then ways[d % #ways + 1]() end return false end
pcall(f)
for _, way in ipairs(ways) do d = 0 ways = { way } pcall(f) end
return d
