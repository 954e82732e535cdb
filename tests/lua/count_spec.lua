-- count_spec.lua: counts worked by hand where masks, padding and several indexes meet; the walk agrees with each.
local kc = require "kcost"

local function verified(kernel)
    assert.is_true(kc.verify(kernel) > 0)
    return kc.count(kernel)
end

describe("useful work of an op that a fuse needs twice", function()
    -- useful(relu) is the union of the values that both uses take within X
    local function flops(x, first, second, p)
        local X = kc.tensor("X", "x", "f16", { x = x })
        local Y = kc.write("Y", kc.map("relu", kc.read(X)))
        local function at(index) return kc.read(Y, index, { size = { p = p } }) end
        return verified(kc.fuse("twice", { Y, kc.write("W", kc.map("add", at(first), at(second))) })).flops
    end

    it("is counted once where the indexes meet", function()
        assert.equal(7 + 5, flops(9, "p", "2*p", 5))   -- {0..4} and {0,2,4,6,8}
        assert.equal(4 + 3, flops(5, "p", "2*p", 5))   -- {0,1,2} and {0,2,4}
        assert.equal(7 + 4, flops(9, "p-1", "2*p", 5)) -- {0..3} and {2,4,6,8}
        assert.equal(3 + 2, flops(3, "p-1", "p", 3))   -- {0,1} and {1,2}
    end)
end)

describe("a mask", function()
    it("leaves of a shifted or gathered read what its live points touch", function()
        for _, index in ipairs({ "i j+1", "i+1 j", "2*i j", "[i] j" }) do
            local X = kc.tensor("X", "x y", "f16", { x = 20, y = 20 })
            local x = kc.read(X, index, { size = { i = 4, j = 4 } })
            local W = kc.write("W", kc.mask(kc.map("relu", x), "i", "j", { lo = 3 }))
            assert.equal(2, verified(W).tensors[1].compulsory) -- (0, 3) alone
        end
    end)

    it("fetches the whole box of reads that move together, where one of them is live", function()
        local X = kc.tensor("X", "x y", "f32", { x = 9, y = 5 })
        local function at(index) return kc.read(X, index, { size = { j = 5, i = 2 } }) end
        local x = kc.map("max", kc.map("mul", at("i j"), at("i j+1")), at("i-1 j"))
        local W = kc.tile(kc.write("W", kc.mask(x, "i", "j", { hi = 5 })), { j = 3, i = 1 }, { grid = "j", order = "i" })
        -- boxes of rows i-1 to i, columns j to j+1: 1 and 2 rows of 4 and of 2 columns
        assert.equal((1 + 2) * (4 + 2) * 4, verified(W).tensors[1].bytes_read)
    end)
end)

describe("the kernel that combines partials", function()
    it("moves the box that the next op reads, no more", function()
        local size = { x = 3, k = 4, c = 6 }
        local A = kc.tensor("A", "x c", "f16", size)
        local B = kc.tensor("B", "c k", "f16", size)
        local Y = kc.write("Y", kc.matmul(kc.read(A), kc.read(B)))
        local W = kc.write("W", kc.read(Y, "p-1 k", { size = { p = 3 } }))
        local k = kc.tile(kc.fuse("shifted", { Y, W }), { p = 3, k = 4, c = 3 }, { grid = "p k", order = "c", split = { c = 2 } })
        assert.equal(2 * 2 * 4 * 4, verified(k).tensors[3].bytes_read) -- 2 parts of 2 rows of 4, f32
    end)
end)

