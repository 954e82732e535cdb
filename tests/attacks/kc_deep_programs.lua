-- expect: finishes or error
-- threat: programs within programs, repeated, beside each other and doubled, deeper and longer than any stack or count
-- vm: any
local kc = require "kcost"

local B = kc.write("B", kc.map("relu", kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))))
local function ask(p)
  for _, f in ipairs { kc.count, kc.evaluate, kc.best, kc.fuse_all } do pcall(f, p, "l4") end
  pcall(kc.resize, p, { i = 10 })
  pcall(kc.rename, p, { i = "j" })
  return tostring(p)
end
for _, deeper in ipairs {
  function(p) return kc.times(p, 1) end,
  function(p) return kc.times(p, 2^52) end,
  function(p) return kc.program("p", { p }) end,
  function(p) return kc.program("p", { p, p }) end,
  function(p) return kc.beside("p", { p, p }) end,
  function(p) return kc.group("p", { p, p }) end,
  function(p) return kc.fuse("p", { p, p }) end,
} do
  local p, last = B
  for n = 1, 3e4 do
    local ok, next_one = pcall(deeper, p)
    if not ok then last = next_one break end
    p = next_one
    if n == 3 or n == 60 then ask(p) end
  end
  if last and last ~= "not enough memory" and not last:find("%.lua:?%d*: kc%.") then error("ESCAPE: " .. last) end
end
