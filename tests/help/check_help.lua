-- Whether stdlib/reference.lua has every public name and no other, and whether what is made from it is what is checked in:
-- the tables of stdlib/README.md, the stubs in stdlib/meta/kcost.lua.  UPDATE=1 (make docs) rewrites these.

local kc = require "kcost"
local pages = require "pages"
local help, reference = require "kcost.internal.help", require "kcost.internal.reference"

local passed, failed = 0, 0

local function fact(sentence, good, why)
    if good then
        passed = passed + 1
    else
        failed = failed + 1
        print("FAIL " .. sentence .. (why and "\n" .. why or ""))
    end
end

local function slurp(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
end

-- What the shell says, by line.
local function lines_of(command)
    local pipe, lines = assert(io.popen(command)), {}
    for line in pipe:lines() do lines[#lines + 1] = line end
    pipe:close()
    return lines
end

local function keep(path, text)
    if os.getenv("UPDATE") ~= "1" then
        return fact(path .. " is what reference.lua makes", slurp(path) == text, "make docs writes it anew")
    end
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
end

-- Both ways: each name of `there` is described, each that is described is there.
local function same(what, there, described)
    local missing = {}
    for name in pairs(there) do
        if not described[name] then missing[#missing + 1] = what .. " " .. name .. " is not described" end
    end
    for name in pairs(described) do
        if not there[name] then missing[#missing + 1] = "there is no " .. what .. " " .. name end
    end
    table.sort(missing)
    fact("every " .. what .. " is described, and no other", #missing == 0, table.concat(missing, "\n"))
end

local load_it = loadstring or load -- luacheck: ignore 113

-- ---- names ---------------------------------------------------------------------------------------------------

local calls, options, members, fields = {}, {}, {}, {}
for _, section in ipairs(reference.calls) do
    for _, entry in ipairs(section) do
        calls[entry.name] = entry
        for _, option in ipairs(entry.options or {}) do
            for _, name in ipairs(help.names(option[1])) do options[name] = true end
        end
    end
end
for _, rows in pairs(reference.tables) do
    for _, row in ipairs(rows) do options[row[1]] = true end
end
for _, object in ipairs(reference.objects) do
    for _, member in ipairs(help.members(object.kind)) do members[member[1]] = true end
end

do -- the module
    local there = { plot = true, load_profile = true, match = true, calibrate = true } -- found at their first use
    for name in next, kc do there[name] = true end
    local described = {}
    for name in pairs(calls) do described[name] = true end
    same("call", there, described)
end

-- C has the names that it compares with in arrays: static const char *const known[] = { "a", "b" }.
local arrays = {}
for _, path in ipairs(lines_of("ls vm/lua/*.c")) do
    local source = slurp(path)
    for name, body in source:gmatch("static const char %*const (%w+)%[%] = (%b{})") do
        arrays[#arrays + 1] = { path = path, name = name, body = body }
    end
end

do -- the arrays of options, and those of fields
    local of_options = { known = true, evaluate_options = true, options = true, plain = true, named = true, parts = true }
    local of_fields = { names = true, fields = true, other_fields = true }
    local undescribed, seen = {}, 0
    for _, array in ipairs(arrays) do
        local described = of_options[array.name] and options or of_fields[array.name] and members
        for name in array.body:gmatch("\"([^\"]+)\"") do
            if described then
                seen = seen + 1
                if not described[name] and not options[name] then undescribed[#undescribed + 1] = array.path .. ": " .. name end
            end
        end
    end
    fact("every option and field that C knows is described", #undescribed == 0 and seen > 100, table.concat(undescribed, "\n"))
end

do -- the table of a result's fields, with units
    local there, units, wrong = {}, {}, {}
    for name, unit in slurp("vm/model/result.c"):gmatch("%[KC_[%w_]+%] = { \"([%w_.]+)\", \"([^\"]*)\"") do
        there[name:match("^[^.]+")], units[name:match("^[^.]+")] = true, unit
    end
    for _, row in ipairs(reference.fields) do
        for _, name in ipairs(help.names(row[1])) do
            if there[name] then fields[name] = true end
            if units[name] and units[name] ~= row[2] then wrong[#wrong + 1] = name .. " is in " .. units[name] end
        end
    end
    same("field of a result", there, fields)
    fact("every unit is that of the field", #wrong == 0, table.concat(wrong, "\n"))
end

pages.done()

do -- objects
    local A = kc.tensor("A", "m k", "f16", { m = 64, k = 64 })
    local C = kc.write("C", kc.matmul(kc.read(A), kc.read(kc.tensor("B", "k n", "f16", { k = 64, n = 64 }))))
    local objects = {
        tensor = A, value = kc.read(A), dtype = kc.dtype("f16"), kernel = kc.kernel("k", { C }), program = kc.program("p", { C }),
        device = kc.device("h100-sxm5"), result = kc.count(C), comparison = kc.compare({ C }, { "h100-sxm5" }),
        sweep = kc.sweep { kernel = C, size = { m = { 64, 128 } } },
        occupancy = kc.occupancy("h100-sxm5", { threads = 128, registers = 64, smem = 1024 }),
    }
    local rows = {} -- two are left out, so that there are notes
    for i = 1, 10 do rows[i] = { name = "copy", time = 5e-4 * i + 2e-6, bytes = i < 9 and 1e9 * i or nil } end
    objects.calibration = kc.calibrate { device = "h100-sxm5", rows = rows }
    local missing = {}
    for _, object in ipairs(reference.objects) do
        for _, member in ipairs(help.members(object.kind)) do
            local good, value = pcall(function() return objects[object.kind][member[1]] end)
            if not good then missing[#missing + 1] = value end
            if member.params and good and type(value) ~= "function" then
                missing[#missing + 1] = object.kind .. ":" .. member[1] .. " is no method"
            end
        end
    end
    fact("every field and method is there", #missing == 0, table.concat(missing, "\n"))
    for _, kind in ipairs { "occupancy", "calibration" } do
        local shown, described = {}, {}
        for name in pairs(objects[kind]) do shown[name] = true end
        for _, member in ipairs(help.members(kind)) do described[member[1]] = true end
        same("field of the answer " .. kind, shown, described)
    end
end

do -- the stubs: no language server is at hand, so what it would stumble over first
    local stubs = slurp("stdlib/meta/kcost.lua")
    local declared, strange = {}, {}
    for name in ("string number integer boolean table any nil userdata function fun"):gmatch("%a+") do declared[name] = true end
    for name in stubs:gmatch("%-%-%-@%l+ ([%w_.]+)") do declared[name] = true end -- also of parameters, which hides none
    for kind, rest in stubs:gmatch("\n%-%-%-@(%l+) ([^\n]*)") do
        local types = (kind == "param" or kind == "field") and rest:match("^%S+ (%S+)") or kind == "return" and rest:match("^%S+")
        for name in (types or ""):gsub("\"[^\"]*\"", ""):gsub("fun%b()", ""):gsub("fun%(.*", ""):gmatch("[%a_][%w_.]*") do
            if not declared[name] then strange[#strange + 1] = rest end
        end
    end
    fact("every type of the stubs is declared there", #strange == 0, table.concat(strange, "\n"))
    fact("they are Lua", load_it(stubs))
end

do -- words in strings
    local wrong = {}
    for name in reference.words.dtypes:gmatch("%S+") do
        if not pcall(kc.dtype, name) then wrong[#wrong + 1] = name end
    end
    local x = kc.read(kc.tensor("A", "m", "f16", { m = 64 }))
    for name in reference.words.maps:gmatch("%S+") do
        if not pcall(kc.map, name, x) then wrong[#wrong + 1] = name end
    end
    for name in reference.words.reductions:gmatch("%S+") do
        if not pcall(kc.scan, name, x, "m") then wrong[#wrong + 1] = name end
    end
    fact("every dtype, map and reduction is one", #wrong == 0, table.concat(wrong, " "))
    local there, described = {}, {}
    for name in slurp("vm/model/map.c"):match("costs%[%] = {(.-)\n};"):gmatch("\"(%w+)\"") do there[name] = true end
    for name in reference.words.maps:gmatch("%S+") do described[name] = true end
    same("map", there, described)
    there, described = {}, {}
    local _, all = pcall(kc.count, kc.write("B", kc.map("relu", x)), { convention = "-" })
    for name in all:match("there are (.*)"):gmatch("'([^']+)'") do there[name] = true end
    for name in reference.words.conventions:gmatch("%S+") do described[name] = true end
    same("convention", there, described)
    there, described = { as = true }, {}
    _, all = pcall(kc.count, kc.write("B", kc.map("relu", x)), { convention = { qqqqqqqqqqqq = 1 } })
    for name in all:match("there are (.*)"):gsub(" and ", ", "):gmatch("[%w_]+") do there[name] = true end
    for _, switch in ipairs(reference.tables.Convention) do described[switch[1]] = true end
    same("switch of a convention", there, described)
end

-- ---- what it says -----------------------------------------------------------------------------------------------

local sources = {}
for _, path in ipairs(lines_of("ls stdlib/*.lua")) do
    local name = path:match("([%w_]+)%.lua$")
    if not name:find("_spec$") then sources[name] = slurp(path) end
end

for name, entry in pairs(calls) do
    if type(kc[name]) == "function" then
        fact("help(kc." .. name .. ") is what help(\"" .. name .. "\") begins with", kc.help(name):find(kc.help(kc[name]), 1, true) == 1)
    end
    fact("the example of " .. name .. " is an expression", not entry.example or load_it("return " .. entry.example), entry.example)
end
for name in pairs(help.of_itself) do
    fact("stdlib/" .. name .. ".lua, which kc.lib has not, is there", sources[name] ~= nil)
    fact("help(\"" .. name .. "\") says what it is", kc.help(name):find(name .. ".lua: ", 1, true))
    fact("kc.lib has no " .. name, not pcall(function() return kc.lib[name] end))
end
for name, f in next, kc.plot do
    fact("help(kc.plot." .. name .. ") is of it, also by name",
        kc.help(f):find("kc.plot." .. name .. "\n\n%S") and kc.help("plot." .. name) == kc.help(f))
end
fact("help(kc.plot) and help(kc.lib) are what help says of their names",
    kc.help("plot"):find(kc.help(kc.plot), 1, true) == 1 and kc.help("lib"):find(kc.help(kc.lib), 1, true) == 1)
for name in pairs(sources) do
    local undescribed = {}
    local library = not help.of_itself[name] and kc.lib[name] or {}
    for method, value in next, library do
        if type(value) == "function" then
            local good, text = pcall(kc.help, value)
            if not good or not text:find("kc.lib." .. name .. "." .. method .. "\n\n%S") then
                undescribed[#undescribed + 1] = method
            end
        end
    end
    fact("help(kc.lib." .. name .. ") is of that file, whatever else has its name",
        help.of_itself[name] or kc.help(kc.lib[name]):find(name .. ".lua: ", 1, true) == 1)
    fact("every function of stdlib/" .. name .. ".lua has a comment", #undescribed == 0, table.concat(undescribed, " "))
end
do
    local good, message = pcall(kc.help, "tyle")
    fact("a name that there is not is answered with the nearest", not good and message:find("did you mean 'tile'?", 1, true), message)
    fact("help() lists every call", (function()
        for name in pairs(calls) do if not kc.help():find("\n  " .. name .. "%s") then return false end end
        return true
    end)())
end

-- ---- what is made from it ---------------------------------------------------------------------------------------

do
    local page, count = pages.readme(slurp("stdlib/README.md"))
    fact("the reference page has its tables", count == 9, tostring(count))
    keep("stdlib/README.md", page)
end

package.loaded.kcost, package.loaded.pages = nil, nil -- a stdlib that is not yet loaded, for what its functions take
pages = require "pages"
keep("stdlib/meta/kcost.lua", pages.stubs(sources))
fact("every parameter of the stdlib is described", #pages.undescribed == 0, table.concat(pages.undescribed, "\n"))

print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and 0 or 1)
