-- parameters.lua: how every function of the stdlib takes its named parameters.
local kc = require "kcost"
local _, core = ...
local parameters = {}

-- What a parameter without a default value is declared as.
parameters.required = {}        -- anything, and it has to be given
parameters.size = {}            -- a whole number of at least 1, and it has to be given
parameters.share = {}           -- a number from 0 to 1, and it has to be given
parameters.optional = {}        -- anything, or nothing
parameters.optional_size = {}   -- a whole number of at least 1, or nothing
parameters.optional_table = {}  -- a table, or nothing

-- The name of the parameter that a declaration says to be the same as, or nothing.
local function same_as(declared)
    return type(declared) == "table" and declared[1]
end

local function has_to_be_given(declared)
    return declared == parameters.required or declared == parameters.size or declared == parameters.share
end

local function may_be_absent(declared)
    return declared == parameters.optional or declared == parameters.optional_size
        or declared == parameters.optional_table
end

local function is_mark(declared)
    return has_to_be_given(declared) or may_be_absent(declared)
end

local function sorted_names(t)
    local names = {}
    for name in pairs(t) do names[#names + 1] = tostring(name) end
    table.sort(names)
    return names
end

local function shown(value)
    if type(value) == "number" then return kc.str(value) end
    if type(value) == "string" then return "\"" .. value .. "\"" end
    return type(value) == "boolean" and tostring(value) or "a " .. type(value)
end

local function whole(value, least)
    return type(value) == "number" and value >= least and value < 2^53 and value == math.floor(value)
end

local function expected_whole(value, least)
    if type(value) == "number" and value >= 2^53 then return "a whole number below 2^53" end
    return "a whole number of at least " .. kc.str(least)
end

-- Raises at the user's line unless the argument `name` of `call` is of the type `wanted`.
local function expect(call, name, value, wanted)
    if type(value) ~= wanted then error(call .. ": " .. name .. ": expected a " .. wanted .. ", got " .. shown(value)) end
end

-- What is wanted in place of `value`, where it does not suit the declaration.
local function mismatch(value, declared)
    if declared == parameters.size or declared == parameters.optional_size
        or type(declared) == "number" and declared >= 1 then
        return not whole(value, 1) and expected_whole(value, 1) or nil
    elseif declared == 0 then
        return not whole(value, 0) and expected_whole(value, 0) or nil
    elseif declared == parameters.share then
        local good = type(value) == "number" and value >= 0 and value <= 1
        return not good and "a number from 0 to 1" or nil
    elseif type(declared) == "boolean" then
        return type(value) ~= "boolean" and "true or false" or nil
    elseif declared == parameters.optional_table or type(declared) == "table" and not is_mark(declared) then
        return type(value) ~= "table" and "a table" or nil
    end
end

-- The parameter that the declaration of `name` leads to, { "heads" } to heads.
local function meant_by(declared, name)
    local from, seen = name, {}
    while same_as(declared[from]) do
        seen[from], from = true, declared[from][1]
        if declared[from] == nil or seen[from] then
            error("parameters.take: declared: " .. name .. " is the same as " .. shown(from) .. ", which is no other parameter")
        end
    end
    return from
end

local function check_declared(call, declared, synonyms)
    expect("parameters.take", "call", call, "string")
    expect("parameters.take", "declared", declared, "table")
    if synonyms ~= nil then expect("parameters.take", "synonyms", synonyms, "table") end
    for name in pairs(declared) do
        expect("parameters.take", "declared: a name", name, "string")
        meant_by(declared, name)
    end
end

-- A new table with every name of `declared`, taken from `given` where it is there.
--     declared     by name: a default, whose type a number, boolean or table must have (numbers are whole; from
--                  1, from 0 where the default is 0); one of the marks above; or the name of another
--                  parameter in a table: { "heads" } means "the same as heads"
--     synonyms     other names, each with the one that it stands for: { h = "heads" }; none
-- A name that neither has, a required one that `given` lacks and a value that does not suit are errors
-- at the line that called `call`.
function parameters.take(call, given, declared, synonyms)
    check_declared(call, declared, synonyms)
    if type(given) ~= "table" then
        error(call .. ": parameters: expected a table such as { "
            .. table.concat(sorted_names(declared), ", ") .. " }, got " .. type(given))
    end
    local taken, by, names = {}, {}, sorted_names(declared)
    for _, name in ipairs(sorted_names(given)) do
        local meant = synonyms and synonyms[name] or name
        if declared[meant] == nil then
            error(call .. ": " .. name .. ": no such parameter; there are "
                .. table.concat(names, ", ") .. core.nearest(name:lower(), names))
        end
        if by[meant] then error(call .. ": " .. name .. ": is given already, as " .. by[meant]) end
        local wanted = mismatch(given[name], declared[meant_by(declared, meant)])
        if wanted then
            error(call .. ": " .. name .. ": expected " .. wanted .. ", got " .. shown(given[name]))
        end
        taken[meant], by[meant] = given[name], name
    end
    local missing = {}
    for _, name in ipairs(names) do
        if taken[name] == nil and has_to_be_given(declared[name]) then missing[#missing + 1] = name end
    end
    if #missing > 0 then
        error(call .. ": " .. table.concat(missing, ", ") .. (#missing > 1 and ": are missing" or ": is missing"))
    end
    for _, name in ipairs(names) do
        local from = name
        while taken[from] == nil and same_as(declared[from]) do from = declared[from][1] end
        local default = declared[from]
        if taken[from] ~= nil then
            taken[name] = taken[from]
        elseif not is_mark(default) then
            taken[name] = default
        end
    end
    return taken
end

-- An error at the line of the user, out of a function of the stdlib that he called, unless `value` is one
-- of `choices`.
function parameters.one_of(call, name, value, choices)
    expect("parameters.one_of", "call", call, "string")
    expect("parameters.one_of", "name", name, "string")
    expect("parameters.one_of", "choices", choices, "table")
    for _, choice in ipairs(choices) do
        if value == choice then return value end
    end
    local texts = {}
    for i, choice in ipairs(choices) do texts[i] = shown(choice) end
    error(call .. ": " .. name .. ": expected " .. table.concat(texts, " or ") .. ", got " .. shown(value))
end

-- A list of numbers, given as one, as a number or as text: { 224, 224 }, 224, "224 224".  Nothing: something else.
function parameters.numbers(value)
    if type(value) == "number" then return { value } end
    local list = {}
    if type(value) == "string" then
        for word in value:gmatch("[^%s,]+") do list[#list + 1] = tonumber(word) or word end
    end
    for n, number in ipairs(type(value) == "table" and value or list) do
        if type(number) ~= "number" then return nil end
        list[n] = number
    end
    return #list > 0 and list or nil
end

-- A new table with the entries of both; those of `b`, which may be nothing, win.
function parameters.merge(a, b)
    expect("parameters.merge", "a", a, "table")
    if b ~= nil then expect("parameters.merge", "b", b, "table") end
    local all = {}
    for name, value in pairs(a) do all[name] = value end
    for name, value in pairs(b or {}) do all[name] = value end
    return all
end

return parameters
