-- error: kc.tensor: size has the key 1, and the name of a dim is wanted
-- line: 5
local kc = require "kcost"

kc.tensor("A", "m k", "f16", { 64, 32 })
