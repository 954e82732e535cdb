-- error: kc.read: tensor is nothing, and a tensor is wanted
-- line: 5
local kc = require "kcost"

kc.read(nil)
