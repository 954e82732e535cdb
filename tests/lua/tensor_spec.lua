-- tensor_spec.lua: kc.tensor and what a tensor shows.
local kc = require "kcost"
local failing = require "failing"

describe("a tensor", function()
    local size = { b = 2, h = 3, i = 128, d = 64, unused = 5 }
    local Q = kc.tensor("Q", "b h i d", "f16", size)

    it("shows its name, dims and dtype", function()
        assert.equal("Q", Q.name)
        assert.equal("b h i d", Q.dims)
        assert.equal("f16", Q.dtype)
    end)

    it("shows the sizes of its own dims only", function()
        assert.same({ b = 2, h = 3, i = 128, d = 64 }, Q.size)
    end)

    it("takes dims as a list", function()
        assert.equal("b h", kc.tensor("A", { "b", "h" }, "f16", size).dims)
        assert.equal("b", kc.tensor("A", { "b" }, "f16", size).dims)
    end)

    it("gives sizes that a script can change without changing the tensor", function()
        Q.size.i = 7
        assert.equal(128, Q.size.i)
    end)

    it("takes a size written as a float", function()
        assert.equal(128, kc.tensor("A", "i", "f16", { i = 128.0 }).size.i)
        assert.equal(2 ^ 40, kc.tensor("A", "i", "f16", { i = 2 ^ 40 }).size.i)
    end)

    it("refuses a size that is not whole, and says which", function()
        local message = failing.message(kc.tensor, "A", "i", "f16", { i = 127.5 })
        assert.is_true(failing.holds(message, "kc.tensor", "'i'", "127.5", "whole number"))
    end)

    it("refuses sizes that are zero, negative, too large, or nan", function()
        for _, wrong in ipairs({ 0, -1, 2 ^ 53, 1 / 0, 0 / 0 }) do
            assert.is_true(failing.holds(failing.message(kc.tensor, "A", "i", "f16", { i = wrong }), "'i'"))
        end
    end)

    it("takes no text for a size", function()
        local message = failing.message(kc.tensor, "A", "i", "f16", { i = "128" })
        assert.is_true(failing.holds(message, "'i'", "'128'", "whole number"))
    end)

    it("refuses a dim without a size", function()
        assert.is_true(failing.holds(failing.message(kc.tensor, "A", "i j", "f16", { i = 1 }), "kc.tensor", "'j'"))
    end)

    it("refuses an unknown dtype and names the nearest", function()
        assert.is_true(failing.holds(failing.message(kc.tensor, "A", "i", "f17", { i = 1 }), "'f17'", "did you mean"))
    end)

    it("refuses a name that is no string", function()
        assert.is_true(failing.holds(failing.message(kc.tensor, 5, "i", "f16", { i = 1 }), "name is 5", "a string"))
    end)

    it("refuses a name with a zero byte", function()
        assert.is_true(failing.holds(failing.message(kc.tensor, "A\0B", "i", "f16", { i = 1 }), "name", "zero byte"))
    end)

    it("says what is missing", function()
        assert.is_true(failing.holds(failing.message(kc.tensor), "name is nothing"))
        assert.is_true(failing.holds(failing.message(kc.tensor, "A"), "dims is nothing"))
        assert.is_true(failing.holds(failing.message(kc.tensor, "A", "i"), "dtype is nothing"))
        assert.is_true(failing.holds(failing.message(kc.tensor, "A", "i", "f16"), "size is nothing"))
    end)

    it("refuses more arguments than there are", function()
        local message = failing.message(kc.tensor, "A", "i", "f16", { i = 1 }, 2)
        assert.equal("kc.tensor: takes at most 4 arguments, 5 were given", message)
    end)

    it("does not change", function()
        assert.is_true(failing.holds(failing.message(function() Q.name = "R" end), "a tensor is immutable"))
    end)

    it("names the nearest field for one that it has not", function()
        assert.is_true(failing.holds(failing.message(function() return Q.nam end), "'nam'", "did you mean 'name'"))
    end)

    it("hides its metatable", function()
        assert.is_false(getmetatable(Q))
    end)

    it("prints its dims and sizes", function()
        assert.is_true(failing.holds(tostring(Q), "Q", "i=128", "f16"))
    end)
end)

describe("a dtype", function()
    it("of a script's own has bits with its scales", function()
        local mine = kc.dtype { name = "mine", bits = 4, block = 64, scale_bits = 16, zero_bits = 4, math = "f16" }
        assert.equal("mine", mine.name)
        assert.equal(4 + 20 / 64, mine.bits)
        assert.equal("mine", kc.tensor("A", "i", mine, { i = 64 }).dtype)
    end)

    it("may be asked for by name", function()
        assert.equal(16, kc.dtype("f16").bits)
    end)

    it("refuses a figure that it does not know", function()
        local message = failing.message(kc.dtype, { name = "mine", bits = 4, scale_bit = 16 })
        assert.is_true(failing.holds(message, "kc.dtype", "'scale_bit'", "did you mean 'scale_bits'"))
    end)

    it("needs its bits", function()
        assert.is_true(failing.holds(failing.message(kc.dtype, { name = "mine" }), "bits is nothing"))
    end)
end)
