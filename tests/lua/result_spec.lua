-- result_spec.lua: count, evaluate and compare, and the fields of what they give.
local kc = require "kcost"
local failing = require "failing"

local size = { m = 256, n = 128, k = 64 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local D = kc.write("D", kc.map("relu", kc.read(C)))
local bytes = 2 * (256 * 64 + 64 * 128 + 256 * 128)

describe("a count", function()
    local r = kc.count(C)

    it("has the work and the traffic", function()
        assert.equal(2 * 256 * 128 * 64, r.flops)
        assert.equal(r.flops, r.matrix_flops)
        assert.equal(bytes, r.bytes)
        assert.equal(r.bytes, r.bytes_read + r.bytes_written)
        assert.equal(r.bytes, r.bytes_min)
        assert.equal(r.flops / r.bytes, r.intensity)
        assert.equal(1, r.passes)
    end)

    it("has no field that needs a device", function()
        assert.is_nil(r.device)
        assert.is_nil(r.time)
        assert.is_nil(r.times)
        assert.is_nil(r.bound)
        assert.is_nil(r.ratio)
        assert.is_nil(r.error)
        assert.is_nil(r.kernels)
        assert.is_nil(r.schedule)
    end)

    it("has a row a tensor, in order of first use", function()
        assert.equal(3, #r.tensors)
        assert.equal("A", r.tensors[1].name)
        assert.equal(2 * 256 * 64, r.tensors[1].bytes_read)
        assert.equal(0, r.tensors[1].bytes_written)
        assert.equal("C", r.tensors[3].name)
        assert.equal(2 * 256 * 128, r.tensors[3].compulsory)
        local sum = 0
        for _, t in ipairs(r.tensors) do sum = sum + t.compulsory + t.reload + t.pass + t.spill + t.split end
        assert.equal(r.bytes, sum)
    end)

    it("names itself and its convention", function()
        assert.equal("C", r.name)
        assert.equal("result", r.kind)
        assert.equal("string", type(r.convention))
        assert.equal("table", type(r.notes))
    end)

    it("gives numbers that are floats", function()
        local kind = rawget(math, "type") -- Lua 5.4 only
        if kind then assert.equal("float", kind(r.flops)) end
        assert.equal("number", type(r.flops))
    end)

    it("names the nearest field for one that it has not", function()
        assert.is_true(failing.holds(failing.message(function() return r.flop end), "a result has no field 'flop'", "'flops'"))
        assert.is_true(failing.holds(failing.message(function() return r[1] end), "no field 1"))
        assert.is_true(failing.holds(failing.message(function() return r["times.hbm"] end), "no field"))
    end)

    it("is a table for those who want one", function()
        local t = r:table()
        assert.equal("table", type(t))
        assert.equal(r.bytes, t.bytes)
        assert.equal("A", t.tensors[1].name)
        t.bytes = 0
        assert.equal(bytes, r.bytes)
    end)

    it("takes a convention", function()
        assert.equal(r.flops / 2, kc.count(C, { convention = { multiply_add = 1 } }).flops)
        assert.is_true(failing.holds(failing.message(kc.count, C, { convention = "nobodys" }), "kc.count", "'nobodys'"))
        assert.is_true(failing.holds(failing.message(kc.count, C, { convetion = "x" }), "'convetion'", "'convention'"))
    end)

    it("refuses what costs nothing", function()
        assert.is_true(failing.holds(failing.message(kc.count, kc.read(A)), "kc.count: x is a value", "kc.write"))
        assert.is_true(failing.holds(failing.message(kc.count, A), "kc.count", "A"))
        assert.is_true(failing.holds(failing.message(kc.count), "kc.count: x is nothing"))
    end)
end)

describe("an evaluation", function()
    local r = kc.evaluate(C, "a100-sxm4-40gb")

    it("has times, the roof that binds and its class", function()
        assert.equal("a100-sxm4-40gb", r.device)
        assert.is_true(r.roof_time > 0)
        assert.is_true(r.roof_time <= r.time and r.time <= r.serial_time)
        assert.equal("string", type(r.bound))
        assert.is_true(r.class:find("bound", 1, true) ~= nil)
        assert.is_true(r.times.hbm > 0)
        assert.is_true(r.ridge > 0)
    end)

    it("takes a device by name or as an object", function()
        assert.equal(r.time, kc.evaluate(C, kc.device("a100-sxm4-40gb")).time)
        assert.is_true(failing.holds(failing.message(kc.evaluate, C, "a1000"), "kc.evaluate", "'a1000'"))
        assert.is_true(failing.holds(failing.message(kc.evaluate, C), "kc.evaluate: device is nothing"))
    end)

    it("takes its options", function()
        local none = kc.evaluate(C, "a100-sxm4-40gb", { launch = "none" })
        assert.is_true(none.time < r.time)
        assert.is_true(kc.evaluate(C, "a100-sxm4-40gb", { cache = "warm" }).roof_time <= r.roof_time)
        assert.equal("C", kc.evaluate(C, "a100-sxm4-40gb", { cache = { A = "warm" }, l2 = false }).name)
    end)

    it("refuses options that it does not know", function()
        local function refuses(options, ...)
            assert.is_true(failing.holds(failing.message(kc.evaluate, C, "h100", options), "kc.evaluate", ...))
        end
        refuses({ lunch = "none" }, "'lunch'", "'launch'")
        refuses({ launch = "nnoe" }, "nnoe")
        refuses({ cache = "hot" }, "hot")
        refuses({ l2 = "off" }, "l2")
    end)
end)

describe("a program's result", function()
    local r = kc.count(kc.program("two", { C, D }))

    it("has its kernels' results, and their sums", function()
        assert.equal(2, #r.kernels)
        assert.equal("C", r.kernels[1].name)
        assert.equal(r.bytes, r.kernels[1].bytes + r.kernels[2].bytes)
        assert.equal(1, r.kernels[1].launches)
    end)
end)

describe("a comparison", function()
    local fused = kc.fuse("fused", { C, D })
    local c = kc.compare({ kc.program("unfused", { C, D }), fused }, { "a100-sxm4-40gb", "h100-sxm5" })

    it("has a row for each x on each device", function()
        assert.equal("comparison", c.kind)
        assert.same({ "a100-sxm4-40gb", "h100-sxm5" }, c.devices)
        assert.equal(4, #c.results)
        assert.equal("unfused", c.results[1].name)
        assert.equal("h100-sxm5", c.results[2].device)
        assert.equal("fused", c.results[3].name)
    end)

    it("has ratios to the first x", function()
        assert.equal(1, c.results[1].ratio.bytes)
        assert.equal(c.results[3].bytes / c.results[1].bytes, c.results[3].ratio.bytes)
        assert.is_true(c.results[3].ratio.time < 1)
    end)

    it("is a table for those who want one", function()
        assert.equal(4, #c:table().results)
    end)

    it("takes devices as objects too", function()
        local mine = kc.device("h100-sxm5"):with { hbm = { bandwidth = 4.8e12 } }
        assert.equal(1, #kc.compare({ fused }, { mine }).results)
    end)

    it("says which item is wrong", function()
        assert.is_true(failing.holds(failing.message(kc.compare, { fused, 5 }, { "h100" }), "kc.compare: xs[2] is 5"))
        assert.is_true(failing.holds(failing.message(kc.compare, { fused }, { "h10" }), "kc.compare", "'h10'"))
        assert.is_true(failing.holds(failing.message(kc.compare, 5, { "h100" }), "xs is 5", "a list"))
        assert.is_true(failing.holds(failing.message(kc.compare, { fused }, 5), "devices is 5", "a list"))
    end)

    it("tells kernels of one name apart by sizes and dtypes, then by schedules", function()
        local gemm, k = kc.lib.gemm.plain, 64
        local text = tostring(kc.compare({
            gemm { m = 512, n = 64, k = k }, gemm { m = 512, n = 64, k = k, dtype = "bf16" }, gemm { m = 64, n = 64, k = k },
            kc.tile(gemm { m = 64, n = 64, k = k }, { m = 32 }),
        }, "h100"))
        assert.is_true(failing.holds(text, "gemm[m=512 A f16 B f16 C f16] on", "gemm[m=512 A bf16 B bf16 C bf16] on",
            "gemm[m=64 A f16 B f16 C f16] untiled on", "gemm[m=64 A f16 B f16 C f16] m=32 k=64 n=64 on"), text)
    end)

    it("tells apart also what does not run", function()
        local large = kc.resize(C, { k = 4096 })
        local tries = { kc.tile(large, { m = 64, n = 128, k = 64 }), kc.tile(large, { m = 256, n = 128, k = 64 }, { stages = 8 }) }
        assert.is_true(failing.holds(tostring(kc.compare(tries, "h100")), "C m=64 on h100-sxm5: ", "C m=256 on h100-sxm5: no CTA fits"))
    end)

    it("takes one x and one device without a list", function()
        assert.equal(1, #kc.compare(fused, "h100").results)
        assert.equal("h100-sxm5", kc.compare(fused, kc.device("h100")).devices[1])
    end)
end)

describe("verify", function()
    it("walks a small kernel and agrees", function()
        local tiled = kc.tile(C, { m = 64, n = 64, k = 32 })
        assert.is_true(kc.verify(tiled) > 0)
    end)

    it("refuses a program", function()
        assert.is_true(failing.holds(failing.message(kc.verify, kc.program("p", { C })), "kernel is a program"))
    end)
end)

describe("best", function()
    it("gives the tiled kernel that takes the time it says, and counts what it tried", function()
        local r = kc.best(C, "h100-sxm5")
        assert.equal(r.time, kc.evaluate(r.kernel, "h100-sxm5").time)
        assert.is_true(r.search.points > 0 and r.search.rejected < r.search.points)
        assert.is_not_nil(r.kernel.schedule)
    end)

    it("shows its search, its times and its schedule as text", function()
        local r = kc.best(C, "h100-sxm5")
        assert.equal(("cut: 0\npoints: %d\nrejected: %d\nvisited: %d"):format(r.search.points, r.search.rejected, r.search.points),
            tostring(r.search))
        assert.is_true(failing.holds(tostring(r.schedule), "\nstages: ", "\ntile.m: "))
        assert.is_true(failing.holds(tostring(r.times), "hbm: " .. kc.str(r.times.hbm)))
        assert.is_true(failing.holds(tostring(r:sensitivity()), "hbm: "))
    end)

    it("takes each kernel of a program", function()
        local r = kc.best(kc.program("both", { C, D }), "a100", nil, { launch = "graph" })
        assert.equal(2, #r.kernels)
        assert.equal(r.time, kc.evaluate(r.kernel, "a100", { launch = "graph" }).time)
    end)

    it("is nothing where nothing was searched", function()
        assert.is_nil(kc.evaluate(C, "a100").kernel)
        assert.is_nil(kc.evaluate(C, "a100").search)
    end)
end)

describe("times of a kernel", function()
    it("name no roof that takes longer than the whole", function()
        for _, shape in ipairs({ { 2 ^ 24, 1024, { order = "a" } }, { 2 ^ 14, 4096 }, { 2 ^ 18, 4096 }, { 2 ^ 24, 256 } }) do
            local X = kc.tensor("X", "a", "f32", { a = shape[1] })
            local Y = kc.tile(kc.write("Y", kc.map("relu", kc.read(X))), { a = shape[2] }, shape[3])
            local r = kc.evaluate(Y, "h100")
            assert.is_true(math.max(r.times.hbm, r.times.l2, r.times.vector) <= r.time)
        end
    end)

    it("of stream-K are of its equal shares", function()
        for _, shape in ipairs({ { 4096, 1024, 8192 }, { 1, 28672, 8192 } }) do
            local X = kc.tensor("X", "m k", "f16", { m = shape[1], k = shape[3] })
            local W = kc.tensor("W", "k n", "i4g128", { k = shape[3], n = shape[2] })
            local Y = kc.write("Y", kc.matmul(kc.read(X), kc.read(W)))
            for _, device in ipairs({ "a100", "mi250x-gcd", "b200" }) do
                local r = kc.evaluate(kc.tile(Y, { m = 64, n = 128, k = 64 }, { split = { k = "stream" } }), device)
                assert.is_true(math.max(r.times.matrix, r.times.hbm, r.times.l2, r.times.smem) <= r.time)
            end
        end
    end)
end)

describe("kc.best", function()
    it("finds a tile for the smallest matmul", function()
        for _, small in ipairs({ { m = 1, n = 1, k = 1 }, { m = 3, n = 5, k = 7 }, { m = 16, n = 16, k = 4096 } }) do
            local a, b = kc.tensor("A", "m k", "f16", small), kc.tensor("B", "k n", "f16", small)
            local r = kc.best(kc.write("C", kc.matmul(kc.read(a), kc.read(b))), "h100")
            assert.is_true(r.time >= r.roof_time)
        end
    end)
end)

describe("a CTA of too many warps", function()
    it("is told how many fit", function()
        local message = failing.message(kc.evaluate, kc.tile(C, { m = 16, n = 16 }, { warps = 48 }), "h100")
        assert.is_true(failing.holds(message, "warps: a CTA takes 48 warps, h100-sxm5 has 32: 16 too many; with warps = 32 they fit"))
    end)
end)

describe("what is wrong with a question", function()
    local C2 = kc.tile(C, { m = 64, n = 64, k = 64 })
    local function refuses(said, f, ...) assert.equal(said, failing.message(f, ...):sub(1, #said)) end

    it("is said of its options", function()
        refuses("kc.evaluate: opts.l2 is a function, and a text, a number or true or false", kc.evaluate, C, "h100", { l2 = print })
        refuses("kc.evaluate: opts.l2 is a table, and", kc.evaluate, C, "h100", { l2 = {} })
        refuses("kc.evaluate: option 'l2' is true or false, not 'x'", kc.evaluate, C, "h100", { l2 = "x" })
        refuses("kc.evaluate: option 'cache' is a name, not a number", kc.evaluate, C, "h100", { cache = true })
        refuses("kc.evaluate: option 'cache' names tensor 'K', which C does not have", kc.evaluate, C, "h100", { cache = { K = "warm" } })
        refuses("kc.evaluate: convention: softmax is a number of FLOP per element, not 'x'", kc.evaluate, C, "h100",
            { convention = { softmax = "x" } })
        refuses("kc.evaluate: convention: there is no switch 'matmul'", kc.evaluate, C, "h100", { convention = { matmul = 1 } })
    end)

    it("is said of what is compared", function()
        refuses("kc.compare: devices is nothing, and a list of devices", kc.compare, { C })
        refuses("kc.compare: devices is empty, and at least one device is wanted", kc.compare, { C }, {})
        refuses("kc.compare: nothing to compare", kc.compare, {}, { "h100" })
        refuses("kc: a comparison has no field 'foo'", function() return kc.compare({ C, C2 }, { "h100" }).foo end)
    end)

    it("is said of a space", function()
        local function space(t) return kc.best, C, "h100", t end
        refuses("kc.best: space is 5, and a table of axes is wanted", space(5))
        refuses("kc.best: space has no axes to choose from", space {})
        refuses("kc.best: space has no axes to choose from", space { where = "smem < 1" })
        refuses("kc.best: space has 'keep', and the fastest point is kept", space { keep = 1, tile = { m = 8 } })
        refuses("kc.best: where is 5, and an expression", space { where = 5, tile = { m = 8 } })
    end)

    it("is said of an occupancy and a sensitivity", function()
        refuses("kc.occupancy: device is nothing", kc.occupancy, nil, { threads = 32 })
        refuses("kc.occupancy: threads must be a whole number of at least 1", kc.occupancy, "h100", { threads = 0 })
        local r = kc.evaluate(C2, "h100")
        refuses("kc: a sensitivity has no field 'hbn'; did you mean 'hbm'?", function() return r:sensitivity().hbn end)
        refuses("kc.explain: a result has no field 'tme'; did you mean 'time'?", r.explain, r, "tme")
    end)
end)
