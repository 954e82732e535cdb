-- plot_record.lua: what every plot is made of: a plain table in base units, which any program can draw.
--
--     kind      "plot"
--     plot      which one: "roofline", "bandwidth", "sawtooth", "tiles", "pareto", "ledger"
--     title, notes    a text; a list of texts: what stands below it
--     x, y, z   axes: name, unit ("" for plain numbers), scale ("linear", "log", "names"), from and to; of
--               scale "names" the list `names`: position 1 is the first.  z is there where points have a z
--     columns   what else points tell: a list of { name, unit }; unit "share": a part of 1
--     series    a list: name; of: its device, where there are several; mark; group: things of one group have one
--               colour, 0 is neutral; strong: true where it matters most; value and unit of a ceiling; points
--     points    of a series, a list: x, y, z; number and name where it is listed; size: 1 is the largest;
--               group, if it is not the series'; values: a list, one for each of `columns` ("" where there is none)
--
-- Marks: "line" and "dash" (through the points), "step", "curve" (a line with a dot at each point), "arrow" (from the
-- first point to the second), "ridge" (a roof's corner), "dot", "square", "triangle", "ring" (one each), "bar" (from 0 to x,
-- those of one y end to end), "cell" (a rectangle around x and y, coloured by z), "hatch" (one that is not to be
-- had), "frame" (one that stands out).
local kc = require "kcost"

local record = {}

local units = {
    time = "s", roof_time = "s", serial_time = "s", measured = "s", throughput = "FLOP/s", bandwidth = "byte/s",
    bytes = "byte", bytes_read = "byte", bytes_written = "byte", bytes_min = "byte", l2_bytes = "byte",
    smem_bytes = "byte", smem = "byte", register_bytes = "byte", capacity = "byte", bound = "byte",
    intensity = "FLOP/byte", ridge = "FLOP/byte", ["hbm.bandwidth"] = "byte/s", ["l2.bandwidth"] = "byte/s",
}

-- The unit of a field or a column of a sweep, "" for plain numbers.
function record.unit(field)
    if field:match("flops$") then return "FLOP" end
    return field:match("^times%.") and "s" or units[field] or ""
end

local shown = {}

