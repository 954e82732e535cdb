-- error: kc.plot.roofline: item 1 has a row that has no prediction; give what kc.match returned
-- line: 4
local kc = require "kcost"
local plot = kc.plot.roofline { { kind = "match" } }
return plot
