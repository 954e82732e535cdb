-- expect: error, budget
-- threat: the message handler of xpcall runs with hooks off
-- vm: any
while true do xpcall(error, function() while true do end end) end
