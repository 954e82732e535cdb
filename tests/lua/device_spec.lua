-- device_spec.lua: devices by name, out of tables, and changed.
local kc = require "kcost"
local failing = require "failing"

local mine = {
    name = "mine", arch = "hopper", cores = 2, clock = 1e9,
    vector = { f32 = 512e9 }, rate = { vector = { f32 = 256 } },
    hbm = { bandwidth = 1e11 },
}

describe("a shipped device", function()
    local d = kc.device("h100-sxm5")

    it("shows its figures as numbers and nested tables", function()
        assert.equal("h100-sxm5", d.id)
        assert.equal(132, d.cores)
        assert.is_true(d.hbm.bandwidth > 3e12 and d.hbm.bandwidth < 4e12)
        assert.is_true(d.matrix.f16 > 9e14)
        assert.equal("group", d.matrix_tile.f16.scope)
        assert.equal("NVIDIA", d.vendor)
    end)

    it("is found by an alias too", function()
        assert.equal("h100-sxm5", kc.device("h100").id)
    end)

    it("is itself when asked for again", function()
        assert.is_true(kc.device(d) == d)
    end)

    it("shows nothing for a figure that it has not", function()
        assert.is_nil(d.llc)
    end)

    it("names the nearest for a figure that no device has", function()
        assert.is_true(failing.holds(failing.message(function() return d.hmb end), "'hmb'", "did you mean 'hbm'"))
    end)

    it("says where each figure comes from", function()
        assert.equal("string", type(d.source.hbm.bandwidth))
        local given = d:with { hbm = { bandwidth = 4.8e12 }, source = { ["hbm.bandwidth"] = "vendor: a rumour" } }
        assert.equal("vendor: a rumour", given.source.hbm.bandwidth)
    end)

    it("does not change through the tables that it shows", function()
        local bandwidth = d.hbm.bandwidth
        d.hbm.bandwidth = 1
        assert.equal(bandwidth, d.hbm.bandwidth)
    end)

    it("is suggested for a misspelt name", function()
        assert.is_true(failing.holds(failing.message(kc.device, "h100-smx5"), "kc.device", "'h100-smx5'", "did you mean"))
    end)
end)

describe("with", function()
    local d = kc.device("h100-sxm5")

    it("merges deeply and leaves the first as it was", function()
        local faster = d:with { hbm = { bandwidth = 4.8e12 } }
        assert.equal(4.8e12, faster.hbm.bandwidth)
        assert.equal(d.hbm.capacity, faster.hbm.capacity)
        assert.is_true(d.hbm.bandwidth < 4e12)
    end)

    it("recomputes the peaks of changed cores", function()
        local half = d:with { cores = 66 }
        assert.is_true(math.abs(half.matrix.f16 / d.matrix.f16 - 0.5) < 0.01)
    end)

    it("refuses an unknown figure with the nearest path", function()
        local message = failing.message(d.with, d, { hbm = { bandwith = 1 } })
        assert.is_true(failing.holds(message, "'hbm.bandwith'", "'hbm.bandwidth'"))
    end)

    it("refuses figures of the wrong type", function()
        assert.is_true(failing.holds(failing.message(d.with, d, { hbm = { bandwidth = "fast" } }), "hbm.bandwidth"))
        assert.is_true(failing.holds(failing.message(d.with, d, { cores = true }), "cores is true"))
    end)

    it("refuses a table that holds itself", function()
        local loop = {}
        loop.hbm = loop
        assert.is_true(failing.holds(failing.message(d.with, d, loop), "nested too deeply"))
    end)

    it("says how it is called", function()
        assert.is_true(failing.holds(failing.message(d.with, { cores = 1 }), "device:with{"))
    end)
end)

describe("a device of one's own", function()
    it("is made from a table", function()
        local d = kc.device(mine)
        assert.equal("mine", d.name)
        assert.equal(1e11, d.hbm.bandwidth)
    end)

    it("takes aliases as a list", function()
        local d = kc.device({ name = "mine", aliases = { "a", "b" }, vector = { f32 = 1e9 }, hbm = { bandwidth = 1e9 } })
        assert.equal("a b", d.aliases)
    end)

    it("needs what the design requires", function()
        local message = failing.message(kc.device, { name = "mine", vector = { f32 = 1e9 } })
        assert.is_true(failing.holds(message, "kc.device", "hbm.bandwidth"))
    end)

    it("serves evaluate like any other", function()
        local A = kc.tensor("A", "i", "f32", { i = 1000 })
        local r = kc.evaluate(kc.write("B", kc.map("scale", kc.read(A))), kc.device(mine))
        assert.equal(8000, r.bytes)
        assert.equal("mine", r.device)
    end)
end)

describe("what is wrong with a device", function()
    local d = kc.device("h100-sxm5")
    local function refuses(said, f, ...) assert.equal(said, failing.message(f, ...):sub(1, #said)) end

    it("is said of the call", function()
        refuses("kc.device: device is nothing, and the name of a device or a table is wanted", kc.device)
        refuses("kc.device: cores must be above 0", d.with, d, { cores = -1 })
        refuses("kc.device: cores is a number, not the text 'x'", d.with, d, { cores = "x" })
        refuses("kc.device: unknown figure 'hbm.bandwith'; did you mean 'hbm.bandwidth'?", d.with, d, { hbm = { bandwith = 1 } })
        refuses("kc.device: aliases is 1, and a string is wanted", d.with, d, { aliases = { 1 } })
    end)

    it("is said of a file, and of a name that looks like one", function()
        refuses("kc.device: cannot read /nowhere/x.lua", kc.device, "/nowhere/x.lua")
        refuses("kc.device: unknown device '.lua'", kc.device, ".lua")
        refuses("kc.device: unknown device '/.lua'", kc.device, "/.lua")
    end)

    it("is said of a field", function()
        refuses("kc.device: unknown figure 'hbm.capacitx'; did you mean 'hbm.capacity'?", function() return d.hbm.capacitx end)
        refuses("kc: a device has no field 'hbm.bandwidth'", function() return d["hbm.bandwidth"] end)
        refuses("kc: a device has no field ''", function() return d[""] end)
        assert.is_nil(d.launch)
        assert.is_nil(kc.device(mine).hbm.capacity)
    end)
end)
