-- calibrate_rows.lua: measured rows as what a calibration predicts: kernels by the model; FLOP and bytes by the longest
-- of their sustained roofs, and a launch.
local kc = require "kcost"
local si = kc.lib.report.si
local rows = {}

-- A loop of matrix instructions alone: matmuls reach so much of it (vm/model/roof.c takes as much of the best of many).
local MATMULS_REACH = 0.9
-- Clocks lie at most this much above those that compute peaks stand on (vm/model/measured.c).
local BOOST = 1.3
-- Of a row's time: below it does not matter that its bytes may come from L2.
local SMALL = 0.1

-- What a name that begins with a roof says its figures are of: those of scripts/ceilings.
local ceilings = { hbm = "B", l2 = "B", smem = "B", matrix = "FLOP", special = "op", launch = "s" }

-- ---- what a device sustains ---------------------------------------------------------------------

local function square(size, dtype)
    local sizes = { m = size, n = size, k = size }
    local A, B = kc.tensor("A", "m k", dtype, sizes), kc.tensor("B", "k n", dtype, sizes)
    return kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
end

local function stream(size)
    return kc.write("Y", kc.read(kc.tensor("X", "m n", "f32", { m = size, n = size })))
end

-- Kernels that show a device's rates, for matmuls of these dtypes.
function rows.probes(dtypes)
    local probes = { stream = stream(8192), matmul = {} }
    probes.small = kc.tile(stream(32), { m = 32, n = 32 })
    for dtype in pairs(dtypes) do probes.matmul[dtype] = square(8192, dtype) end
    return probes
end

-- Sustained and datasheet rates of the device as its model has them: byte/s, FLOP/s by dtype; s of a launch.
function rows.rates(probes, device, launch)
    local moved = kc.evaluate(probes.stream, device, { launch = launch })
    local rates = { hbm = moved.bytes / moved.times.hbm, hbm_peak = moved.bytes / moved.roof_time, flops = {}, flops_peak = {} }
    local tiles, small = pcall(kc.evaluate, probes.small, device, { launch = launch })
    rates.launch = tiles and small.times.launch or moved.times.launch -- with its own start and end, where they are known
    for dtype, kernel in pairs(probes.matmul) do
        local good, r = pcall(kc.evaluate, kernel, device)
        if good then -- it has a roof for them
            rates.flops[dtype] = r.flops / math.max(r.times.matrix, r.times.vector)
            rates.flops_peak[dtype] = r.flops / r.roof_time
        end
    end
    return rates
end

-- Do the device's matmuls use mma.sync?
local function uses_mma(device)
    local tile = { m = 128, n = 128, k = 32 }
    local good, ours = pcall(kc.evaluate, kc.tile(square(1024, "f16"), tile), device)
    local knows, old = pcall(kc.evaluate, kc.tile(square(1024, "f16"), tile, { path = "mma" }), device)
    return good and knows and old.times.matrix <= ours.times.matrix
end

-- ---- rows ------------------------------------------------------------------------------------------

local function number(x)
    return type(x) == "number" and x == x and x >= 0 and x < math.huge
end

-- The rows of a profile: of a plain CSV each by itself; of a profiler's kernel by kernel, each the mean of its launches.
-- FLOP that are not said to be the matrix unit's are only in a plain CSV taken for such.
function rows.of_profile(profile)
    local list, plain = {}, profile.form == "plain"
    for i, row in ipairs(plain and profile.launches or profile.kernels) do
        list[i] = { name = row.name, time = row.time_measured, bytes = row.bytes_measured, vector = row.vector_flops_measured,
            flops = row.matrix_flops_measured or plain and row.flops_measured or nil }
    end
    return list
end

local function field(x, name)
    local good, value = pcall(function() return x[name] end)
    return good and value or nil
end

-- Has it a schedule of its own, or each of its kernels one?
local function is_scheduled(x)
    local kernels = field(x, "kernels")
    if not kernels then return field(x, "schedule") ~= nil end
    for _, kernel in ipairs(kernels) do if not is_scheduled(kernel) then return false end end
    return true
end

-- The result of each kernel, for kc.match: of one without a schedule on what a tuned library would use, whose CTAs tell it
-- from others of its pattern.  And the kernels by their result.
local function results_of(kernels, device, launch)
    local results, kernel_of = {}, {}
    for pattern, value in pairs(kernels) do
        results[pattern] = {}
        for i, kernel in ipairs(type(value) == "table" and value or { value }) do
            local good, best = pcall(kc.best, kernel, device, nil, { launch = launch })
            local r = good and not is_scheduled(kernel) and best or kc.evaluate(kernel, device, { launch = launch })
            results[pattern][i], kernel_of[r] = r, kernel
        end
    end
    return results, kernel_of
end

