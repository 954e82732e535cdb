-- plot_sweep.lua: sweeps as curves, heat maps and Pareto fronts.
local kc = require "kcost"
local record = require "kcost.internal.plot_record"

local sweeps = {}

-- ---- columns ------------------------------------------------------------------------------

local groups = { tile = true, size = true, split = true, dtype = true, times = true }

-- What a row has under a column's title: row.tile.m, row.time, row["hbm.bandwidth"].
local function cell(row, title)
    local group, name = title:match("^(%a+)%.(.+)$")
    if group and groups[group] then return row[group] and row[group][name] end
    return row[title]
end

-- Titles of the axes of a sweep that vary, in order; those tied to an earlier one stand in `tied`, by its title.
local function varying(s, rows)
    local axes, tied = {}, {}
    for _, title in ipairs(s.axes) do
        local first, differs = cell(rows[1], title), false
        for _, row in ipairs(rows) do differs = differs or cell(row, title) ~= first end
        local same
        for _, axis in ipairs(axes) do
            local equal = not same and axis:match("^%a+") == title:match("^%a+")
            for _, row in ipairs(rows) do equal = equal and cell(row, axis) == cell(row, title) end
            same = same or equal and axis
        end
        if differs and same then
            table.insert(tied[same], title)
        elseif differs then
            axes[#axes + 1], tied[title] = title, { title }
        end
    end
    return axes, tied
end

local function short(title) return title:match("%.(.+)$") or title end

-- "m = n = k" of tied sizes.
local function long(title, tied)
    local names = {}
    for i, name in ipairs(tied[title] or { title }) do names[i] = short(name) end
    local kind = title:match("^(%a+)%.")
    return #names > 1 and kind .. " " .. table.concat(names, " = ") or title
end

-- The one sweep of a call and its rows; raises where there is none.
local function sweep_of(call, p)
    local s = p[1]
    if record.kind(s) ~= "sweep" or #p ~= 1 then
        error("kc.plot." .. call .. ": one sweep is wanted, as in kc.plot." .. call .. "(s) or { s, … }", 3)
    end
    local rows = s:rows()
    if #rows == 0 then error("kc.plot." .. call .. ": the sweep has no row: nothing in it fits", 3) end
    return s, rows
end

-- Raises where a column is not there or has what cannot be drawn; `names`: it may have names in place of numbers.
local function need(call, rows, title, name, names)
    local function fail(what) error("kc.plot." .. call .. ": " .. name .. ": " .. what, 3) end
    if title ~= nil and type(title) ~= "string" then fail("expected the name of a column, got a " .. type(title)) end
    if title == nil or cell(rows[1], title) == nil then fail("the sweep has no column '" .. tostring(title) .. "'") end
    for _, row in ipairs(rows) do
        local kind = type(cell(row, title))
        if kind ~= "number" and not (names and kind == "string") then
            fail("expected a column of numbers, and '" .. title .. "' has a " .. kind)
        end
    end
end

local greater = { throughput = true, bandwidth = true, intensity = true, occupancy = true,
    wave_efficiency = true, tile_efficiency = true, measured_efficiency = true }

-- Whether a is better than b, of that field: the greater of rates and efficiencies, else the smaller.
local function better(field, a, b)
    if greater[field] then return a > b end
    return a < b
end

local function first_column(rows, names)
    for _, name in ipairs(names) do if cell(rows[1], name) ~= nil then return name end end
end

-- "h100-sxm5, stages 3, m 128": what a row has on those axes; tiles are named by their dim alone.
local function words(row, axes, tied)
    local list = {}
    for i, title in ipairs(axes) do
        local value, name = cell(row, title), title:match("^tile%.(.+)$") or long(title, tied)
        list[i] = title == "device" and value or name .. " " .. kc.str(value)
    end
    return table.concat(list, ", ")
end

-- ---- saw-tooth ----------------------------------------------------------------------------

-- The axis that a curve goes along: the size with the most values, else the axis with the most.
local function along(rows, axes)
    local x, most = nil, 0
    for _, title in ipairs(axes) do
        local values, count = {}, 0
        for _, row in ipairs(rows) do
            local value = cell(row, title)
            if type(value) == "number" and not values[value] then values[value], count = true, count + 1 end
        end
        if title:match("^size%.") then count = 1e6 + count end
        if count > most then x, most = title, count end
    end
    return x
end

local of_schedule = { tile = true, split = true, order = true, stages = true, warps = true, group = true }

-- kc.plot.sawtooth: one field along one axis of a sweep, a curve for each device, size, dtype and figure that varies
-- beside it, of schedules the best: throughput over a size shows where a wave or a tile more begins.
--     x        a column: the size with the most values
--     y        a column: "throughput", "time" where it is not there
--     title
function sweeps.sawtooth(p)
    p = record.take("sawtooth", p, { "title", "x", "y" })
    local s, rows = sweep_of("sawtooth", p)
    local axes, tied = varying(s, rows)
    local x, y = p.x or along(rows, axes), p.y or first_column(rows, { "throughput", "time", "bytes" })
    if not x then error("kc.plot.sawtooth: no axis of the sweep varies", 2) end
    need("sawtooth", rows, x, "x")
    need("sawtooth", rows, y, "y")
    local by, over, series, by_name = {}, {}, {}, {}
    for _, title in ipairs(axes) do
        if title ~= x then table.insert(of_schedule[title:match("^%a+")] and over or by, title) end
    end
    local low, high, top = math.huge, 0, 0
    for _, row in ipairs(rows) do
        local name, at, value = words(row, by, tied), cell(row, x), cell(row, y)
        local curve = by_name[name]
        if not curve then
            curve = { name = name ~= "" and name or y, mark = "curve", group = #series + 1, points = {}, at = {} }
            series[#series + 1], by_name[name] = curve, curve
        end
        local point = curve.at[at]
        if not point then
            point = { x = at, y = value }
            curve.at[at] = point
            table.insert(curve.points, point)
        elseif better(y, value, point.y) then
            point.y = value
        end
        low, high = math.min(low, at), math.max(high, at)
    end
    for _, curve in ipairs(series) do
        curve.at = nil
        table.sort(curve.points, function(a, b) return a.x < b.x end)
        for _, point in ipairs(curve.points) do top = math.max(top, point.y) end
    end
    -- Sizes that double are as far from each other.
    local scale = low > 0 and high >= 8 * low and #series[1].points <= 12 and "log" or "linear"
    local notes = { s.convention }
    if #over > 0 then table.insert(notes, 1, "each point: the best over " .. table.concat(over, ", ")) end
    return record.new { plot = "sawtooth", title = p.title or y .. " of " .. s.name .. " over " .. long(x, tied),
        x = { name = x, title = long(x, tied), unit = record.unit(x), scale = scale, from = low, to = high },
        y = { name = y, unit = record.unit(y), scale = "linear", from = 0, to = 1.1 * top }, notes = notes, series = series }
end

-- ---- heat map -----------------------------------------------------------------------------

local function sorted_values(list)
    local values, seen = {}, {}
    for _, value in ipairs(list) do
        if not seen[value] then seen[value], values[#values + 1] = true, value end
    end
    table.sort(values)
    return values
end

local function place(values, wanted)
    for i, value in ipairs(values) do if value == wanted then return i end end
end

local function texts(values)
    local list = {}
    for i, value in ipairs(values) do list[i] = kc.str(value) end
    return list
end

-- What a point that does not run would have had: its tile sizes, and why it does not.
local function left_out(s, x, y)
    local list = {}
    for _, missing in ipairs(s:missing()) do
        local kernel = record.try(function() return s:kernel(missing.point) end)
        local tile = kernel and record.kind(kernel) ~= "program" and kernel.schedule and kernel.schedule.tile
        local a, b = tile and tile[short(x)], tile and tile[short(y)]
        if a and b then list[#list + 1] = { x = a, y = b, reason = missing.reason } end
    end
    return list
end

-- The tile dims among the axes, each { title, count = its values }, those with the most values first.
local function tile_axes(rows, axes)
    local tiles = {}
    for i, title in ipairs(axes) do
        local values = {}
        for k, row in ipairs(rows) do values[k] = cell(row, title) end
        if title:match("^tile%.") then tiles[#tiles + 1] = { title = title, count = #sorted_values(values), order = i } end
    end
    table.sort(tiles, function(a, b)
        if a.count ~= b.count then return a.count > b.count end
        return a.order < b.order
    end)
    return tiles
end

-- kc.plot.tiles: a heat map of a sweep over two tile dims: in each field the best over all other axes; tiles of which
-- nothing fits are hatched; the best one is framed.
--     x, y     columns: the two tile dims with the most values
--     z        a field: "time", or what is there
--     title
function sweeps.tiles(p)
    p = record.take("tiles", p, { "title", "x", "y", "z" })
    local s, rows = sweep_of("tiles", p)
    local axes = varying(s, rows)
    local x, y, z = p.x, p.y, p.z or first_column(rows, { "time", "throughput", "bytes" })
    local tiles = tile_axes(rows, axes)
    for _, tile in ipairs(tiles) do
        if tile.title ~= x and tile.title ~= y then
            if not y then y = tile.title elseif not x then x = tile.title end
        end
    end
    if not (x and y) then error("kc.plot.tiles: two tile dims must vary in the sweep", 2) end
    need("tiles", rows, x, "x", true)
    need("tiles", rows, y, "y", true)
    need("tiles", rows, z, "z")
    local at_x, at_y, missing = {}, {}, left_out(s, x, y)
    for _, row in ipairs(rows) do at_x[#at_x + 1], at_y[#at_y + 1] = cell(row, x), cell(row, y) end
    for _, point in ipairs(missing) do at_x[#at_x + 1], at_y[#at_y + 1] = point.x, point.y end
    at_x, at_y = sorted_values(at_x), sorted_values(at_y)
    local best, cells, low, high = {}, {}, math.huge, 0
    local function key(a, b) return a .. ":" .. b end
    for _, row in ipairs(rows) do
        local a, b, value = place(at_x, cell(row, x)), place(at_y, cell(row, y)), cell(row, z)
        local there = best[key(a, b)]
        if not there then
            there = { x = a, y = b, z = value }
            best[key(a, b)], cells[#cells + 1] = there, there
        elseif better(z, value, there.z) then
            there.z = value
        end
    end
    local hatched, series, top = {}, {}, cells[1]
    for _, c in ipairs(cells) do
        low, high = math.min(low, c.z), math.max(high, c.z)
        if better(z, c.z, top.z) then top = c end
    end
    for _, point in ipairs(missing) do
        local a, b = place(at_x, point.x), place(at_y, point.y)
        if not best[key(a, b)] then
            best[key(a, b)] = point
            hatched[#hatched + 1] = { x = a, y = b, name = point.reason }
        end
    end
    series[1] = { name = z, mark = "cell", points = cells }
    if #hatched > 0 then series[2] = { name = "does not fit", mark = "hatch", points = hatched } end
    local notes, others = { s.convention }, {}
    for _, title in ipairs(axes) do if title ~= x and title ~= y then others[#others + 1] = title end end
    if #others > 0 then table.insert(notes, 1, "each tile: the best over " .. table.concat(others, ", ")) end
    series[#series + 1] = { name = "best", mark = "frame", points = { { x = top.x, y = top.y, z = top.z } } }
    local function axis(name, values)
        return { name = name, unit = "", scale = "names", from = 0.5, to = #values + 0.5, names = texts(values) }
    end
    return record.new { plot = "tiles", title = p.title or z .. " of " .. s.name .. " by " .. y .. " and " .. x,
        x = axis(x, at_x), y = axis(y, at_y),
        z = { name = z, unit = record.unit(z), scale = "log", from = low, to = high, best = greater[z] and "high" or "low" },
        notes = notes, series = series }
end

-- ---- Pareto front -------------------------------------------------------------------------

-- A log axis that has room around its values; a linear one where one of them is 0.
local function data_axis(name, values)
    local low, high = math.huge, 0
    for _, value in ipairs(values) do low, high = math.min(low, value), math.max(high, value) end
    local axis = { name = name, unit = record.unit(name), scale = low > 0 and "log" or "linear", from = low / 1.25,
        to = 1.25 * high }
    return axis
end

-- kc.plot.pareto: the points of a sweep by two fields, and those that no other beats in both.
--     x, y     columns: "time" and "smem"; of kc.ski_slope "capacity" and "bytes"
--     title
function sweeps.pareto(p)
    p = record.take("pareto", p, { "title", "x", "y" })
    local s, rows = sweep_of("pareto", p)
    local slope = cell(rows[1], "capacity") ~= nil
    local x, y = p.x or (slope and "capacity" or first_column(rows, { "time", "bytes" })), p.y
    y = y or slope and "bytes"
        or first_column(rows, x == "smem" and { "time", "bytes" } or { "smem", "register_bytes", "bytes" })
    need("pareto", rows, x, "x")
    need("pareto", rows, y, "y")
    local axes, tied = varying(s, rows)
    local order, front, best, rest, xs, ys = {}, {}, nil, {}, {}, {}
    for i, row in ipairs(rows) do
        order[i] = { x = cell(row, x), y = cell(row, y), name = words(row, axes, tied) }
        xs[i], ys[i] = order[i].x, order[i].y
    end
    table.sort(order, function(a, b)
        if a.x ~= b.x then return better(x, a.x, b.x) end
        if a.y ~= b.y then return better(y, a.y, b.y) end
        return a.name < b.name
    end)
    for _, point in ipairs(order) do
        if not best or better(y, point.y, best) then
            best = point.y
            front[#front + 1] = point
            point.number = #front
        else
            rest[#rest + 1] = point
        end
    end
    local steps, series = {}, {}
    for i, point in ipairs(front) do
        if i > 1 then steps[#steps + 1] = { x = point.x, y = front[i - 1].y } end
        steps[#steps + 1] = { x = point.x, y = point.y }
    end
    series[1] = { name = "front", mark = "step", group = 1, points = steps }
    series[2] = { name = "not beaten", mark = "dot", group = 1, points = front }
    if #rest > 0 then series[3] = { name = "beaten or equalled", mark = "square", group = 0, points = rest } end
    return record.new { plot = "pareto", title = p.title or y .. " against " .. x .. " of " .. s.name,
        x = data_axis(x, xs), y = data_axis(y, ys),
        notes = { s.convention }, series = series }
end

-- The plot that fits a sweep: a curve where sizes or figures of devices vary, a heat map of all tiles of one
-- device, else the Pareto front; nothing of an empty one.
function sweeps.of(s)
    local rows = s:rows()
    if #rows == 0 then return nil end
    if rows[1].capacity or s.keep:match("^pareto") then return sweeps.pareto(s) end
    local axes = varying(s, rows)
    for _, title in ipairs(axes) do
        local curve = title:match("^size%.") or title:find(".", 1, true) and not groups[title:match("^%a+")]
        if curve then return sweeps.sawtooth(s) end
    end
    if s.keep == "all" and not record.has(axes, "device") and #tile_axes(rows, axes) > 1 then return sweeps.tiles(s) end
    return sweeps.pareto(s)
end

return sweeps
