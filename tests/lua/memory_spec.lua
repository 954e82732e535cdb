-- memory_spec.lua: objects may go in any order, at any collection.
local kc = require "kcost"

local size = { i = 128, j = 128, d = 64, e = 64 }
local function objects()
    local Q, K = kc.tensor("Q", "i d", "f16", size), kc.tensor("K", "j d", "f16", size)
    local q, k = kc.read(Q), kc.read(K)
    local s = kc.matmul(q, k)
    local S = kc.write("S", s)
    local P = kc.write("P", kc.softmax(kc.read(S), "j"))
    local kernel = kc.kernel("both", { P })
    local fused = kc.fuse("f", { S, P })
    local program = kc.program("p", { S, P })
    local result = kc.count(program)
    return { Q, K, q, k, s, S, P, kernel, fused, program, result, kc.device("h100-sxm5"), kc.dtype("f16") }
end

describe("objects", function()
    it("may be dropped in any order", function()
        local seed = 1
        local function random(n)
            seed = (seed * 16807) % 2147483647
            return seed % n + 1
        end
        for _ = 1, 20 do
            local all = objects()
            while #all > 0 do
                table.remove(all, random(#all))
                if random(3) == 1 then collectgarbage() end
            end
        end
        collectgarbage()
    end)

    it("keep alive what they were built from", function()
        local P
        do
            local all = objects()
            P = all[7]
        end
        collectgarbage()
        collectgarbage()
        assert.equal("i j", P.dims)
        assert.equal(128 * 128 * 2 * 2, kc.count(P).bytes)
    end)

    it("outlive the collection of the tables they show", function()
        local tensors = kc.fuse("f", { objects()[6] }).tensors
        collectgarbage()
        assert.equal("S", tensors[1].name)
    end)

    it("drive the collector by what the model holds", function()
        -- A chain of 2,000 ops holds far more than its userdata.
        local most = 0
        for _ = 1, 50 do
            local v = kc.read(kc.tensor("A", "i", "f16", size))
            for _ = 1, 2000 do v = kc.map("scale", v) end
            most = math.max(most, collectgarbage("count"))
        end
        assert.is_true(most < 100000)
    end)

    it("stay good while the collector runs at every step", function()
        collectgarbage("setpause", 0)
        collectgarbage("setstepmul", 10000)
        for _ = 1, 5 do objects() end
        collectgarbage("setpause", 200)
        collectgarbage("setstepmul", 200)
    end)

    it("are told from others by handle", function()
        local all = objects()
        assert.is_true(all[8].tensors[1] == all[7])
        assert.is_false(all[6] == all[7])
    end)
end)

describe("finalizers that reach into a call's tables", function()
    it("change nothing", function()
        local list = {}
        local function trap()
            local function strike() for i = 1, #list do list[i] = nil end end
            if rawget(_G, "newproxy") then
                local proxy = newproxy(true) -- luacheck: ignore
                getmetatable(proxy).__gc = strike
            else
                setmetatable({}, { __gc = strike })
            end
        end
        local S = objects()[6]
        for _ = 1, 200 do
            for i = 1, 50 do list[i] = kc.rename(S, { i = "i" .. i }) end
            trap()
            collectgarbage("step", 100)
            pcall(kc.program, "p", list)
        end
    end)
end)
