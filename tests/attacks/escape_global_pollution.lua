-- expect: finishes
-- threat: globals and library fields of an earlier run (run twice in one VM)
-- vm: any
for _, n in ipairs { "owned", "leak" } do if rawget(_G, n) or string[n] or math[n] then error("ESCAPE: " .. n) end end
owned, leak = 1, {}
string.owned, math.leak = 1, 2
rawset(table, "owned", 3)
table.insert(coroutine, 4)
return "run me twice in one VM"
