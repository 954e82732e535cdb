-- error: set_unlike.lua: 'i' was set, and the script has no such param
-- line: 0
-- args: --set i=0
-- status: 2
local kc = require "kcost"

return kc.param("b", 64) + kc.param("n", 1024)
