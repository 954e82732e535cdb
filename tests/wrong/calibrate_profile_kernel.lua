-- error: kc.calibrate: profile: kernels: number 1 is 1; give what kc.load_profile returned
-- line: 6
local kc = require "kcost"
local p = { kind = "profile", source = "by hand", form = "plain", launches = {}, notes = {}, launch_count = 1, rows = 1 }
p.kernels = { 1 }
local c = kc.calibrate { device = "l4", profile = p }
return c
