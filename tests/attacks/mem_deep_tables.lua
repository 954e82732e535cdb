-- expect: error, budget or memory
-- threat: tables in tables in tables
-- vm: any
local t = {}
while true do t = { t } end
