-- error: kc.device: unknown figure 'hbm.bandwith'; did you mean 'hbm.bandwidth'?
-- line: 5
local kc = require "kcost"

kc.device("h100-sxm5"):with{ hbm = { bandwith = 4e12 } }
