-- error: kc.calibrate: source: expected a text, got a table
-- line: 4
local kc = require "kcost"
kc.calibrate { device = "h100-sxm5", profile = "times.csv", source = {} }
