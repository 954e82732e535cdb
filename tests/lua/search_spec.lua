-- The fastest point of a space is that of the sweep; a ski slope has the least traffic of each capacity.
local kc = require "kcost"
local failing = require "failing"

local size = { m = 1000, k = 512, n = 768 }
local C = kc.write("C", kc.matmul(kc.read(kc.tensor("A", "m k", "f16", size)), kc.read(kc.tensor("B", "k n", "f16", size))))

local function space(more)
    local t = {
        tile = { m = kc.range(16, 256, 48), n = kc.pow2(16, 256), k = { 32, 64, 128 } },
        stages = { 2, 3, 4 }, group = { 1, 4 },
    }
    for key, value in pairs(more or {}) do t[key] = value end
    return t
end

-- The best row of the sweep over the same space.
local function swept(x, device, more)
    local t = space(more)
    t.kernel, t.device, t.keep = x, device, { top = 1, by = "time" }
    local s = kc.sweep(t)
    return s:best(), s:kernel()
end

describe("best of a space", function()
    it("is the best row of the sweep, and counts what it cut", function()
        for _, device in ipairs({ "a100", "h100", "mi300x" }) do
            local r = kc.best(C, device, space())
            local row, kernel = swept(C, device)
            assert.equal(row.time, r.time)
            assert.equal(tostring(kernel), tostring(r.kernel))
            assert.equal(r.time, kc.evaluate(r.kernel, device).time)
            assert.equal(6 * 5 * 3 * 3 * 2, r.search.points)
            assert.equal(r.search.points, r.search.visited + r.search.cut)
            assert.is_true(r.search.visited < r.search.points / 2)
        end
    end)

    it("takes where as an expression", function()
        local r = kc.best(C, "h100", space { where = "smem <= 64*1024 and tile.m >= tile.n" })
        assert.equal(swept(C, "h100", { where = "smem <= 64*1024 and tile.m >= tile.n" }).time, r.time)
        assert.is_true(r.smem <= 64 * 1024 and r.schedule.tile.m >= r.schedule.tile.n)
    end)

    it("takes where as a function of a row", function()
        local function wanted(row) return row.tile.m < 100 and row.times.hbm > 0 end
        local r = kc.best(C, "h100", space { where = wanted })
        assert.equal(swept(C, "h100", { where = wanted }).time, r.time)
        assert.is_true(r.schedule.tile.m < 100 and r.search.rejected > 0)
    end)

    it("says at which point where failed", function()
        local message = failing.message(kc.best, C, "h100", space { where = function() error("no idea", 0) end })
        assert.is_true(failing.holds(message, "kc.best: the function of where failed at point ", "tile.m = ", "no idea"))
    end)

    it("takes sizes, figures and orders, and the options of evaluate", function()
        local more = { size = { m = { 1000, 500 } }, order = { "k" }, ["hbm.bandwidth"] = { 2e12, 3e12 } }
        local r = kc.best(C, "h100", space(more), { launch = "none", l2 = false })
        more.launch, more.l2 = "none", false
        local row = swept(C, "h100", more)
        assert.equal(row.time, r.time)
        assert.equal(500, row.size.m)
    end)

    it("takes a program: the sum of its kernels", function()
        local both = kc.program("both", { C, kc.write("D", kc.map("gelu", kc.read(C))) })
        assert.equal(swept(both, "a100").time, kc.best(both, "a100", space()).time)
    end)

    it("of one point is that point", function()
        local r = kc.best(C, "h100", { tile = { m = 64, n = 64, k = 64 } })
        assert.equal(1, r.search.points)
        assert.equal(kc.evaluate(kc.tile(C, { m = 64, n = 64, k = 64 }), "h100").time, r.time)
    end)

    it("has more points than a sweep could keep", function()
        local r = kc.best(C, "h100", { tile = { m = kc.range(8, 512, 4), n = kc.range(8, 512, 4), k = kc.range(8, 512, 4) } })
        assert.equal(127 ^ 3, r.search.points)
        assert.is_true(r.search.visited < r.search.points / 10)
    end)

    it("says that the changes it did not try are not in the space", function()
        local text = kc.best(C, "h100", { tile = { m = { 16, 32 }, n = { 16, 32 }, k = 32 } }):explain()
        assert.is_true(failing.holds(text, "best searched a space of 4 points."))
    end)
end)

