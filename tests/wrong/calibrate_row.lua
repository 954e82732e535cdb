-- error: kc.calibrate: rows: number 2 is no table with a name, as { name = "copy", time = 12e-6, bytes = 2e7 } is one
-- line: 4
local kc = require "kcost"
kc.calibrate { device = "h100-sxm5", rows = { { name = "copy", time = 1e-3, bytes = 1e9 }, 12e-6 } }
