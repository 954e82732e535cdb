-- error: kc.beside: 'none' has no kernel
-- line: 4
local kc = require "kcost"
kc.beside("none", {})
