-- match.lua: kc.match: what was predicted beside what was measured, and why they differ.
--
--     kind         "match"
--     source, device    the profile's path; the id of the device that figures are held against, if there is one
--     rows         a list, one a kernel that a prediction was found for: name, prediction (its name), pattern, grid, block,
--                  launches; the figures of the prediction (time, bytes, …) and the measured ones (time_measured, …);
--                  residual: measured / predicted - 1 of each; roof: the one that binds, roof_share: how near the measured
--                  time comes to it, roof_shares: of each roof; flags: impossible values; causes: likely ones, in words
--     unmatched    the same of kernels without a prediction: only what was measured
--     missing      predictions that no kernel was found for: { pattern =, why = }
--     notes        sentences
local kc = require "kcost"
local report = kc.lib.report
local profile, causes = require "kcost.internal.profile", require "kcost.internal.match_causes"

local match = {}

local list = { __list = true, __metatable = false }

-- The result behind a row, which is no part of its JSON.
local results = setmetatable({}, { __mode = "k" })

-- The result that a row's prediction is; nil: it has none.
function match.result(row) return results[row] end

local function fail(...) error("kc.match: " .. string.format(...)) end

local function sorted(t)
    local keys = {}
    for key in pairs(t) do
        if type(key) ~= "string" and type(key) ~= "number" then fail("a key is a %s, and a name or a place is wanted", type(key)) end
        keys[#keys + 1] = key
    end
    table.sort(keys, function(a, b)
        if type(a) ~= type(b) then return type(a) == "number" end
        return a < b
    end)
    return keys
end

-- ---- predictions ------------------------------------------------------------------------------------------

local kinds = { result = true, kernel = true, tensor = true, program = true }

local function kind_of(x)
    local has, kind = pcall(function() return x.kind end)
    if type(x) ~= "userdata" then return type(x) end
    return has and kind or (pcall(function() return x.kernels end) and "program" or "kernel")
end

-- What an object costs on the device, under a profiler: the gap before a launch is no part of a kernel's duration.
local function evaluated(what, x, opts)
    local kind = kind_of(x)
    if kind == "result" then
        if not x.on then fail("%s: the result has no device: kc.evaluate gives one that has", what) end
        return x
    end
    if type(x) ~= "userdata" or not kinds[kind] then
        fail("%s: expected a kernel or a result, got a %s", what, kind)
    end
    if not opts.device then fail("%s: is a kernel: opts.device says on which device, or give a result of kc.evaluate", what) end
    local asked = { launch = "none" }
    for name, value in pairs(opts) do
        if name ~= "device" and name ~= "by" then asked[name] = value end
    end
    return kc.evaluate(x, opts.device, asked)
end

-- Alternatives of "gemm|matmul"; "%|" is a bar.
local function alternatives(pattern)
    local parts, from, at = {}, 1, 1
    while at <= #pattern do
        local c = pattern:sub(at, at)
        if c == "%" then
            at = at + 1
        elseif c == "|" then
            parts[#parts + 1], from = pattern:sub(from, at - 1), at + 1
        end
        at = at + 1
    end
    parts[#parts + 1] = pattern:sub(from)
    return parts
end

-- A list of { pattern =, results = {…} } by pattern, or of results in order.
local function predicted(predictions, opts)
    local patterns, ordered = {}, {}
    for _, key in ipairs(sorted(predictions)) do
        local value = predictions[key]
        if type(key) == "number" then
            ordered[#ordered + 1] = evaluated("prediction " .. kc.str(key), value, opts)
        else
            for _, part in ipairs(alternatives(key)) do
                if part == "" then fail("'%s': an empty pattern would name every kernel; '.' does, if that is meant", key) end
            end
            local several = type(value) == "table" and value or { value }
            local entry = { pattern = key, results = {} }
            for i, x in ipairs(several) do entry.results[i] = evaluated("'" .. key .. "'", x, opts) end
            if #entry.results == 0 then fail("'%s': the list of predictions is empty", key) end
            patterns[#patterns + 1] = entry
        end
    end
    return patterns, ordered
end

-- ---- by name --------------------------------------------------------------------------------------------------

-- Does the pattern name the kernel: as a part of the name as it stands, or as a Lua pattern?
function match.names(pattern, name)
    if name:find(pattern, 1, true) then return true end
    for _, part in ipairs(alternatives(pattern)) do
        local good, found = pcall(string.find, name, part)
        if not good then fail("'%s' is no pattern of Lua: %s", pattern, (tostring(found):gsub("^.-:%d+: ", ""))) end
        if found then return true end
    end
    return false
end

-- Of several predictions that one whose CTAs are those that were launched.
local function by_grid(several, kernel)
    if #several == 1 then return several[1] end
    local found
    for _, r in ipairs(several) do
        if r.ctas and r.ctas == kernel.ctas_measured then
            if found then return nil, "several predictions have its CTAs" end
            found = r
        end
    end
    return found, "no prediction has its CTAs"
end

-- ---- one row ---------------------------------------------------------------------------------------------------

-- The highest compute peak of a device: what work of no known unit is held against.
local function highest(d)
    local peak
    for _, unit in ipairs { d.matrix or {}, d.vector or {} } do
        for _, value in pairs(unit) do
            if type(value) == "number" and (not peak or value > peak) then peak = value end
        end
    end
    return peak
end

-- The peaks that rates are held against, in FLOP/s and byte/s.
local function peaks_of(d, r, kernel)
    local vector, work = d.vector or {}, kernel.work_measured and kernel.work_measured.vector or {}
    local wide = (work.f64 or 0) > (work.f32 or 0) + (work.f16 or 0)
    return {
        hbm = d.hbm.bandwidth, l2 = d.l2 and d.l2.bandwidth,
        smem = d.smem and d.smem.bandwidth and d.cores and d.clock and d.smem.bandwidth * d.cores * d.clock,
        matrix = r and r.matrix_flops > 0 and r.ridge and r.ridge * d.hbm.bandwidth or nil,
        vector = wide and vector.f64 or vector.f32, compute = not r and highest(d) or nil,
    }
end

-- What is compared: a predicted figure, a measured one, and the unit of both.
local compared = {
    { "time", "time", "time_measured", "s" },
    { "HBM read", "bytes_read", "bytes_read_measured", "B" },
    { "HBM written", "bytes_written", "bytes_written_measured", "B" },
    { "HBM", "bytes", "bytes_measured", "B" },
    { "L2", "l2_bytes", "l2_bytes_measured", "B" },
    { "L2, asked of L1", "l2_bytes", "l1_bytes_measured", "B" }, -- at least what L2 sees; where it was not counted
    { "shared memory", "smem_bytes", "smem_bytes_measured", "B" },
    { "FLOP", "flops", "flops_measured", "FLOP" },
    { "matrix FLOP", "matrix_flops", "matrix_flops_measured", "FLOP" },
    { "occupancy", "occupancy", "occupancy_measured", "share" },
    { "CTAs", "ctas", "ctas_measured", "" },
}

-- Executed work of the units that were counted; useful work where the export says no more than FLOP.
local function work_of(r, kernel)
    if not (kernel.matrix_flops_measured or kernel.vector_flops_measured or kernel.special_ops_measured) then
        return r.flops, r.matrix_flops
    end
    local sum = (kernel.matrix_flops_measured and r.executed_matrix_flops or 0)
        + (kernel.vector_flops_measured and r.executed_vector_flops or 0)
        + (kernel.special_ops_measured and r.executed_special_ops or 0)
    return sum, r.executed_matrix_flops
end

-- The share of a core's warps that the prediction keeps.
local function warps_of(r, d, kernel)
    local warps = r.schedule and r.schedule.warps or kernel.threads_measured and d.warp and kernel.threads_measured / d.warp
    return r.occupancy and warps and d.max_warps and r.occupancy * warps / d.max_warps
end

local function residuals(row)
    local found = {}
    for _, what in ipairs(compared) do
        local p, m = row[what[2]], row[what[3]]
        if p and m and p ~= 0 and not found[what[2]] then found[what[2]] = m / p - 1 end
    end
    return found
end

-- How near the measured time comes to each roof, by what was measured; by predicted bytes and work where nothing was, which
-- `guessed` says.
local function shares(row, peaks)
    local time, found, guessed = row.time_measured, {}, {}
    if not (time and time > 0) then return found, guessed end
    local amounts = {
        hbm = { row.bytes_measured, row.bytes }, l2 = { row.l2_bytes_measured, row.l2_bytes },
        smem = { row.smem_bytes_measured, row.smem_bytes }, matrix = { row.matrix_flops_measured, row.matrix_flops },
        vector = { row.vector_flops_measured or row.matrix_flops == 0 and row.flops_measured or nil, row.vector_flops },
        compute = { not row.vector_flops_measured and row.flops_measured or nil },
    }
    for roof, amount in pairs(amounts) do
        local moved = amount[1] or amount[2]
        if peaks[roof] and moved and moved > 0 then
            found[roof], guessed[roof] = moved / time / peaks[roof], not amount[1] or nil
        end
    end
    return found, guessed
end

local names = { hbm = "HBM", l2 = "L2", smem = "shared memory", matrix = "matrix", vector = "vector", compute = "highest compute" }

local function binding(r, found)
    if r and found[r.bound] then return r.bound end
    local best
    for _, roof in ipairs(sorted(found)) do
        if not best or found[roof] > found[best] then best = roof end
    end
    return best
end

-- Rates above a peak, and a time below the roof: nothing is clipped.
local function add_flags(row, r, found, guessed)
    for _, roof in ipairs(sorted(found)) do
        if found[roof] > 1 and guessed[roof] then
            row.causes[#row.causes + 1] = string.format("another tile or other sizes: the predicted work of the %s would be %.1f %% of "
                .. "its peak in the measured time", names[roof], 100 * found[roof])
        elseif found[roof] > 1 then
            row.flags[#row.flags + 1] = string.format("%.1f %% of the %s peak", 100 * found[roof], names[roof])
        end
    end
    if r and row.time_measured and row.time_measured < r.roof_time then
        row.flags[#row.flags + 1] = string.format("%s beats the roof of %s: on these peaks no implementation can",
            report.si(row.time_measured, "s"), report.si(r.roof_time, "s"))
    end
end

-- A kernel as measured, beside a prediction (or none) on a device (or none).
local function row_of(kernel, r, pattern, d, p)
    local row = { prediction = r and r.name, pattern = pattern, flags = setmetatable({}, list), causes = setmetatable({}, list) }
    for _, name in ipairs { "name", "grid", "block", "launches" } do row[name] = kernel[name] end
    for name, value in pairs(kernel) do
        if type(name) == "string" and name:find("_measured$") then row[name] = value end
    end
    for i, flag in ipairs(kernel.flags or {}) do row.flags[i] = flag end
    if r then
        for _, what in ipairs(compared) do row[what[2]] = r[what[2]] end
        row.flops, row.matrix_flops = work_of(r, kernel)
        row.vector_flops, row.occupancy = r.executed_vector_flops, warps_of(r, d, kernel)
        row.roof_time, row.bound = r.roof_time, r.bound
        row.residual = residuals(row)
        results[row] = r
    end
    if d then
        row.device = d.id
        local found, guessed = shares(row, peaks_of(d, r, kernel))
        row.roof_shares = found
        row.roof = binding(r, found)
        row.roof_share = row.roof and found[row.roof]
        add_flags(row, r, found, guessed)
        for _, cause in ipairs(causes.of { row = row, result = r, device = d, profile = p }) do
            row.causes[#row.causes + 1] = cause
        end
    end
    return row
end

-- ---- by order ----------------------------------------------------------------------------------------------------

-- The mean of several launches, as a kernel.
local function mean_of(launches)
    local kernel, sums, counts = { launches = #launches }, {}, {}
    for name, value in pairs(launches[1]) do
        if type(value) ~= "number" then kernel[name] = value end
    end
    for _, launch in ipairs(launches) do
        for name, value in pairs(launch) do
            if type(value) == "number" then
                sums[name], counts[name] = (sums[name] or 0) + value, (counts[name] or 0) + 1
            end
        end
    end
    for name, sum in pairs(sums) do kernel[name] = sum / counts[name] end
    return kernel
end

local function in_order(p, ordered)
    local launches = #p.launches > 0 and p.launches or p.kernels
    if #p.launches > 0 and p.launch_count > #p.launches then
        fail("by order all launches are wanted, and of %s only the first %s were kept: kc.load_profile(path, { launches = %s })",
            kc.str(p.launch_count), kc.str(#p.launches), kc.str(p.launch_count))
    end
    if #p.launches == 0 and #launches ~= #ordered then
        fail("the profile has means of %s kernels and no launches, and by order as many predictions are wanted, not %s", kc.str(#launches),
            kc.str(#ordered))
    end
    if #launches % #ordered ~= 0 then
        fail("the profile has %s launches, and by order a multiple of the %s predictions is wanted", kc.str(#launches), kc.str(#ordered))
    end
    local groups = {}
    for i, launch in ipairs(launches) do
        local n = (i - 1) % #ordered + 1
        groups[n] = groups[n] or {}
        table.insert(groups[n], launch)
    end
    local pairs_found = {}
    for n, r in ipairs(ordered) do pairs_found[n] = { groups[n][1].launches and groups[n][1] or mean_of(groups[n]), r } end
    return pairs_found
end

-- ---- the whole ---------------------------------------------------------------------------------------------------

local function check(p, predictions, opts)
    profile.check("kc.match", p)
    if type(predictions) ~= "table" then
        fail("predictions: expected a table, as { [\"gemm\"] = kernel }, got a %s", type(predictions))
    end
    if opts ~= nil and type(opts) ~= "table" then fail("opts: expected a table of options, got a %s", type(opts)) end
    local known = { by = true, device = true, cache = true, launch = true, l2 = true, convention = true }
    for _, name in ipairs(sorted(opts or {})) do
        if not known[name] then fail("%s: no such option; there are %s", tostring(name), table.concat(sorted(known), ", ")) end
    end
    if opts and opts.by and opts.by ~= "order" and opts.by ~= "grid" and opts.by ~= "name" then
        fail("by: is '%s', and 'name', 'grid' or 'order' is wanted", tostring(opts.by))
    end
end

-- The prediction of a kernel: the longest pattern that names it, and of its predictions that with the same CTAs.
local function find(kernel, patterns)
    local best
    for _, entry in ipairs(patterns) do
        if match.names(entry.pattern, kernel.name) then
            entry.named = true
            if not best or #entry.pattern > #best.pattern then best = entry end
        end
    end
    if not best then return nil end
    local r, why = by_grid(best.results, kernel)
    if not r then best.why = why end
    return r, best.pattern
end

local meta

-- kc.match(profile, predictions [, opts]).
function match.match(p, predictions, opts)
    check(p, predictions, opts)
    opts = opts or {}
    local patterns, ordered = predicted(predictions, opts)
    if #ordered > 0 and #patterns > 0 then fail("predictions: either by name, or in a list, not both") end
    local device = opts.device and kc.device(opts.device)
    local m = { kind = "match", source = p.source, rows = setmetatable({}, list), unmatched = setmetatable({}, list),
        missing = setmetatable({}, list), notes = setmetatable({}, list), device = device and device.id }
    local function add(kernel, r, pattern)
        local row = row_of(kernel, r, pattern, r and r.on or device, p)
        table.insert(r and m.rows or m.unmatched, row)
        m.device = m.device or row.device
    end
    if #ordered > 0 and opts.by ~= "grid" then
        for _, pair in ipairs(in_order(p, ordered)) do add(pair[1], pair[2]) end
    else
        if #ordered > 0 then patterns = { { pattern = "", results = ordered } } end
        for _, kernel in ipairs(p.kernels) do
            local r, pattern = find(kernel, patterns)
            add(kernel, r, pattern)
        end
        for _, entry in ipairs(patterns) do
            if not entry.named then m.missing[#m.missing + 1] = { pattern = entry.pattern, why = "no kernel has such a name" } end
            if entry.why then m.missing[#m.missing + 1] = { pattern = entry.pattern, why = "of a kernel of this name " .. entry.why } end
        end
    end
    for i, note in ipairs(p.notes) do m.notes[i] = note end
    return setmetatable(m, meta)
end

-- ---- text ------------------------------------------------------------------------------------------------------

local function figure(x, unit)
    if not x then return "" end
    if unit == "share" then return string.format("%.1f %%", 100 * x) end
    if unit == "" or x < 0 then return kc.str(x) end
    return report.si(x, unit)
end

local function row_text(row, lines)
    local title = profile.short(row.name, 60)
    if row.grid then title = title .. " " .. profile.extent(row.grid) end
    lines[#lines + 1] = title .. ", " .. kc.str(row.launches) .. (row.launches == 1 and " launch" or " launches") .. ", beside "
        .. row.prediction .. " on " .. row.device
    local rows = {}
    for _, what in ipairs(compared) do
        local p, m, residual = row[what[2]], row[what[3]], row.residual[what[2]]
        local twice = what[3] == "l1_bytes_measured" and row.l2_bytes_measured
        if m and not twice and (p or what[4] ~= "") then
            rows[#rows + 1] = { "  " .. what[1], figure(p, what[4]), figure(m, what[4]),
                residual and string.format("%+.1f %%", 100 * residual) or "" }
        end
    end
    lines[#lines + 1] = report.table({ "", "predicted", "measured", "residual" }, rows)
    if row.roof then
        lines[#lines + 1] = string.format("  %.1f %% of the %s roof", 100 * row.roof_share, names[row.roof])
    end
    for _, flag in ipairs(row.flags) do lines[#lines + 1] = "  impossible: " .. flag end
    for _, cause in ipairs(row.causes) do lines[#lines + 1] = "  likely: " .. cause end
end

local function unmatched_text(m, lines)
    local MOST = 20
    local rows = {}
    for i = 1, math.min(#m.unmatched, MOST) do
        local row = m.unmatched[i]
        rows[i] = { profile.short(row.name, 44), profile.extent(row.grid), kc.str(row.launches), figure(row.time_measured, "s"),
            row.roof and string.format("%.1f %% of %s", 100 * row.roof_share, names[row.roof]) or "" }
    end
    local head = { "without a prediction", "grid", "launches", "time" }
    for _, row in ipairs(rows) do if row[5] ~= "" then head[5] = "roof" end end
    lines[#lines + 1] = report.table(head, rows)
    for _, row in ipairs(m.unmatched) do
        local name = "  " .. profile.short(row.name, 44) .. ": "
        for _, flag in ipairs(row.flags) do lines[#lines + 1] = name .. "impossible: " .. flag end
        for _, cause in ipairs(row.causes) do lines[#lines + 1] = name .. cause end
    end
    if #m.unmatched > MOST then lines[#lines + 1] = kc.str(#m.unmatched - MOST) .. " more" end
end

-- The tables of a match, one a kernel, and below each how near it comes to its roof, what is impossible, what is likely.
function match.text(m)
    local lines = {}
    for i, row in ipairs(m.rows) do
        if i > 1 then lines[#lines + 1] = "" end
        row_text(row, lines)
    end
    if #m.unmatched > 0 then
        if #m.rows > 0 then lines[#lines + 1] = "" end
        unmatched_text(m, lines)
    end
    for _, missing in ipairs(m.missing) do lines[#lines + 1] = "no match: '" .. missing.pattern .. "': " .. missing.why end
    for _, note in ipairs(m.notes) do lines[#lines + 1] = "note: " .. note end
    return table.concat(lines, "\n")
end

-- One row a kernel, matched or not.
function match.csv(m)
    local head, lines = { "name", "prediction", "device", "grid", "launches" }, {}
    local figures = {}
    for _, what in ipairs(compared) do
        if what[3] ~= "l1_bytes_measured" then figures[#figures + 1] = what end
    end
    for _, what in ipairs(figures) do
        for _, name in ipairs { what[2], what[3], "residual." .. what[2] } do head[#head + 1] = name end
    end
    for _, name in ipairs { "roof", "roof_share", "flags", "causes" } do head[#head + 1] = name end
    lines[1] = table.concat(head, ",")
    local function add(row)
        local cells = { profile.cell(row.name), profile.cell(row.prediction), profile.cell(row.device), profile.extent(row.grid),
            kc.str(row.launches) }
        local function number(x) cells[#cells + 1] = x and kc.str(x) or "" end
        for _, what in ipairs(figures) do
            number(row[what[2]])
            number(row[what[3]])
            number(row.residual and row.residual[what[2]])
        end
        cells[#cells + 1] = row.roof or ""
        number(row.roof_share)
        cells[#cells + 1] = profile.cell(table.concat(row.flags, "; "))
        cells[#cells + 1] = profile.cell(table.concat(row.causes, "; "))
        lines[#lines + 1] = table.concat(cells, ",")
    end
    for _, row in ipairs(m.rows) do add(row) end
    for _, row in ipairs(m.unmatched) do add(row) end
    return table.concat(lines, "\n") .. "\n"
end

-- The roofline of the rows that compute: a dot for what was predicted, a ring for what was measured, an arrow between.
function match.plots(m)
    for _, row in ipairs(m.rows) do
        if results[row].flops > 0 then return { kc.plot.roofline { m } } end
    end
    return #m.rows > 0 and { kc.plot.bandwidth { m } } or {}
end

meta = { __metatable = false, __tostring = match.text }
function meta.__show(m) return { text = match.text(m), csv = match.csv(m), plots = match.plots(m) } end

return match
