-- pages.lua: what is made from stdlib/reference.lua and the comments of the stdlib: the tables of stdlib/README.md and the
-- stubs of stdlib/meta/kcost.lua.
local kc = require "kcost"

-- What a function of the stdlib takes: it hands its declarations to parameters.take, which here only says them.
local marks = kc.lib.parameters
local take = marks.take
function marks.take(_, _, declared, synonyms) error({ declared = declared, synonyms = synonyms or {} }) end

local help, reference = require "kcost.internal.help", require "kcost.internal.reference"
local pages = { undescribed = {} } -- parameters of the stdlib, filled by pages.stubs

local function one_line(text)
    return (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

local function quoted(names)
    local cells = {}
    for i, name in ipairs(help.names(names)) do cells[i] = "`" .. name .. "`" end
    return table.concat(cells, ", ")
end

-- ---- the page ---------------------------------------------------------------------------------------------

local function call_row(entry)
    local text = one_line(entry.text)
    if entry.options and not entry.page then
        local parts = {}
        for i, option in ipairs(entry.options) do
            parts[i] = quoted(option[1]) .. ": " .. one_line(option[3]) .. (option[4] and " (default: " .. option[4] .. ")" or "")
        end
        text = text:gsub("%.$", "") .. ". " .. table.concat(parts, "; ")
    end
    return ("| `kc.%s` | %s | %s |"):format(help.signature(entry), help.gives(entry), text)
end

local function entry_of(name)
    for _, section in ipairs(reference.calls) do
        for _, entry in ipairs(section) do
            if entry.name == name then return entry end
        end
    end
end

-- The rows of the table that the page calls `title`.
local function rows_of(title)
    local rows, name = {}, title:match("^options of (%w+)$")
    for _, option in ipairs(name and entry_of(name).options or {}) do
        local default = name == "tile" and option[4] .. " |" or ""
        rows[#rows + 1] = ("| %s | %s | %s"):format(quoted(option[1]), one_line(option[3]), default):gsub(" $", "")
    end
    for _, section in ipairs(reference.calls) do
        if section.title == title then
            for _, entry in ipairs(section) do rows[#rows + 1] = call_row(entry) end
        end
    end
    for _, object in ipairs(reference.objects) do
        if object.kind == title then
            for _, member in ipairs(object) do rows[#rows + 1] = ("| `%s` | %s |"):format(member[1], one_line(member[3])) end
        end
    end
    for _, key in ipairs(reference.tables[title] or {}) do
        rows[#rows + 1] = ("| `%s` | %s | %s |"):format(key[1], one_line(key[3]), key[4] or ""):gsub("  ", " ")
    end
    for _, field in ipairs(title == "fields" and reference.fields or {}) do
        rows[#rows + 1] = ("| %s | %s | %s |"):format(quoted(field[1]), field[2], one_line(field[3])):gsub("  ", " ")
    end
    assert(#rows > 0, "stdlib/README.md: nothing in reference.lua is called " .. title)
    return table.concat(rows, "\n") .. "\n"
end

-- stdlib/README.md with its tables as reference.lua has them: those behind a line <!-- reference.lua: TITLE -->.  And
-- how many these are.
function pages.readme(text)
    local lines, rows, at, count = {}, nil, 0, 0
    for line in text:gmatch("(.-)\n") do
        local title = line:match("^<!%-%- reference%.lua: (.-) %-%->$")
        at = at + 1
        if title then rows, at, count = rows_of(title), 0, count + 1 end
        -- Behind the title come a blank line, the table's head and the line below that.
        if rows and at > 3 and line:sub(1, 1) ~= "|" then lines[#lines + 1], rows = rows, nil end
        if not rows or at <= 3 then lines[#lines + 1] = line .. "\n" end
    end
    return table.concat(lines) .. (rows or ""), count
end

-- ---- the stubs ----------------------------------------------------------------------------------------------

local out

local function put(...)
    out[#out + 1] = table.concat({ ... })
end

-- A type as the stubs name it; what reference.lua writes with a capital is ours.
local function type_of(text)
    return (text:gsub("%f[%w_]([A-Z]%w+)", "kcost.%1"))
end

local function doc(text)
    for line in (text .. "\n"):gmatch("(.-)\n") do put("---", line) end
end

local function field(name, kind, text)
    local key = name:sub(1, 1) == "[" and "[string]" or name
    put("---@field ", key, " ", kind, text ~= "" and " " .. one_line(text) or "")
end

local function options_class(entry)
    if not entry.options then return end
    local class = entry.params:match("%a+Options") or entry.params:match("%f[%w](Space)") or entry.params:match("Cta")
    put("---@class kcost.", class)
    for _, option in ipairs(entry.options) do
        for _, name in ipairs(help.names(option[1])) do
            field(name:sub(1, 1) == "[" and name or name .. "?", type_of(option[2]),
                one_line(option[3]) .. (option[4] and "; default: " .. option[4] or ""))
        end
    end
    put ""
end

local function method_type(class, member)
    local params = { "self: kcost." .. class }
    for _, param in ipairs(help.params(member.params)) do
        params[#params + 1] = param.name .. (param.optional and "?" or "") .. ": " .. type_of(param.type)
    end
    return "fun(" .. table.concat(params, ", ") .. "): " .. type_of(member[2])
end

local function object_class(object)
    local class = object.kind:sub(1, 1):upper() .. object.kind:sub(2)
    doc(object.text)
    put("---@class kcost.", class)
    for _, member in ipairs(object.kind == "result" and {} or object) do
        field(member[1], member.params and method_type(class, member) or type_of(member[2]), member[3])
    end
    if object.kind == "result" then
        for _, row in ipairs(reference.fields) do
            for _, name in ipairs(help.names(row[1])) do
                field(name, type_of(row[4] or "number") .. "?", (row[2] ~= "" and "[" .. row[2] .. "] " or "") .. row[3])
            end
        end
        for _, method in ipairs(reference.methods) do field(method[1], method_type(class, method), method[3]) end
    end
    put ""
end

local function call_stub(entry)
    doc(one_line(entry.text))
    if entry.example then doc("```lua\n" .. entry.example .. "\n```") end
    if not entry.params then
        put("---@type ", type_of(entry.gives))
        put("kc.", entry.name, " = nil")
        put ""
        return
    end
    local names = {}
    if (entry.params .. entry.gives):find("%f[%w]T%f[%W]") then put "---@generic T" end
    for _, param in ipairs(help.params(entry.params)) do
        names[#names + 1] = param.name
        put("---@param ", param.name, param.optional and "?" or "", " ", type_of(param.type))
    end
    put("---@return ", type_of(entry.gives))
    put("function kc.", entry.name, "(", table.concat(names, ", "), ") end")
    put ""
end

-- ---- the stubs of kc.lib

local function type_of_declared(declared, all, name)
    local of_mark = { [marks.size] = "integer", [marks.optional_size] = "integer", [marks.share] = "number",
        [marks.optional_table] = "table", [marks.required] = "any", [marks.optional] = "any" }
    if of_mark[declared] then return of_mark[declared] end
    if type(declared) == "table" and declared[1] then return type_of_declared(all[declared[1]], all, name) end
    if type(declared) == "string" and name:find("dtype$") then return "kcost.DtypeName" end
    return type(declared) == "number" and "integer" or type(declared)
end

local function sorted(t)
    local names = {}
    for name in pairs(t) do names[#names + 1] = name end
    table.sort(names)
    return names
end

local function parameters_class(library, method, taken)
    local texts = {}
    for _, parameter in ipairs(help.parameters(library, method)) do
        texts[parameter[1]] = parameter[2] -- a function's own behind those of its file
    end
    put("---@class kcost.lib.", library.name, ".", method.name)
    for _, name in ipairs(sorted(taken.declared)) do
        local declared = taken.declared[name]
        local given = declared == marks.required or declared == marks.size or declared == marks.share
        if not texts[name] then pages.undescribed[#pages.undescribed + 1] = library.name .. "." .. method.name .. ": " .. name end
        field(given and name or name .. "?", type_of_declared(declared, taken.declared, name), texts[name] or "")
    end
    for _, name in ipairs(sorted(taken.synonyms)) do
        local meant = taken.synonyms[name]
        field(name .. "?", type_of_declared(taken.declared[meant], taken.declared, meant), "is " .. meant)
    end
    put ""
end

-- The names between the brackets of `function NAME.METHOD(a, b)`.
local function positional(source, library, method)
    return source:match("\nfunction " .. library.name .. "%." .. method.name .. "%((.-)%)") or ""
end

local function method_stub(source, library, method)
    local good, taken = pcall(kc.lib[library.name][method.name], {})
    local named = not good and type(taken) == "table" and taken.declared ~= nil
    if named then parameters_class(library, method, taken) end
    local gives = method.text:find("%f[%w]program%f[%W]") and "Program" or method.text:find("%f[%w]kernel%f[%W]") and "Kernel"
    doc(method.text)
    if named then
        put("---@param p kcost.lib.", library.name, ".", method.name)
    else
        for name in positional(source, library, method):gmatch("[%w_]+") do put("---@param ", name, " any") end
    end
    put("---@return ", named and gives and "kcost." .. gives or "any")
    put("function ", library.name, ".", method.name, "(", named and "p" or positional(source, library, method), ") end")
    put ""
end

local function library_stub(name, source)
    local library = help.library(name)
    doc(library.head)
    put("---@class kcost.lib.", name)
    put("local ", name, " = {}")
    put ""
    for _, method in ipairs(library) do method_stub(source, library, method) end
end

-- The text of stdlib/meta/kcost.lua; `sources` has the files of the stdlib by name.
function pages.stubs(sources)
    out = {}
    put "---@meta kcost"
    put "-- Made from stdlib/reference.lua and the comments of the stdlib; tests/help checks that it still is.\n"
    put "---@alias kcost.Dims string|string[]"
    put "---@alias kcost.Sizes table<string, number>"
    put "---@alias kcost.DtypeName kcost.Dtype|string"
    for word in reference.words.dtypes:gmatch("%S+") do put("---| \"", word, "\"") end
    put ""
    for _, name in ipairs(sorted(reference.tables)) do
        put("---@class kcost.", name)
        for _, row in ipairs(reference.tables[name]) do field(row[1] .. "?", type_of(row[2]), row[3]) end
        put ""
    end
    for _, section in ipairs(reference.calls) do
        for _, entry in ipairs(section) do options_class(entry) end
    end
    for _, object in ipairs(reference.objects) do object_class(object) end
    for _, name in ipairs(sorted(sources)) do
        if not help.of_itself[name] then library_stub(name, sources[name]) end
    end
    put "---@class kcost.Lib"
    for _, name in ipairs(sorted(sources)) do
        if not help.of_itself[name] then field(name, "kcost.lib." .. name, "") end
    end
    put "\n---@class kcost\nlocal kc = {}\n"
    for _, section in ipairs(reference.calls) do
        for _, entry in ipairs(section) do call_stub(entry) end
    end
    put "return kc"
    return table.concat(out, "\n") .. "\n"
end

-- The stdlib as it was.
function pages.done() marks.take = take end

return pages
