-- error: kc.reduce: no cost is known for 'smu'; give one as { flops = 2 }; did you mean 'sum'?
-- line: 5
local kc = require "kcost"

kc.reduce("smu", kc.read(kc.tensor("A", "m k", "f16", { m = 64, k = 32 })), "k")
