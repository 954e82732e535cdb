-- expect: finishes or error
-- threat: conditions of thousands of words, brackets and signs, of odd bytes, of odd types
-- vm: any
local kc = require "kcost"

local C = kc.write("C", kc.map("relu", kc.read(kc.tensor("A", "i", "f16", { i = 1000 }))))
local tile = { i = { 16, 32 } }
for _, n in ipairs { 10, 1000, 30000 } do
  for _, w in ipairs { ("("):rep(n), ("("):rep(n) .. "1" .. (")"):rep(n), ("not "):rep(n) .. "1", ("-"):rep(n) .. "1 < 0", ("1+"):rep(n) .. "1 > 0",
    ("time and "):rep(n) .. "time", ("min("):rep(n), "min(" .. ("1,"):rep(n) .. "1) > 0", ("1^"):rep(n), ("x"):rep(n), ("tile.i "):rep(n),
    "'" .. ("x"):rep(n), ("9"):rep(n) .. " > 1", "1e" .. ("9"):rep(n), ("time<1 or "):rep(n) .. "time < 1", ("%"):rep(n), ("1KiB*"):rep(n) .. "1 > 0",
    "time" .. (" "):rep(n) .. "< 1", "time < 1\0 or", "\255\254", "%d%s%n", "", "time % 0 < 1", "0 / 0 < 1" } do
    for _, f in ipairs {
      function() kc.sweep { kernel = C, device = "l4", tile = tile, where = w, threads = 1 } end,
      function() kc.best(C, "l4", { tile = tile, where = w }) end,
      function() kc.expect(C, w, { device = "l4" }) end,
    } do
      local ok, e = pcall(f)
      if not ok and (#e > 4000 or not e:find("%.lua:?%d*: kc%.")) and e ~= "not enough memory" then error("ESCAPE: " .. e:sub(1, 200)) end
    end
  end
end
