-- price.lua: what a user of a service sends.
local kc = require "kcost"
return kc.best(kc.lib.attention.flash { seq = 4096, heads = 32, head_dim = 128, causal = true }, "h100")
