-- error: kc.softmax: no dim 'k' in the operand; it has i j
-- line: 8
local kc = require "kcost"

local function attention(over)
  local size = { i = 16, j = 16 }
  local scores = kc.read(kc.tensor("S", "i j", "f16", size))
  local P = kc.softmax(scores, over)
  return P
end
local P = attention("k")
return kc.count(kc.write("P", P))
