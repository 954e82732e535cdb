-- error: kc.param: the default of 'n' is a table, and a number, a string, true or false is wanted
-- line: 5
local kc = require "kcost"

local r = kc.param("n", {})
return r
