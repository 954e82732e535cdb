-- match_spec.lua: kc.match: what was predicted beside what was measured, what is impossible, why it may differ.
local kc = require "kcost"
local match = require "kcost.internal.match"
local failing = require "failing"

local n = 2^24
local device = kc.device("a100-sxm4-80gb")
local peak = device.hbm.bandwidth
local triad = kc.lib.stream.triad { n = n, dtype = "f32" }
local gemm = kc.tile(kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }, { m = 128, n = 128, k = 64 }, { stages = 3 })
local r = kc.evaluate(gemm, device, { launch = "none" })

-- The profile in a text.
local function profile(text)
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    local p = kc.load_profile(path)
    os.remove(path)
    return p
end

-- A wide export of one launch of kernel "k": { title, value }, … in base units.
local function wide(name, figures, grid, block)
    local titles, values = { "Kernel Name", "Grid Size", "Block Size" }, { '"' .. name .. '"', grid or '""', block or '""' }
    for _, figure in ipairs(figures) do
        titles[#titles + 1], values[#values + 1] = figure[1], kc.str(figure[2])
    end
    return profile(table.concat(titles, ",") .. "\n" .. table.concat(values, ",") .. "\n")
end

local function ncu(more, grid, block)
    local figures = { { "gpu__time_duration.sum [s]", more.time }, { "dram__bytes_read.sum [byte]", more.read },
        { "dram__bytes_write.sum [byte]", more.written } }
    for _, figure in ipairs(more) do figures[#figures + 1] = figure end
    return wide("triad_kernel", figures, grid, block)
end

local function row(p, prediction, opts)
    opts = opts or {}
    opts.device = opts.device or device
    return kc.match(p, { triad = prediction or triad }, opts).rows[1]
end

local function has(sentences, part)
    for _, sentence in ipairs(sentences) do
        if sentence:find(part, 1, true) then return true end
    end
    error("no '" .. part .. "' in: " .. table.concat(sentences, " | "), 2)
end

local function lacks(sentences, part)
    for _, sentence in ipairs(sentences) do
        if sentence:find(part, 1, true) then error("'" .. sentence .. "' is said", 2) end
    end
    return true
end

describe("match", function()
    it("puts measured figures beside predicted ones, with residuals", function()
        local time = 12 * n / (0.8 * peak)
        local k = row(ncu { time = time, read = 8 * n, written = 4 * n })
        local alone = kc.evaluate(triad, device, { launch = "none" })
        assert.equal(alone.time, k.time)
        assert.equal(time, k.time_measured)
        assert.equal(12 * n, k.bytes)
        assert.equal(0, k.residual.bytes)
        assert.is_true(math.abs(k.residual.time - (time / alone.time - 1)) < 1e-12)
        assert.equal("hbm", k.roof)
        assert.is_true(math.abs(k.roof_share - 0.8) < 1e-9)
        assert.same({}, k.flags)
    end)

    it("joins by a part of the name, by a pattern, by alternatives; the longest pattern wins", function()
        local names = match.names
        assert.is_true(names("kernel<32>(const", "void gemm_kernel<32>(const float *)"))
        assert.is_true(names("^void .*kernel<%d+>", "void gemm_kernel<32>(const float *)"))
        assert.is_true(names("softmax|gemm_.*32", "void gemm_kernel<32>"))
        assert.is_false(names("softmax|norm", "void gemm_kernel<32>"))
        local m = kc.match(profile("name,time\ngemm_nt,1e-3\ngemm_nt_big,2e-3\nother,1e-3\n"),
            { gemm = triad, gemm_nt_big = gemm, absent = gemm }, { device = device })
        assert.equal("triad", m.rows[1].prediction)
        assert.equal(r.name, m.rows[2].prediction)
        assert.equal("other", m.unmatched[1].name)
        assert.same({ { pattern = "absent", why = "no kernel has such a name" } }, m.missing)
    end)

    it("joins by grid where a name has several predictions", function()
        local small = kc.tile(kc.lib.gemm.plain { m = 2048, n = 2048, k = 4096 }, { m = 128, n = 128, k = 64 })
        local text = 'Kernel Name,Grid Size,gpu__time_duration.sum [us]\n'
            .. 'gemm,"(16, 16, 1)",100\ngemm,"(32, 32, 1)",700\ngemm,"(7, 1, 1)",1\n'
        local m = kc.match(profile(text), { gemm = { gemm, small } }, { device = device })
        assert.equal(256, m.rows[1].ctas)
        assert.equal(1024, m.rows[2].ctas)
        assert.equal(1, #m.unmatched)
        assert.is_true(failing.holds(m.missing[1].why, "no prediction has its CTAs"))
        m = kc.match(profile(text), { gemm, small }, { device = device, by = "grid" })
        assert.equal(256, m.rows[1].ctas)
    end)

    it("joins by order, a mean over the rounds", function()
        local p = profile("name,time\na,1e-3\nb,4e-3\na,3e-3\nb,4e-3\n")
        local m = kc.match(p, { triad, gemm }, { device = device })
        assert.equal(2e-3, m.rows[1].time_measured)
        assert.equal(2, m.rows[1].launches)
        assert.equal(4e-3, m.rows[2].time_measured)
        assert.is_true(failing.holds(failing.message(kc.match, p, { triad, gemm, triad }, { device = device }),
            "the profile has 4 launches, and by order a multiple of the 3 predictions is wanted"))
    end)

    it("takes results as they are, and evaluates kernels without the gap before a launch", function()
        local m = kc.match(profile("name,time\nk,1e-3\n"), { k = kc.evaluate(triad, "h100-sxm5") })
        assert.equal("h100-sxm5", m.rows[1].device)
        m = kc.match(profile("name,time\nk,1e-3\n"), { k = triad }, { device = device, launch = "stream" })
        assert.equal(kc.evaluate(triad, device).time, m.rows[1].time)
    end)

    it("says what is wrong with its arguments", function()
        local p = profile("name,time\nk,1e-3\n")
        local function says(part, ...)
            assert.is_true(failing.holds(failing.message(kc.match, ...), part), part .. ": " .. failing.message(kc.match, ...))
        end
        says("kc.match: profile: expected what kc.load_profile gives, got a number", 3, {})
        says("kc.match: predictions: expected a table", p, 3)
        says("'k': is a kernel: opts.device says on which device", p, { k = triad })
        says("'k': the result has no device", p, { k = kc.count(triad) })
        says("'k': expected a kernel or a result, got a number", p, { k = { 3 } }, { device = device })
        says("means of 2 kernels and no launches, and by order as many predictions are wanted, not 1",
            profile("Calls,AverageNs,Name\n2,1000,a\n2,3000,b\n"), { triad }, { device = device })
        says("'k(' is no pattern of Lua", p, { ["k("] = triad }, { device = device })
        says("divice: no such option", p, {}, { divice = "h100" })
        says("by: is 'size'", p, {}, { by = "size" })
        says("either by name, or in a list", p, { triad, k = triad }, { device = device })
        says("a key is a boolean", p, { [true] = triad }, { device = device })
        says("'k': the list of predictions is empty", p, { k = {} }, { device = device })
        says("'gemm|': an empty pattern would name every kernel", p, { ["gemm|"] = {} }, { device = device })
    end)
end)

describe("impossible values", function()
    it("are flagged, and never clipped", function()
        local k = row(ncu { time = 12 * n / (1.5 * peak), read = 8 * n, written = 4 * n, { "lts__t_sector_hit_rate.pct [%]", 103 } })
        has(k.flags, "150.0 % of the HBM peak")
        has(k.flags, "beats the roof of")
        has(k.flags, "l2_hit_rate_measured is 103.0 %, above 100 %")
        assert.is_true(math.abs(k.roof_share - 1.5) < 1e-9)
        assert.equal(1.03, k.l2_hit_rate_measured)
    end)

    it("are flagged without a prediction too, where there is a device", function()
        local m = kc.match(profile("name,time,bytes\nk,1e-3,1e10\n"), {}, { device = device })
        has(m.unmatched[1].flags, "of the HBM peak")
        assert.same({}, kc.match(profile("name,time,bytes\nk,1e-3,1e10\n"), {}).unmatched[1].flags)
    end)

    it("of a prediction that is not the kernel's are its fault", function()
        local k = kc.match(profile("name,time\ngemm,1e-5\n"), { gemm = gemm }, { device = device }).rows[1]
        has(k.causes, "another tile or other sizes: the predicted work of the ")
        assert.is_true(failing.holds(table.concat(k.flags, "|"), "beats the roof of"))
    end)
end)

describe("likely causes", function()
    local time = 12 * n / (0.8 * peak)
    local small = kc.lib.stream.triad { n = 2^20, dtype = "f32" }

    it("L2-resident: inputs that are not read", function()
        local k = row(ncu { time = time, read = 2^22, written = 2^22 }, small)
        has(k.causes, "L2-resident: HBM reads 4.194 MB of the 8.389 MB of its inputs")
        lacks(k.causes, "dirty")
    end)

    it("dirty lines: outputs that are not written yet", function()
        local k = row(ncu { time = time, read = 8 * n, written = 4 * n - 2^24 })
        has(k.causes, "dirty lines: 16.78 MB of the 67.11 MB that it writes")
        lacks(k.causes, "L2-resident")
    end)

    it("other sizes: less traffic than the caches can hide", function()
        has(row(ncu { time = time, read = 2^20, written = 4 * n }).causes, "other sizes: HBM reads")
    end)

    it("clocks above and below the listed one", function()
        local function clock(hertz)
            return row(ncu { time = time, read = 8 * n, written = 4 * n, { "smsp__cycles_elapsed.avg.per_second [hz]", hertz } }).causes
        end
        has(clock(1.1 * device.clock), "boost clock: it ran at ")
        has(clock(0.7 * device.clock), "lowered clock: it ran at ")
        lacks(clock(device.clock), "clock")
    end)

    it("a boost clock or a sparse peak where a matmul is above its peak", function()
        local p = profile("Kernel Name,gpu__time_duration.sum [s],sm__ops_path_tensor_src_fp16_dst_fp32.sum\ngemm,"
            .. kc.str(2 * 4096^3 / (1.2 * 312e12)) .. "," .. kc.str(2 * 4096^3) .. "\n")
        local k = kc.match(p, { gemm = gemm }, { device = device }).rows[1]
        has(k.flags, "120.0 % of the matrix peak")
        has(k.causes, "boost clock: the peak stands on ")
        has(k.causes, "sparse peak: 2:4 sparsity")
    end)

    it("uncoalesced accesses: sectors a request", function()
        local k = row(ncu { time = time, read = 8 * n, written = 4 * n, { "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", n },
            { "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", n / 32 }, { "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", n / 4 },
            { "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", n / 16 } })
        has(k.causes, "uncoalesced stores: 32 sectors of 32 B a request, 8 times the bytes that are wanted")
        lacks(k.causes, "uncoalesced loads")
    end)

    it("spills, bank conflicts, divergence", function()
        local k = row(ncu { time = time, read = 8 * n, written = 4 * n, { "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 1000 },
            { "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 1000 }, { "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 1000 },
            { "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 500 }, { "smsp__thread_inst_executed_per_inst_executed.ratio", 8 } })
        has(k.causes, "register spills: 64.00 kB of local memory")
        has(k.causes, "bank conflicts: 50 % of the cycles")
        has(k.causes, "divergence: 8 of 32 lanes")
    end)

    it("a tail wave, too few CTAs, another grid", function()
        local function launched(grid)
            return kc.match(wide("gemm", { { "gpu__time_duration.sum [s]", 1e-3 } }, grid, '"(128, 1, 1)"'), { gemm = gemm },
                { device = device }).rows[1].causes
        end
        lacks(launched('"(1024, 1, 1)"'), "another tile")
        has(launched('"(217, 1, 1)"'), "another tile: it launched 217 CTAs, and the predicted schedule has 1024")
        has(launched('"(' .. kc.str(108 * r.occupancy + 1) .. ', 1, 1)"'), "tail wave: ")
        has(launched('"(40, 1, 1)"'), "too few CTAs: 40 of the 108 cores have one")
    end)

    it("launch gaps", function()
        has(row(ncu { time = 2e-6, read = 100, written = 100 }, kc.lib.stream.triad { n = 64 }).causes, "launch gaps: ")
        local m = kc.match(kc.load_profile("tests/data/profiles/pytorch.json"), {}, { device = device })
        has(m.notes, "launch gaps: in 25 % of the time between the launches no kernel ran")
    end)

    it("other work, more traffic, matrix work that was not counted", function()
        local function of(vector, read)
            local figures = { { "gpu__time_duration.sum [s]", 1e-3 }, { "dram__bytes_read.sum [byte]", read },
                { "dram__bytes_write.sum [byte]", 2^25 } }
            for _, op in ipairs { "fadd", "fmul", "ffma" } do
                figures[#figures + 1] = { "smsp__sass_thread_inst_executed_op_" .. op .. "_pred_on.sum", vector }
            end
            return kc.match(wide("gemm", figures), { gemm = gemm }, { device = device }).rows[1]
        end
        local k = of(100, 2^30)
        has(k.causes, "matrix work is invisible")
        has(k.causes, "more HBM traffic: ")
        k = row(wide("triad", { { "gpu__time_duration.sum [s]", time }, { "flops", 3 * 2 * n } }))
        has(k.causes, "other work: it does 3 times the FLOP")
    end)
end)

describe("a match", function()
    local p = kc.load_profile("tests/data/profiles/plain.csv")
    local m = kc.match(p, { gemm = gemm, triad = kc.lib.stream.triad { n = 125e6 } }, { device = device })

    it("is a table for people", function()
        assert.is_true(failing.holds(tostring(m), "triad, 1 launch, beside triad on a100-sxm4-80gb", "predicted", "measured", "residual",
            "time", "HBM", "% of the HBM roof", "without a prediction", "copy"))
    end)

    it("has a row of CSV a kernel", function()
        local csv = match.csv(m)
        local _, lines = csv:gsub("\n", "")
        assert.equal(1 + 3, lines)
        assert.is_true(failing.holds(csv, "name,prediction,device,grid,launches,time,time_measured,residual.time", '\n"gemm, 4096",'))
    end)

    it("is drawn: a dot for what was predicted, a ring for what was measured, an arrow between", function()
        local plot = kc.plot.roofline { m }
        local marks = {}
        for _, series in ipairs(plot.series) do marks[series.mark] = series end
        local ring = marks.ring.points
        assert.equal(2, #ring)
        for i, k in ipairs(m.rows) do
            assert.is_true(math.abs(ring[i].x - k.flops_measured / k.bytes_measured) < 1e-9 * ring[i].x)
            assert.is_true(math.abs(ring[i].y - k.flops_measured / k.time_measured) < 1e-9 * ring[i].y)
        end
        assert.equal(ring[2].x, marks.arrow.points[2].x)
        local copy = kc.match(p, { copy = kc.lib.stream.copy { n = 125e6 } }, { device = device })
        local bars = kc.plot.bandwidth { copy }
        assert.same({ "copy", "copy measured" }, bars.y.names)
        assert.equal("bandwidth", match.plots(copy)[1].plot)
        assert.equal("roofline", match.plots(m)[1].plot)
        assert.same({}, match.plots(kc.match(p, {}, { device = device })))
    end)
end)

describe("a profile made by hand", function()
    local kernel = { name = "triad", launches = 1, time_measured = 1e-3, grid = { 64, 1, 1 }, flags = { "odd" },
        work_measured = { vector = { f32 = 1e9 } } }

    local function made(kernels, field, value)
        local p = { kind = "profile", source = "by hand", form = "plain", kernels = kernels, launches = {}, notes = {}, launch_count = 1,
            rows = 1 }
        if field then p[field] = value end
        return p
    end

    local function changed(field, value)
        local copy = {}
        for name, x in pairs(kernel) do copy[name] = x end
        copy[field] = value
        return made { copy }
    end

    it("is matched where it has what kc.load_profile gives", function()
        local m = kc.match(made { kernel }, { triad = triad }, { device = device })
        assert.equal(1e-3, m.rows[1].time_measured)
        assert.truthy(tostring(m):find("triad 64x1x1", 1, true))
    end)

    it("is an error of the call, at the user's line, whatever is broken in it", function()
        local other = setmetatable({}, { __index = function(_, name) return name end })
        for _, v in ipairs { -1, 0 / 0, 1 / 0, 1e300, 1e-300, "x", {}, { {} }, true, print, r, other } do
            local broken = { { kind = "profile" }, made(v), made { v }, changed("work_measured", { vector = v }),
                changed("work_measured", { vector = { f64 = v } }) }
            for _, field in ipairs { "source", "form", "launches", "notes", "launch_count", "rows" } do
                broken[#broken + 1] = made({ kernel }, field, v)
            end
            for _, field in ipairs { "name", "launches", "grid", "block", "flags", "causes", "residual", "time_measured",
                "bytes_measured", "ctas_measured", "clock_measured", "work_measured" } do
                broken[#broken + 1] = changed(field, v)
            end
            for _, p in ipairs(broken) do
                for _, f in ipairs {
                    function() return tostring(kc.match(p, { triad = triad }, { device = device })) end,
                    function() return kc.calibrate { device = device, profile = p } end,
                    function() return kc.calibrate { device = device, profile = p, kernels = { triad = triad } } end,
                } do
                    local good, message = pcall(f)
                    assert.is_true(good or message:find("match_spec%.lua:%d+: kc%.%l+: ") ~= nil, message)
                end
            end
        end
    end)

    it("keeps what else a kernel has out of the rows", function()
        assert.same({}, kc.match(changed("causes", 7), {}).unmatched[1].causes)
    end)
end)
