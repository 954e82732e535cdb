-- error: kc.map: a value is wanted after 'exp'
-- line: 5
local kc = require "kcost"

kc.map("exp")
