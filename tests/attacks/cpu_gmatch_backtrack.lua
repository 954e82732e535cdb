-- expect: error, budget
-- threat: gmatch restarts an expensive pattern at each place
-- vm: any
for a in string.rep("a", 5e5):gmatch(".-b") do end
while true do end
