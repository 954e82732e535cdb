-- error: kc.device: unknown figure 'matrix.f61'; did you mean 'matrix.f6', 'matrix.f16', 'matrix.f64'?
-- line: 5
local kc = require "kcost"

kc.device("h100-sxm5"):with{ matrix = { f61 = 1e15 } }
