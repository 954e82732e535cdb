-- expect: finishes or error
-- threat: tensors, indexes and values of thousands of dims, where every look-up is a search
-- vm: any
local kc = require "kcost"

local said = 0
local function try(f, ...)
  local ok, e = pcall(f, ...)
  if ok then return e end
  said = said + 1
  if not e:find("%.lua:?%d*: kc%.") and e ~= "not enough memory" then error("ESCAPE: " .. e) end
end
local A = kc.tensor("A", "i", "f16", { i = 1000 })
local wide
for _, n in ipairs { 2, 64, 256, 257, 1000, 5000 } do
  local names, sizes = {}, {}
  for i = 1, n do names[i], sizes["x" .. i] = "x" .. i, 2 end
  try(kc.tensor, "B", names, "f16", sizes)
  local B = try(kc.tensor, "B", table.concat(names, " "), "f16", sizes)
  local sum = try(kc.read, A, table.concat(names, "+"), { size = sizes })
  try(kc.read, A, "[" .. table.concat(names, " ") .. "]", { size = sizes })
  try(kc.reduce, "topk", kc.read(A), "i", { size = sizes })
  for _, v in ipairs { sum or false, B and kc.read(B) or false } do
    local C = v and try(kc.write, "C", v)
    if C then
      local new = {}
      for i = 1, n do new["x" .. i] = "y" .. i end
      try(kc.rename, C, new)
      try(kc.resize, C, sizes)
      try(kc.tile, C, sizes)
      try(kc.count, C)
      try(kc.evaluate, C, "l4")
    end
  end
end
for i = 1, 2000 do
  wide = try(function()
    local x = kc.read(kc.tensor("X" .. i, "d" .. i, "f16", { ["d" .. i] = 2 }))
    return wide and kc.map("add", wide, x) or x
  end) or wide
end
for _, s in ipairs { "i ", "i+", "1*", "[i]", "#", "9", "i", "-", "[", "*", "\0" } do
  try(kc.read, A, s:rep(1e5) .. "i")
  try(kc.tensor, "B", s:rep(1e5) .. "i", "f16", { i = 1 })
  try(kc.reduce, "sum", kc.read(A), s:rep(1e5) .. "i")
end
return said
