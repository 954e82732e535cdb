-- error: kc.device: unknown figure 'hbm.bandwith'; did you mean 'hbm.bandwidth'?
-- line: 5
local kc = require "kcost"
local h100 = kc.device("h100-sxm5")
return { h100.hbm.bandwith }
