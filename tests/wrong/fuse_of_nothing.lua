-- error: kc.fuse: no part is given
-- line: 5
local kc = require "kcost"

kc.fuse("f", {})
