-- expect: finishes
-- threat: what stands behind the globals, and the environments of functions
-- vm: any
if getmetatable(_G) then error("ESCAPE: the metatable of the globals") end
if pcall(setmetatable, _G, {}) then error("ESCAPE: the metatable of the globals was replaced") end
for _, n in ipairs { "getfenv", "setfenv", "load", "loadstring", "io", "os", "debug", "package", "jit", "ffi", "arg" } do
  if _G[n] ~= nil then error("ESCAPE: " .. n) end
end
for _, n in ipairs { "os", "io", "ffi", "jit", "table.new", "string.buffer", "kcost.nothing", "/etc/passwd", "../x" } do
  if pcall(require, n) then error("ESCAPE: require " .. n) end
end
return "safe"
