-- error: kc.device: smem.per_cta is a number, not the text 'big'
-- line: 5
local kc = require "kcost"

kc.device("h100-sxm5"):with{ smem = { per_cta = "big" } }
