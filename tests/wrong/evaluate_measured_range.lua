-- error: kc.evaluate: 'C': its rate in the measured time leaves the range of a double (1.8e308)
-- line: 13
local kc = require "kcost"

local left, right, rows, columns = { k = 2^50 }, { k = 2^50 }, {}, {}
for i = 1, 9 do
    rows[i], columns[i] = "a" .. i, "b" .. i
    left[rows[i]], right[columns[i]] = 2^53 - 1, 2^53 - 1
end
local A = kc.tensor("A", table.concat(rows, " ") .. " k", "f16", left)
local B = kc.tensor("B", "k " .. table.concat(columns, " "), "f16", right)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local r = kc.evaluate(C, "h100-sxm5", { measured = 1e-12 })
return r