-- What print shows: the plot in a line.
function shown.__tostring(plot)
    local points = 0
    for _, series in ipairs(plot.series) do points = points + #series.points end
    return "plot " .. plot.plot .. ": " .. plot.title .. ", " .. kc.str(#plot.series) .. " series, "
        .. kc.str(points) .. " points"
end

function record.new(plot)
    plot.kind = "plot"
    return setmetatable(plot, shown)
end

-- What f gives, nil where it fails.
function record.try(f)
    local good, answer = pcall(f)
    return good and answer or nil
end

-- The kind of an object of kcost: "result", "comparison", "sweep"; of anything else its type.
function record.kind(x)
    if type(x) ~= "userdata" then return type(x) end
    return record.try(function() return x.kind end) or "userdata"
end

-- The largest power of ten up to `x`, which is above 0.
function record.decade(x)
    local power = 0
    while x >= tonumber("1e" .. kc.str(power + 1)) do power = power + 1 end
    while x < tonumber("1e" .. kc.str(power)) do power = power - 1 end
    return tonumber("1e" .. kc.str(power))
end

-- A log axis of whole decades: those from `from` to `to`, and more where a value lies outside.
function record.log_axis(name, unit, from, to, values)
    for _, value in ipairs(values) do
        if value > 0 then from, to = math.min(from, value), math.max(to, value) end
    end
    local low, high = record.decade(from), record.decade(to)
    return { name = name, unit = unit, scale = "log", from = low, to = high < to and 10 * high or high }
end

-- Whether anything is in a list.
function record.has(list, wanted)
    for _, x in ipairs(list) do if x == wanted then return true end end
    return false
end

-- The arguments of a call: an object alone, or a table of objects and options.  Raises where an option is
-- unknown or nothing is there to be drawn.
function record.take(call, p, options)
    if type(p) ~= "table" then p = { p } end
    local names = {}
    for name in pairs(p) do
        if type(name) ~= "number" then names[#names + 1] = tostring(name) end
    end
    table.sort(names)
    for _, name in ipairs(names) do
        if not record.has(options, name) then
            error("kc.plot." .. call .. ": " .. name .. ": no such option; there are " .. table.concat(options, ", "), 3)
        end
    end
    if p.title ~= nil and type(p.title) ~= "string" then
        error("kc.plot." .. call .. ": title: expected a text, got a " .. type(p.title), 3)
    end
    return p
end

-- Tile sizes that not all of these schedules have: "m=64 n=128".
local function tiles_apart(tile, others)
    local dims, words = {}, {}
    for dim in pairs(tile) do dims[#dims + 1] = dim end
    table.sort(dims)
    for _, dim in ipairs(dims) do
        local same = true
        for _, other in ipairs(others) do same = same and (not other or other[dim] == tile[dim]) end
        if not same then words[#words + 1] = dim .. "=" .. kc.str(tile[dim]) end
    end
    return table.concat(words, " ")
end

-- Entries of one name get what their schedules have of their own: "gemm untiled", "gemm m=64".
local function tell_apart(list)
    local groups = {}
    for _, entry in ipairs(list) do
        local group = groups[entry.name] or {}
        local schedule = entry.result.schedule
        entry.tile, group[#group + 1] = schedule and schedule.tile or false, schedule and schedule.tile or false
        groups[entry.name] = group
    end
    for _, entry in ipairs(list) do
        local group, any = groups[entry.name], false
        for _, tile in ipairs(group) do any = any or tile end
        local own = any and #group > 1 and (entry.tile and tiles_apart(entry.tile, group) or "untiled")
        if own and own ~= "" then entry.label = entry.name .. " " .. own end
    end
    for _, entry in ipairs(list) do entry.name = entry.label or entry.name end
end

-- Results of a list of results and comparisons, each with what is to be known of it:
--     result
--     name       with what its schedule has of its own, where several have one name
--     on         the device; nil: counted only
--     program    the result of the program whose kernel it is
--     first      in a comparison, of all but the first x: the entry of the first x on its device
--     measured   of a match: the row that has what was measured
-- and sentences on what does not run.  A program that is not compared stands for its kernels.
function record.results(call, p)
    local list, missing = {}, {}
    local function add(r, more)
        more = more or {}
        more.result, more.name = r, r.name
        more.on = (more.program or r).on
        list[#list + 1] = more
        return more
    end
    local function compared(c)
        local first, count = {}, math.max(#c.devices, 1)
        for i, row in ipairs(c.results) do -- x by x, in each device by device
            local column = (i - 1) % count
            if type(row) == "table" then
                missing[#missing + 1] = row.name .. " does not run on " .. row.device .. ": " .. row.error
            else
                local entry = add(row, { first = first[column] })
                first[column] = first[column] or entry
            end
        end
    end
    local function matched(i, m)
        for _, row in ipairs(type(m.rows) == "table" and m.rows or { false }) do
            local r = require("kcost.internal.match").result(row)
            if not r then
                error("kc.plot." .. call .. ": item " .. kc.str(i) .. " has a row that has no prediction; give what kc.match returned", 3)
            end
            add(r, { measured = row })
        end
    end
    for i, x in ipairs(p) do
        local kind = record.kind(x)
        if kind == "comparison" then
            compared(x)
        elseif kind == "table" and x.kind == "match" then
            matched(i, x)
        elseif kind ~= "result" then
            error("kc.plot." .. call .. ": item " .. kc.str(i) .. " is a " .. kind
                .. ", and results or comparisons are wanted", 3)
        elseif x.kernels then
            for _, kernel in ipairs(x.kernels) do add(kernel, { program = x }) end
        else
            add(x)
        end
    end
    if #list == 0 and #missing == 0 then
        error("kc.plot." .. call .. ": there is no result to draw; give results or comparisons", 3)
    end
    tell_apart(list)
    return list, missing
end

return record
