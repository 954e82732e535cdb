-- expect: error, budget or memory
-- threat: a plot of texts of megabytes, each byte of which is six of JSON
-- vm: any
local text, texts = ("\1"):rep(1e6), {}
for i = 1, 100 do texts[i] = text end
return { kind = "plot", values = texts }
