-- expect: error, budget or script
-- threat: a position far outside the list: a loop of two billion steps on LuaJIT
-- vm: any
table.insert({ 1, 2, 3 }, -2^31, 9)
