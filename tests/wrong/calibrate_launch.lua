-- error: kc.calibrate: launch: expected "stream" or "graph" or "eager" or "none", got "queue"
-- line: 4
local kc = require "kcost"
kc.calibrate { device = "h100-sxm5", rows = { { name = "copy" } }, launch = "queue" }
