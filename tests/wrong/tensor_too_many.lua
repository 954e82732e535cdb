-- error: kc.tensor: takes at most 4 arguments, 5 were given
-- line: 5
local kc = require "kcost"

kc.tensor("A", "m k", "f16", { m = 4, k = 4 }, "row")
