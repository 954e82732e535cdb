-- expect: finishes
-- threat: %p writes an address
-- vm: any
for _, v in ipairs { {}, print, "x", coroutine.create(print) } do
  local ok, s = pcall(string.format, "%p", v)
  if ok then error("ESCAPE: an address") end
  for _, f in ipairs { "%s", "%q", "%10s" } do
    local ok, s = pcall(string.format, f, v)
    if ok and s:find("0x%x%x%x%x") then error("ESCAPE: " .. f) end
  end
end
return "safe"
