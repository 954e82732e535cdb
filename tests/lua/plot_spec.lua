-- plot_spec.lua: kc.plot: plots as plain tables, and what they refuse.  tests/plots compares their points and draws them.
local kc = require "kcost"
local failing = require "failing"

local gemm = kc.lib.gemm.plain { m = 1024, n = 1024, k = 1024 }
local size = { batch = 1, heads = 8, seq = 1024, head_dim = 64 }
local unfused, flash = kc.lib.attention.standard(size), kc.lib.attention.flash(size)
local plot = kc.plot

local function copy()
    return kc.kernel("copy", { kc.write("Y", kc.cast(kc.read(kc.tensor("X", "n", "f32", { n = 1e7 })), "f32")) })
end

local function series(p, name)
    for _, s in ipairs(p.series) do if s.name == name then return s end end
end

local function says(text, f, ...)
    local message = failing.message(f, ...)
    assert.truthy(message:find(text, 1, true), message)
end

describe("kc.plot", function()
    it("is a call's name and no kernel family", function()
        assert.equal(require "kcost.internal.plot", kc.plot)
        says("kc.lib: there is no kernel family 'plot'; there are attention, ", function() return kc.lib.plot end)
    end)

    it("gives tables in base units, which print shows in a line", function()
        local p = plot.roofline(kc.evaluate(flash, "h100-sxm5"))
        assert.equal("plot", p.kind)
        assert.equal("roofline", p.plot)
        assert.equal("FLOP/byte", p.x.unit)
        assert.equal("FLOP/s", p.y.unit)
        assert.truthy(tostring(p):find("plot roofline: Roofline of h100-sxm5, ", 1, true))
    end)
end)

