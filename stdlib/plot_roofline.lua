-- plot_roofline.lua: kernels under the roofs of their devices.
local kc = require "kcost"
local record = require "kcost.internal.plot_record"

local roofline = {}

-- ---- devices ------------------------------------------------------------------------------

-- The numbers of a table by sorted name.
local function figures(t)
    local list = {}
    for name, value in pairs(t or {}) do
        if type(value) == "number" then list[#list + 1] = { name = name, value = value } end
    end
    table.sort(list, function(a, b) return a.name < b.name end)
    return list
end

-- Compute ceilings, the highest first; those of one height are one.
--     value    FLOP/s      share    what of it is sustained, where the device's file says it
local function compute_roofs(d)
    local roofs = {}
    local function add(unit, peak, share)
        for _, roof in ipairs(roofs) do
            if math.abs(roof.value - peak.value) <= 0.005 * peak.value then
                roof.name = roof.name .. (roof.unit == unit and " " or ", " .. unit .. " ") .. peak.name
                roof.share = roof.share or share
                return
            end
        end
        roofs[#roofs + 1] = { name = unit .. " " .. peak.name, unit = unit, value = peak.value, share = share }
    end
    local sustained = d.sustained or {}
    for _, unit in ipairs { "matrix", "vector" } do
        local shares = sustained[unit]
        for _, peak in ipairs(figures(d[unit])) do
            add(unit, peak, type(shares) == "table" and shares[peak.name] or type(shares) == "number" and shares or nil)
        end
    end
    table.sort(roofs, function(a, b) return a.value > b.value end)
    return roofs
end

-- Bandwidths, HBM first.
local function levels(d)
    local sustained, list = d.sustained or {}, {}
    local function add(name, key, value)
        if value then list[#list + 1] = { name = name, key = key, value = value, share = sustained[key] } end
    end
    add("HBM", "hbm", d.hbm.bandwidth)
    add("L2", "l2", d.l2 and d.l2.bandwidth)
    local per_clock = d.smem and d.smem.bandwidth
    add("shared memory", "smem", per_clock and d.cores and d.clock and per_clock * d.cores * d.clock)
    return list
end

-- The peak that a result's ridge is made of; nil where the device has no such one.
local function used_peak(d, r)
    local peak = r.ridge and r.ridge * d.hbm.bandwidth
    for _, unit in ipairs { "matrix", "vector" } do
        for _, figure in ipairs(figures(peak and d[unit])) do
            if math.abs(figure.value - peak) <= 1e-6 * peak then return figure.value end
        end
    end
end

-- Of a program those kernels that have matrix work, if there are any: theirs are the roofs that matter.
local function that_compute(r)
    local list = {}
    for _, kernel in ipairs(r.kernels or {}) do
        if kernel.matrix_flops > 0 then list[#list + 1] = kernel end
    end
    return #list > 0 and list or { r }
end

-- What tells a device from one of the same name whose figures were changed.
local function identity(d)
    local words = { d.id }
    for _, roof in ipairs(compute_roofs(d)) do words[#words + 1] = kc.str(roof.value) end
    for _, level in ipairs(levels(d)) do words[#words + 1] = kc.str(level.value) .. " " .. tostring(level.share) end
    return table.concat(words, " ")
end

-- The devices of the entries in order, each { device, name, used = the peaks that its kernels use }; `at` of an
-- entry becomes the place of its own.
local function devices_of(call, entries, given)
    local list, places, named = {}, {}, {}
    local function add(d)
        local key = identity(d)
        if not places[key] then
            named[d.id] = (named[d.id] or 0) + 1
            local name = named[d.id] == 1 and d.id or d.id .. " (" .. kc.str(named[d.id]) .. ")"
            list[#list + 1] = { device = d, name = name, used = {} }
            places[key] = #list
        end
        return places[key]
    end
    for _, entry in ipairs(entries) do
        if not entry.on then
            error("kc.plot." .. call .. ": '" .. entry.name .. "' is only counted; give what kc.evaluate says of it", 3)
        end
        entry.at = add(entry.on)
        local used = list[entry.at].used
        for _, kernel in ipairs(that_compute(entry.result)) do
            local peak = used_peak(entry.on, kernel)
            if peak and not record.has(used, peak) then used[#used + 1] = peak end
        end
    end
    if type(given) ~= "table" then given = { given } end
    for _, d in ipairs(given) do add(kc.device(d)) end
    return list
end

local function device_names(devices)
    local names = {}
    for i, d in ipairs(devices) do names[i] = d.name end
    return table.concat(names, " and ")
end

local function note_all(entries, missing)
    local first = entries[1] and entries[1].result
    local notes = { first and first.convention }
    for _, sentence in ipairs(missing) do notes[#notes + 1] = sentence end
    return notes
end

-- Figures of a dot beside its place, in the order of `columns`.
local columns = {
    { name = "time", unit = "s" }, { name = "share", unit = "share" }, { name = "bound by", unit = "" },
    { name = "device", unit = "" },
}

local function values_of(entry, devices)
    local r = entry.result
    local of_program = entry.program and r.time / entry.program.time
    local bound = r.bound == "smem" and "shared memory" or r.bound
    return { r.time, of_program or "", bound or "", #devices > 1 and devices[entry.at].name or "" }
end

-- Times over the longest one, and numbers from 1.
local function number(entries)
    local longest = 0
    for i, entry in ipairs(entries) do
        entry.number = i
        longest = math.max(longest, entry.result.time)
    end
    for _, entry in ipairs(entries) do entry.size = entry.result.time / longest end
end

-- ---- roofline -----------------------------------------------------------------------------

-- A bandwidth, from the left edge to the highest roof.
local function slope(x, bandwidth, top)
    return { { x = x.from, y = bandwidth * x.from }, { x = top / bandwidth, y = top } }
end

local function add_ceilings(plot, d, group, all)
    local slopes, roofs = levels(d.device), compute_roofs(d.device)
    local top, steepest = 0, 0
    for _, roof in ipairs(roofs) do
        roof.strong = record.has(d.used, roof.value)
        for _, used in ipairs(d.used) do
            roof.strong = roof.strong or math.abs(roof.value - used) <= 0.005 * used
        end
        if all or roof.strong then top = math.max(top, roof.value) end
    end
    local of = group > 0 and d.name or nil
    local function add(name, mark, strong, value, unit, points)
        table.insert(plot.series, { name = name, of = of, mark = mark, group = group, strong = strong, value = value,
            unit = unit, points = points })
    end
    for i, level in ipairs(slopes) do
        if i == 1 or all then
            steepest = math.max(steepest, level.value)
            add(level.name, "line", i == 1, level.value, "byte/s", slope(plot.x, level.value, top))
            local sustained = level.share and level.share * level.value
            if sustained then
                add(level.name .. " sustained", "dash", i == 1, sustained, "byte/s", slope(plot.x, sustained, top))
            end
        end
    end
    for _, roof in ipairs(roofs) do
        if all or roof.strong then
            local function flat(y) return { { x = y / steepest, y = y }, { x = plot.x.to, y = y } } end
            add(roof.name, "line", roof.strong, roof.value, "FLOP/s", flat(roof.value))
            if roof.share then
                add(roof.name .. " sustained", "dash", roof.strong, roof.share * roof.value, "FLOP/s",
                    flat(roof.share * roof.value))
            end
        end
    end
    local hbm = d.device.hbm.bandwidth
    for _, peak in ipairs(d.used) do
        add("ridge", "ridge", true, peak / hbm, "FLOP/byte", { { x = peak / hbm, y = peak } })
    end
end

-- The place of what was measured: by the time that evaluate was told, or by the figures of a profile; nil where nothing was.
local function measured_of(entry)
    local r, row = entry.result, entry.measured
    if not row then return r.measured and { x = r.intensity, y = r.flops / r.measured, time = r.measured } end
    local flops, bytes = row.flops_measured, row.bytes_measured or r.bytes
    -- without counters of the matrix unit most of the work is not in the profile
    if not flops or (r.matrix_flops > 0 and row.vector_flops_measured and not row.matrix_flops_measured) then flops = r.flops end
    if not row.time_measured or row.time_measured <= 0 or flops <= 0 or bytes <= 0 then return nil end
    return { x = flops / bytes, y = flops / row.time_measured, time = row.time_measured }
end

-- The axes that the devices alone decide: from 0.1 FLOP/byte to a decade above the last ridge.
local function axes(devices, entries)
    local ridge, peak, bandwidth = 1, 1, math.huge
    for _, d in ipairs(devices) do
        local hbm, roofs = d.device.hbm.bandwidth, compute_roofs(d.device)
        bandwidth = math.min(bandwidth, hbm)
        if roofs[1] then ridge, peak = math.max(ridge, roofs[1].value / hbm), math.max(peak, roofs[1].value) end
    end
    local x, y = {}, {}
    for _, entry in ipairs(entries) do
        local r = entry.result
        for _, bytes in ipairs(entry.levels) do x[#x + 1] = r.flops / bytes end
        y[#y + 1] = r.throughput
        local measured = measured_of(entry)
        if measured then x[#x + 1], y[#y + 1] = measured.x, measured.y end
    end
    return record.log_axis("intensity", "FLOP/byte", 0.1, 10 * ridge, x),
        record.log_axis("throughput", "FLOP/s", 0.1 * bandwidth, 1.2 * peak, y)
end

local marks = { "dot", "square", "triangle" }
local level_names = { "HBM", "L2", "shared memory" }

local function add_dots(plot, entries, devices)
    for level, mark in ipairs(marks) do
        local points = {}
        for _, entry in ipairs(entries) do
            local r, bytes = entry.result, entry.levels[level]
            if bytes then
                points[#points + 1] = { x = r.flops / bytes, y = r.throughput, number = entry.number,
                    name = entry.name, size = entry.size, group = entry.colour,
                    values = values_of(entry, devices) }
            end
        end
        if #points > 0 then
            table.insert(plot.series, { name = level_names[level], mark = mark, points = points })
        end
    end
end

-- What was measured stands above or below its estimate; that of a profile has an arrow to it, for what is left over.
local function add_measured(plot, entries, devices)
    local points = {}
    for _, entry in ipairs(entries) do
        local r, measured = entry.result, measured_of(entry)
        if measured then
            local values = values_of(entry, devices)
            values[1] = measured.time
            points[#points + 1] = { x = measured.x, y = measured.y, number = entry.number, name = entry.name,
                size = entry.size, group = entry.colour, values = values }
        end
        if measured and entry.measured then
            table.insert(plot.series, { name = entry.name .. " to measured", mark = "arrow", group = entry.colour,
                points = { { x = r.intensity, y = r.throughput }, { x = measured.x, y = measured.y } } })
        end
    end
    if #points > 0 then table.insert(plot.series, { name = "measured", mark = "ring", points = points }) end
end

local function add_arrows(plot, entries)
    for _, entry in ipairs(entries) do
        local before = entry.first
        if before then
            local a, b = before.result, entry.result
            table.insert(plot.series, { name = before.name .. " to " .. entry.name, mark = "arrow", group = entry.colour,
                points = { { x = a.intensity, y = a.throughput }, { x = b.intensity, y = b.throughput } } })
        end
    end
end

-- kc.plot.roofline: results, comparisons and matches on the log-log roofline of their devices.
--     device      more devices to draw beside those of the results: a name, an object, or a list
--     levels      a dot also for L2 and shared memory, at the same height: where there are at most two kernels
--     ceilings    "all", or "used": those that the kernels use: all where there is one device
--     arrows      from each result to the next one on its device: only in comparisons, from the first
--     title
-- x: FLOP/byte of HBM (and of the levels), y: FLOP/s of the estimate, and of what was measured as a ring, from a
-- profile with an arrow to it; a dot's size is its time.  What has no FLOP is left out: kc.plot.bandwidth.
function roofline.roofline(p)
    p = record.take("roofline", p, { "arrows", "ceilings", "device", "levels", "title" })
    local all, missing = record.results("roofline", p)
    local entries = {}
    for _, entry in ipairs(all) do
        if entry.result.flops > 0 then
            entries[#entries + 1] = entry
        else
            missing[#missing + 1] = entry.name .. " has no FLOP: kc.plot.bandwidth shows it"
        end
    end
    if #entries == 0 then
        error("kc.plot.roofline: nothing here computes; kc.plot.bandwidth shows kernels with no FLOP", 2)
    end
    local devices = devices_of("roofline", entries, p.device)
    local several, more, last = #devices > 1, p.levels, {}
    if more == nil then more = #entries <= 2 end
    number(entries)
    for i, entry in ipairs(entries) do
        local r = entry.result
        entry.levels = { r.bytes, more and (r.l2_bytes or 0) > 0 and r.l2_bytes or nil }
        if entry.levels[2] and (r.smem_bytes or 0) > 0 then entry.levels[3] = r.smem_bytes end
        if p.arrows then entry.first = last[entry.at] elseif p.arrows == false then entry.first = nil end
        last[entry.at] = entry
        entry.colour = several and entry.at or #entries <= 6 and i or 1
    end
    local x, y = axes(devices, entries)
    local plot = { plot = "roofline", title = p.title or "Roofline of " .. device_names(devices), x = x, y = y,
        columns = columns, notes = note_all(entries, missing), series = {} }
    table.insert(plot.notes, 1, "solid: peaks of the data sheet, dashed: sustained; the longer its time, the larger a dot")
    local ceilings = p.ceilings or (several and "used" or "all")
    for g, d in ipairs(devices) do add_ceilings(plot, d, several and g or 0, ceilings == "all") end
    add_arrows(plot, entries)
    add_dots(plot, entries, devices)
    add_measured(plot, entries, devices)
    return record.new(plot)
end

-- ---- bandwidth ----------------------------------------------------------------------------

-- kc.plot.bandwidth: what results and comparisons move a second, under the bandwidth of their devices: the place of
-- kernels with no FLOP, which no roofline has.
--     device, title    as of roofline
-- x: byte/s of HBM, a bar a kernel.
function roofline.bandwidth(p)
    p = record.take("bandwidth", p, { "device", "title" })
    local entries, missing = record.results("bandwidth", p)
    local devices = devices_of("bandwidth", entries, p.device)
    local several = #devices > 1
    local top, names, points, series = 0, {}, {}, {}
    number(entries)
    -- what was measured is a bar below its prediction
    local function bar(entry, name, bandwidth, values)
        local y = #names + 1
        names[y] = several and name .. " on " .. devices[entry.at].name or name
        points[y] = { x = bandwidth, y = y, number = y, name = names[y], group = several and entry.at or 1, values = values }
        top = math.max(top, bandwidth)
    end
    for _, entry in ipairs(entries) do
        local r, row, values = entry.result, entry.measured or {}, values_of(entry, devices)
        bar(entry, entry.name, r.bandwidth, values)
        if (row.time_measured or 0) > 0 then
            local measured = values_of(entry, devices)
            measured[1] = row.time_measured
            bar(entry, entry.name .. " measured", (row.bytes_measured or r.bytes) / row.time_measured, measured)
        end
    end
    for g, d in ipairs(devices) do
        local hbm = levels(d.device)[1]
        local function ceiling(name, mark, value)
            series[#series + 1] = { name = name, of = several and d.name or nil, mark = mark, strong = true,
                group = several and g or 0, value = value, unit = "byte/s",
                points = { { x = value, y = 0.5 }, { x = value, y = #names + 0.5 } } }
        end
        ceiling("HBM", "line", hbm.value)
        if hbm.share then ceiling("HBM sustained", "dash", hbm.share * hbm.value) end
        top = math.max(top, hbm.value)
    end
    series[#series + 1] = { name = "HBM bytes / time", mark = "bar", group = 1, points = points }
    return record.new { plot = "bandwidth", title = p.title or "Bandwidth on " .. device_names(devices),
        x = { name = "bandwidth", unit = "byte/s", scale = "linear", from = 0, to = 1.15 * top },
        y = { name = "kernel", unit = "", scale = "names", from = 0.5, to = #names + 0.5, names = names },
        columns = columns, notes = note_all(entries, missing), series = series }
end

return roofline
