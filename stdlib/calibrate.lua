-- calibrate.lua: kc.calibrate: up to three constants of a device, fitted to times that were measured on it; and the
-- command `kcost calibrate`.
--
--     kcost calibrate times.csv --device a100 -o my-a100.lua
--
-- A constant that the rows do not determine stays what it is, and the answer says why.  Every fourth row is held out:
-- the errors are of these.
local kc = require "kcost"
local fit, rows = require "kcost.internal.calibrate_fit", require "kcost.internal.calibrate_rows"
local profiles, report = require "kcost.internal.profile", kc.lib.report
local calibrate = {}

local HELD_OUT = 4 -- each row whose number it divides
local FEWEST = 8   -- rows with a prediction
local MOST = 1e5   -- rows of a plain CSV
local FAR = 3      -- a constant that moves by such a factor is worth a look

-- ---- constants ---------------------------------------------------------------------------------

local names = { "matrix", "hbm", "launch" }
local least, most, slower = { 1e-3, 1e-3, 1e-9 }, { 1, 1, 1 }, { 0.6, 0.6, 3 }

-- The figures of a device that the constants are.  Under a profiler, which sees no gaps, the third is what a kernel
-- with matmuls takes to start and end; else the gap before each kernel.
local function figures_of(launch)
    return { "fitted.matrix", "fitted.hbm", launch == "none" and "fitted.fixed" or "launch." .. launch }
end

-- What the device has now, seen through its model; and by constant, why no rows can tell it.
local function constants_of(device, launch, probes)
    local moved, fixed = kc.evaluate(probes.stream, device, { launch = launch }), {}
    local x = { 1, moved.roof_time / moved.times.hbm, moved.times.launch }
    local good, product = pcall(kc.evaluate, probes.matmul.f16, device)
    if good and product.times.matrix > 0 then
        x[1] = product.roof_time / product.times.matrix
    else
        fixed[1] = "the device has no matrix unit for f16"
    end
    if launch == "none" then
        local small = kc.tile(kc.resize(probes.matmul.f16, { ["m n k"] = 16 }), {})
        local tiles, r = pcall(kc.evaluate, small, device, { launch = "none" })
        x[3] = tiles and r.times.launch or 0
    end
    x[3] = math.max(x[3], least[3])
    return x, fixed
end

-- The device with the constants at `x`, less those of `left`; `source`: where they come from, or nothing.
local function changed(device, figures, x, left, source)
    local change = { source = {} }
    for c, path in ipairs(figures) do
        local group, name = path:match("^(%l+)%.(%l+)$")
        if not left[c] then
            change[group] = change[group] or {}
            change[group][name] = x[c]
            change.source[path] = source
        end
    end
    return device:with(change)
end

-- ---- the fit -----------------------------------------------------------------------------------

local function predicted(work, list, device)
    local rates, times = rows.rates(work.probes, device, work.launch), {}
    for i, row in ipairs(list) do times[i] = row.predict(device, rates) end
    return times
end

local function error_of(work, list, device)
    local errors = {}
    for i, time in ipairs(predicted(work, list, device)) do errors[i] = math.abs(time / list[i].time - 1) end
    return fit.median(errors)
end

-- Fits the constants to the rows of the fit: four digits of each, which is more than any rows tell.
local function solve(work)
    local problem = { start = work.start, least = least, most = most, slower = slower, fixed = work.fixed, measured = {} }
    for i, row in ipairs(work.fitted) do problem.measured[i] = row.time end
    function problem.predict(x)
        return predicted(work, work.fitted, changed(work.base, work.figures, x, work.fixed))
    end
    local found = fit.constants(problem)
    for c, x in ipairs(found.x) do
        if not found.left[c] then found.x[c] = tonumber(string.format("%.4g", x)) end
    end
    work.found, work.device = found, changed(work.base, work.figures, found.x, found.left)
end

-- Fits, and where kernels are scheduled as a library would, fits again with what suits the new constants.
local function fit_all(work)
    local free = rows.schedule(work.usable, work.base, work)
    work.error_before = error_of(work, work.held, work.base)
    solve(work)
    if free then
        rows.schedule(work.usable, work.device, work)
        solve(work)
    end
    work.error_after = error_of(work, work.held, work.device)
end

-- ---- what it says -------------------------------------------------------------------------------

local function percent(share)
    return share < 1e-4 and "below 0.01 %" or string.format("%.3g %%", 100 * share)
end

