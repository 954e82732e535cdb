-- tile_spec.lua: kc.tile and its options.
local kc = require "kcost"
local failing = require "failing"

local size = { m = 100, n = 70, k = 60 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local tile = { m = 32, n = 16, k = 16 }

-- The design's first two worked examples, as a script sees them.
describe("a tiled kernel", function()
    it("loads each operand once per tile of the other", function()
        local r = kc.count(kc.tile(C, tile, { grid = "m n", order = "k" }))
        assert.equal("A", r.tensors[1].name)
        assert.equal(60000, r.tensors[1].bytes_read)
        assert.equal(33600, r.tensors[2].bytes_read)
        assert.equal(420000 * 2, r.flops)
        assert.equal(655360 * 2, r.executed_flops)
    end)

    it("takes an empty list for no grid", function()
        for _, none in ipairs({ "", {} }) do
            local r = kc.count(kc.tile(C, tile, { grid = none, order = { "k", "m", "n" } }))
            assert.equal(12000, r.tensors[1].bytes_read)
            assert.equal(84000, r.tensors[3].bytes_read)
        end
    end)

    it("shows its schedule", function()
        local k = kc.tile(C, tile, { order = "k", stages = 3 })
        assert.equal(32, k.schedule.tile.m)
        assert.equal(3, k.schedule.stages)
        assert.is_nil(kc.kernel("C", { C }).schedule)
    end)

    it("shows what was asked for beside: clusters, persistence, path, accesses, atomics", function()
        local k = kc.tile(C, tile, { cluster = { n = 2 }, persistent = true, path = "mma", combine = "atomic",
            split = { k = 2 } })
        assert.same({ n = 2 }, k.schedule.cluster)
        assert.is_true(k.schedule.persistent)
        assert.equal("mma", k.schedule.path)
        assert.equal("atomic", k.schedule.combine)
        local R = kc.write("R", kc.map("relu", kc.read(A)))
        local r = kc.tile(R, { m = 1 }, { vector = 8, threads = 128 }).schedule
        assert.equal(8, r.vector)
        assert.equal(128, r.threads)
        assert.is_nil(r.cluster)
        assert.is_nil(r.persistent)
    end)

    it("notes a split and a cluster that are more than there is to share, and takes what there is", function()
        local function noted(r, part)
            for _, note in ipairs(r.notes) do
                if note:find(part, 1, true) then return true end
            end
            return false
        end
        local r = kc.count(kc.tile(C, tile, { split = { k = 9 } })) -- 4 trips
        assert.is_true(noted(r, "split k = 9 is more than its 4 trips: taken as 4"))
        assert.equal(4, r.schedule.split.k)
        assert.is_false(noted(kc.count(kc.tile(C, tile, { split = { k = 4 } })), "split k"))
        local one = kc.count(kc.tile(C, { m = 32, n = 16, k = 60 }, { split = { k = 2 } }))
        assert.is_true(noted(one, "split k = 2 is more than its 1 trip: taken as 1"))
        assert.is_nil(one.schedule.split)
        local c = kc.evaluate(kc.tile(C, tile, { cluster = { n = 8 } }), "h100-sxm5") -- 5 tiles
        assert.is_true(noted(c, "a cluster of 8 CTAs along n is more than its 5 tiles: taken as 5"))
        assert.equal(5, c.schedule.cluster.n)
        assert.is_false(noted(c, "portable"))
    end)

    it("does not run where the device lacks its instructions or its clusters", function()
        local function fails(options, device, ...)
            local message = failing.message(kc.evaluate, kc.tile(C, tile, options), device)
            assert.is_true(failing.holds(message, "kc.evaluate", ...))
        end
        fails({ path = "wgmma" }, "a100-sxm4-80gb", "a100-sxm4-80gb has no path wgmma")
        fails({ cluster = { m = 2 } }, "mi300x", "mi300x has no thread-block clusters")
        fails({ cluster = { m = 32 } }, "h100-sxm5", "a cluster of 32 CTAs is above the 16")
        local c = kc.compare({ kc.tile(C, tile, { path = "wgmma" }) }, { "a100-sxm4-80gb", "h100-sxm5" })
        assert.is_not_nil(c.results[1].error)
        assert.is_nil(c.results[2].error)
    end)

    it("counts the same for a table in any order", function()
        local one = kc.count(kc.tile(C, { m = 32, n = 16, k = 16 }))
        local other = kc.count(kc.tile(C, { k = 16, n = 16, m = 32 }))
        assert.equal(one.bytes, other.bytes)
        assert.same(one.schedule, other.schedule)
    end)

    it("may be tiled again, which replaces the schedule", function()
        local twice = kc.tile(kc.tile(C, tile), { m = 50 })
        assert.equal(50, twice.schedule.tile.m)
    end)
end)

describe("kc.tile", function()
    it("takes every option of the design", function()
        local k = kc.tile(C, tile, {
            grid = "m n", order = "k", stages = { A = 3, B = 2 }, warps = 8, split = { k = 2 }, combine = "atomic",
            hold = { "A" }, place = { B = "registers" }, raster = { "n", "m", group = 2 }, cluster = { n = 1 },
            persistent = true, vector = 16, threads = 256, overlap = "none",
        })
        assert.equal("C", k.tensors[1].name)
    end)

    it("takes a stream-K split", function()
        assert.equal("C", kc.tile(C, tile, { split = { k = "stream" } }).tensors[1].name)
    end)

    it("refuses a tile that is not whole", function()
        local message = failing.message(kc.tile, C, { m = 127.5 })
        assert.is_true(failing.holds(message, "kc.tile", "'m'", "127.5", "whole number"))
    end)

    it("refuses a dim that the kernel has not", function()
        assert.is_true(failing.holds(failing.message(kc.tile, C, { q = 16 }), "kc.tile", "'q'"))
        assert.is_true(failing.holds(failing.message(kc.tile, C, tile, { order = "q" }), "kc.tile", "'q'"))
    end)

    it("refuses an unknown option with the nearest name", function()
        assert.is_true(failing.holds(failing.message(kc.tile, C, tile, { stage = 2 }), "'stage'", "'stages'"))
        assert.is_true(failing.holds(failing.message(kc.tile, C, tile, { ordre = "k" }), "'ordre'", "'order'"))
    end)

    it("checks the type of every option", function()
        local function refuses(options, ...)
            assert.is_true(failing.holds(failing.message(kc.tile, C, tile, options), "kc.tile", ...))
        end
        refuses({ stages = 2.5 }, "opts.stages is 2.5")
        refuses({ stages = { A = 0 } }, "opts.stages of 'A' is 0")
        refuses({ warps = "4" }, "opts.warps is '4'")
        refuses({ split = 4 }, "opts.split is 4")
        refuses({ split = { k = "stram" } }, "opts.split of 'k' is 'stram'", "stream")
        refuses({ persistent = 1 }, "opts.persistent is 1")
        refuses({ overlap = true }, "opts.overlap is true")
        refuses({ overlap = "lots" }, "'lots'")
        refuses({ combine = "both" }, "'both'")
        refuses({ place = { A = 1 } }, "opts.place of 'A' is 1")
        refuses({ place = { A = "moon" } }, "'moon'")
        refuses({ raster = { "n", "m", groups = 2 } }, "opts.raster", "'groups'")
        refuses({ hold = "A" }, "opts.hold", "list")
        refuses({ order = 5 }, "opts.order is 5")
        refuses({ order = { "k", 5 } }, "opts.order")
        refuses({ grid = "m m" }, "grid 'm m' names 'm' twice")
        refuses({ split = { k = -1 } }, "opts.split of 'k' is -1")
        refuses({ split = { [""] = 2 } }, "split: a name is missing")
        refuses({ cluster = { m = 0 } }, "opts.cluster of 'm' is 0")
        refuses({ cluster = { [""] = 2 } }, "cluster: a name is missing")
        refuses({ hold = { "" } }, "hold: a name is missing")
        refuses({ raster = { "n", "m", group = 0 } }, "opts.raster.group is 0")
        refuses({ raster = { "n", "m", [true] = 2 } }, "opts.raster has the key true")
        refuses({ raster = "n n" }, "raster 'n n' names 'n' twice")
    end)

    it("refuses what is no kernel", function()
        assert.is_true(failing.holds(failing.message(kc.tile, kc.read(A), tile), "kc.tile: kernel is a value"))
        assert.is_true(failing.holds(failing.message(kc.tile, kc.program("p", { C }), tile), "kernel is a program"))
        assert.is_true(failing.holds(failing.message(kc.tile, C), "kc.tile: sizes is nothing"))
    end)
end)
