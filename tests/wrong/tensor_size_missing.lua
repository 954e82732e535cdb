-- error: kc.tensor: 'A' has dim 'k', but no size is given for it
-- line: 5
local kc = require "kcost"

kc.tensor("A", "m k", "f16", { m = 4 })
