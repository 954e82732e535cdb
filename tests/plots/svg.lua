-- svg.lua FILE CLASS=COUNT …: the file is well-formed XML, and so many elements have each class.  Prints what is
-- wrong; silent where nothing is.
local function slurp(path)
    local file = assert(io.open(path))
    local text = file:read("*a")
    file:close()
    return text
end

-- Tags close what was opened, attributes are quoted and stand once, "&" begins a known entity.
local function fault(text)
    local open, at = {}, 1
    while true do
        local from, to, inner = text:find("<([^>]*)>", at)
        local between = text:sub(at, (from or #text + 1) - 1)
        if between:gsub("&%w+;", ""):find("&", 1, true) then return "a bare &: " .. between end
        if not from then return #open > 0 and "<" .. open[#open] .. "> is left open" or nil end
        local name = inner:match("^/?([%w:]+)")
        if inner:find("^/") then
            if table.remove(open) ~= name then return "</" .. tostring(name) .. "> closes something else" end
        elseif not inner:find("^[?!]") then
            local seen = {}
            local rest = inner:gsub("^[%w:]+", ""):gsub("/$", ""):gsub("%s+([%w:-]+)%s*=%s*(['\"])(.-)%2", function(key)
                if seen[key] then seen.twice = key end
                seen[key] = true
                return ""
            end)
            if rest:find("%S") then return "odd text in a tag: " .. rest end
            if seen.twice then return "an attribute stands twice: " .. seen.twice end
            if not inner:find("/$") then open[#open + 1] = name end
        end
        at = to + 1
    end
end

local text = slurp(arg[1])
local wrong = fault(text)
if wrong then print(wrong) end
for i = 2, #arg do
    local class, count = arg[i]:match("^(%w+)=(%d+)$")
    local _, found = text:gsub('class="' .. class .. '"', "")
    if found ~= tonumber(count) then
        wrong = true
        print(class .. ": " .. found .. " instead of " .. count)
    end
end
os.exit(wrong and 1 or 0)
