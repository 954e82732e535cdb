-- error: kc.kernel: no written tensor is given
-- line: 5
local kc = require "kcost"

kc.kernel("k", {})
