-- expect: error, budget
-- threat: endless loops behind every metamethod that a library function might run
-- vm: any
local function spin() while true do end end
local names = { "__index", "__newindex", "__len", "__eq", "__lt", "__le", "__concat", "__call", "__unm", "__pairs",
  "__tostring", "__name", "__add" }
local mt = {}
for _, n in ipairs(names) do mt[n] = spin end
local t = setmetatable({}, mt)
for _, f in ipairs { tostring, print, table.concat, table.sort, table.unpack, pairs, next, ipairs, type, tonumber } do pcall(f, t) end
pcall(string.format, "%s %d", t, 1)
pcall(string.rep, t, t)
pcall(string.gsub, "x", ".", t)
spin()
