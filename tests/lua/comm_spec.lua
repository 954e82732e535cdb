-- comm_spec.lua: collectives between devices, and what runs beside what.
local kc = require "kcost"
local failing = require "failing"

local size = { m = 64, k = 32, n = 16 }
local A, B = kc.tensor("A", "m k", "f16", size), kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))

describe("comm", function()
    it("gives a tensor of the same shape and dtype, under a name of its own", function()
        local S = kc.comm("allreduce", C, { ranks = 4 })
        assert.equal("C.allreduce", S.name)
        assert.equal("m n", S.dims)
        assert.equal("f16", S.dtype)
        assert.equal("sum", kc.comm("allreduce", C, { ranks = 4, name = "sum" }).name)
    end)

    it("gathers and scatters along the first dim, or another one", function()
        assert.equal(256, kc.comm("allgather", C, { ranks = 4 }).size.m)
        assert.equal(64, kc.comm("allgather", C, { ranks = 4, over = "n" }).size.n)
        assert.equal(16, kc.comm("reducescatter", C, { ranks = 4 }).size.m)
        assert.equal(4, kc.comm("reducescatter", C, { ranks = 4, over = "n" }).size.n)
    end)

    it("is a kernel that says what it is, and others say that they are none", function()
        assert.equal("alltoall", kc.kernel("k", { kc.comm("alltoall", C, { ranks = 2 }) }).comm)
        assert.is_nil(kc.kernel("k", { C }).comm)
    end)

    it("is read by kernels behind it", function()
        local G = kc.comm("allgather", C, { ranks = 2 })
        local D = kc.write("D", kc.map("gelu", kc.read(G)))
        assert.equal(128, D.size.m)
        local r = kc.count(kc.program("p", { C, G, D }))
        assert.equal(128 * 16 * 2 / 2, r.link_bytes)
        assert.equal(1, r.link_steps)
    end)

    it("refuses ranks that are no whole number, and options that it does not have", function()
        assert.is_true(failing.holds(failing.message(kc.comm, "allreduce", C, { ranks = 1.5 }), "opts.ranks is 1.5"))
        assert.is_true(failing.holds(failing.message(kc.comm, "allreduce", C), "opts.ranks is nothing"))
        assert.is_true(failing.holds(failing.message(kc.comm, "allreduce", C, { rank = 2 }), "ranks"))
        assert.is_true(failing.holds(failing.message(kc.comm, "allreduce", kc.read(C), { ranks = 2 }), "a tensor"))
    end)
end)

describe("beside", function()
    local S = kc.comm("allreduce", kc.tensor("X", "m n", "f16", { m = 4096, n = 4096 }), { ranks = 8 })
    local both = kc.beside("both", { C, S })

    it("is a program that says so", function()
        assert.is_true(both.beside)
        assert.equal(2, #both.kernels)
        assert.is_false(kc.program("p", { C, S }).beside)
    end)

    it("takes no longer than one after another, and no less than each", function()
        local r, turn = kc.evaluate(both, "h100-sxm5"), kc.evaluate(kc.program("p", { C, S }), "h100-sxm5")
        assert.is_true(r.time < turn.time)
        assert.is_true(r.time >= r.kernels[1].time and r.time >= r.kernels[2].time)
        assert.equal("link", r.bound)
        assert.equal("communication-bound", r.class)
        assert.equal(turn.link_bytes, r.link_bytes)
    end)

    it("stays what it is when it is resized or searched", function()
        assert.is_true(kc.resize(both, { m = 128 }).beside)
        assert.is_true(kc.best(both, "h100-sxm5").kernel.beside)
    end)
end)