describe("kc.plot.roofline", function()
    it("puts a result at its intensity and throughput", function()
        local r = kc.evaluate(gemm, "h100-sxm5")
        local p = plot.roofline { r }
        local dot = series(p, "HBM") and p.series[#p.series]
        for _, s in ipairs(p.series) do if s.mark == "dot" then dot = s end end
        assert.equal(r.intensity, dot.points[1].x)
        assert.equal(r.throughput, dot.points[1].y)
        assert.equal("gemm", dot.points[1].name)
        assert.equal(r.time, dot.points[1].values[1])
    end)

    it("has a dot of L2 and shared memory at the same height", function()
        local r = kc.best(gemm, "h100-sxm5")
        local p = plot.roofline(r)
        local l2, smem = series(p, "L2"), p.series[#p.series]
        assert.equal("line", l2.mark)
        assert.equal("triangle", smem.mark)
        assert.equal(r.flops / r.smem_bytes, smem.points[1].x)
        assert.equal(r.throughput, smem.points[1].y)
        assert.is_nil(series(plot.roofline { r, levels = false }, "shared memory").points[1].number)
    end)

    it("has axes that the device alone decides", function()
        local small, large = plot.roofline(kc.evaluate(gemm, "l4")), plot.roofline(kc.evaluate(flash, "l4"))
        assert.same(small.x, large.x)
        assert.same(small.y, large.y)
    end)

    it("stands the ridge where the device's roofs meet", function()
        local r = kc.evaluate(gemm, "a100-sxm4-80gb")
        assert.equal(r.ridge, series(plot.roofline(r), "ridge").value)
    end)

    it("draws a program as its kernels, with their shares of the time", function()
        local r = kc.evaluate(unfused, "h100-sxm5")
        local p = plot.roofline(r)
        local dots = p.series[#p.series]
        assert.equal(3, #dots.points)
        assert.equal(r.kernels[2].time / r.time, dots.points[2].values[2])
        assert.equal(1, dots.points[2].size)
    end)

    it("joins what is compared by an arrow on each device", function()
        local p = plot.roofline(kc.compare({ unfused, flash }, { "h100-sxm5", "a100-sxm4-80gb" }))
        local arrows = 0
        for _, s in ipairs(p.series) do if s.mark == "arrow" then arrows = arrows + 1 end end
        assert.equal(2, arrows)
    end)

    it("names in a note what does not run", function()
        local huge = kc.tile(gemm, { m = 1024, n = 1024, k = 1024 })
        local p = plot.roofline(kc.compare({ gemm, huge }, { "l4" }))
        assert.truthy(p.notes[#p.notes]:find("gemm does not run on l4", 1, true))
    end)

    it("draws the roofs of the device that a result was evaluated on, also of a changed one", function()
        local changed = kc.device("h100-sxm5"):with { hbm = { bandwidth = 5e12 } }
        local r = kc.evaluate(gemm, changed)
        assert.equal(5e12, series(plot.roofline(r), "HBM").value)
        assert.equal(5e12, kc.evaluate(unfused, changed).on.hbm.bandwidth)
        local p = plot.roofline(kc.compare({ unfused, flash }, { "h100-sxm5", changed }))
        local of, arrows = {}, 0
        for _, s in ipairs(p.series) do
            if s.name == "HBM" and s.mark == "line" then of[#of + 1] = s.of end
            if s.mark == "arrow" then arrows = arrows + 1 end
        end
        assert.same({ "h100-sxm5", "h100-sxm5 (2)" }, of)
        assert.equal(2, arrows)
    end)

    it("tells apart what has one name by its schedule", function()
        local function tiled(m) return kc.tile(gemm, { m = m, n = 64, k = 32 }) end
        local p = plot.roofline(kc.compare({ gemm, tiled(64), tiled(128) }, { "l4" }))
        local names = {}
        for i, point in ipairs(p.series[#p.series].points) do names[i] = point.name end
        assert.same({ "gemm untiled", "gemm m=64", "gemm m=128" }, names)
    end)

    it("has a ring at what was measured", function()
        local r = kc.evaluate(gemm, "h100-sxm5", { measured = 20e-6 })
        local ring = series(plot.roofline(r), "measured")
        assert.equal("ring", ring.mark)
        assert.equal(r.flops / 20e-6, ring.points[1].y)
        assert.equal(20e-6, ring.points[1].values[1])
    end)

    it("draws more devices beside", function()
        local p = plot.roofline { kc.evaluate(gemm, "l4"), device = { "a100-sxm4-80gb" }, ceilings = "all" }
        assert.equal("Roofline of l4 and a100-sxm4-80gb", p.title)
        assert.truthy(series(p, "matrix bf16 f16"))
    end)

    it("refuses what it cannot place", function()
        says("'gemm' is only counted", plot.roofline, kc.count(gemm))
        says("nothing here computes; kc.plot.bandwidth", plot.roofline, kc.evaluate(copy(), "l4"))
        says("item 1 is a number", plot.roofline, { 3 })
        says("there is no result to draw", plot.roofline, {})
        says("colour: no such option; there are arrows", plot.roofline, { kc.evaluate(gemm, "l4"), colour = "red" })
    end)
end)

describe("kc.plot.bandwidth", function()
    it("stands a kernel with no FLOP under its device's bandwidth", function()
        local r = kc.evaluate(copy(), "l4")
        local p = plot.bandwidth(r)
        assert.equal(r.bandwidth, series(p, "HBM bytes / time").points[1].x)
        assert.equal(kc.device("l4").hbm.bandwidth, series(p, "HBM").value)
    end)
end)

describe("what fits", function()
    it("shows a program with a kernel that has no FLOP on both axes", function()
        local A = kc.tensor("A", "n", "f32", { n = 1e7 })
        local B = kc.write("B", kc.cast(kc.read(A), "f32"))
        local C = kc.write("C", kc.map("exp", kc.read(B)))
        local plots = plot.of { kc.evaluate(kc.program("p", { B, C }), "l4") }
        assert.same({ 2, "roofline", "bandwidth" }, { #plots, plots[1].plot, plots[2].plot })
        assert.truthy(plots[1].notes[#plots[1].notes]:find("B has no FLOP", 1, true))
    end)
end)

describe("kc.plot.ledger", function()
    it("stacks each tensor's bytes by cause, up to what the result moves", function()
        local r = kc.count(flash)
        local total = 0
        for _, s in ipairs(plot.ledger(r).series) do
            for _, point in ipairs(s.points) do total = total + point.x end
        end
        assert.equal(r.bytes, total)
    end)
end)

describe("kc.plot of a sweep", function()
    local function sweep(more)
        local t = { kernel = gemm, device = "h100-sxm5", tile = { m = { 64, 128, 512 }, n = { 64, 256, 512 }, k = { 32, 64 } } }
        for key, value in pairs(more or {}) do t[key] = value end
        return kc.sweep(t)
    end

    it("has in each field of a heat map the best over the other axes", function()
        local s = sweep()
        local p, best = plot.tiles(s), s:best()
        local frame = p.series[#p.series]
        assert.equal("frame", frame.mark)
        assert.equal(best.time, frame.points[1].z)
        assert.equal(kc.str(best.tile.m), p.y.names[frame.points[1].y])
        assert.equal(kc.str(best.tile.n), p.x.names[frame.points[1].x])
        assert.equal("each tile: the best over tile.k", p.notes[1])
    end)

    it("hatches the tiles of which nothing fits, with the reason", function()
        local hatched = series(plot.tiles(sweep()), "does not fit")
        assert.equal("hatch", hatched.mark)
        assert.same({ 3, 3 }, { hatched.points[1].x, hatched.points[#hatched.points].y })
        assert.truthy(hatched.points[1].name:find("registers", 1, true))
    end)

    it("has a front on which no point beats another", function()
        local front = series(plot.pareto(sweep()), "not beaten").points
        for i = 2, #front do
            assert.truthy(front[i].x > front[i - 1].x and front[i].y < front[i - 1].y)
        end
    end)

    it("has a curve for each device, of schedules the best", function()
        local s = kc.sweep { kernel = gemm, device = { "l4", "h100-sxm5" }, size = { ["m n"] = kc.range(256, 2048, 256) } }
        local p = plot.sawtooth(s)
        assert.equal(2, #p.series)
        assert.equal("h100-sxm5", p.series[2].name)
        assert.equal(8, #p.series[2].points)
        assert.equal("size m = n", p.x.title)
        local schedules = sweep { size = { ["m n"] = { 512, 1024 } } }
        local curve = plot.sawtooth(schedules).series[1].points
        assert.equal(2, #curve)
        local most = 0
        for _, row in ipairs(schedules:rows()) do most = math.max(most, row.throughput) end
        assert.equal(most, math.max(curve[1].y, curve[2].y))
    end)

    it("refuses columns that there are not, and what is no sweep", function()
        says("z: the sweep has no column 'times.hbm'", plot.tiles, { sweep(), z = "times.hbm" })
        says("two tile dims must vary", plot.tiles, sweep { tile = { m = { 64, 128 }, n = 64, k = 32 } })
        says("one sweep is wanted", plot.pareto, kc.count(gemm))
        says("no axis of the sweep varies", plot.sawtooth, sweep { tile = { m = 64, n = 64, k = 32 } })
    end)
end)

describe("a sweep", function()
    it("shows its axes, name, what is kept and its conventions", function()
        local s = kc.sweep { kernel = gemm, device = "l4", tile = { m = { 64, 128 } }, stages = { 2, 3 } }
        assert.same({ "device", "stages", "tile.m" }, s.axes)
        assert.same({ "gemm", "all" }, { s.name, s.keep })
        assert.truthy(s.convention:find("multiply-add = 2 FLOP", 1, true))
    end)
end)
