-- error: kc.tensor: dtype is nothing, and a dtype is wanted, such as "f16"
-- line: 5
local kc = require "kcost"

kc.tensor("A", "m k")
