-- error: kc.program: 'p' has no kernel
-- line: 5
local kc = require "kcost"

kc.program("p", {})
