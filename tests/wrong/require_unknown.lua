-- error: require: there is no module 'nonesuch' beside the script, nor on the path
-- line: 5
local kc = require "kcost"

local mine = require "nonesuch"
return mine
