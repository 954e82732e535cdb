-- help.lua: what kc.help says, out of reference.lua and the comments of the stdlib.
local _, core = ...
local kc = require "kcost"
local reference = require "kcost.internal.reference"

local help = {}

-- ---- text ---------------------------------------------------------------------------------------------------

local WIDEST = 80
local width = WIDEST

-- Texts fit a terminal of so many columns from now on; more than 80 are hard to read.
function help.fit(columns)
    width = columns > 0 and columns < WIDEST and columns or WIDEST
end

local function one_line(text)
    return (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

-- A paragraph in lines of at most `width` characters: of the first `taken` are taken, the others stand `indent` to the
-- right.
local function wrapped(text, indent, taken)
    local lines, line, room = {}, nil, width - (taken or 0)
    for word in text:gmatch("%S+") do
        if line and #line + 1 + #word > room then
            lines[#lines + 1], line, room = line, word, width - (indent or 0)
        else
            line = line and line .. " " .. word or word
        end
    end
    lines[#lines + 1] = line
    return table.concat(lines, "\n" .. string.rep(" ", indent or 0))
end

local COLUMN, INDENT = 15, 4

-- A text at `column`, behind `left`; on lines of its own where that is longer, or leaves less than half of the width.
local function beside(left, column, text)
    if column > width / 2 then
        local indent = #left:match("^ *") + INDENT
        return left .. "\n" .. string.rep(" ", indent) .. wrapped(text, indent, indent)
    end
    local space = string.rep(" ", column)
    local between = #left < column - 1 and space:sub(#left + 1) or "\n" .. space
    return left .. between .. wrapped(text, column, column)
end

-- "  name      text", the text in a column of its own.
local function row(name, text)
    return beside("  " .. name, COLUMN, text)
end

local GAP = "^ +%S.-  +()%S" -- "    m, n, k      sizes"

-- The comments of a file without the line ends that an editor wants: what stands behind a gap goes on in its column, a
-- paragraph where a line was full.
local function unbroken(text)
    local FULL, lines, column, length = 90, {}, nil, 0
    for line in (text .. "\n"):gmatch("(.-)\n") do
        local last, indent, first = lines[#lines] or " ", #line:match("^ *"), line:match("^ *(%S*)")
        local full = indent == 0 and last:find("^%S") and length + 1 + #first > FULL
        if first ~= "" and (column and indent == column or full) then
            lines[#lines] = last .. " " .. line:sub(indent + 1)
        else
            local behind = line:match(GAP)
            lines[#lines + 1], column = line, behind and behind - 1
        end
        length = #line
    end
    return lines
end

-- Comments as lines that fit.
local function filled(text)
    local lines = unbroken(text)
    for i, line in ipairs(lines) do
        local behind, indent = line:match(GAP), #line:match("^ *")
        if #line > width and behind and line:find("[^%s.]  +%S", behind) then -- formulas, side by side
            lines[i] = line:gsub("([^%s.])  +(%S)", "%1\n" .. line:sub(1, indent) .. "%2")
        elseif #line > width and behind then
            lines[i] = beside(line:sub(1, behind - 1):match("^(.-) *$"), behind - 1, line:sub(behind))
        elseif #line > width then
            lines[i] = line:sub(1, indent) .. wrapped(line, indent > 0 and indent + INDENT or 0, indent)
        end
    end
    return table.concat(lines, "\n")
end

-- The names and types of "name: Type, other?: Type"; a type may hold commas in brackets.
function help.params(text)
    local params, depth, from = {}, 0, 1
    for at = 1, #text + 1 do
        local c = text:sub(at, at)
        if c:find("[%(<{]") then depth = depth + 1 end
        if c:find("[%)>}]") then depth = depth - 1 end
        if c == "" or c == "," and depth == 0 then
            local name, mark, type_name = text:sub(from, at - 1):match("^%s*([%w_.]+)(%??):%s*(.-)%s*$")
            if name then params[#params + 1] = { name = name, optional = mark == "?", type = type_name } end
            from = at + 1
        end
    end
    return params
end

-- "tile(kernel, sizes [, opts])"
function help.signature(entry)
    if entry.shown or not entry.params then return entry.shown or entry.name end
    local text = entry.name .. "("
    for i, param in ipairs(help.params(entry.params)) do
        local comma = i > 1 and ", " or ""
        if param.optional then
            text = text .. (i > 1 and " " or "") .. "[" .. comma .. param.name .. "]"
        else
            text = text .. comma .. param.name
        end
    end
    return text .. ")"
end

-- "kernel", "list of numbers": a type in words; "T" is the type of the parameter that has it too.
function help.gives(entry)
    for _, param in ipairs(help.params(entry.params or "")) do
        if entry.gives == "T" and param.type == "T" then return "as " .. param.name end
    end
    return entry.gives == "number[]" and "list" or entry.gives == "Lib" and "table" or entry.gives:lower()
end

-- The names of an entry that stands for several.
function help.names(text)
    if text:sub(1, 1) == "[" then return { text } end
    local names = {}
    for name in text:gmatch("%S+") do names[#names + 1] = name end
    return names
end

local function with_default(option)
    local text = one_line(option[3])
    return option[4] and text .. "; default: " .. option[4] or text
end

-- ---- entries --------------------------------------------------------------------------------------------------

local function call_text(entry)
    local lines = { "kc." .. help.signature(entry) .. " -> " .. help.gives(entry), "", wrapped(one_line(entry.text)) }
    if entry.options then lines[#lines + 1] = "" end
    for _, option in ipairs(entry.options or {}) do lines[#lines + 1] = row(option[1], with_default(option)) end
    if entry.example then
        lines[#lines + 1] = ""
        lines[#lines + 1] = "  " .. entry.example
    end
    return table.concat(lines, "\n")
end

local function option_text(entry, option)
    return wrapped("`" .. option[1] .. "` of kc." .. entry.name .. ": " .. with_default(option))
end

local function member_text(owner, member)
    local text = owner .. (member.params and ":" or ".") .. member[1]
    if member.params then text = text .. help.signature { name = "", params = member.params } end
    return wrapped(text .. " -> " .. member[2] .. (member[3] ~= "" and ": " .. one_line(member[3]) or ""))
end

local function field_text(field)
    local unit = field[2] ~= "" and ", in " .. field[2] or ""
    return wrapped("`" .. field[1] .. "` of a result" .. unit .. ": " .. one_line(field[3]))
end

-- The fields and methods of a kind of object, as reference.objects has them; of no kind none.
function help.members(kind)
    local all = {}
    for _, object in ipairs(reference.objects) do
        if object.kind == kind then for _, member in ipairs(object) do all[#all + 1] = member end end
    end
    if kind == "result" then
        for _, field in ipairs(reference.fields) do
            for _, name in ipairs(help.names(field[1])) do all[#all + 1] = { name, field[4] or "number", field[3] } end
        end
        for _, method in ipairs(reference.methods) do all[#all + 1] = method end
    end
    return all
end

local function kind_text(object)
    local lines = { (object.kind:find("^[aeiou]") and "An " or "A ") .. object.kind .. ". " .. object.text, "" }
    if object.kind == "result" then
        for _, field in ipairs(reference.fields) do
            lines[#lines + 1] = row(field[1], (field[2] ~= "" and "[" .. field[2] .. "] " or "") .. one_line(field[3]))
        end
        for _, method in ipairs(reference.methods) do lines[#lines + 1] = row(method[1] .. "()", method[3]) end
    end
    for _, member in ipairs(object) do
        lines[#lines + 1] = row(member[1] .. (member.params and "()" or ""), member[3] ~= "" and one_line(member[3]) or member[2])
    end
    return table.concat(lines, "\n")
end

-- ---- the stdlib -------------------------------------------------------------------------------------------------

-- What the comments of a file say: its head, and its functions in order: { name, text }.  One without a comment is its own.
function help.library(name)
    local source = core.source(name)
    if not source then return nil end
    local found, block, began = { name = name }, {}, false
    for line in (source .. "\n"):gmatch("(.-)\n") do
        local comment = line:match("^%-%-%s?(.*)$")
        local method = line:match("^function [%w_]+%.([%w_]+)%(")
        if comment and not comment:find("^%-%- ") then
            block[#block + 1] = comment
        else
            local text = table.concat(block, "\n")
            if not began then found.head = text end
            if method and text ~= "" then found[#found + 1] = { name = method, text = text } end
            began, block = true, {}
        end
    end
    return found
end

-- The parameters that comments name, "    m, heads (h)    sizes, required": a list of { name, text }, what is
-- closest last: those of the file, of a function that has the same ones, its own.
function help.parameters(library, method)
    local found, last, same = {}, nil, method.text:match("arameters as of `([%w_]+)`")
    local comments = library.head
    for _, other in ipairs(library) do
        if other.name == same then comments = comments .. "\n\n" .. other.text end
    end
    for line in (comments .. "\n\n" .. method.text .. "\n"):gmatch("(.-)\n") do
        local names, text = line:match("^    ([%w_][%w_, ()]*)  +(%S.*)$")
        local more = line:match("^          +(%S.*)$")
        if names then
            last = {}
            for name in names:gsub("%b()", ""):gmatch("[%w_]+") do
                last[#last + 1] = { name, text }
                found[#found + 1] = last[#last]
            end
        elseif more and last then
            for _, parameter in ipairs(last) do parameter[2] = parameter[2] .. " " .. more end
        else
            last = nil
        end
    end
    return found
end

-- The functions of a file of the stdlib that take one table of named parameters: kernels, and numbers about them.
local function library_text(library)
    local lines = { filled(library.head), "" }
    for _, method in ipairs(library) do
        lines[#lines + 1] = row(library.name .. "." .. method.name, one_line(method.text:match("^(.-%.)%s") or method.text))
    end
    return table.concat(lines, "\n")
end

local function method_text(path, library, method)
    return path .. "." .. method.name .. "\n\n" .. filled(method.text) .. "\n\n" .. filled(library.head)
end

-- Files of the stdlib that kc.lib has not.
help.of_itself = {}
for _, name in ipairs(core.internals()) do help.of_itself[name] = true end

-- Of "gemm.lua: matrix products.  m rows …" the first sentence.
local function title(library)
    local text = one_line(library.head):gsub("^[%w_]+%.lua: ", "")
    return text:match("^(.-)[.;:] ") or text:gsub("%.$", "")
end

-- ---- finding ------------------------------------------------------------------------------------------------------

-- The files of the stdlib, those of its own by what they say of the tables that calls give ("profile"); behind them the
-- functions of kc.lib: gemm is a file, and conv.gemm.
local function each_library(take)
    local libraries = {}
    for i, name in ipairs(core.files()) do
        local library = help.library(name)
        local function text() return library_text(library) end
        take(name, text)
        take("lib." .. name, text)
        libraries[i] = library
    end
    for _, name in ipairs(core.internals()) do take(name, function() return filled(help.library(name).head) end) end
    for _, library in ipairs(libraries) do
        for _, method in ipairs(library) do
            local function text() return method_text("kc.lib." .. library.name, library, method) end
            take(library.name .. "." .. method.name, text)
            take("lib." .. library.name .. "." .. method.name, text)
            take(method.name, text)
        end
    end
end

-- The functions of kc.plot, which stand in several files.
local function each_plot(take)
    for _, file in ipairs { "plot", "plot_ledger", "plot_roofline", "plot_sweep" } do
        local library, functions = help.library(file), require("kcost.internal." .. file)
        for _, method in ipairs(library) do
            if rawequal(functions[method.name], rawget(kc.plot, method.name)) then
                take("plot." .. method.name, function() return method_text("kc.plot", library, method) end)
            end
        end
    end
end

-- Calls take(name, function that gives the text) for everything that has a name.
local function each(take)
    for _, section in ipairs(reference.calls) do
        for _, entry in ipairs(section) do
            take(entry.name, function() return call_text(entry) end)
            for _, option in ipairs(entry.options or {}) do
                for _, name in ipairs(help.names(option[1])) do
                    local function text() return option_text(entry, option) end
                    take(name, text)
                    take(entry.name .. "." .. name, text)
                end
            end
        end
    end
    for _, object in ipairs(reference.objects) do
        take(object.kind, function() return kind_text(object) end)
        for _, member in ipairs(help.members(object.kind)) do
            local function text() return member_text(object.kind, member) end
            take(object.kind .. "." .. member[1], text)
            if object.kind ~= "result" then take(member[1], text) end
        end
    end
    for _, field in ipairs(reference.fields) do
        for _, name in ipairs(help.names(field[1])) do take(name, function() return field_text(field) end) end
    end
    for _, method in ipairs(reference.methods) do take(method[1], function() return member_text("result", method) end) end
    for name, words in next, reference.words do
        local switches = name == "conventions" and reference.tables.Convention
        take(name, function()
            local lines = { wrapped(name .. ": " .. words) }
            for i, switch in ipairs(switches or {}) do
                lines[#lines + 1] = (i == 1 and "\n" or "") .. row(switch[1], with_default(switch))
            end
            return table.concat(lines, "\n")
        end)
    end
    each_library(take)
    each_plot(take)
end

-- All names that help.text knows, sorted.
function help.topics()
    local names, seen = {}, {}
    each(function(name)
        if not seen[name] then names[#names + 1], seen[name] = name, true end
    end)
    table.sort(names)
    return names
end

local function overview()
    local lines = {}
    for _, section in ipairs(reference.calls) do
        lines[#lines + 1] = section.title
        for _, entry in ipairs(section) do
            lines[#lines + 1] = row(entry.name, one_line(one_line(entry.text):match("^(.-[.;:])%s") or entry.text):gsub("[.;:]$", ""))
        end
        lines[#lines + 1] = ""
    end
    lines[#lines + 1] = "Kernels of kc.lib"
    for _, name in ipairs(core.files()) do
        if not help.of_itself[name] then lines[#lines + 1] = row(name, title(help.library(name))) end
    end
    lines[#lines + 1] = ""
    lines[#lines + 1] = wrapped("help(\"tile\") says more of a call; also of an option: \"stages\", a field: \"bytes_min\", an "
        .. "object: \"sweep\", names in strings: \"dtypes\", and of the stdlib: \"gemm\", \"gemm.plain\".")
    return table.concat(lines, "\n")
end

-- The name that a function or table of kcost has, or nothing.
local function name_of(what)
    for _, section in ipairs(reference.calls) do
        for _, entry in ipairs(section) do
            if rawequal(kc[entry.name], what) then return entry.name end
        end
    end
    for name, value in next, kc.plot do
        if rawequal(value, what) then return "plot." .. name end
    end
    for file, library in next, kc.lib do
        if rawequal(library, what) then return "lib." .. file end
        for name, value in next, type(library) == "table" and library or {} do
            if rawequal(value, what) then return "lib." .. file .. "." .. name end
        end
    end
end

-- The text of a name, of a call or an object itself, or of everything.
function help.text(what)
    if what == nil or rawequal(what, kc) then return overview() end
    local name = type(what) == "string" and what or core.kind(what) or name_of(what)
    if not name then error("kc.help: what: expected a call, an object of kcost or the name of one, got a " .. type(what), 2) end
    local wanted = name:gsub("^kc%.", ""):gsub(":", "."):gsub("%(%)$", "")
    local texts, names, seen = {}, {}, {}
    each(function(known, text)
        names[#names + 1] = known
        if known == wanted then
            local said = text()
            if not seen[said] and (#texts == 0 or type(what) == "string") then texts[#texts + 1], seen[said] = said, true end
        end
    end)
    if #texts == 0 then
        error("kc.help: there is nothing of the name '" .. wanted .. "'" .. core.nearest(wanted, names), 2)
    end
    return table.concat(texts, "\n\n")
end

return help
