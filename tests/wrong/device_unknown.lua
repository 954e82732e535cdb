-- error: kc.device: unknown device 'h100-smx5'; did you mean 'h100-sxm5'?
-- line: 5
local kc = require "kcost"

kc.device("h100-smx5")
