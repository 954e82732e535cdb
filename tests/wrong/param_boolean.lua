-- error: kc.param: 'causal' is set to 'maybe', and true or false is wanted, as the default is one
-- line: 6
-- args: --set causal=maybe
local kc = require "kcost"

local r = kc.param("causal", true)
return r
