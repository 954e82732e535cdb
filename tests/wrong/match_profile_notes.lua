-- error: kc.match: profile: notes: expected a list of sentences; give what kc.load_profile returned
-- line: 6
local kc = require "kcost"
local p = { kind = "profile", source = "by hand", form = "plain", launches = {}, notes = {}, launch_count = 1, rows = 1 }
p.kernels, p.notes = {}, { 7 }
local m = kc.match(p, {})
return m
