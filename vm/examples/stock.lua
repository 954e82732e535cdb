-- stock.lua: a stock interpreter with the module: objects are plain values of the language.
--
--     lua5.4 stock.lua        luajit stock.lua
--
-- After `make install` both find it; from the build folder: LUA_CPATH="build/lua5.4/?.so" lua5.4 vm/examples/stock.lua
local best = dofile((arg[0]:match("^.*/") or "") .. "matmul.lua")

print(string.format("%s on %s: %.1f us, %s binds", best.name, best.device, 1e6 * best.time, best.bound))
