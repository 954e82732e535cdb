-- error: kc.calibrate: row: no such parameter; there are cache, device, dtype, kernels, launch, profile, rows, source; did you mean 'rows'?
-- line: 4
local kc = require "kcost"
kc.calibrate { device = "h100-sxm5", row = {} }