describe("ski_slope", function()
    local slope = kc.ski_slope(C)

    it("has rows from the least capacity up, whose traffic falls to the compulsory bytes", function()
        local rows = slope:rows()
        assert.equal(#slope, #rows)
        for i = 2, #rows do
            assert.is_true(rows[i].capacity > rows[i - 1].capacity and rows[i].bytes < rows[i - 1].bytes)
            assert.is_true(rows[i].bytes >= rows[i].bound)
        end
        assert.equal(kc.count(C).bytes_min, rows[#rows].bytes)
        assert.equal(rows[#rows].bytes, slope:best().bytes)
    end)

    it("gives the kernel of a row, which counts as the row says", function()
        for _, row in ipairs(slope:rows()) do
            local r = kc.count((slope:kernel(row)))
            assert.equal(row.bytes, r.bytes)
            assert.equal(row.capacity, r.smem + r.register_bytes)
            assert.equal(row.tile.m, r.schedule.tile.m or 1)
        end
    end)

    it("says units in its table and figures in its JSON", function()
        assert.is_true(failing.holds(slope:json(), '"kind":"sweep"', '"capacity":[', '"bound":['))
    end)
end)

describe("best comes near the untiled estimate", function()
    local function slower(kernel)
        return kc.best(kernel, "h100-sxm5").time / kc.evaluate(kernel, "h100-sxm5").time
    end

    it("of a stencil, by blocks whose points share neighbours", function()
        assert.is_true(slower(kc.lib.stencil.star { grid = { 512, 512, 512 }, radius = 4 }) < 1.1)
        assert.is_true(slower(kc.lib.stencil.box { grid = { 2048, 2048 }, radius = 1 }) < 1.1)
    end)

    it("of a norm's gradient, whose rows many CTAs share", function()
        assert.is_true(slower(kc.lib.norm.layer_backward { m = 8192, k = 4096 }) < 1.2)
    end)

    it("of rows that are fewer than cores, whose reduction several CTAs share", function()
        assert.is_true(slower(kc.lib.sampling.greedy { m = 64, n = 128000 }) < 1.4)
        assert.is_true(slower(kc.lib.sampling.greedy { m = 1, n = 128000 }) < 4)
    end)

    it("of convolutions: depthwise by blocks of a plane, Winograd's products one by one", function()
        local image = { batch = 32, image = { 56, 56 }, channels = 128, filters = 128, pad = 1 }
        assert.is_true(slower(kc.lib.conv.forward(kc.lib.parameters.merge(image, { filter = 3, groups = 128 }))) < 2.1)
        assert.is_true(slower(kc.lib.conv.winograd(image)) < 1.6)
    end)
end)

describe("best of a kernel that scans", function()
    local long = { m = 64, n = 64, k = 65536 }
    local A, B = kc.tensor("A", "m k", "f16", long), kc.tensor("B", "k n", "f16", long)

    it("shares no scanned dim among CTAs", function()
        local sums = kc.write("Y", kc.scan("sum", kc.read(kc.tensor("X", "n", "f32", { n = 2 ^ 20 })), "n"))
        assert.is_true(kc.best(sums, "h100-sxm5").time > 0)
        local product = kc.write("C", kc.matmul(kc.scan("sum", kc.read(A), "k"), kc.read(B), "k"))
        assert.is_true(kc.best(product, "h100-sxm5").schedule.split == nil)
    end)
end)

describe("fuse_all", function()
    local sizes = { h = 16, i = 2048, j = 2048, d = 64, e = 64 }
    local function read(name, dims) return kc.read(kc.tensor(name, dims, "f16", sizes)) end
    local S = kc.write("S", kc.matmul(read("Q", "h i d"), read("K", "h j d")))
    local P = kc.write("P", kc.softmax(kc.read(S), "j"))
    local O = kc.write("O", kc.matmul(kc.read(P), read("V", "h j e")))
    local apart = kc.program("attention", { S, P, O })

    it("gives the fused program, and what was fused", function()
        local r = kc.fuse_all(apart, "h100")
        assert.equal("attention, fused", r.name)
        assert.equal(1, #r.kernel.kernels)
        assert.equal(r.time, kc.evaluate(r.kernel, "h100").time)
        assert.equal(1, #r.fused)
        local f = r.fused[1]
        assert.same({ "S", "P", "O" }, f.kernels)
        assert.equal("attention", f.rule)
        assert.is_nil(f.why)
        assert.equal(r.time, f.time)
        assert.equal(r.bytes, f.bytes)
        assert.equal(kc.best(apart, "h100").time, f.apart.time)
        assert.same({}, r.refused)
        assert.is_true(r.search.points > 100)
    end)

    it("fuses nothing more of what it fused, by which parts are still one kernel at other sizes", function()
        local r = kc.fuse_all(apart, "h100")
        assert.same({}, kc.fuse_all(r.kernel, "h100").fused)
        assert.equal(1, #kc.resize(r.kernel, { ["i j"] = 512 }).kernels)
        assert.equal(kc.count(kc.fuse("O", { S, P, O })).flops, kc.count(apart).flops)
    end)

    it("fuses a program at other sizes as one that was built so", function()
        local small = { h = 16, i = 256, j = 256, d = 64, e = 64 }
        local function tensor(name, dims) return kc.read(kc.tensor(name, dims, "f16", small)) end
        local s = kc.write("S", kc.matmul(tensor("Q", "h i d"), tensor("K", "h j d")))
        local q = kc.write("P", kc.softmax(kc.read(s), "j"))
        local o = kc.write("O", kc.matmul(kc.read(q), tensor("V", "h j e")))
        local built = kc.fuse_all(kc.program("attention", { s, q, o }), "h100")
        local resized = kc.fuse_all(kc.resize(apart, { ["i j"] = 256 }), "h100")
        assert.equal(#built.fused, #resized.fused)
        assert.equal(built.time, resized.time)
        assert.equal(built.bytes, resized.bytes)
        assert.equal(kc.fuse_all(apart, "h100").flops, kc.fuse_all(kc.resize(resized.kernel, { ["i j"] = 2048 }), "h100").flops)
    end)

    it("keeps what is saved, and says nothing of what is no fusion", function()
        local r = kc.fuse_all(apart, "h100", { save = { P }, launch = "graph" })
        local written = 0
        for _, tensor in ipairs(r.tensors) do if tensor.name == "P" then written = tensor.bytes_written end end
        assert.equal(2 * 16 * 2048 * 2048, written)
        assert.is_nil(kc.evaluate(apart, "h100").fused)
        assert.is_nil(kc.best(apart, "h100").refused)
        assert.is_nil(kc.evaluate(apart, "h100").kernel)
    end)

    it("says why the rest stays apart", function()
        local D = kc.write("D", kc.matmul(kc.read(O), read("W", "e d"), "e"))
        local r = kc.fuse_all(kc.program("two", { O, D }), "h100")
        assert.same({}, r.fused)
        assert.same({ { kernels = { "O", "D" }, why = "both have matmuls, which no rule joins but around a softmax" } }, r.refused)
        assert.equal("two", r.name)
    end)
end)

describe("a fused kernel's name", function()
    it("is its first and last where there are many", function()
        local x, kernels = kc.read(kc.tensor("X", "i", "f16", { i = 100000 })), {}
        for i = 1, 8 do
            kernels[i] = kc.write("a_kernel_with_a_long_name_" .. i, kc.map("relu", x))
            x = kc.read(kernels[i])
        end
        local names = {}
        for _, kernel in ipairs(kc.fuse_all(kc.program("chain", kernels), "h100").kernel.kernels) do names[#names + 1] = kernel.name end
        assert.equal(1, #names)
        assert.is_true(failing.holds(names[1], "a_kernel_with_a_long_name_1 + ... + ", "a_kernel_with_a_long_name_8"))
        assert.is_true(#names[1] <= 100)
    end)
end)
