-- error: kc.plot.of: expected a list of results, comparisons and sweeps, got a number
-- line: 4
local kc = require "kcost"
local plots = kc.plot.of(1)
return plots
