-- complete.lua: what names may stand at the end of a line that is being typed, at the prompt or in a shell.
local _, core = ...
local kc = require "kcost"
local command, help = require "kcost.internal.command", require "kcost.internal.help"
local reference = require "kcost.internal.reference"

local complete = {}

local keywords = "and break do else elseif end false for function goto if in local nil not or repeat return then true until while"

-- The brackets and the quote that are open at the end of `text`: a list of { bracket, the path before it }.
local function open_at_end(text)
    local open, quote, at = {}, nil, 1
    while at <= #text do
        local c = text:sub(at, at)
        if quote then
            if c == "\\" then at = at + 1 elseif c == quote then quote = nil end
        elseif c == "\"" or c == "'" then
            quote = c
        elseif c:find("[%({]") then
            open[#open + 1] = { c, text:sub(1, at - 1):match("([%w_.:]*)%s*$") }
        elseif c:find("[%)}]") then
            open[#open] = nil
        end
        at = at + 1
    end
    return open, quote
end

-- The parameters of kc.lib.FILE.NAME.
local function library_options(path)
    local names, file, name = {}, path:match("([%w_]+)%.([%w_]+)$")
    local library = file and help.library(file) or {}
    for _, method in ipairs(library) do
        if method.name == name then
            for _, parameter in ipairs(help.parameters(library, method)) do names[#names + 1] = parameter[1] end
        end
    end
    return names
end

-- The options of the call whose table is open.
local function open_options(open)
    local names = {}
    for i = #open, 1, -1 do
        local path = open[i][2]:match("([%w_]+)$")
        if path and open[#open][1] == "{" then
            names = library_options(open[i][2])
            for _, section in ipairs(reference.calls) do
                for _, entry in ipairs(section) do
                    if entry.name == path then
                        for _, option in ipairs(entry.options or {}) do
                            for _, name in ipairs(help.names(option[1])) do names[#names + 1] = name end
                        end
                    end
                end
            end
            return names
        end
    end
    return names
end

local function strings()
    local all = core.devices()
    for _, words in next, reference.words do
        for word in words:gmatch("%S+") do all[#all + 1] = word end
    end
    for _, section in ipairs(reference.calls) do
        for _, entry in ipairs(section) do
            for _, option in ipairs(entry.options or {}) do
                for word in option[2]:gmatch("\"([^\"]+)\"") do all[#all + 1] = word end
            end
        end
    end
    return all
end

local function get(of, name)
    local good, value = pcall(function() return of[name] end)
    return good and value or nil
end

-- The names that may follow `path`, "kc.lib.", where `mark` is its last character.
local function fields_of(path, mark, environment)
    local value = environment
    if path == "" then return {} end -- what stands before is no name
    for name in path:gmatch("[%w_]+") do
        value = get(value, name)
        if value == nil then return {} end
    end
    local names = {}
    for _, member in ipairs(help.members(core.kind(value))) do
        if (mark == ":") == (member.params ~= nil) then names[#names + 1] = member[1] end
    end
    if type(value) == "table" and mark == "." then
        for name in next, value do if type(name) == "string" then names[#names + 1] = name end end
    end
    if rawequal(value, kc.lib) then for _, name in ipairs(core.files()) do names[#names + 1] = name end end
    return names
end

-- Of the text before a cursor, in an environment: the length of the name that is begun at its end, and what names may
-- stand in its place, sorted.
function complete.names(before, environment)
    local open, quote = open_at_end(before)
    local names, word
    if quote then
        word, names = before:match("([^\"'%s]*)$"), strings()
    else
        local path, mark
        path, mark, word = before:match("([%w_.:]-)([.:]?)([%w_]*)$")
        if mark ~= "" then
            names = fields_of(path, mark, environment)
        else
            names = open_options(open)
            for name in next, environment do if type(name) == "string" then names[#names + 1] = name end end
            for name in keywords:gmatch("%a+") do names[#names + 1] = name end
        end
    end
    local found, seen = {}, {}
    for _, name in ipairs(names) do
        if name:sub(1, #word) == word and not seen[name] then found[#found + 1], seen[name] = name, true end
    end
    table.sort(found)
    table.insert(found, 1, #word)
    return found
end

-- ---- the command line ----------------------------------------------------------------------------------------

-- The rows of a table of the command, a line each, tabs between its cells.
local function rows_of(text)
    local rows = {}
    for line in text:gmatch("[^\n]+") do
        local row = {}
        for cell in (line .. "\t"):gmatch("(.-)\t") do row[#row + 1] = cell end
        rows[#rows + 1] = row
    end
    return rows
end

local function first_sentence(text)
    return (text:gsub("%s+", " "):match("^(.-)%.%f[%s%z]") or text:gsub("%s+", " "))
end

-- What a function of the stdlib is, and the parameters that it takes.
local function kernel(name)
    local file, method = command.full_name(name):match("^([%w_]+)%.([%w_]+)$")
    local library = file and help.library(file) or {}
    for _, entry in ipairs(library) do
        if entry.name == method then return first_sentence(entry.text), help.parameters(library, entry) end
    end
    return "", {}
end

-- Lists of { word, what it is }; the first of them may be ":files" with an ending, where files may stand.
local offers = {}

function offers.FILE() return { { ":files", "" } } end

function offers.NAME()
    local list = {}
    for i, id in ipairs(core.devices()) do list[i] = { id, kc.device(id).name } end
    return list
end

function offers.words(text)
    local list = {}
    for word in text:gmatch("%S+") do list[#list + 1] = { word, "" } end
    return list
end

function offers.CONVENTION() return offers.words(reference.words.conventions) end
function offers.WHEN() return offers.words("auto always never") end
function offers.tensors() return offers.words("tensors") end

function offers.FIELD()
    local list = {}
    for _, field in ipairs(reference.fields) do
        for _, name in ipairs(help.names(field[1])) do list[#list + 1] = { name, first_sentence(field[3]) } end
    end
    return list
end

function offers.topics() return offers.words(table.concat(help.topics(), " ")) end

-- "gemm", or of a family that is begun, "norm.", its functions.
local function kernels(word)
    local list, family = {}, word:match("^([%w_]+)%.")
    local good, names = pcall(command.names, family)
    for _, name in ipairs(good and names or {}) do list[#list + 1] = { name, (kernel(name)) } end
    return list
end

local function parameters(name)
    local list, _, found = {}, kernel(name)
    for i, parameter in ipairs(found) do list[i] = { parameter[1] .. "=", first_sentence(parameter[2]) } end
    list[#list + 1] = { "device=", "a device, or several with \",\" between them" }
    return list
end

-- What may stand first, and behind what stood first.
local function start(word, subcommands)
    local list = { { ":files .lua", "" } }
    for _, row in ipairs(subcommands) do list[#list + 1] = { row[1], row[2] } end
    for _, entry in ipairs(kernels(word)) do list[#list + 1] = entry end
    return list
end

local behind = { devices = offers.NAME, help = offers.topics, diff = offers.FILE, merge = offers.FILE,
    profile = offers.FILE, calibrate = offers.FILE }

local function argument_of(option)
    return option[3]:gsub("^%[=(.*)%]$", "%1")
end

-- Words that begin with what is typed of one; of a list with "," in it its last member goes on.
local function fitting(list, word, before)
    local typed = before .. (word:match("^.*,") or "")
    local lines = {}
    for _, entry in ipairs(list) do
        local whole = entry[1]:find("^:") and entry[1] or typed .. entry[1]
        if entry[1]:find("^:") or whole:sub(1, #before + #word) == before .. word then
            lines[#lines + 1] = entry[2] ~= "" and whole .. "\t" .. entry[2] or whole
        end
    end
    return table.concat(lines, "\n")
end

-- Of a command line's words behind the command, the last of which is being typed: a line a word that may stand there, a
-- tab and what it is behind it; ":files", where files may, with an ending ".lua" where only such.  `options`: a line
-- each of letter, name, argument and text; `subcommands`: of name and text; tabs between them.
function complete.command(words, options, subcommands)
    local word, first, wanted = words[#words], nil, nil
    local by_name, named = {}, {}
    for _, option in ipairs(rows_of(options)) do
        if option[1] ~= "" then by_name["-" .. option[1]] = option end
        if option[2] ~= "" then
            by_name["--" .. option[2]] = option
            named[#named + 1] = { "--" .. option[2], option[4] }
        end
    end
    local i = 1
    while i < #words do
        local option = by_name[words[i]]
        if option and option[3]:find("^%u") then
            i, wanted = i + 1, i + 1 == #words and option or nil
            first = option[1] == "e" and "" or first
        elseif not words[i]:find("^%-") then
            first = first or words[i]
        end
        i = i + 1
    end
    local name, value = word:match("^([%w.-]+)=(.*)$")
    if wanted or name and (by_name[name] or name == "device") then
        local argument = wanted and argument_of(wanted) or by_name[name] and argument_of(by_name[name]) or "NAME"
        local offer = not (wanted and wanted[2] == "set") and offers[argument]
        return offer and fitting(offer(), wanted and word or value, wanted and "" or name .. "=") or ""
    end
    if word:find("^%-") then return fitting(named, word, "") end
    if name then return "" end
    if not first then return fitting(start(word, rows_of(subcommands)), word, "") end
    if behind[first] then return fitting(behind[first](), word, "") end
    local list = words[#words - 1] == "--explain" and offers.FIELD() or {}
    if first:find("^[%w_.]+$") and not first:find("%.lua$") then
        for _, entry in ipairs(parameters(first)) do list[#list + 1] = entry end
    end
    return fitting(list, word, "")
end

return complete
