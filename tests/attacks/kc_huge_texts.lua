-- expect: error, budget or memory
-- threat: texts of megabytes as dims, indices, names and options, looked at for words and for the nearest name
-- vm: any
local kc = require "kcost"

local A = kc.tensor("A", "i", "f16", { i = 10 })
local C = kc.write("C", kc.map("relu", kc.read(A)))
local words, letters = "i ", "i"
while #words < 2e7 do
  local good, longer = pcall(string.rep, words, 2)
  if not good then break end
  words, letters = longer, letters:rep(2)
end
while true do
  for _, f in ipairs {
    function() kc.tensor("B", words, "f16", { i = 1 }) end, function() kc.read(A, words) end, function() kc.reduce("sum", kc.read(A), words) end,
    function() kc.rename(C, { i = words }) end, function() kc.tile(C, { [letters] = 1 }) end, function() kc.evaluate(C, letters) end,
    function() return kc.lib[letters] end, function() return kc.lib.gemm[letters] end, function() kc.help(letters) end,
    function() kc.evaluate(C, "l4", { launch = words }) end, function() kc.expect(C, words) end,
  } do
    pcall(f)
  end
end