describe("notes of a count", function()
    local A = kc.tensor("A", "m k", "f16", { m = 64, k = 128 })

    local function notes(x)
        return table.concat(kc.count(x).notes, "\n")
    end

    it("name a read most of whose index lies outside the tensor", function()
        local function of(index, size)
            return notes(kc.write("B", kc.map("relu", kc.read(A, index, { size = size }))))
        end
        assert.is_truthy(of("m p+100", { p = 100 }):find("A is read far outside along k: 72 of the 100 values", 1, true))
        assert.is_truthy(of("m p-200", { p = 300 }):find("200 of the 300 values of its index are padding", 1, true))
        assert.is_nil(of("m 2*p+q-1", { p = 64, q = 3 }):find("outside"))
        assert.is_nil(of("m p+64", { p = 128 }):find("outside")) -- half of them
    end)

    it("name a read of what only a later kernel writes", function()
        local B = kc.write("B", kc.map("relu", kc.read(A)))
        local C = kc.write("C", kc.map("relu", kc.read(B)))
        local early = "C reads B, which only a later kernel of the program writes"
        assert.is_truthy(notes(kc.program("wrong way round", { C, B })):find(early, 1, true))
        assert.is_truthy(notes(kc.times(kc.program("again", { C, B }), 2)):find(early, 1, true))
        assert.is_nil(notes(kc.program("right", { B, C })):find(early, 1, true))
        assert.is_nil(notes(kc.program("of an input", { C })):find(early, 1, true))
        assert.is_nil(notes(kc.program("twice", { B, C, B })):find(early, 1, true))
        assert.is_nil(notes(kc.program("fused", { kc.fuse("f", { B, C }), B })):find(early, 1, true))
    end)
end)

describe("what is touched", function()
    -- The elements of X that some live point reads, one by one.
    local function touched(index, s)
        local seen, count = {}, 0
        for i = 0, s.i - 1 do
            for j = 0, s.j - 1 do
                for q = 0, s.q - 1 do
                    local live = q - i >= 0 and q - i <= 1 and q - j >= -3 and q - j <= -2
                    local at = index(i, j)
                    if live and not seen[at] then
                        seen[at], count = true, count + 1
                    end
                end
            end
        end
        return count
    end

    it("under two masks that share a dim which the read lacks is what suits both", function()
        local s = { i = 6, j = 7, q = 9 }
        for index, at in pairs {
            ["2*i+3*j"] = function(i, j) return 2 * i + 3 * j end,
            ["i+2*j"] = function(i, j) return i + 2 * j end,
            ["3*i+5*j+1"] = function(i, j) return 3 * i + 5 * j + 1 end,
            ["i+j"] = function(i, j) return i + j end,
        } do
            local x = kc.read(kc.tensor("X", "x", "f16", { x = 60 }), index, { size = s })
            local v = kc.map("mul", x, kc.read(kc.tensor("Y", "q", "f16", s)))
            v = kc.mask(kc.mask(v, "i", "q", { lo = 0, hi = 1 }), "j", "q", { lo = -3, hi = -2 })
            local W = kc.write("W", kc.reduce("sum", v, "q"))
            local row = kc.count(W).tensors[1]
            assert.equal("X", row.name)
            assert.equal(2 * touched(at, s), row.bytes_read)
            assert.is_true(kc.verify(W) > 0 and kc.verify(kc.tile(W, { i = 2, j = 3, q = 4 })) > 0)
        end
    end)

    -- A tensor with more elements than are marked one by one.
    local function values(index, s)
        local x = kc.read(kc.tensor("X", "x", "f16", { x = 1e9 }), index, { size = s })
        return kc.count(kc.write("W", kc.map("relu", x))).tensors[1].bytes_read / 2
    end

    it("in a large tensor by several strides is counted in closed form", function()
        for index, case in pairs {
            ["i+10*j+1000*q"] = { { i = 5, j = 500, q = 500 }, 5 * (500 + 499 * 100) }, -- 10 j + 1000 q is a run of tens
            ["i+7*j+50*q"] = { { i = 5, j = 3, q = 2 }, 30 }, -- nested
            ["3*i+3*j+100*q"] = { { i = 4, j = 6, q = 7 }, 9 * 7 },
            ["4*i+6*j"] = { { i = 5000, j = 5000 }, 2 * 4999 + 3 * 4999 + 1 - 2 }, -- 1 has no such sum, nor has the last but one
            ["6*i+10*j+15*q"] = { { i = 4, j = 4, q = 4 }, 64 },
        } do
            assert.equal(case[2], values(index, case[1]))
        end
    end)

    it("by strides that overlap is no more than their span", function()
        local many = values("6*i+10*j+15*q", { i = 400, j = 400, q = 400 })
        assert.is_true(many >= 31 * 399 + 1 - 30 and many <= 31 * 399 + 1) -- all but 15 at either end
    end)
end)
