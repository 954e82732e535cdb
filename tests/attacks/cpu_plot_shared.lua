-- expect: error, budget or memory
-- threat: a plot whose lists are one list: a few kilobytes that are 10^9 numbers of JSON
-- vm: any
local numbers, rows, tables = {}, {}, {}
for i = 1, 1000 do numbers[i] = 1.5 end
for i = 1, 1000 do rows[i], tables[i] = numbers, rows end
return { kind = "plot", values = tables }
