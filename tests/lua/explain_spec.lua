-- explain_spec.lua: r:explain(), r:sensitivity(), measured times, kc.occupancy.
local kc = require "kcost"
local failing = require "failing"

local size = { m = 4096, n = 4096, k = 4096 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local D = kc.write("D", kc.map("relu", kc.read(C)))
local tiled = kc.tile(C, { m = 64, n = 64, k = 64 })

describe("an explanation", function()
    it("says the time, the roof, the bytes and what would help", function()
        local text = kc.evaluate(tiled, "h100-sxm5"):explain()
        assert.is_true(failing.holds(text, "C on h100-sxm5 takes", "binds", "Where the time goes",
            "What the bytes are for", "A: ", "compulsory", "What would help", "less: tile ", "1 % more "))
    end)

    it("says the schedule, what a CTA takes and what keeps more from fitting", function()
        local text = kc.evaluate(tiled, "h100-sxm5"):explain()
        assert.is_true(failing.holds(text, "Its schedule: tile m=64 k=64 n=64, grid m n, order k, stages 2, warps 4",
            "A CTA takes 32.8 kB of shared memory and 16.4 kB of registers; 6 CTAs of 4 warps fit a core: bound by shared memory."), text)
        assert.is_true(failing.holds(kc.count(tiled):explain(), "\nIts schedule: tile m=64", "A CTA takes 32.8 kB"))
        assert.is_false(failing.holds(kc.evaluate(C, "h100-sxm5"):explain(), "Its schedule"))
    end)

    it("of a count has no time", function()
        assert.is_true(failing.holds(kc.count(tiled):explain(), "no time", "reloaded"))
    end)

    it("of a program names its kernels and what to fuse", function()
        local r = kc.evaluate(kc.program("chain", { C, D }), "h100-sxm5")
        assert.is_true(failing.holds(r:explain(), "C: ", "D: ", "C and D fused, so that 67.1 MB stay on chip"))
        assert.is_true(failing.holds(r.kernels[2]:explain(), "D on h100-sxm5 takes", "less: fused with the kernel"))
    end)

    it("is there for the rows of a comparison", function()
        local c = kc.compare({ C, tiled }, { "h100-sxm5" })
        assert.is_true(failing.holds(c.results[2]:explain(), "What would help"))
    end)

    it("of a group speaks of all its CTAs", function()
        local text = kc.evaluate(kc.group("both", { tiled, kc.resize(tiled, { m = 64 }) }), "h100-sxm5"):explain()
        assert.is_true(failing.holds(text, "4160 CTAs on 132 cores"))
        assert.is_false(failing.holds(text, "It is untiled"))
    end)

    it("of a row kernel tries wider accesses", function()
        local X = kc.tensor("X", "i j", "f16", { i = 16384, j = 1024 })
        local rows = kc.tile(kc.write("Y", kc.softmax(kc.read(X), "j")), { i = 1 }, { vector = 2, threads = 64 })
        assert.is_true(failing.holds(kc.evaluate(rows, "h100-sxm5"):explain(), "less: accesses of ", "bytes instead of 2"))
    end)

    it("is a method", function()
        local r = kc.count(C)
        assert.equal("kc.explain: call it as r:explain()", failing.message(r.explain))
        assert.equal("kc.sensitivity: call it as r:sensitivity()", failing.message(r.sensitivity, 1))
    end)
end)

describe("a sensitivity", function()
    it("is the relative change of the time for 1 % more of each roof", function()
        local s = kc.evaluate(C, "h100-sxm5", { launch = "none" }):sensitivity()
        assert.is_true(math.abs(s.matrix - (1 / 1.01 - 1)) < 1e-12)
        for _, roof in ipairs { "vector", "special", "hbm", "launch" } do assert.equal(0, s[roof]) end
        local d = kc.evaluate(D, "h100-sxm5", { launch = "none" }):sensitivity()
        assert.is_true(math.abs(d.hbm - (1 / 1.01 - 1)) < 1e-12)
    end)

    it("agrees with a device that is changed by hand", function()
        local device = kc.device("h100-sxm5")
        local more = device:with { hbm = { bandwidth = 1.01 * device.hbm.bandwidth } }
        local before, after = kc.evaluate(tiled, device), kc.evaluate(tiled, more)
        assert.is_true(math.abs(after.time / before.time - 1 - before:sensitivity().hbm) < 1e-12)
    end)

    it("needs a device", function()
        local r = kc.count(C)
        assert.equal("kc.sensitivity: C has no time; evaluate it on a device", failing.message(r.sensitivity, r))
    end)
end)

describe("an explanation of what best found", function()
    local heads = { b = 4, h = 16, i = 2048, d = 64 }

    it("says why best did not find what would be faster still", function()
        local text = kc.best(kc.lib.attention.fused(heads), "h100-sxm5"):explain()
        assert.is_true(failing.holds(text, "What would help", "less: persistent CTAs", "best tried ",
            "schedules, its list of what tuned libraries ship", "no measured kernel"))
    end)

    it("says nothing of it where nothing was searched", function()
        local text = kc.evaluate(kc.lib.attention.flash(heads), "h100-sxm5"):explain()
        assert.is_nil(text:find("best tried", 1, true))
    end)
end)

describe("where time goes beyond the longest roof", function()
    -- The amounts of the lines behind the heading, in seconds.
    local function beyond(text)
        local units = { ns = 1e-9, us = 1e-6, ms = 1e-3 }
        local head, lines = text:match("Beyond the longest of these, ([^\n]+)\n(.-)\n\n")
        local whole, unit = head:match("([%d.]+) (%a+)")
        local sum = 0
        for amount, u in lines:gmatch("  ([%d.]+) (%a+) %(") do sum = sum + tonumber(amount) * units[u] end
        return tonumber(whole) * units[unit], sum, head
    end

    it("adds up, or is said not to", function()
        local whole, sum, head = beyond(kc.evaluate(kc.tile(C, { m = 128, n = 128, k = 64 }), "a100-sxm4-80gb"):explain())
        assert.is_true(math.abs(sum - whole) < 0.01 * whole)
        assert.is_nil(head:find("more together", 1, true))
        whole, sum, head = beyond(kc.best(C, "a100-sxm4-80gb"):explain())
        assert.is_true(sum > 1.01 * whole)
        assert.is_truthy(head:find("These run partly beside it, so they are more together:", 1, true))
    end)
end)

describe("a measured time", function()
    it("stands beside the estimate and the roof", function()
        local r = kc.evaluate(tiled, "h100-sxm5", { measured = 612e-6 })
        assert.equal(612e-6, r.measured)
        assert.equal(612e-6 / r.time, r.measured_ratio)
        assert.equal(r.roof_time / 612e-6, r.measured_efficiency)
        assert.equal(612e-6, r:table().measured)
        assert.is_true(failing.holds(table.concat(r.notes, "\n"), "measured 612 us is", "times the estimate",
            "% of the compute roof"))
        assert.is_nil(kc.evaluate(tiled, "h100-sxm5").measured)
    end)

    it("that beats the roof is named, with the likely causes", function()
        local notes = table.concat(kc.evaluate(C, "h100-sxm5", { measured = 120e-6 }).notes, "\n")
        assert.is_true(failing.holds(notes, "beats roof_time", "L2 residency", "boost clock", "sparse peak"))
    end)

    it("is of the peak that a convention divides by, P53: 420 of 1979 TFLOP/s", function()
        local x = kc.lib.gemm.plain { m = 8192, n = 8192, k = 8192 }
        local dense = kc.evaluate(x, "h100-sxm5", { measured = 2.62e-3 })
        local r = kc.evaluate(x, "h100-sxm5", { measured = 2.62e-3, convention = { peak = "sparse" } })
        assert.equal(2 * dense.ridge, r.ridge)
        assert.equal(dense.roof_time, r.roof_time)
        assert.is_true(failing.holds(table.concat(r.notes, "\n"), "42 % of the compute roof",
            "measured by this convention: 1.10 TFLOP, 420 TFLOP/s, 21 % of the 2:4-sparse peak of 1.98 PFLOP/s"))
        r = kc.evaluate(x, "h100-sxm5", { measured = 2.62e-3, convention = "fma1" })
        assert.is_true(failing.holds(table.concat(r.notes, "\n"), "550 GFLOP, 210 TFLOP/s, 21 % of the dense peak of 989 TFLOP/s"))
        assert.is_true(failing.holds(failing.message(kc.evaluate, x, "v100", { convention = "sparse" }),
            "v100-sxm2-16gb states no peak with 2:4 sparsity"))
        assert.equal(kc.evaluate(x, "v100").time, kc.evaluate(x, "v100", { convention = "fma1" }).time)
    end)

    it("is of one x on one device", function()
        assert.is_true(failing.holds(failing.message(kc.compare, { C }, { "h100-sxm5" }, { measured = 1 }), "measured"))
        assert.is_true(failing.holds(failing.message(kc.count, C, { measured = 1 }), "measured"))
        assert.equal("kc.evaluate: option 'measured' is -1, and a time in seconds from 1e-12 to 1e9 is wanted",
            failing.message(kc.evaluate, C, "h100-sxm5", { measured = -1 }))
    end)
end)

describe("an occupancy", function()
    it("has the CTAs, the warps, the limit and what was rounded", function()
        local o = kc.occupancy("a100-sxm4-80gb", { threads = 224, registers = 92, smem = 4096 })
        assert.equal(2, o.ctas)
        assert.equal(14, o.warps)
        assert.equal(7, o.cta_warps)
        assert.equal(96, o.registers)
        assert.equal(5120, o.smem)
        assert.equal("registers", o.limit)
        assert.equal(2, o.allowed.registers)
        assert.equal(9, o.allowed.warps)
        assert.is_nil(o.allowed.tmem)
    end)

    it("solves for what keeps n CTAs", function()
        local o = kc.occupancy("h100-sxm5", { threads = 256, stage = 32768, keep = 2 })
        assert.equal(3, o.max.stages)
        assert.equal(227 / 2 * 1024 > o.max.smem and o.max.smem > 100 * 1024, true)
        assert.equal(128, o.max.registers)
        assert.is_nil(kc.occupancy("h100-sxm5", { threads = 1024, keep = 3 }).max)
    end)

    it("prints as its figures", function()
        local text = tostring(kc.occupancy("a100-sxm4-80gb", { threads = 224, registers = 92 }))
        assert.is_true(failing.holds(text, "allowed.registers: 2\n", "\nlimit: registers\n", "\nwarps: 14"))
    end)

    it("takes a device's name, or a device", function()
        local device = kc.device("a100-sxm4-80gb"):with { max_ctas = 1 }
        assert.equal(1, kc.occupancy(device, { threads = 32 }).ctas)
        assert.equal("CTAs", kc.occupancy(device, { threads = 32 }).limit)
    end)

    it("says what is wrong with its arguments", function()
        assert.is_true(failing.holds(failing.message(kc.occupancy), "kc.occupancy: device"))
        assert.is_true(failing.holds(failing.message(kc.occupancy, "a100-sxm4-80gb"), "kc.occupancy: cta is nothing"))
        assert.is_true(failing.holds(failing.message(kc.occupancy, "a100-sxm4-80gb", {}), "threads is missing"))
        local misspelt = failing.message(kc.occupancy, "a100-sxm4-80gb", { thread = 1 })
        assert.is_true(failing.holds(misspelt, "did you mean 'threads'"))
        assert.is_true(failing.holds(failing.message(kc.occupancy, "epyc-9654", { threads = 32 }), "does not state"))
    end)
end)

describe("a long explanation", function()
    local function relu(i) return kc.write("K" .. i, kc.map("relu", kc.read(kc.tensor("X" .. i, "i", "f16", { i = 1000 * i })))) end

    it("has the first kernels and tensors, and the sum of the rest", function()
        local kernels = {}
        for i = 1, 15 do kernels[i] = relu(i) end
        local text = kc.evaluate(kc.program("many", kernels), "h100"):explain()
        assert.is_true(failing.holds(text, "\n  K12: ", "\n  and 3 more: ", " us\n", "and 18 smaller ones: 180 kB\n"), text)
        text = kc.count(kc.program("many", kernels)):explain()
        assert.is_true(failing.holds(text, "\n  K12: ", "\n  and 3 more\n"), text)
    end)

    it("of a collective is of its link", function()
        local r = kc.evaluate(kc.comm("allreduce", C, { ranks = 8 }), "h100")
        local bytes = r.link_bytes
        assert.equal(2 * 7 / 8 * 2 * 4096 * 4096, bytes)
        assert.is_true(failing.holds(r:explain("time"), "link_bytes: 2 x (p - 1) / p x S, p = 8 ranks", "14 steps x 1.00 us"))
        assert.is_true(failing.holds(r:explain("roof_time"), "link: " .. ("%d"):format(bytes) .. " B / 450 GB/s"))
    end)
end)
