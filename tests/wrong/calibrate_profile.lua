-- error: kc.calibrate: profile: expected a path, or what kc.load_profile gives, got a table
-- line: 4
local kc = require "kcost"
kc.calibrate { device = "h100-sxm5", profile = { kernels = { {} }, launches = {}, form = "plain" } }
