-- sweep_spec.lua: kc.sweep, kc.range, kc.pow2.
local kc = require "kcost"
local failing = require "failing"

local function matmul(m, n, k, dtype)
    local size = { m = m, n = n, k = k }
    local A = kc.tensor("A", "m k", dtype or "f16", size)
    local B = kc.tensor("B", "k n", dtype or "f16", size)
    return kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
end

local C = matmul(512, 384, 256)
local device = "a100-sxm4-80gb"

local function space(more)
    local t = { kernel = C, device = device, tile = { m = { 32, 64 }, n = { 32, 64, 128 }, k = 32 }, stages = { 2, 3 } }
    for key, value in pairs(more or {}) do t[key] = value end
    return t
end

local function fails(t) return failing.message(kc.sweep, t) end

-- Every field of a row against a result's, to the last bit.
local function same(row, result)
    for name, value in pairs(row) do
        if name ~= "point" and name ~= "tile" and name ~= "size" and name ~= "stages" and name ~= "hbm.bandwidth" and name ~= "dtype" then
            assert.equal(result[name], value)
        end
    end
end

describe("kc.range and kc.pow2", function()
    it("give lists", function()
        assert.same({ 1, 2, 3 }, kc.range(1, 3))
        assert.same({ 0.5, 0.75, 1 }, kc.range(0.5, 1, 0.25))
        assert.same({ 3, 2, 1 }, kc.range(3, 1, -1))
        assert.same({ 16, 32, 64 }, kc.pow2(16, 64))
        assert.same({ 16, 32 }, kc.pow2(9, 63))
        assert.equal(11, #kc.range(0, 1, 0.1))
    end)

    it("refuse what never ends or has nothing", function()
        assert.truthy(failing.message(kc.range, 1, 3, 0):find("never reached"))
        assert.truthy(failing.message(kc.range, 1, 3, -1):find("never reached"))
        assert.truthy(failing.message(kc.range, 1, 1e9):find("more than 10^6 values", 1, true))
        assert.truthy(failing.message(kc.pow2, 5, 7):find("no power of two from 5 to 7", 1, true))
        assert.truthy(failing.message(kc.pow2, 0, 7):find("whole number"))
        assert.equal("kc.range: step is 1, and from there `to` is never reached", failing.message(kc.range, 3, 1))
    end)

    it("refuse what is infinite or no number, by its name", function()
        for i, name in ipairs { "from", "to", "step" } do
            for _, x in ipairs { 1 / 0, -1 / 0, 0 / 0 } do
                local arguments = { 1, 10, 1 }
                arguments[i] = x
                local message = failing.message(kc.range, arguments[1], arguments[2], arguments[3])
                assert.truthy(message:find("^kc%.range: " .. name .. " is %-?%l+, and a .*number is wanted$"), message)
                if i < 3 then
                    message = failing.message(kc.pow2, arguments[1], arguments[2])
                    assert.truthy(message:find("^kc%.pow2: " .. name .. " is %-?%l+, and a whole number from 1 "), message)
                end
            end
        end
    end)
end)

describe("a sweep", function()
    it("evaluates every combination, the last axis fastest", function()
        local s = kc.sweep(space())
        assert.equal("sweep", s.kind)
        assert.equal(12, s.points)
        assert.equal(12, s.fit)
        assert.equal(12, #s)
        local rows = s:rows()
        assert.equal(12, #rows)
        assert.same({ 0, 1, 2, 3 }, { rows[1].point, rows[2].point, rows[3].point, rows[4].point })
        assert.same({ 32, 64, 128, 32 }, { rows[1].tile.n, rows[2].tile.n, rows[3].tile.n, rows[4].tile.n })
        assert.equal(64, rows[4].tile.m)
        assert.equal(3, rows[12].stages)
        assert.equal(device, rows[12].device)
    end)

    it("gives what evaluate says of the tiled kernel", function()
        for _, row in ipairs(kc.sweep(space()):rows()) do
            same(row, kc.evaluate(kc.tile(C, row.tile, { stages = row.stages }), device))
        end
    end)

    it("gives what evaluate says of sizes, figures and dtypes", function()
        local s = kc.sweep {
            kernel = kc.tile(C, { m = 64, n = 64, k = 32 }), device = { "l4", "h100-sxm5" },
            size = { ["m n"] = { 256, 1000 } }, ["hbm.bandwidth"] = { 1e11, 1e12 }, dtype = { ["A B"] = { "f16", "f8" } },
            fields = { "time", "bytes", "bound" },
        }
        assert.equal(16, #s)
        for _, row in ipairs(s:rows()) do
            local built = kc.tile(matmul(row.size.m, row.size.n, 256, row.dtype.A), { m = 64, n = 64, k = 32 })
            same(row, kc.evaluate(built, kc.device(row.device):with { hbm = { bandwidth = row["hbm.bandwidth"] } }))
        end
    end)

    it("is the same in any number of threads", function()
        assert.equal(kc.sweep(space { threads = 1 }):json(), kc.sweep(space { threads = 5 }):json())
    end)

    it("takes a device as an object, alone or in a list", function()
        local own = kc.device("l4"):with { name = "mine", hbm = { bandwidth = 1e12 } }
        assert.equal("mine", kc.sweep(space { device = own }):rows()[1].device)
        assert.equal(24, #kc.sweep(space { device = { own, "l4" } }))
    end)

    it("counts only, where there is no device", function()
        local s = kc.sweep { kernel = C, tile = { m = { 32, 64 } } }
        assert.is_nil(s:rows()[1].time)
        assert.equal(kc.count(kc.tile(C, { m = 64 })).bytes, s:rows()[2].bytes)
    end)

    it("sums the kernels of a program", function()
        local Y = kc.write("Y", kc.map("relu", kc.read(C)))
        local s = kc.sweep { kernel = kc.program("two", { C, kc.times(Y, 3) }), device = device, tile = { m = { 64 }, n = 64, k = 32 } }
        local tiled = kc.program("two", { kc.tile(C, { m = 64, n = 64, k = 32 }), kc.times(kc.tile(Y, { m = 64, n = 64 }), 3) })
        assert.equal(kc.evaluate(tiled, device).time, s:best().time)
        assert.equal("two", s:kernel().name)
    end)

    it("takes the options of evaluate", function()
        local row = kc.sweep(space { l2 = false, launch = "none" }):rows()[1]
        same(row, kc.evaluate(kc.tile(C, row.tile, { stages = row.stages }), device, { l2 = false, launch = "none" }))
    end)
end)

describe("where", function()
    it("is an expression", function()
        local s = kc.sweep(space { where = "smem <= 10000 and tile.n >= tile.m" })
        assert.is_true(#s > 0 and #s < 12)
        for _, row in ipairs(s:rows()) do assert.is_true(row.smem <= 10000 and row.tile.n >= row.tile.m) end
    end)

    it("or a function of a row", function()
        local by_text = kc.sweep(space { where = "times.hbm < 2e-6 and tile.m == 64 and device == 'a100-sxm4-80gb'" })
        local by_function = kc.sweep(space { where = function(p) return p.times.hbm < 2e-6 and p.tile.m == 64 and p.device == device end })
        assert.is_true(#by_text > 0)
        assert.equal(by_text:json(), by_function:json())
    end)

    it("names the point at which the function fails", function()
        local message = fails(space { where = function(p) return p.tile.n < p.nothing end })
        assert.truthy(failing.holds(message, "kc.sweep: the function of where failed at point 0 (device = a100-sxm4-80gb, ",
            "stages = 2, tile.m = 32", "sweep_spec.lua:", "compare"))
    end)

    it("survives a function that collects, sweeps and makes things", function()
        local inner, asked = 0, {}
        local s = kc.sweep(space { where = function(p)
            local point = table.concat({ p.device, p.stages, p.tile.m, p.tile.n }, " ")
            collectgarbage()
            local rows = #kc.sweep { kernel = matmul(64, 64, p.tile.m), tile = { m = { 16, 32 } } }
            if not asked[point] then inner, asked[point] = inner + rows, true end -- a sweep that found no memory is made again
            return true
        end })
        assert.equal(12, #s)
        assert.equal(24, inner)
    end)
end)

describe("keep", function()
    it("keeps the best by a field", function()
        local s = kc.sweep(space { keep = { top = 3 } })
        local all = kc.sweep(space()):rows()
        table.sort(all, function(a, b) return a.time < b.time or (a.time == b.time and a.point < b.point) end)
        for i, row in ipairs(s:rows()) do assert.equal(all[i].point, row.point) end
        assert.equal(3, #s)
    end)

    it("keeps the greatest of what is better when it is greater", function()
        local s = kc.sweep(space { keep = { top = 1, by = "throughput" } })
        for _, row in ipairs(kc.sweep(space()):rows()) do assert.is_true(row.throughput <= s:best().throughput) end
    end)

    it("keeps a Pareto front", function()
        local front, all = kc.sweep(space { keep = { pareto = { "time", "smem" } } }):rows(), kc.sweep(space()):rows()
        for _, a in ipairs(front) do
            for _, b in ipairs(all) do
                assert.is_false(b.time <= a.time and b.smem <= a.smem and (b.time < a.time or b.smem < a.smem))
            end
        end
    end)

    it("keeps the best of each value of axes", function()
        assert.equal(2, #kc.sweep(space { keep = { best_per = "stages" } }))
        assert.equal(6, #kc.sweep(space { keep = { best_per = { "tile.n", "stages" }, by = "smem" } }))
    end)
end)

describe("what a sweep shows", function()
    it("has columns, texts and tables", function()
        local s = kc.sweep(space { fields = { "time", "class" } })
        local columns = s:columns()
        assert.equal(12, #columns.time)
        assert.equal(columns["tile.n"][2], s:rows()[2].tile.n)
        assert.equal(kc.evaluate(s:kernel(0)).class, columns.class[1])
        local header = s:csv():match("[^\n]*")
        assert.equal("device,stages,tile.m,tile.k,tile.n,time,class", header)
        assert.equal("sweep", s:table().kind)
        assert.equal(12, #s:table().columns.point)
        assert.truthy(tostring(s):find("12 points, 12 fit", 1, true))
    end)

    it("gives the kernel and the device of a row, a point, or the best", function()
        local s = kc.sweep(space())
        for _, row in ipairs(s:rows()) do
            local kernel, on = s:kernel(row)
            assert.equal(row.time, kc.evaluate(kernel, on).time)
        end
        assert.equal(s:best().time, kc.evaluate(s:kernel()).time)
        assert.equal(64, s:kernel(3).schedule.tile.m)
        assert.truthy(failing.message(s.kernel, s, 12):find("has no point 12", 1, true))
    end)

    it("hides no field behind a figure of the device", function()
        local wide = function(p) return p["smem.bandwidth"] == 64 and p.smem > 0 end
        local row = kc.sweep(space { ["smem.bandwidth"] = { 64, 128 }, where = wide }):rows()[1]
        assert.equal(64, row["smem.bandwidth"])
        assert.is_true(row.smem > 0)
    end)

    it("counts what does not fit, with its reason, and lists it", function()
        local s = kc.sweep(space { tile = { m = { 64, 512 }, n = 384, k = 256 }, stages = 2 })
        local missing = 0
        for _, reason in ipairs(s.rejected) do
            missing = missing + reason.points
            assert.truthy(reason.sentence:find("too many", 1, true))
        end
        assert.equal(s.points - s.fit, missing)
        assert.equal(missing, #s:missing())
        assert.equal(s.rejected[1].reason, s:missing()[1].reason)
        assert.is_nil(s:best())
        assert.truthy(failing.message(s.kernel, s):find("the sweep has no row", 1, true))
    end)

    it("does not change, and knows its fields", function()
        local s = kc.sweep(space())
        assert.truthy(failing.message(function() s.points = 1 end):find("immutable"))
        assert.truthy(failing.message(function() return s.row end):find("did you mean 'rows'", 1, true))
    end)
end)

describe("shards", function()
    it("are parts of the points", function()
        local done, rows = 0, 0
        for i = 1, 5 do
            local s = kc.sweep(space { shard = { i, 5 } })
            done, rows = done + s.done, rows + #s
            assert.equal(12, s.points)
        end
        assert.same({ 12, 12 }, { done, rows })
    end)
end)

describe("what a sweep is given", function()
    local function refuses(more, ...)
        local message = fails(space(more))
        assert.is_true(failing.holds(message, ...), message)
    end

    it("is a table", function()
        assert.is_true(failing.holds(failing.message(kc.sweep, C), "call it as kc.sweep{ kernel = k"))
        assert.is_true(failing.holds(failing.message(kc.sweep), "call it as kc.sweep{"))
    end)

    it("may be kept whole", function()
        assert.equal(#kc.sweep(space()), #kc.sweep(space { keep = "all" }))
        refuses({ keep = "some" }, "keep is 'some'", '"all"')
        refuses({ keep = {} }, "keep needs one of top, pareto and best_per")
        refuses({ keep = { top = 1, pareto = { "time" } } }, "keep needs one of")
        refuses({ keep = { pareto = { "time" }, by = "time" } }, "keep.by goes with top and best_per")
        refuses({ keep = { pareto = { "tme" } } }, "'tme'", "time")
        refuses({ keep = { top = 1, by = "tme" } }, "'tme'", "time")
        refuses({ keep = { best_per = "tile.q" } }, "tile.q")
    end)

    it("has fields by name", function()
        refuses({ fields = {} }, "fields is empty")
        refuses({ fields = "time" }, "fields is 'time'")
        refuses({ fields = { "tme" } }, "'tme'", "time")
    end)

    it("has a part of at most a million", function()
        refuses({ shard = 3 }, "shard is 3")
        refuses({ shard = { 1 } }, "shard is a table", "{ part, parts }")
        refuses({ shard = { 1, 2e6 } }, "shard[2] is 2000000", "10^6")
        refuses({ shard = { 3, 2 } }, "3", "2")
    end)

    it("has a condition as a text or a function", function()
        refuses({ where = 5 }, "where is 5")
        refuses({ where = "smem <" }, "where")
        refuses({ where = function() error("no", 0) end }, "no")
        refuses({ where = function() error {} end }, "its error is no text")
    end)

    it("has values of its axes", function()
        refuses({ tile = { m = {} } }, "tile.m has no values")
        refuses({ tile = 5 }, "tile is 5", "values by name", "i = {")
        refuses({ dtype = 5 }, "dtype is 5", "values by name", "Q = {")
        refuses({ tile = {} }, "tile is empty")
        refuses({ tile = { m = true } }, "tile.m is true", "a number or a name")
        refuses({ order = "q" }, "order: 'C' has no dim 'q'")
        refuses({ stages = "two" }, "stages varies over numbers, not 'two'")
        refuses({ device = { device, C } }, "device[2] is a tensor")
        refuses({ l2 = 2 }, "option 'l2' is true or false")
    end)

    it("may have dtypes as objects", function()
        local mine = kc.dtype { name = "mine", bits = 4, math = "f16" }
        local s = kc.sweep(space { dtype = { B = { "f16", mine } }, fields = { "bytes" } })
        assert.equal(24, #s)
        local bytes = {}
        for _, row in ipairs(s:rows()) do bytes[row.dtype.B] = (bytes[row.dtype.B] or 0) + row.bytes end
        assert.is_true(bytes.mine < bytes.f16)
        refuses({ stages = mine }, "stages is", "a number or a name")
        refuses({ dtype = { q = mine } }, "dtype: 'C' has no tensor 'q'")
    end)
end)
