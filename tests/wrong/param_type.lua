-- error: kc.param: 'n' is set to 'abc', and a number is wanted, as the default is one
-- line: 6
-- args: --set n=abc
local kc = require "kcost"

local r = kc.param("n", 1024)
return r
