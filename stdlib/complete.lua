-- complete.lua: what names may stand at the end of a line that is being typed.
local _, core = ...
local kc = require "kcost"
local help, reference = kc.lib.help, kc.lib.reference

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

return complete
