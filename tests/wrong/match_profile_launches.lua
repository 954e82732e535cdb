-- error: kc.match: profile: kernels: number 1 does not say how many launches it is of; give what kc.load_profile returned
-- line: 6
local kc = require "kcost"
local p = { kind = "profile", source = "by hand", form = "plain", launches = {}, notes = {}, launch_count = 1, rows = 1 }
p.kernels = { { name = "gemm" } }
local m = kc.match(p, {})
return m
