-- titles.lua: plots whose every text is one that is hard to write: long letters of several bytes, which a cut must not halve,
-- and what XML or a terminal takes for its own.
local function plot(text)
    local function dot(at) return { x = at, y = at, number = at, name = text, values = { text } } end
    local function roof(mark)
        return { name = text, mark = mark, value = 3, unit = text, points = { { x = 1, y = 1 }, { x = 3, y = 3 } } }
    end
    return {
        kind = "plot", title = text, notes = { text },
        x = { name = text, title = text, unit = text, scale = "linear", from = 0, to = 4 },
        y = { name = text, title = text, scale = "names", names = { text, text, text } },
        columns = { { name = text } },
        series = {
            { name = text, of = text, mark = "dot", points = { dot(1), dot(2) } },
            { name = text, mark = "square", points = { dot(3) } },
            { name = text, mark = "bar", points = { { x = 2, y = 1, name = text } } },
            roof("line"), roof("dash"), roof("ridge"),
        },
    }
end

local plots = { plot("a ]]> b"), plot("\239\191\190\239\191\191"), plot("\0\1\27\127\194\133\194\155"), plot("\255\240\159") }
for _, letter in ipairs { "\195\169", "\226\130\172", "\240\159\152\128" } do
    for before = 0, #letter - 1 do
        plots[#plots + 1] = plot(("x"):rep(before) .. letter:rep(300))
    end
end
return plots
