-- error: kc.device: cores must be a whole number, not 1.5
-- line: 5
local kc = require "kcost"

kc.device("h100-sxm5"):with{ cores = 1.5 }
