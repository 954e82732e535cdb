-- Constants of devices from times: those that kcost itself makes with other constants and some noise, a plain roofline by
-- hand, and published ones.  And the file of a device, which has to be that device.
local kc = require "kcost"

local passed, failed, skipped = 0, 0, 0

local function fact(sentence, good, why)
    if good then
        passed = passed + 1
    else
        failed = failed + 1
        print("FAIL " .. sentence .. (why and "\n" .. tostring(why) or ""))
    end
end

local function within(share, value, want)
    return math.abs(value / want - 1) <= share
end

-- The same each time: from 0 to 1, evenly.
local seed = 1
local function random()
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
end

-- Up to 2 % more or less.
local function noisy(time)
    return time * (1 + 0.02 * (2 * random() - 1))
end

local report = tostring

local function noted(c, words)
    return table.concat(c.notes, "\n"):find(words, 1, true)
end

-- ---- kernels, timed by kcost with other constants ------------------------------------------------------------

local function kernels()
    local list = {}
    for _, n in ipairs { 512, 1024, 2048, 4096, 8192 } do
        list[#list + 1] = kc.lib.gemm.plain { m = n, n = n, k = 1024 }
        list[#list + 1] = kc.lib.gemm.plain { m = n, n = 2 * n, k = 4096 }
        list[#list + 1] = kc.lib.norm.rms { m = n, k = 8192 }
        list[#list + 1] = kc.lib.elementwise.gelu { n = 4096 * n }
        list[#list + 1] = kc.lib.gemm.plain { m = n / 8, n = n / 8, k = 64 }
    end
    return list
end

-- Rows of these kernels on `truth`.
local function timed(truth, options)
    local rows = {}
    for i, kernel in ipairs(kernels()) do
        rows[i] = { name = kernel.name, kernel = kernel, time = noisy(kc.best(kernel, truth, nil, options).time) }
    end
    return rows
end

for _, case in ipairs {
    { "a100-sxm4-80gb", "stream", { fitted = { matrix = 0.61, hbm = 0.7 }, launch = { stream = 3.1e-6 } }, 3.1e-6 },
    { "h100-sxm5", "graph", { fitted = { matrix = 0.55, hbm = 0.93 }, launch = { graph = 1.9e-6 } }, 1.9e-6 },
    { "l4", "none", { fitted = { matrix = 0.8, hbm = 0.75, fixed = 6e-6 } }, 6e-6 },
    { "mi300x", "eager", { fitted = { matrix = 0.4, hbm = 0.6 }, launch = { eager = 9e-6 } }, 9e-6 },
} do
    local name, launch, change, seconds = case[1], case[2], case[3], case[4]
    local rows = timed(kc.device(name):with(change), { launch = launch })
    local c, device = kc.calibrate { device = name, rows = rows, launch = launch }
    local found = c.constants
    fact("the matrix constant of " .. name .. " comes back", within(0.02, found.matrix.after, change.fitted.matrix), report(c))
    fact("the HBM constant of " .. name .. " comes back", within(0.02, found.hbm.after, change.fitted.hbm), report(c))
    fact("the launch of " .. name .. " comes back", within(0.02, found.launch.after, seconds), report(c))
    fact("rows of " .. name .. " that were held out are predicted to the noise",
        c.rows_held_out == 6 and c.error_before > 0.05 and c.error_after < 0.02, report(c))
    local r = kc.best(rows[3].kernel, device, nil, { launch = launch })
    fact("the device of " .. name .. " predicts with them", within(0.04, r.time, rows[3].time), kc.str(r.time))
    fact("and says where they come from", device.source.fitted.matrix:find("^fitted to rows of a script: 19 rows, launch = " .. launch))
end

do
    local rows = {}
    for i = 1, 12 do
        local kernel = kc.tile(kc.lib.gemm.plain { m = 256 * i, n = 4096, k = 4096 }, { m = 128, n = 128, k = 64 }, { stages = 3 })
        local truth = kc.device("a100-sxm4-80gb"):with { fitted = { matrix = 0.5 } }
        rows[i] = { name = "tiled", kernel = kernel, time = kc.evaluate(kernel, truth).time }
    end
    local c = kc.calibrate { device = "a100-sxm4-80gb", rows = rows }
    fact("a kernel keeps a schedule of its own", within(0.001, c.constants.matrix.after, 0.5), report(c))
end

-- ---- a plain roofline, by hand -------------------------------------------------------------------------------

-- Of a made-up device: 100 TFLOP/s of f16, 1 TB/s.
local plain = kc.device { name = "plain", matrix = { f16 = 100e12 }, vector = { f32 = 10e12 }, hbm = { bandwidth = 1e12 },
    l2 = { capacity = 32e6 } }

local function roofline(flops, bytes, matrix, hbm, launch)
    return math.max(flops / (100e12 * matrix), bytes / (1e12 * hbm)) + launch
end

do
    local rows = {}
    for i = 1, 8 do
        local flops, bytes = 1e9 * 2 ^ i, 1e6 * 2 ^ i
        rows[#rows + 1] = { name = "compute", flops = flops, bytes = 1e6, time = roofline(flops, 1e6, 0.66, 0.77, 5e-6) }
        rows[#rows + 1] = { name = "memory", flops = 1e6, bytes = bytes, time = roofline(1e6, bytes, 0.66, 0.77, 5e-6) }
    end
    local c = kc.calibrate { device = plain, rows = rows, source = "arithmetic" }
    fact("FLOP, bytes and a launch are a plain roofline", within(1e-3, c.constants.matrix.after, 0.66)
        and within(1e-3, c.constants.hbm.after, 0.77) and within(1e-2, c.constants.launch.after, 5e-6), report(c))
    fact("the answer says what was asked for", c.source == "arithmetic" and c.launch == "stream" and c.device == "plain"
        and c.rows_fitted == 12 and c.rows_held_out == 4, report(c))
    rows[3].time = rows[3].time * 5
    c = kc.calibrate { device = plain, rows = rows }
    fact("one row that is far off does not move them", within(0.01, c.constants.hbm.after, 0.77), report(c))
end

do -- a clock above the stated one, by 10 %
    local rows = {}
    for i = 1, 12 do rows[i] = { name = "boosted", flops = 1e12 * i, time = roofline(1e12 * i, 0, 1.1, 1, 0) } end
    rows[12].time = rows[12].time / 2
    local c = kc.calibrate { device = plain, rows = rows }
    fact("a compute peak that clocks beat is reached, and that is said", c.constants.matrix.after == 1
        and noted(c, "matrix is at the peak: the rows are as fast as the datasheet, or faster"), report(c))
    fact("one that no clock can explain is left out", noted(c, "1 of 12 rows left out (boosted): it beats the compute roof"), report(c))
end

-- Rows of bytes alone.
local function streams(count, each)
    local rows = {}
    for i = 1, count do
        local bytes = each and each(i) or 2e8 * i
        rows[i] = { name = "stream", bytes = bytes, time = noisy(roofline(0, bytes, 1, 0.7, 2e-6)) }
    end
    return rows
end

do
    local c, device = kc.calibrate { device = plain, rows = streams(12) }
    fact("rows of bytes alone leave the matrix constant, and it is said",
        c.constants.matrix.left and c.constants.matrix.after == c.constants.matrix.before
        and noted(c, "matrix is left as it is") and device.fitted.matrix == nil, report(c))
    fact("long rows leave the launch", c.constants.launch.left ~= nil and device.launch == nil, report(c))
    fact("and determine the HBM constant", within(0.02, c.constants.hbm.after, 0.7), report(c))

    c = kc.calibrate { device = plain, rows = streams(12, function() return 1e7 end) }
    fact("rows of one size do not tell HBM from a launch: one of them stays",
        (c.constants.hbm.left ~= nil) ~= (c.constants.launch.left ~= nil)
        and (c.constants.hbm.left or c.constants.launch.left):find("do not tell it from the others", 1, true), report(c))

    local scattered = streams(12)
    for _, row in ipairs(scattered) do row.time = row.time * (1 + 4 * random()) end
    local good, why = pcall(kc.calibrate, { device = plain, rows = scattered })
    fact("rows that scatter by a factor of five determine nothing", not good and why:find("uncertain by", 1, true), why)

    good, why = pcall(kc.calibrate, { device = plain, rows = streams(7) })
    fact("seven rows are too few", not good and why:find("7 of 7 rows have a time and a prediction", 1, true), why)

    local rows = streams(12)
    rows[1].time, rows[5].time, rows[9].time = rows[1].bytes / 1.2e12, 0 / 0, nil
    rows[7].bytes = nil
    c = kc.calibrate { device = plain, rows = rows }
    fact("a row that beats the roof is left out, and said", c.rows_fitted + c.rows_held_out == 8
        and noted(c, "1 of 12 rows left out (stream): it beats the HBM roof"), report(c))
    fact("so are rows without a time, and without anything to be predicted from",
        noted(c, "2 of 12 rows left out (stream, …): it has no time")
        and noted(c, "1 of 12 rows left out (stream): it has no kernel, no FLOP and no bytes"), report(c))

    -- 8 of 12 are at most the 32 MB of the L2.
    good, why = pcall(kc.calibrate, { device = plain, rows = streams(12, function(i) return 4e6 * i end), cache = "warm" })
    fact("warm rows of bytes that L2 holds are left out", not good and why:find("8 of 12 rows left out", 1, true), why)
end

-- ---- the programs of scripts/ceilings -------------------------------------------------------------------------------

-- What they print on a device with these constants; the model's 0.9 of a loop of mma.sync is what matmuls reach.
local function ceilings(d, matrix, hbm, gap)
    local rows, own = {}, 0.9e-6
    local function add(name, time, flops, bytes)
        rows[#rows + 1] = { name = name, time = noisy(time + gap + own), flops = flops, bytes = bytes }
    end
    for _, size in ipairs { 256, 384, 512, 768, 1024 } do
        add("hbm: copy of " .. size .. " MiB", size * 2 ^ 21 / (d.hbm.bandwidth * hbm), 0, size * 2 ^ 21)
        add("hbm: triad of " .. size .. " MiB", 3 * size * 2 ^ 20 / (d.hbm.bandwidth * hbm), size * 2 ^ 19, 3 * size * 2 ^ 20)
    end
    for i = 1, 7 do add("launch: empty with " .. 2 ^ i .. " threads a core", 0, 0, 0) end
    for i = 1, 6 do add("matrix: mma.sync f16 in " .. i .. " steps", 1e11 * i / (d.matrix.f16 * matrix / 0.9), 1e11 * i, 0) end
    for i = 1, 3 do rows[#rows + 1] = { name = "special: exp in " .. i .. " steps", time = 1e-3, flops = 3e9 * i } end
    for i = 1, 3 do rows[#rows + 1] = { name = "l2: read of " .. i .. " KiB", time = 1e-3, bytes = 4e9 } end
    return rows
end

do
    local a100 = kc.device("a100-sxm4-80gb")
    local c = kc.calibrate { device = a100, rows = ceilings(a100, 0.8, 0.85, 2.5e-6) }
    fact("the ceilings of a device with mma.sync give all three constants", within(0.02, c.constants.matrix.after, 0.8)
        and within(0.02, c.constants.hbm.after, 0.85) and within(0.02, c.constants.launch.after, 2.5e-6), report(c))
    fact("and say the rates that are none of them", noted(c, "l2: 4.000 TB/s at best of 3 rows, which is none")
        and noted(c, "special: 9.000 Top/s at best of 3 rows, which is none"), report(c))
    local h100 = kc.device("h100-sxm5")
    c = kc.calibrate { device = h100, rows = ceilings(h100, 0.5, 0.9, 2e-6) }
    fact("mma.sync does not tell what wgmma sustains", c.constants.matrix.left and within(0.02, c.constants.hbm.after, 0.9)
        and noted(c, "matmuls of this device use another instruction than mma.sync"), report(c))
end

-- ---- a device as its file ---------------------------------------------------------------------------------------------

local evaluate_it = loadstring or load -- luacheck: ignore 113
local text_of = require("kcost.internal.device_file").text

-- kc.device of its file, as a host would read it.
local function read_back(text)
    return kc.device(assert(evaluate_it(text))())
end

do
    local different, lost = {}, {}
    local pipe = assert(io.popen("ls devices/*.lua"))
    for path in pipe:lines() do
        local id = path:match("([^/]+)%.lua$")
        if id ~= "defaults" then
            local device = kc.device(id)
            local text = text_of(device, "of a test")
            local again = read_back(text)
            if text_of(again, "of a test") ~= text then different[#different + 1] = id end
            local kernel = kc.lib.stream.copy { n = 2 ^ 20 }
            local a, b = kc.evaluate(kernel, device), kc.evaluate(kernel, again)
            if a.time ~= b.time or a.roof_time ~= b.roof_time then lost[#lost + 1] = id end
        end
    end
    pipe:close()
    fact("the file of each shipped device reads back as itself", #different == 0, table.concat(different, " "))
    fact("and as a device of the same times", #lost == 0, table.concat(lost, " "))
    local text = text_of(kc.device("h100-sxm5"):with { clock = 2e9 }, "one\ntwo")
    fact("the comment stands above", text:find("^%-%- one\n%-%- two\nreturn {\n"))
    fact("and is none of the file's code", text_of(kc.device("h100"), "one\rreturn 1"):find("^%-%- one\n%-%- return 1\nreturn {\n"))
    fact("what a caller set without a source is marked so", text:find('"clock"] = "assumed: of the device', 1, true), text)
end

do
    local names = {}
    for i = 1, 12 do names[i] = { name = "stream", bytes = 2e8 * i, time = 2e8 * i / 1.5e12 } end
    local _, device = kc.calibrate { device = "a100-sxm4-80gb", rows = names, source = "my.csv" }
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(text_of(device, "calibrated"))
    file:close()
    local pipe = assert(io.popen(os.getenv("KCOST") .. " devices --check " .. path .. "; rm " .. path))
    local said = pipe:read("*a")
    pipe:close()
    fact("kcost devices --check finds a calibrated device good", said:find("A100 SXM4 80GB: good", 1, true), said)
    fact("its file names the source", text_of(device, ""):find('["fitted.hbm"] = "fitted to my.csv: 9 rows, launch = stream', 1, true))
end

-- ---- published times ---------------------------------------------------------------------------------------------------

-- Rows of a file of published times that `pick` makes something of.  Under a sanitizer, which is slow, there are none.
local function published(name, pick)
    local folder = os.getenv("VARIANT") ~= "asan" and os.getenv("SHARED") or "/nowhere"
    local file = io.open(folder .. "/measured/" .. name)
    if not file then return nil end
    local rows = {}
    for line in file:lines() do
        local source, device, op, dtype, shape, us, rest = line:match("^([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),(.*)$")
        local function size(key) return tonumber((";" .. shape):match(";" .. key .. "=([%d.]+)")) end
        local row = source ~= "source" and pick(device, op, dtype, size, rest)
        if row then
            row.name, row.time = op .. " " .. shape, tonumber(us) * 1e-6
            rows[#rows + 1] = row
        end
    end
    file:close()
    return rows
end

local function by_datasheet(name)
    return kc.device(name):with { fitted = { matrix = 0, hbm = 0, fixed = 0 } }
end

-- Vidur: f16 matmuls under a profiler.  Every seventh.
for _, case in ipairs { { "a100-sxm4-80gb", "A100%-SXM4%-80GB" }, { "h100-sxm5", "H100%-SXM5%-80GB" } } do
    local count = 0
    local rows = published("vidur.csv", function(device, op, _, size)
        if op ~= "matmul" or not device:find(case[2]) then return nil end
        count = count + 1
        return count % 7 == 0 and { kernel = kc.lib.gemm.plain { m = size "m", n = size "n", k = size "k" } } or nil
    end)
    if rows then
        local c = kc.calibrate { device = by_datasheet(case[1]), rows = rows, launch = "none", source = "Vidur" }
        local shipped = kc.device(case[1]).fitted
        print(report(c))
        fact("published matmuls on " .. case[1] .. " are predicted better by constants fitted to others",
            c.error_after < c.error_before and c.error_after < 0.1, report(c))
        fact("and the matrix constant is near the shipped one, which was fitted to more of them",
            within(0.08, c.constants.matrix.after, shipped.matrix), report(c))
    else
        skipped = skipped + 2
    end
end

-- gpu-benches: y = a x in f64, launches back to back; what fits in L2 is warm.
local small = published("gpu_benches.csv", function(device, op, _, size, notes)
    return device == "A100-SXM4-80GB" and op == "scale_small" and notes:find("mode=stream") and { bytes = 16 * size "n" } or nil
end)
if small then
    local c = kc.calibrate { device = by_datasheet("a100-sxm4-80gb"), rows = small, source = "gpu-benches" }
    print(report(c))
    fact("published streams of an A100 sustain 0.82 to 0.85 of its bandwidth", c.constants.hbm.after > 0.8
        and c.constants.hbm.after < 0.86, report(c))
    fact("its launches take 2.6 us with the kernel's own 0.9", math.abs(c.constants.launch.after - 1.7e-6) < 0.15e-6, report(c))
    fact("and rows that were held out are predicted better", c.error_after < c.error_before and c.error_after < 0.03, report(c))
else
    skipped = skipped + 3
end

print(("%d passed, %d failed, %d skipped"):format(passed, failed, skipped))
os.exit(failed == 0 and 0 or 1)
