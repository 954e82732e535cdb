-- device_file.lua: a device as the text of its file, as devices/ has them: every figure that it states, with its source.
local kc = require "kcost"
local _, core = ...
local device_file = {}

local WIDE = 110 -- characters of a line

-- What stands where a caller set a figure and said nothing.
local unsaid = { ["set by the caller"] = "assumed: of the device that this one was made from, which gives no source" }

-- The shortest text that reads back: 3.352e12 rather than 3352000000000.
local function number_text(x)
    local best = kc.str(x)
    for _, exponent in ipairs { 12, 9, 6, -3, -6, -9, -12 } do
        local text = kc.str(tonumber(string.format("%.15g", x / 10 ^ exponent))) .. "e" .. exponent
        if #text < #best and tonumber(text) == x then best = text end
    end
    return best
end

local function value_text(path, value)
    if type(value) == "number" then return number_text(value) end
    if path ~= "aliases" then return string.format("%q", value) end
    local names = {}
    for name in value:gmatch("%S+") do names[#names + 1] = string.format("%q", name) end
    return "{ " .. table.concat(names, ", ") .. " }"
end

-- Figures as a tree: a node has its names in order, and by name a text or a node.
local function put(node, path, text)
    local name, rest = path:match("^([^.]+)%.?(.*)$")
    if node.by[name] == nil then
        node.names[#node.names + 1] = name
        node.by[name] = rest ~= "" and { names = {}, by = {} } or text
    end
    if rest ~= "" then put(node.by[name], rest, text) end
end

-- On one line where that is short enough, else a line a member.
local function node_text(node, indent, flat)
    if type(node) == "string" then return node end
    local members = {}
    for i, name in ipairs(node.names) do members[i] = name .. " = " .. node_text(node.by[name], indent .. "  ", true) end
    local line = "{ " .. table.concat(members, ", ") .. " }"
    if flat or #indent + #line <= WIDE then return line end
    for i, name in ipairs(node.names) do members[i] = indent .. "  " .. name .. " = " .. node_text(node.by[name], indent .. "  ") end
    return "{\n" .. table.concat(members, ",\n") .. ",\n" .. indent .. "}"
end

-- What the device says of each path under "source." or "exceptions.": a list of { paths, text }, equal texts together.
local function remarks(device, kind, paths)
    local list, by = {}, {}
    for _, path in ipairs(paths) do
        local text = core.figure(device, kind .. "." .. path)
        text = unsaid[text] or text
        if text and not by[text] then
            by[text] = { paths = {}, text = text }
            list[#list + 1] = by[text]
        end
        if text then table.insert(by[text].paths, path) end
    end
    return list
end

-- "hbm" for all paths of that group, where the remark is of all of them.
local function shortened(paths, all)
    local have, need, words, said = {}, {}, {}, {}
    local function group(path) return path:match("^[^.]+") end
    for _, path in ipairs(all) do need[group(path)] = (need[group(path)] or 0) + 1 end
    for _, path in ipairs(paths) do have[group(path)] = (have[group(path)] or 0) + 1 end
    for _, path in ipairs(paths) do
        local word = have[group(path)] == need[group(path)] and group(path) or path
        if not said[word] then words[#words + 1], said[word] = word, true end
    end
    return table.concat(words, " ")
end

local function remarks_text(name, list, all)
    if #list == 0 then return nil end
    local lines = {}
    for i, remark in ipairs(list) do
        lines[i] = string.format("    [%q] = %q,", shortened(remark.paths, all), remark.text)
    end
    return "  " .. name .. " = {\n" .. table.concat(lines, "\n") .. "\n  },"
end

-- The file of `device`, as text; `comment`: lines above it.
function device_file.text(device, comment)
    local root, figures, ratios = { names = {}, by = {} }, {}, {}
    for _, path in ipairs(core.paths(device)) do
        local value = core.figure(device, path)
        put(root, path, value_text(path, value))
        if type(value) == "number" then figures[#figures + 1] = path end
        if path:find("^matrix%.") then ratios[#ratios + 1] = "ratio" .. path:match("%..+") end
    end
    local lines = {}
    for line in comment:gmatch("[^\r\n]+") do lines[#lines + 1] = "-- " .. line end -- either ends a comment
    lines[#lines + 1] = "return {"
    for _, name in ipairs(root.names) do
        lines[#lines + 1] = "  " .. name .. " = " .. node_text(root.by[name], "  ") .. ","
    end
    local excused = remarks(device, "exceptions", figures)
    for _, remark in ipairs(remarks(device, "exceptions", ratios)) do excused[#excused + 1] = remark end
    lines[#lines + 1] = remarks_text("source", remarks(device, "source", figures), figures)
    lines[#lines + 1] = remarks_text("exceptions", excused, figures)
    lines[#lines + 1] = "}\n"
    return table.concat(lines, "\n")
end

return device_file