-- The rows of a profile whose kernels a pattern names, joined to these; sentences on what was not joined.
function rows.matched(profile, kernels, device, launch)
    local results, kernel_of = results_of(kernels, device, launch)
    local matched, list, notes = kc.match(profile, results, { device = device }), {}, {}
    for i, row in ipairs(matched.rows) do
        list[i] = { name = row.name, time = row.time_measured, kernel = kernel_of[require("kcost.internal.match").result(row)] }
    end
    if #matched.unmatched > 0 then
        notes[1] = string.format("%d of %d kernels left out (%s%s): no pattern names them", #matched.unmatched, #profile.kernels,
            matched.unmatched[1].name, #matched.unmatched > 1 and ", …" or "")
    end
    for _, missing in ipairs(matched.missing) do notes[#notes + 1] = "'" .. missing.pattern .. "': " .. missing.why end
    return list, notes
end

-- The roof that a name begins with: "hbm: copy of 256 MiB".
local function ceiling_of(name)
    local roof = name:match("^(%l[%l%d]*): ")
    return ceilings[roof] and roof
end

local function by_kernel(row, device, options)
    local how = { launch = options.launch, cache = options.cache }
    row.free = not is_scheduled(row.kernel)
    local good, r = pcall(kc.evaluate, row.kernel, device, how)
    if not good then return "it does not run on the device: " .. tostring(r):gsub("^.-kc%.evaluate: ", "") end
    row.scheduled, row.roof, row.computes = row.kernel, r.roof_time, r.class == "compute-bound"
    row.predict = function(on) return kc.evaluate(row.scheduled, on, how).time end
end

local function by_figures(row, device, options)
    local flops, bytes, dtype, rates = row.flops or 0, row.bytes or 0, row.dtype or options.dtype, options.rates
    local vector = rates.flops.f32 and row.vector or 0
    local share = row.ceiling == "matrix" and MATMULS_REACH or 1
    if flops > 0 and not rates.flops[dtype] then return "the device has no roof for FLOP of " .. dtype end
    local function longest(of, hbm, factor)
        return math.max(flops > 0 and factor * flops / of[dtype] or 0, vector > 0 and vector / of.f32 or 0, bytes / hbm)
    end
    row.roof = longest(rates.flops_peak, rates.hbm_peak, 1)
    row.computes = row.roof > bytes / rates.hbm_peak
    row.predict = function(_, now) return longest(now.flops, now.hbm, share) + now.launch end
    local l2, llc = device.l2, device.llc
    local held = (l2 and l2.capacity or 0) + (llc and llc.capacity or 0)
    if options.cache == "warm" and bytes <= held and bytes / rates.hbm > SMALL * row.predict(device, rates) then
        return "the caches hold all its bytes, and warm they need not come from HBM"
    end
end

-- Why a row is of no use; nil: it has a prediction now.
local function prepare(row, device, options)
    if not number(row.time) or row.time == 0 then return "it has no time" end
    for _, figure in ipairs { "flops", "bytes", "vector" } do
        if row[figure] and not number(row[figure]) then return "its FLOP or bytes are no numbers from 0" end
    end
    row.ceiling = row.kernel == nil and ceiling_of(row.name) or nil
    if row.ceiling and row.ceiling ~= "hbm" and row.ceiling ~= "matrix" and row.ceiling ~= "launch" then
        return row.ceiling
    end
    if row.ceiling == "matrix" and row.name:find("mma.sync", 1, true) and not options.uses_mma then
        return "matmuls of this device use another instruction than mma.sync"
    end
    if not row.kernel and not row.flops and not row.bytes and not row.vector then return "it has no kernel, no FLOP and no bytes" end
    local why = (row.kernel and by_kernel or by_figures)(row, device, options)
    if why then return why end
    if row.time < row.roof / (row.computes and BOOST or 1) then
        return row.computes and "it beats the compute roof by more than any clock can"
            or "it beats the HBM roof: its bytes came from a cache"
    end
end

-- "l2: 5.310 TB/s at best of 3 rows": a ceiling that is none of the three constants.
local function ceiling_note(roof, list)
    local best, unit = 0, ceilings[roof] .. "/s"
    for _, row in ipairs(list) do best = math.max(best, (unit == "B/s" and row.bytes or row.flops or 0) / row.time) end
    return string.format("%s: %s at best of %d rows, which is none of the three constants", roof, si(best, unit), #list)
end

-- "2 of 9 rows left out (copy, …): it has no time"
local function unused_note(why, those, all)
    if ceilings[why] then return ceiling_note(why, those) end
    return string.format("%d of %d rows left out (%s%s): %s", #those, all, those[1].name, #those > 1 and ", …" or "", why)
end

-- The rows that have a prediction, in order; sentences on the others; the probes for rows.rates.
--     list       rows: name, time in s, and a kernel or flops, bytes, dtype
--     asked      launch, cache, and the dtype of FLOP that name none
function rows.usable(list, device, asked)
    local usable, order, unused, dtypes = {}, {}, {}, { f16 = true, f32 = true, [asked.dtype] = true }
    for _, row in ipairs(list) do if row.dtype then dtypes[row.dtype] = true end end
    local probes = rows.probes(dtypes)
    local options = { launch = asked.launch, cache = asked.cache, dtype = asked.dtype, uses_mma = uses_mma(device),
        rates = rows.rates(probes, device, asked.launch) }
    for _, given in ipairs(list) do
        local row = kc.lib.parameters.merge(given)
        local why = prepare(row, device, options)
        if not why then
            usable[#usable + 1] = row
        elseif unused[why] then
            table.insert(unused[why], row)
        else
            unused[why], order[#order + 1] = { row }, why
        end
    end
    local notes = {}
    for i, why in ipairs(order) do notes[i] = unused_note(why, unused[why], #list) end
    return usable, notes, probes
end

-- Gives each kernel without a schedule the one that a tuned library would use on the device.  True: there are such.
function rows.schedule(list, device, asked)
    local some = false
    for _, row in ipairs(list) do
        if row.free then
            local good, best = pcall(kc.best, row.kernel, device, nil, { launch = asked.launch, cache = asked.cache })
            row.scheduled, some = good and best.kernel or row.kernel, true
        end
    end
    return some
end

return rows
