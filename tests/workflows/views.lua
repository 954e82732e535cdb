-- views.lua: a slice costs what it touches; a tensor that is read twice in a kernel moves once.
local kc = require "kcost"

local size = { m = 8192, n = 4096 }
local X = kc.tensor("X", "m n", "f16", size)
local all = kc.write("all", kc.map("relu", kc.read(X)))
local slice = kc.write("slice", kc.map("relu", kc.read(X, { size = { m = 1024 } })))
local residual = kc.write("residual", kc.map("add", kc.read(X), kc.map("relu", kc.read(X))))
return { all, slice, residual }
