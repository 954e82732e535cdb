-- error: kc.group: no kernel is given
-- line: 5
local kc = require "kcost"

kc.group("g", {})
