-- error: kc.match: profile: expected what kc.load_profile gives, got a table
-- line: 4
local kc = require "kcost"
local m = kc.match({}, {})
return m
