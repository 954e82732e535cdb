-- expect: nil global
-- threat: newproxy makes userdata with finalizers
-- vm: any
if rawget(_G, "newproxy") then error("ESCAPE: newproxy") end
return "safe"
