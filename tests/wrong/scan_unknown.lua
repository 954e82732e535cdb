-- error: kc.scan: no cost is known for 'cumsam'; give one as { flops = 2 }; did you mean 'cumsum'?
-- line: 5
local kc = require "kcost"

kc.scan("cumsam", kc.read(kc.tensor("A", "m k", "f16", { m = 64, k = 32 })), "k")
