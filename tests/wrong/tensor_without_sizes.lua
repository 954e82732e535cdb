-- error: kc.tensor: size is nothing, and a table { dim = size } is wanted
-- line: 5
local kc = require "kcost"

kc.tensor("A", "m k", "f16")
