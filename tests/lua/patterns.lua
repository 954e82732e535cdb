-- patterns.lua: find, match, gmatch, gsub, sub, byte and rep of random texts and patterns, as one text: the same from
-- stock Lua 5.4 and from a VM of either engine (run_patterns.sh).
local seed, cases = 12345, 3000

local function rnd(n)
    seed = seed * 16807 % 2147483647
    return math.floor(seed / 8) % n + 1
end

local atoms = { "a", "b", ".", "%a", "%d", "%w", "%s", "%p", "%u", "%l", "%x", "%A", "%W", "%.", "%%", "[ab]", "[^ab]", "[a-c]",
    "[%d_]", "[]a]", "[^]a]", "[a-]", "[%]x]", "%f[%w]", "%f[%W]", "%b()", "%bxx", "(a)", "(.)", "()", "(.-)", "(%w+)", "%1",
    "^", "$", "-", "(", ")", "[", "%", "]" }
local suffixes = { "", "", "", "", "*", "+", "-", "?" }
local letters = { "a", "b", "c", "x", "(", ")", " ", "1", "2", "_", ".", "A", "%", "\0", "-" }
local replacements = { "<%0>", "%1", "x", "%%", "%2", "" }
local separators = { "", ",", "ab" }

local function word()
    local t = {}
    for i = 1, rnd(12) do t[i] = letters[rnd(#letters)] end
    return table.concat(t)
end

local function pattern()
    local t = { rnd(5) == 1 and "^" or "" }
    for i = 1, rnd(4) do t[i + 1] = atoms[rnd(#atoms)] .. suffixes[rnd(#suffixes)] end
    return table.concat(t) .. (rnd(6) == 1 and "$" or "")
end

local function show(...)
    local t = {}
    for i = 1, select("#", ...) do
        local v = select(i, ...)
        t[i] = type(v) == "string" and "<" .. v .. ">" or type(v) == "number" and ("%d"):format(v) or tostring(v)
    end
    return table.concat(t, ",")
end

local function matches(s, p)
    local t = {}
    for a, b in s:gmatch(p) do t[#t + 1] = show(a, b) end
    return table.concat(t, ";")
end

local out = {}

local function try(f, ...)
    local function clean(good, ...)
        return good and show(...) or "error " .. (...):gsub("^[^:]*:%d+: ", "")
    end
    out[#out + 1] = clean(pcall(f, ...))
end

for _ = 1, cases do
    local s, p, init = word(), pattern(), rnd(16) - 8
    try(string.find, s, p, init)
    try(string.match, s, p, init)
    try(matches, s, p)
    try(string.gsub, s, p, replacements[rnd(#replacements)])
    try(string.gsub, s, p, function(...) return select("#", ...) > 1 and "y" end, rnd(4))
    try(string.gsub, s, p, { a = "A", b = false })
    try(string.find, s, p:sub(1, 2), init, true)
    try(string.sub, s, rnd(20) - 10, rnd(20) - 10)
    try(string.byte, s, rnd(20) - 10, rnd(20) - 10)
    try(string.rep, s, rnd(6) - 2, separators[rnd(4)])
end

local text = table.concat(out, "\n")
if io then print(text) else return text end
