-- expect: finishes or error
-- threat: 1LL makes cdata with the ffi library closed
-- vm: luajit
local x = 1LL
assert(not pcall(string.rep, "x", x) or true)
pcall(require "kcost".tensor, "A", "i", "f16", { i = x })
pcall(tostring, x)
error("cdata", 0)
