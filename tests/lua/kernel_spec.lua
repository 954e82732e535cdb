-- kernel_spec.lua: kernels, programs, fusion, and the same things at other sizes and names.
local kc = require "kcost"
local failing = require "failing"

local size = { i = 128, j = 128, d = 64, e = 64 }
local function attention()
    local Q = kc.tensor("Q", "i d", "f16", size)
    local K = kc.tensor("K", "j d", "f16", size)
    local V = kc.tensor("V", "j e", "f16", size)
    local S = kc.write("S", kc.matmul(kc.read(Q), kc.read(K)))
    local P = kc.write("P", kc.softmax(kc.read(S), "j"))
    local O = kc.write("O", kc.matmul(kc.read(P), kc.read(V)))
    return S, P, O
end

describe("a kernel", function()
    local S, _, O = attention()

    it("shows its name and the tensors it writes", function()
        local k = kc.kernel("scores", { S })
        assert.equal("scores", k.name)
        assert.equal(1, #k.tensors)
        assert.equal("S", k.tensors[1].name)
        assert.is_true(k.tensors[1] == S)
    end)

    it("is untiled at first", function()
        assert.is_nil(kc.kernel("scores", { S }).schedule)
    end)

    it("prints its loop nest", function()
        assert.is_true(failing.holds(tostring(kc.kernel("scores", { S })), "scores"))
    end)

    it("refuses a list with something else in it, and says where", function()
        local message = failing.message(kc.kernel, "k", { S, kc.read(S) })
        assert.is_true(failing.holds(message, "kc.kernel: tensors[2] is a value", "a tensor"))
    end)

    it("refuses a tensor in place of a list", function()
        assert.is_true(failing.holds(failing.message(kc.kernel, "k", S), "tensors is a tensor", "a list"))
    end)

    it("refuses a list with a hole or a name in it", function()
        assert.is_true(failing.holds(failing.message(kc.kernel, "k", { S, nil, O }), "kc.kernel: tensors"))
        assert.is_true(failing.holds(failing.message(kc.kernel, "k", { S, x = O }), "key 'x'"))
    end)

    it("refuses an empty list", function()
        assert.is_true(failing.holds(failing.message(kc.kernel, "k", {}), "kc.kernel"))
    end)

    it("refuses a tensor that nothing writes", function()
        local A = kc.tensor("A", "i", "f16", size)
        assert.is_true(failing.holds(failing.message(kc.kernel, "k", { A }), "kc.kernel", "A"))
    end)
end)

describe("fuse", function()
    it("makes one kernel that writes what is left", function()
        local S, P, O = attention()
        local k = kc.fuse("flash", { S, P, O })
        assert.equal("flash", k.name)
        assert.equal(1, #k.tensors)
        assert.equal("O", k.tensors[1].name)
    end)

    it("still writes what is saved, by name or by tensor", function()
        local S, P, O = attention()
        assert.equal(2, #kc.fuse("flash", { S, P, O }, { save = { "S" } }).tensors)
        assert.equal(2, #kc.fuse("flash", { S, P, O }, { save = { P } }).tensors)
    end)

    it("refuses an unknown option", function()
        local S, P = attention()
        assert.is_true(failing.holds(failing.message(kc.fuse, "f", { S, P }, { safe = {} }), "'safe'", "'save'"))
    end)
end)

describe("a program", function()
    local S, P, O = attention()

    it("shows its kernels in order", function()
        local p = kc.program("unfused", { S, P, O })
        assert.equal("unfused", p.name)
        assert.equal(3, #p.kernels)
        assert.equal("S", p.kernels[1].name)
        assert.equal("O", p.kernels[3].name)
    end)

    it("takes programs and repeats them", function()
        local p = kc.program("unfused", { S, P, O })
        local twice = kc.times(p, 2)
        assert.equal(2 * kc.count(p).bytes, kc.count(twice).bytes)
        assert.equal(3 * kc.count(p).bytes, kc.count(kc.program("all", { twice, p })).bytes)
    end)

    it("repeats a whole number of times", function()
        assert.is_true(failing.holds(failing.message(kc.times, S, 2.5), "kc.times: n is 2.5", "whole number"))
        assert.is_true(failing.holds(failing.message(kc.times, S, 0), "kc.times: n is 0"))
    end)
end)

describe("resize and rename", function()
    local S, P, O = attention()

    it("give the same kind at other sizes", function()
        local k = kc.resize(kc.fuse("flash", { S, P, O }), { i = 256 })
        assert.equal(256, k.tensors[1].size.i)
        assert.equal(512, kc.resize(S, { ["i j"] = 512 }).size.j)
        assert.equal(256, kc.resize(kc.program("p", { S, P }), { i = 256 }).kernels[1].tensors[1].size.i)
    end)

    it("do not depend on the order of a table", function()
        local one = kc.resize(S, { i = 256, j = 512, d = 32 })
        local other = kc.resize(S, { d = 32, j = 512, i = 256 })
        assert.same(one.size, other.size)
    end)

    it("refuse a dim that is not there", function()
        assert.is_true(failing.holds(failing.message(kc.resize, S, { q = 4 }), "kc.resize", "'q'"))
        assert.is_true(failing.holds(failing.message(kc.rename, S, { q = "r" }), "kc.rename", "'q'"))
    end)

    it("give other names", function()
        assert.equal("i k", kc.rename(S, { j = "k" }).dims)
    end)

    it("take texts for names only", function()
        assert.is_true(failing.holds(failing.message(kc.rename, S, { j = 2 }), "names of dim 'j' is 2", "a string"))
    end)
end)

describe("group", function()
    it("puts several sizes into one launch", function()
        local S = attention()
        local one = kc.kernel("one", { S })
        local two = kc.group("ragged", { one, kc.resize(one, { i = 256 }) })
        assert.equal("ragged", two.name)
        assert.equal(3 * kc.count(one).flops, kc.count(two).flops)
    end)
end)

describe("what is wrong with a kernel", function()
    local S = attention()
    local p = kc.program("p", { S })
    local function refuses(said, f, ...) assert.equal(said, failing.message(f, ...):sub(1, #said)) end

    it("is said of the call", function()
        refuses("kc.resize: sizes is nothing, and a table { dim = size } is wanted", kc.resize, S)
        refuses("kc.rename: 'i' cannot become 'd', which Q has already", kc.rename, S, { i = "d" })
        refuses("kc.beside: 'b' has no kernel", kc.beside, "b", {})
        refuses("kc.times: n is 1.5, and a whole number", kc.times, S, 1.5)
        refuses("kc.group: no kernel is given", kc.group, "g", {})
        refuses("kc.group: kernels[1] is a program, and a kernel", kc.group, "g", { p })
        refuses("kc.comm: there is no 'all'; there are allreduce", kc.comm, "all", S, { ranks = 2 })
        refuses("kc.comm: algorithm must be \"ring\" or \"tree\", not 'star'", kc.comm, "allreduce", S, { ranks = 2, algorithm = "star" })
        refuses("kc.ski_slope: kernel is a program, and a kernel", kc.ski_slope, p)
        refuses("kc.fuse_all: program is a tensor, and a program is wanted", kc.fuse_all, S, "h100")
        refuses("kc.fuse_all: save: no kernel of 'p' makes 'Q'", kc.fuse_all, p, "h100", { save = { kc.tensor("Q", "i", "f16", size) } })
    end)

    it("is said of a field", function()
        refuses("kc: a kernel has no field 'foo'", function() return kc.kernel("k", { S }).foo end)
        refuses("kc: a program has no field 'foo'", function() return p.foo end)
    end)
end)
