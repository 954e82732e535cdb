-- expect: finishes or error
-- threat: every library function with the numbers where arithmetic goes wrong
-- vm: any
local odd = { 0, -1, 1, 2^31 - 1, 2^31, -2^31, 2^32, 2^53, -2^53, 2^53 + 2, 2^63, -2^63, 1e308, -1e308, 1 / 0, -1 / 0, 0 / 0, 0.5 }
local n = 0
for _, library in ipairs { string, table, math, coroutine } do
  for name, f in pairs(library) do
    if type(f) == "function" then
      for _, a in ipairs(odd) do
        pcall(f, a)
        for _, b in ipairs(odd) do
          if name ~= "rep" or (b ~= b or b < 1e6) then
            pcall(f, "abc", a, b)
            pcall(f, { 1, 2, 3 }, a, b)
            pcall(f, "x", "x", a, b)
            n = n + 1
          end
        end
      end
    end
  end
end
return n
