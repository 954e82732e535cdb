-- error: kc.match: profile: kernels: number 1 has a grid that is no { x, y, z }; give what kc.load_profile returned
-- line: 6
local kc = require "kcost"
local p = { kind = "profile", source = "by hand", form = "plain", launches = {}, notes = {}, launch_count = 1, rows = 1 }
p.kernels = { { name = "gemm", launches = 1, grid = 64 } }
local m = kc.match(p, {})
return m
