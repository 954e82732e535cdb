-- error: kc.lib: the stdlib has no file 'mach' of its own; did you mean 'match'?
-- line: 3
local x = require "kcost.internal.mach"
return x
