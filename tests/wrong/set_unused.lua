-- error: set_unused.lua: 'nn' was set, and the script has no such param; did you mean 'n'?
-- line: 0
-- args: --set nn=2048
-- status: 2
local kc = require "kcost"

return kc.param("n", 1024)
