-- libraries.lua: what a script's libraries do, as in Lua's manual, on both engines (test_vm.c runs it).
-- luacheck: ignore 113 143
local function fails(what, f, ...)
    local good, message = pcall(f, ...)
    assert(not good and tostring(message):find(what, 1, true), tostring(message))
end
local function list(...) return table.concat({ ... }, " ") end

-- table
local t = { "b", "c" }
table.insert(t, 1, "a")
table.insert(t, "d")
assert(list(table.unpack(t)) == "a b c d" and table.remove(t) == "d" and table.remove(t, 1) == "a" and #t == 2)
assert(table.remove({}) == nil and table.concat({ 1, 2.5, "x" }, ", ", 1, 2) == "1, 2.5" and table.concat({}) == "")
fails("position out of bounds", table.insert, { 1 }, 5, 2)
fails("wrong number of arguments", table.insert, { 1 })
fails("invalid value (a table) at index 1", table.concat, { {} })
fails("too many results", table.unpack, {}, 1, 1e6)
assert(list(unpack({ 1, 2, 3 }, 2)) == "2 3" and select("#", table.unpack({}, 1, 3)) == 3)
local pairs_of = {}
for i = 1, 200 do pairs_of[i] = { i % 7, i } end
table.sort(pairs_of, function(a, b) return a[1] < b[1] end)
for i = 2, 200 do
    local a, b = pairs_of[i - 1], pairs_of[i]
    assert(a[1] < b[1] or (a[1] == b[1] and a[2] < b[2]), "equal ones keep their order")
end
local words = { "pear", "apple", "fig" }
table.sort(words)
assert(list(table.unpack(words)) == "apple fig pear")
fails("attempt to compare", table.sort, { 1, "x" })
fails("position out of bounds", table.insert, { 1, 2 }, 0, 3)
fails("position out of bounds", table.remove, { 1 }, 5)
fails("position out of bounds", table.remove, { 1 }, -1)
fails("position out of bounds", table.remove, {}, 3)
assert(table.remove({}, 0) == nil and table.remove({ 1 }, 2) == nil)
fails("too many results", table.unpack, {}, 2 ^ 31, 2 ^ 31)
fails("too many results", table.unpack, {}, -3e9, -3e9)
assert(select("#", table.unpack({}, 2, 1)) == 0)

-- string, but for patterns
assert(("%5d|%-5d|%05.1f|%x|%5.2s|%c%%"):format(42, -1, 3.14159, 255, "abc", 65) == "   42|-1   |003.1|ff|   ab|A%")
assert(("%s %s %s"):format(nil, true, 10 / 2) == "nil true 5" and ("%q"):format('a"\n\0') == '"a\\"\\\n\\0"')
fails("no integer representation", string.format, "%d", 3.5)
fails("invalid conversion '%p'", string.format, "%p", {})
fails("no value", string.format, "%d")
assert(("ab"):rep(3, ",") == "ab,ab,ab" and ("x"):rep(-1) == "" and (""):rep(1e9) == "" and ("aBc1"):upper() == "ABC1")
fails("too large", string.rep, "x", 1e10)
assert(("abc"):reverse() == "cba" and ("abc"):byte(-1) == 99 and string.char(72, 105) == "Hi" and #("x"):rep(300) == 300)
fails("out of range", string.char, 256)
fails("out of range", string.char, -1)
fails("slice too long", string.byte, ("x"):rep(2e6), 1, -1)
assert(("{a`"):upper() == "{A`" and ("[A@"):lower() == "[a@")
assert(("%.9s|%-6.2s|%i|%.1f"):format("abc", "xyz", 3, 0 / 0) == "abc|xy    |3|nan")
assert(("%q %q %q"):format(1, nil, true) == "1 nil true")
assert(("%q"):format("\0011\127\r\0002") == '"\\0011\\127\\13\\0002"')
fails("no literal form", string.format, "%q", {})
for _, cut in ipairs { "abc%", "%-", "%5", "%.", "%5.", "%123d", "%.123f", "%------d" } do
    fails("invalid format", string.format, cut, 1)
end
fails("invalid conversion", string.format, "%\0", 1)

-- patterns: what patterns.lua, whose texts are random, comes by seldom
assert(("a\1b\127c"):gsub("%c", "") == "abc" and ("a\1"):gsub("%C", "*") == "*\1" and ("a b\1\200"):gsub("%g", "*") == "* *\1\200")
assert(("xyz"):gsub("%y", "*") == "x*z" and ("abc"):gsub("", "-") == "-a-b-c-" and ("abc"):match("") == "")
assert(("abc"):gsub("b", 5) == "a5c" and ("abc"):gsub("b", { b = 7 }) == "a7c" and ("abab"):match("(ab)%1") == "ab")
fails("invalid capture index", string.match, "abc", "(%1)")
fails("invalid capture index", string.gsub, "abc", "(b)", "%2")
fails("missing '['", string.find, "abc", "%f")
fails("missing '['", string.find, "abc", "%fa")
fails("missing arguments to '%b'", string.find, "abc", "%b")
fails("missing arguments to '%b'", string.find, "abc", "%bx")
fails("invalid use of '%' in replacement", string.gsub, "abc", "b", "%")
fails("invalid use of '%' in replacement", string.gsub, "abc", "b", "%z")
fails("invalid replacement value (a table)", string.gsub, "abc", "b", { b = {} })
fails("string/function/table expected", string.gsub, "abc", "b", true)

-- pcall, xpcall, coroutines
assert(select("#", pcall(function(...) return ... end, 1, nil)) == 3)
local good, message = pcall(error, { 5 })
assert(not good and message[1] == 5)
good, message = xpcall(error, function(m) return m .. "!" end, "x")
assert(not good and message == "x!")
assert(select("#", xpcall(function() return 1, nil, nil end, print)) == 4)
good, message = xpcall(error, function() error("in the handler", 0) end)
assert(not good and message == "in the handler")
local co = coroutine.create(function(a)
    local good_inside, b = pcall(coroutine.yield, a + 1)
    assert(good_inside and coroutine.isyieldable())
    error("end of " .. b, 0)
end)
assert(coroutine.status(co) == "suspended")
good, message = coroutine.resume(co, 1)
assert(good and message == 2)
good, message = coroutine.resume(co, "it")
assert(not good and message == "end of it" and coroutine.status(co) == "dead")
good, message = coroutine.resume(co)
assert(not good and message == "cannot resume dead coroutine")
local main, is_main = coroutine.running()
assert(type(main) == "thread" and is_main and coroutine.status(main) == "running")
good, message = coroutine.resume(main)
assert(not good and message == "cannot resume non-suspended coroutine")
local sum = 0
for i in coroutine.wrap(function() for i = 1, 4 do coroutine.yield(i) end end) do sum = sum + i end
assert(sum == 10)
fails("coroutine expected", coroutine.status, 5)
local outer, inner
inner = coroutine.create(function() return coroutine.status(outer), coroutine.resume(outer) end)
outer = coroutine.create(function() return coroutine.resume(inner) end)
local _, _, status, resumed, why = coroutine.resume(outer)
assert(status == "normal" and not resumed and why == "cannot resume non-suspended coroutine")

-- numbers
assert(tonumber("0x10") == 16 and tonumber(" 12 ") == 12 and tonumber("ff", 16) == 255 and tonumber("z") == nil)
assert(tonumber("inf") == nil and tonumber("nan") == nil and tostring(0 / 0) == "nan")
assert(tonumber(5) == 5 and tonumber(nil) == nil and tonumber({}) == nil)
fails("value expected", tonumber)
math.randomseed(1)
local a, b = math.random(1e6), math.random(1e6)
math.randomseed(1)
assert(a ~= b and math.random(1e6) == a and math.random(1e6) == b)
fails("interval is empty", math.random, 0)
fails("interval is empty", math.random, 2, 1)
assert(math.random(-3, -3) == -3)

-- metatables
fails("a table or nil is wanted", setmetatable, {}, 5)
assert(getmetatable(setmetatable({}, nil)) == nil)
fails("'__tostring' must return a string", tostring, setmetatable({}, { __tostring = function() return 5 end }))
return "good"