local function notes_of(work)
    local notes, found = {}, work.found
    for c, name in ipairs(names) do
        if found.left[c] then
            notes[#notes + 1] = name .. " is left as it is: " .. found.left[c]
        elseif found.x[c] >= 0.999 * most[c] then
            notes[#notes + 1] = name .. " is at the peak: the rows are as fast as the datasheet, or faster"
        elseif math.abs(math.log(found.x[c] / work.start[c])) > math.log(FAR) then
            notes[#notes + 1] = string.format("%s is %.3g times what it was: are device, units and the regime of launches right?", name,
                found.x[c] / work.start[c])
        end
    end
    if work.error_after > work.error_before then
        notes[#notes + 1] = "the rows held out are predicted no better than before: they are not like the others, or too few"
    end
    for _, note in ipairs(work.notes) do notes[#notes + 1] = note end
    return notes
end

-- What kc.calibrate answered, in words.
function calibrate.report(c)
    local lines = {}
    for i, name in ipairs(names) do
        local k = c.constants[name]
        local function shown(x) return x and (i == 3 and report.si(x, "s") or string.format("%.4f", x)) end
        lines[i] = { name, k.figure, shown(k.before), k.left and "left" or shown(k.after), k.error and percent(k.error), k.rows }
    end
    local text = {
        string.format("%s by %s: %d rows fitted, %d held out", c.device, c.source, c.rows_fitted, c.rows_held_out),
        report.table({ "constant", "figure", "before", "after", "±", "of rows" }, lines),
        string.format("median error of the rows held out: %s before, %s after", percent(c.error_before), percent(c.error_after)),
    }
    for _, note in ipairs(c.notes) do text[#text + 1] = note end
    return table.concat(text, "\n")
end

-- A row a constant.
local function csv_of(c)
    local columns, lines = { "figure", "before", "after", "error", "rows", "left" }, {}
    for i, name in ipairs(names) do
        local cells = { name }
        for k, column in ipairs(columns) do
            local value = c.constants[name][column]
            cells[k + 1] = type(value) == "number" and kc.str(value) or profiles.cell(value)
        end
        lines[i] = table.concat(cells, ",")
    end
    return "constant," .. table.concat(columns, ",") .. "\n" .. table.concat(lines, "\n") .. "\n"
end

local shows = { __metatable = false, __tostring = calibrate.report }
function shows.__show(c) return { text = calibrate.report(c), csv = csv_of(c) } end

-- What was found, a table that shows itself; and the device with the sources of what is new.
local function answer(work)
    local found, constants = work.found, {}
    for c, name in ipairs(names) do
        local free, known = not found.left[c], not work.fixed[c]
        constants[name] = { figure = work.figures[c], left = found.left[c],
            before = known and work.start[c] or nil, after = known and found.x[c] or nil,
            error = free and found.error[c] or nil, rows = free and found.rows[c] or nil }
    end
    local source = string.format("fitted to %s: %d rows, launch = %s; median error of %d others %s before, %s after [A]",
        work.source, #work.fitted, work.launch, #work.held, percent(work.error_before), percent(work.error_after))
    local calibration = {
        kind = "calibration", device = work.base.id, source = work.source, launch = work.launch, cache = work.cache,
        constants = constants, rows_fitted = #work.fitted, rows_held_out = #work.held, error_before = work.error_before,
        error_after = work.error_after, notes = setmetatable(notes_of(work), { __list = true }),
    }
    return setmetatable(calibration, shows), changed(work.base, work.figures, found.x, found.left, source)
end

-- ---- kc.calibrate ---------------------------------------------------------------------------------

local function fail(...)
    error("kc.calibrate: " .. string.format(...))
end

local function check_dtype(dtype, where)
    local good, why = pcall(kc.dtype, dtype)
    if not good then fail("%s: %s", where, (tostring(why):gsub("^.-kc%.dtype: ", ""))) end
end

-- Rows of a script, checked.
local function check_rows(list)
    for i, row in ipairs(list) do
        if type(row) ~= "table" or type(row.name) ~= "string" then
            fail("rows: number %d is no table with a name, as { name = \"copy\", time = 12e-6, bytes = 2e7 } is one", i)
        elseif row.kernel ~= nil and type(row.kernel) ~= "userdata" then
            fail("rows: number %d, %s: kernel: expected a kernel, a program or a written tensor, got a %s", i, row.name, type(row.kernel))
        end
        check_dtype(row.dtype or "f16", string.format("rows: number %d, %s", i, row.name))
    end
    return list
end

local function profile_of(given)
    local profile = type(given) == "string" and kc.load_profile(given, { launches = MOST }) or given
    profiles.check("kc.calibrate", profile, "a path, or ")
    return profile
end

-- Kernels by pattern, checked.
local function check_kernels(kernels)
    for pattern, value in pairs(kernels) do
        if type(pattern) ~= "string" then
            fail("kernels: expected kernels by pattern, as { [\"gemm\"] = kernel }, got one whose pattern is a %s", type(pattern))
        end
        for _, kernel in ipairs(type(value) == "table" and value or { value }) do
            if type(kernel) ~= "userdata" then
                fail("kernels: '%s': expected a kernel, a program or a written tensor, or a list of them, got a %s", pattern, type(kernel))
            end
        end
    end
    return kernels
end

-- The rows of what was asked, the regime of launches that is known of them, what they are called; sentences on the rest.
local function rows_of(o, device)
    if (o.rows == nil) == (o.profile == nil) then fail("profile or rows, one of them, says what was measured") end
    if o.rows and o.kernels then fail("kernels: is for a profile; each of rows has a kernel of its own") end
    if o.rows then return check_rows(o.rows), o.launch or "stream", o.source or "rows of a script", {} end
    local profile = profile_of(o.profile)
    local launch, source = o.launch or profile.form == "plain" and "stream" or "none", o.source or profile.source
    if o.kernels then
        local list, notes = rows.matched(profile, check_kernels(o.kernels), device, launch)
        return list, launch, source, notes
    end
    local list, notes = rows.of_profile(profile), {}
    if profile.form == "plain" and profile.rows > #list then
        notes[1] = string.format("only %d of %d rows were kept", #list, profile.rows)
    end
    return list, launch, source, notes
end

local p = kc.lib.parameters
local declared = {
    device = p.required, profile = p.optional, rows = p.optional_table, kernels = p.optional_table,
    launch = p.optional, cache = p.optional, dtype = "f16", source = p.optional,
}

-- What was asked, checked: the rows of which something can be said, every fourth held out.
local function work_of(given)
    local o = p.take("kc.calibrate", given, declared)
    if o.launch then p.one_of("kc.calibrate", "launch", o.launch, { "stream", "graph", "eager", "none" }) end
    if o.source and type(o.source) ~= "string" then fail("source: expected a text, got a %s", type(o.source)) end
    check_dtype(o.dtype, "dtype")
    local work = { base = kc.device(o.device), dtype = o.dtype, fitted = {}, held = {} }
    work.cache = p.one_of("kc.calibrate", "cache", o.cache or "cold", { "cold", "warm" })
    local list, notes, more
    list, work.launch, work.source, notes = rows_of(o, work.base)
    work.usable, more, work.probes = rows.usable(list, work.base, work)
    for _, note in ipairs(more) do notes[#notes + 1] = note end
    work.notes = notes
    for i, row in ipairs(work.usable) do
        table.insert(i % HELD_OUT == 0 and work.held or work.fitted, row)
    end
    if #work.usable < FEWEST then
        fail("%d of %d rows have a time and a prediction, and %d are wanted at least, every fourth of them held out%s",
            #work.usable, #list, FEWEST, #work.notes > 0 and "; " .. table.concat(work.notes, "; ") or "")
    end
    work.figures = figures_of(work.launch)
    work.start, work.fixed = constants_of(work.base, work.launch, work.probes)
    return work
end

-- kc.calibrate: what was fitted, and the device with its new constants.
function calibrate.device(given)
    local work = work_of(given)
    fit_all(work)
    if work.found.left[1] and work.found.left[2] and work.found.left[3] then
        local why = {}
        for c, name in ipairs(names) do why[c] = name .. ": " .. work.found.left[c] end
        fail("the rows determine none of the constants: %s", table.concat(why, "; "))
    end
    return answer(work)
end

-- ---- kcost calibrate ------------------------------------------------------------------------------

-- What is missing, or wrong in the file: no line of this one is to blame.
local function call(f, ...)
    local good, a, b = pcall(f, ...)
    if good then return a, b end
    error(tostring(a):gsub("^kcost/[%w_]+%.lua:%d+: ", ""):gsub("^[%w_.]+: (kc%.)", "%1"):gsub("^kc%.[%w_]+: ", ""), 0)
end

-- `path`: what was measured; `options`: pairs of texts, for kc.calibrate; `kernels`: texts, NAME=WHAT.  What was
-- fitted, where `asked.figures` wants it, else the file of the device; `asked.tell`: and prints how it came about.
function calibrate.run(path, options, kernels, asked)
    local given = { profile = path, device = asked.device }
    if #kernels > 0 then given.kernels = require("kcost.internal.profile_command").predictions(kernels) end
    for _, pair in ipairs(options) do given[pair[1]] = pair[2] end
    local c, device = call(calibrate.device, given)
    if asked.figures then return c end
    local text = calibrate.report(c)
    if asked.tell then print(text) end
    return require("kcost.internal.device_file").text(device, text)
end

return calibrate
