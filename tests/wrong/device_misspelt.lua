-- error: kc.device: unknown device 'a100-smx4-40gb'; did you mean 'a100-sxm4-40gb'?
-- line: 5
local kc = require "kcost"

kc.device("a100-smx4-40gb")
