-- report.lua: text for people, out of figures.  Prefixes are decimal: 1 GB is 10^9 byte.
local kc = require "kcost"
local report = {}

local prefixes = {
    { 1e18, "E" }, { 1e15, "P" }, { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" },
    { 1, "" }, { 1e-3, "m" }, { 1e-6, "µ" }, { 1e-9, "n" },
}

-- Raises at the user's line unless the argument `name` of `call` is of the type `wanted`.
local function expect(call, name, value, wanted)
    if type(value) ~= wanted then error("report." .. call .. ": " .. name .. ": expected a " .. wanted .. ", got a " .. type(value)) end
end

-- `x` in `unit` with a prefix and four digits: si(8589934592, "B") is "8.590 GB", si(96, "B") "96 B".
function report.si(x, unit)
    expect("si", "x", x, "number")
    expect("si", "unit", unit, "string")
    if x < 1000 and x == math.floor(x) then return string.format("%.0f %s", x, unit) end
    for _, prefix in ipairs(prefixes) do
        -- 0.99995 rounds up to the next prefix at four digits
        if x >= 0.99995 * prefix[1] then
            return string.format("%#.4g %s%s", x / prefix[1], prefix[2], unit)
        end
    end
    return string.format("%.4g %s", x, unit)
end

-- The words of a text, split at spaces and commas: words("a100 h100") is { "a100", "h100" }.
function report.words(text)
    expect("words", "text", text, "string")
    local words = {}
    for word in text:gmatch("[^%s,]+") do words[#words + 1] = word end
    return words
end

-- Characters in UTF-8 text: bytes that begin one.
local function length(text)
    return select(2, text:gsub("[^\128-\191]", ""))
end

-- A table of text: `head` is a list of column titles, `rows` a list of lists; a number is written as
-- kc.str does.  The first column stands left, the others right.
function report.table(head, rows)
    expect("table", "head", head, "table")
    expect("table", "rows", rows, "table")
    local lines, width = { head }, {}
    for i, row in ipairs(rows) do
        expect("table", "row " .. kc.str(i), row, "table")
        lines[#lines + 1] = row
    end
    for n, line in ipairs(lines) do
        local cells = {}
        for c = 1, #head do
            local cell = line[c]
            cells[c] = type(cell) == "number" and kc.str(cell) or tostring(cell or "")
            width[c] = math.max(width[c] or 0, length(cells[c]))
        end
        lines[n] = cells
    end
    for n, cells in ipairs(lines) do
        for c, cell in ipairs(cells) do
            local pad = string.rep(" ", width[c] - length(cell))
            cells[c] = c == 1 and cell .. pad or pad .. cell
        end
        lines[n] = (table.concat(cells, "  "):gsub("%s+$", ""))
    end
    return table.concat(lines, "\n")
end

return report
