-- parameters.lua: how every function of the stdlib takes its named parameters.
local parameters = {}

-- The default of a parameter that the caller has to give.
parameters.required = {}

local function sorted_names(t)
    local names = {}
    for name in pairs(t) do names[#names + 1] = tostring(name) end
    table.sort(names)
    return names
end

-- A new table with every name of `defaults`, taken from `given` where it is there.  A name that
-- `defaults` lacks, or a required one that `given` lacks, is an error at the line that called `call`.
-- A default may be the name of another parameter in a table: { "i" } means "the same as i".
function parameters.take(call, given, defaults)
    if type(given) ~= "table" then
        error(call .. ": parameters: expected a table such as { "
            .. table.concat(sorted_names(defaults), ", ") .. " }, got " .. type(given), 3)
    end
    for _, name in ipairs(sorted_names(given)) do
        if defaults[name] == nil then
            error(call .. ": " .. name .. ": no such parameter; there are "
                .. table.concat(sorted_names(defaults), ", "), 3)
        end
    end
    local taken = {}
    for _, name in ipairs(sorted_names(defaults)) do
        local value, default = given[name], defaults[name]
        if value == nil and default == parameters.required then
            error(call .. ": " .. name .. ": is missing", 3)
        end
        if value == nil and type(default) ~= "table" then value = default end
        taken[name] = value
    end
    for _, name in ipairs(sorted_names(defaults)) do
        local default = defaults[name]
        if taken[name] == nil and type(default) == "table" then taken[name] = taken[default[1]] end
    end
    return taken
end

return parameters
