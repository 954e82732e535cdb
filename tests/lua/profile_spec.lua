-- profile_spec.lua: kc.load_profile: every form, with the arithmetic written out; mutated copies; what is refused.
local kc = require "kcost"
local failing = require "failing"

local samples = (os.getenv("SHARED") or "../shared") .. "/reference/profiles/"
local own = "tests/data/profiles/"

local function slurp(path)
    local file = io.open(path, "rb")
    if not file then return nil end
    local text = file:read("*a")
    file:close()
    return text
end

-- What load_profile makes of a text; of a failure its message.
local function loaded(text, opts)
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    local good, p = pcall(kc.load_profile, path, opts)
    os.remove(path)
    return good and p or (tostring(p):gsub("^.-: kc", "kc"):gsub(path, "FILE", 1))
end

-- A list of published exports; without the shared folder these facts are not looked at.
local function sample(name, use)
    if slurp(samples .. name) then use(kc.load_profile(samples .. name)) else print("skipped: " .. name) end
end

local function close(want, got, what)
    assert(got and math.abs(got - want) <= 1e-12 * math.abs(want), (what or "") .. ": " .. tostring(got) .. " is not " .. want)
end

-- ---- published exports -------------------------------------------------------------------------------------

describe("published exports", function()
    it("a saxpy: 12 bytes an element at L1", function()
        sample("launch_saxpy_rtx5070_sm120.csv", function(p)
            assert.equal("ncu details", p.form)
            assert.equal(1, #p.kernels)
            local k = p.kernels[1]
            assert.equal("unnamed>::saxpy_kernel(float, const float *, float *, int)", k.name)
            assert.same({ 65536, 1, 1 }, k.grid)
            assert.same({ 256, 1, 1 }, k.block)
            local n = 65536 * 256
            close(292928e-9, k.time_measured)                             -- "292,928" ns
            close(134221568, k.bytes_read_measured)                       -- dram__bytes_op_read.sum
            close(43631104, k.bytes_written_measured)
            close(134221568 + 43631104, k.bytes_measured)
            close(4194304 * 32, k.l1_bytes_read_measured)                 -- sectors of 32 B
            close(2097152 * 32, k.l1_bytes_written_measured)
            close(12 * n, k.l1_bytes_measured)                            -- two reads and a write of 4 B an element
            close(4194304 / 1048576, k.sectors_per_load_measured)
            close(2097152 / 524288, k.sectors_per_store_measured)
            close(0.8382, k.occupancy_measured)
            close(0.3326, k.l2_hit_rate_measured)
            assert.equal(0, k.bank_conflicts_measured)
            assert.is_true(failing.holds(table.concat(p.notes, "\n"), "no counter of the matrix unit"))
        end)
    end)

    it("a tiled gemm: what it asks of L2 is the design's rule", function()
        sample("launch_gemm_tiled_rtx5070_sm120.csv", function(p)
            local k = p.kernels[1]
            close(10195552e-9, k.time_measured)
            close(67108864 * 32, k.l1_bytes_read_measured)
            -- 2048^3 in tiles of 32: A and B each read 2048 / 32 times, 4 B an element
            close(2 * 64 * 2048 * 2048 * 4, k.l1_bytes_read_measured)
            close(2048 * 2048 * 4, k.l1_bytes_written_measured)
            assert.equal(4695342, k.bank_conflicts_measured)
            assert.equal(4096, k.ctas_measured)
        end)
    end)

    it("a naive transpose: eight times the stores", function()
        sample("launch_transpose_naive_rtx5070_sm120.csv", function(p)
            local k = p.kernels[1]
            close(163072e-9, k.time_measured)
            close(4194304 * 32, k.l1_bytes_written_measured)
            close(8 * 2048 * 2048 * 4, k.l1_bytes_written_measured)
            close(2048 * 2048 * 4, k.l1_bytes_read_measured)
            close(32, k.sectors_per_store_measured)
            close(4, k.sectors_per_load_measured)
        end)
    end)

    it("the wide form: a row of units with empty cells, bytes out of a rate", function()
        sample("raw_wide_gemm_splitk.csv", function(p)
            assert.equal("ncu raw", p.form)
            local a, b = p.kernels[1], p.kernels[2]
            assert.equal("gemm_kernel_a", a.name)
            close(0.244544e-3, a.time_measured)
            close(477.246e9 * 0.244544e-3, a.bytes_measured)              -- Gbyte/s and ms
            close(0.55515539, a.matrix_share_measured)
            assert.equal(158, a.registers_measured)
            close(158 * 128 * 4, a.register_bytes_measured)
            close(4096, a.smem_measured)                                  -- 4.096 Kbyte static, 0 byte dynamic
            assert.equal(64 * 18, a.ctas_measured)
            close(3.2e-6, b.time_measured)
            close(0.5028e9 * 3.2e-6, b.bytes_measured)
            assert.same({}, p.unused)
            assert.same({}, p.notes)
        end)
    end)

    it("summaries: means, least and most, and how many", function()
        sample("summary_time_two_kernels_a100.csv", function(p)
            assert.equal("ncu summary", p.form)
            local b = p.kernels[1]
            assert.equal("kernel_B", b.name)
            assert.equal(100, b.launches)
            close(93188.16e-9, b.time_measured)
            close(90016e-9, b.time_min_measured)
            close(95136e-9, b.time_max_measured)
            assert.same({}, p.launches)
            assert.equal(200, p.launch_count)
        end)
        sample("summary_two_kernels_a100.csv", function(p)
            local b, a = p.kernels[1], p.kernels[2]
            close(402339.36 * 32, b.bytes_read_measured)
            assert.equal(0, b.bytes_written_measured)
            close((563533.63 + 0) * 32, b.l2_bytes_read_measured)         -- reads and atomics
            close((127.02 + 2706852) * 32, b.l2_bytes_written_measured)   -- writes and reductions
            close((83411.23 + 82944) * 128, b.smem_bytes_measured)        -- wavefronts of 128 B
            close(375000 * 32, b.l1_bytes_read_measured)
            close(806261.76 * 32, a.bytes_read_measured)
            close(15106.6 * 32, a.bytes_written_measured)
            assert.same({ { what = "smsp__inst_executed_op_global_ld.sum", why = "a metric that is not known", rows = 2 } }, p.unused)
        end)
    end)
end)

-- ---- the other forms ---------------------------------------------------------------------------------------------

describe("exports of every form", function()
    it("details of Nsight Compute: units a row, rules, n/a, one kernel twice", function()
        local p = kc.load_profile(own .. "ncu_details.csv")
        local k = p.kernels[1]
        assert.equal("void gemm<float, 128>(const float *, float *)", k.name)
        assert.equal(2, k.launches)
        close(500e-6, p.launches[1].time_measured)
        close(0.7e-3, p.launches[2].time_measured)
        close(600e-6, k.time_measured)
        close(1.41e9, k.clock_measured)
        close(400e9 * 500e-6, k.bytes_measured)
        close(16380, k.smem_measured)
        assert.same({ "l2_hit_rate_measured is 104.2 %, above 100 %" }, k.flags)
        close(1.042, k.l2_hit_rate_measured)                              -- flagged, and left as it is
        local why = {}
        for _, u in ipairs(p.unused) do why[u.what] = u.why .. " " .. kc.str(u.rows) end
        assert.same({ chatter = "lines that are no rows 3", rules = "rows without a metric 1", ["Max Bandwidth"] = "no value 1",
            ["Memory Throughput"] = "a unit of another kind 1" }, why)
    end)

    it("nvprof: a trace, a summary, metrics", function()
        local p = kc.load_profile(own .. "nvprof_trace.csv")
        assert.equal("nvprof trace", p.form)
        assert.same({ 4, 2, 1 }, p.kernels[1].grid)
        close(60e-6, p.kernels[1].time_measured)
        close(4096 + 512, p.kernels[1].smem_measured)                     -- nvprof's KB is 1024 byte
        close(300.1e-3, p.launches[1].start_measured)
        assert.is_true(math.abs(50 / 170 - p.idle_measured) < 1e-9)       -- 100 us apart, the first takes 50, the second 70
        p = kc.load_profile(own .. "nvprof_summary.csv")
        assert.equal(1, #p.kernels)
        assert.equal(10, p.kernels[1].launches)
        close(60e-6, p.kernels[1].time_measured)
        close(50e-6, p.kernels[1].time_min_measured)
        close(70e-6, p.kernels[1].time_max_measured)
        p = kc.load_profile(own .. "nvprof_metrics.csv")
        close(2e6, p.kernels[1].flops_measured)
        close(100000 * 32, p.kernels[1].bytes_read_measured)
        close(50000 * 32, p.kernels[1].bytes_written_measured)
        close(0.75, p.kernels[1].occupancy_measured)
    end)

    it("Nsight Systems: units in the titles", function()
        local p = kc.load_profile(own .. "nsys_summary.csv")
        assert.equal("nsys summary", p.form)
        close(5783718.2e-9, p.kernels[1].time_measured)
        close(5777126e-9, p.kernels[1].time_min_measured)
        assert.equal(5, p.kernels[1].launches)
        p = kc.load_profile(own .. "nsys_trace.csv")
        assert.equal("nsys trace", p.form)
        close(5e-6, p.kernels[1].time_measured)
        assert.same({ 64, 2, 1 }, p.kernels[1].grid)
        close(2000, p.kernels[1].smem_measured)
        close(32 * 128 * 4, p.kernels[1].register_bytes_measured)
        assert.is_true(math.abs(4 / 14 - p.idle_measured) < 1e-9)         -- 1010 to 1014, of 1004 to 1018 us
    end)

    it("ROCm: work-items become work-groups, requests become bytes, MOPS become FLOP", function()
        local p = kc.load_profile(own .. "rocprofv3_trace.csv")
        assert.same({ 1024 / 64, 1024, 1 }, p.kernels[1].grid)
        close((1551874061255734 - 1551874061244694) * 1e-9, p.launches[1].time_measured)
        close(1024, p.kernels[1].smem_measured)
        p = kc.load_profile(own .. "rocprofv3_counters.csv")
        assert.equal(2, #p.launches)
        close(20e-6, p.launches[1].time_measured)
        close(300 * 128 + (1000 - 300 - 100) * 64 + 100 * 32, p.launches[1].bytes_read_measured)
        close(512 * 2000, p.launches[1].work_measured.matrix.f16)
        close(512 * 2000, p.launches[1].matrix_flops_measured)
        assert.same({}, p.notes[2] and { p.notes[2] } or {})
        assert.same({ 64, 1, 1 }, p.kernels[1].grid)
        p = kc.load_profile(own .. "rocprofv3_stats.csv")
        close(20e-6, p.kernels[1].time_measured)
        close(18e-6, p.kernels[1].time_min_measured)
        assert.equal(4, p.kernels[1].launches)
        p = kc.load_profile(own .. "rocprof_compute.csv")
        close(200 * 32 + 800 * 64, p.kernels[1].bytes_read_measured)
        close(700 * 64 + 100 * 32, p.kernels[1].bytes_written_measured)
        close(64 * (10 + 20 + 2 * 30), p.kernels[1].work_measured.vector.f32)
    end)

    it("PyTorch: kernels of a trace, other events counted", function()
        local p = kc.load_profile(own .. "pytorch.json")
        assert.equal("chrome trace", p.form)
        assert.equal('void cutlass::Kernel2<cutlass_80_tensorop_bf16_"s16816">(Params)', p.kernels[1].name)
        assert.same({ 800, 1, 1 }, p.kernels[1].grid)
        assert.same({ 512, 1, 1 }, p.kernels[1].block)
        close(258.5e-6, p.kernels[1].time_measured)
        close(49152, p.kernels[1].smem_measured)
        close(40 * 512 * 4, p.kernels[1].register_bytes_measured)
        close(1, p.kernels[1].occupancy_measured)
        close(0.48, p.kernels[2].occupancy_measured)
        assert.is_true(math.abs(100 / 400 - p.idle_measured) < 1e-9)      -- 1268.75 to 1368.75, of 1010.25 to 1410.25
        assert.equal(3, #p.unused)
    end)

    it("times by hand: name,time[,flops][,bytes], with units", function()
        local p = kc.load_profile(own .. "plain.csv")
        assert.equal("plain", p.form)
        close(1.5e-3, p.kernels[1].time_measured)
        assert.equal(2, p.kernels[1].launches)
        close(200e-6, p.launches[4].time_measured)
        close(137438953472, p.launches[4].flops_measured)
        assert.equal("gemm, 4096", p.launches[4].name)
        close(2e-3, loaded("bytes;time_ms;name\n10;2;a\n").kernels[1].time_measured)
        close(2.5e-6, loaded("name\ttime [us]\na\t2.5\n").kernels[1].time_measured)
        close(1e-3, loaded("name,time\nvoid f(int, float),1e-3\n").kernels[1].time_measured) -- commas of a name without quotes
        assert.equal("void f(int, float)", loaded("name,time\nvoid f(int, float),1e-3\n").kernels[1].name)
    end)

    it("FLOP out of instructions, by unit and dtype", function()
        local function op(name) return '"smsp__sass_thread_inst_executed_op_' .. name .. '_pred_on.sum",' end
        local p = loaded('"Kernel Name",' .. op "fadd" .. op "fmul" .. op "ffma" .. '"sm__inst_executed_pipe_tensor_op_hmma.sum","CC"' .. [[

"","inst","inst","inst","inst",""
"k","10","20","30","5","8.0"
]])
        close(10 + 20 + 2 * 30, p.kernels[1].work_measured.vector.f32)
        close(5 * 16 * 8 * 16 * 2, p.kernels[1].work_measured.matrix.f16)
        close(90 + 20480, p.kernels[1].flops_measured)
        assert.is_true(failing.holds(p.notes[1], "m16n8k16"))
        p = loaded("Kernel Name,sm__ops_path_tensor_src_bf16_dst_fp32.sum [Minst],gpu__time_duration.sum [us]\nk,2,3\n")
        close(2e6, p.kernels[1].work_measured.matrix.bf16)
        close(3e-6, p.kernels[1].time_measured)
        p = loaded([[
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","k","smsp__sass_thread_inst_executed_op_hadd_pred_on.sum.per_cycle_elapsed","inst/cycle","1"
"0","k","smsp__sass_thread_inst_executed_op_hmul_pred_on.sum.per_cycle_elapsed","inst/cycle","2"
"0","k","smsp__sass_thread_inst_executed_op_hfma_pred_on.sum.per_cycle_elapsed","inst/cycle","3"
"0","k","smsp__cycles_elapsed.avg.per_second","cycle/nsecond","1.5"
"0","k","gpu__time_duration.sum","us","2"
]])
        close((2 * 1 + 2 * 2 + 4 * 3) * 1.5e9 * 2e-6, p.kernels[1].work_measured.vector.f16) -- two halves an instruction
    end)
end)

-- ---- mutated copies ------------------------------------------------------------------------------------------------

-- The cells of a CSV, as lists, with the lines before its header; and back.
local function cells_of(text)
    local head, rows = {}, {}
    for line in text:gsub("\r", ""):gmatch("[^\n]+") do
        if #rows == 0 and not line:find("Kernel Name", 1, true) then
            head[#head + 1] = line
        else
            local row, at = {}, 1
            while at <= #line + 1 do
                if line:sub(at, at) == '"' then
                    local last = at
                    repeat last = line:find('"', last + 1, true) + 1 until line:sub(last, last) ~= '"'
                    row[#row + 1], at = (line:sub(at + 1, last - 2):gsub('""', "'")), last + 1
                else
                    local cell, last = line:match("^([^,]*)()", at)
                    row[#row + 1], at = cell, last + 1
                end
            end
            rows[#rows + 1] = row
        end
    end
    return head, rows
end

local function text_of(head, rows, separator, quote, ending)
    local lines = {}
    for _, line in ipairs(head) do lines[#lines + 1] = line end
    for _, row in ipairs(rows) do
        local cells = {}
        for i, cell in ipairs(row) do cells[i] = quote .. cell .. quote end
        lines[#lines + 1] = table.concat(cells, separator)
    end
    return table.concat(lines, ending) .. ending
end

local function permuted(rows, order)
    local new = {}
    for r, row in ipairs(rows) do
        new[r] = {}
        for i = 1, #row do new[r][i] = row[order(i, #row)] end
    end
    return new
end

local function without(rows, title)
    local at
    for i, cell in ipairs(rows[1]) do at = cell == title and i or at end
    local new = {}
    for r, row in ipairs(rows) do
        new[r] = {}
        for i, cell in ipairs(row) do if i ~= at then new[r][#new[r] + 1] = cell end end
    end
    return new
end

-- 1,234.5 becomes 1.234,5
local function in_german(cell)
    if not cell:find("^[%d.,]+$") then return cell end
    return (cell:gsub("[.,]", { ["."] = ",", [","] = "." }))
end

local function utf16(text)
    return "\255\254" .. (text:gsub("[^\128-\255]", "%0\0"):gsub("[\128-\255]+", ""))
end

describe("mutated copies", function()
    local names = { "ncu_details.csv", "nvprof_metrics.csv" }
    local texts = {}
    for i, name in ipairs(names) do texts[i] = slurp(own .. name) end
    for _, name in ipairs { "launch_saxpy_rtx5070_sm120.csv", "raw_wide_gemm_splitk.csv", "summary_two_kernels_a100.csv" } do
        local text = slurp(samples .. name)
        if text then
            names[#names + 1], texts[#texts + 1] = name, (text:gsub("^\239\187\191", ""))
        end
    end
    local count = 0

    -- The kernels of a copy are those of the text.
    local function same(name, text, want)
        count = count + 1
        local p = loaded(text)
        assert(type(p) == "table", name .. ": " .. tostring(p))
        assert.same(want.kernels, p.kernels, name)
    end

    -- It is read, or refused in one line.
    local function answered(text)
        count = count + 1
        local p = loaded(text)
        assert(type(p) == "table" or (p:find("^kc%.load_profile: FILE: ") and not p:find("\n")), tostring(p))
        return p
    end

    it("have the same figures in another order, with other line ends, separators, encodings", function()
        for i, text in ipairs(texts) do
            local name, want = names[i], loaded(text)
            local head, rows = cells_of(text)
            assert(type(want) == "table", tostring(want))
            same(name .. " reversed", text_of(head, permuted(rows, function(c, n) return n + 1 - c end), ",", '"', "\n"), want)
            same(name .. " rotated", text_of(head, permuted(rows, function(c, n) return c % n + 1 end), ",", '"', "\n"), want)
            same(name .. " CRLF", (text:gsub("\r?\n", "\r\n")), want)
            same(name .. " CR", (text:gsub("\r?\n", "\r")), want)
            same(name .. " BOM", "\239\187\191" .. text, want)
            same(name .. " UTF-16", utf16(text), want)
            same(name .. " tabs", text_of(head, rows, "\t", "", "\n"), want)
            same(name .. " blank lines", (text:gsub("\n", "\n\n")), want)
            local german = {}
            for r, row in ipairs(rows) do
                german[r] = {}
                for c, cell in ipairs(row) do german[r][c] = rows[1][c] == "CC" and cell or in_german(cell) end
            end
            same(name .. " semicolons and decimal commas", text_of(head, german, ";", '"', "\n"), want)
            same(name .. " semicolons", text_of(head, rows, ";", '"', "\n"), want)
        end
    end)

    it("lack what their missing columns said, and no more", function()
        local text = texts[1]
        local head, rows = cells_of(text)
        local p = answered(text_of(head, without(rows, "Metric Unit"), ",", '"', "\n"))
        assert.is_nil(p.kernels[1].time_measured)                         -- of 500 it can't be said whether they are us
        assert.equal(128, p.kernels[1].registers_measured)
        local said = {}
        for _, u in ipairs(p.unused) do said[u.what] = u.why end
        assert.equal("the export does not say its unit", said.Duration)
        p = answered(text_of(head, without(rows, "Grid Size"), ",", '"', "\n"))
        assert.is_nil(p.kernels[1].grid)
        close(600e-6, p.kernels[1].time_measured)
        p = answered(text_of(head, without(rows, "ID"), ",", '"', "\n"))
        assert.equal(2, p.kernels[1].launches)                            -- a metric that comes again begins the next launch
        p = answered(text_of(head, without(rows, "Kernel Name"), ",", '"', "\n"))
        assert.is_true(failing.holds(p, "looks like a header, but has no column with kernel names"))
        p = answered(text_of(head, without(rows, "Metric Value"), ",", '"', "\n"))
        assert.is_true(failing.holds(p, "no column with a metric that is known"))
    end)

    it("that are cut off, empty or binary are read to there, or refused in one line", function()
        local text = texts[1]
        local p = answered(text:sub(1, -40))
        assert.is_true(failing.holds(p.notes[1], "cut off"))
        answered(text:sub(1, math.floor(#text / 2)))
        answered(text:sub(1, 300))
        assert.equal("kc.load_profile: FILE: it is empty", answered(""))
        assert.is_true(failing.holds(answered("\127ELF\0\1\2" .. text), "it is binary"))
        answered(text:rep(3))                                             -- tables one after another
        answered(text:gsub('"', ""))
        answered(text:gsub('"', "'"))
        answered((text:gsub(",", ", ")))
        answered((text:gsub("500", "-500")))
        answered((text:gsub("500", "nan")))
        answered((text:gsub("500", "1e999")))
        answered((text:gsub("us", "fortnights")))
        answered((text:gsub("\n", " ")))
    end)

    it("are at least forty", function()
        assert.is_true(count >= 40, tostring(count))
    end)
end)

-- ---- what is said ----------------------------------------------------------------------------------------------------

describe("load_profile", function()
    it("flags what can't be, and clips nothing", function()
        local p = loaded("name,time,bytes\na,-1,5\nb,0,5\n")
        assert.same({ "time_measured is below 0" }, p.kernels[1].flags)
        assert.equal(-1, p.kernels[1].time_measured)
        assert.same({ "time_measured is 0" }, p.kernels[2].flags)
    end)

    it("keeps as many launches as it is told", function()
        local text = slurp(own .. "plain.csv")
        assert.equal(2, #loaded(text, { launches = 2 }).launches)
        assert.equal(4, loaded(text, { launches = 2 }).launch_count)
        assert.equal(0, #loaded(text, { launches = 0 }).launches)
    end)

    it("says what is wrong with its arguments", function()
        assert.equal("kc.load_profile: cannot read /nowhere/x.csv", failing.message(kc.load_profile, "/nowhere/x.csv"))
        assert.is_true(failing.holds(failing.message(kc.load_profile), "path is nothing, and a string is wanted"))
        assert.equal("kc.load_profile: lunches: no such option; there is launches",
            failing.message(kc.load_profile, own .. "plain.csv", { lunches = 1 }))
        assert.is_true(failing.holds(failing.message(kc.load_profile, own .. "plain.csv", { launches = 1.5 }), "launches", "1.5"))
        assert.is_true(failing.holds(failing.message(kc.load_profile, own .. "plain.csv", 3), "opts: expected a table"))
    end)

    it("prints as a table, and its names without their arguments", function()
        local text = tostring(kc.load_profile(own .. "nvprof_trace.csv"))
        assert.is_true(failing.holds(text, "nvprof trace, 2 launches of 1 kernel", "add", "4x2x1", "60.00 µs", "not used: "))
        local short = require("kcost.internal.profile").short
        assert.equal("at::native::kernel<4, f(int)>", short("void at::native::kernel<4, f(int)>(int, char)", 60))
        assert.equal("(anonymous namespace)::k", short("(anonymous namespace)::k(int)", 60))
        assert.equal("abcdefghi…", short("abcdefghijklmnop", 10))
        assert.equal("gemm", short("gemm", 10))
    end)
end)
