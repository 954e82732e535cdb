-- script_spec.lua: param, str, kc.lib and require.
local kc = require "kcost"
local failing = require "failing"

describe("param", function()
    it("gives the default where no host set anything", function()
        assert.equal(1024, kc.param("n", 1024))
        assert.equal("h100", kc.param("device", "h100"))
        assert.is_true(kc.param("causal", true))
        assert.is_false(kc.param("fast", false))
    end)

    it("needs a name and a default", function()
        assert.is_true(failing.holds(failing.message(kc.param), "kc.param: name is nothing"))
        assert.is_true(failing.holds(failing.message(kc.param, "n"), "'n' is nothing"))
        assert.is_true(failing.holds(failing.message(kc.param, "n", {}), "'n' is a table"))
    end)
end)

describe("str", function()
    it("writes a number the same on both engines", function()
        assert.equal("5", kc.str(10 / 2))
        assert.equal("0.1", kc.str(0.1))
        assert.equal("123456789012345", kc.str(123456789012345))
        assert.equal("-0.5", kc.str(-0.5))
        assert.equal("0", kc.str(-0.0))
        assert.equal("9007199254740991", kc.str(2 ^ 53 - 1))
        assert.equal("nan", kc.str(0 / 0))
        assert.equal("-inf", kc.str(-1 / 0))
    end)

    it("writes the shortest text that reads back", function()
        for _, x in ipairs({ 1 / 3, 2 / 3, 1e-9, 9.894e14 / 7, 1e22, 1.7976931348623157e308, 5e-324 }) do
            assert.equal(x, tonumber(kc.str(x)))
        end
        assert.equal("0.3333333333333333", kc.str(1 / 3))
    end)

    it("writes other values in words, without addresses", function()
        assert.equal("nil", kc.str(nil))
        assert.equal("true", kc.str(true))
        assert.equal("text", kc.str("text"))
        assert.equal("table", kc.str({}))
        assert.is_true(failing.holds(kc.str(kc.tensor("A", "i", "f16", { i = 1 })), "A"))
    end)
end)

describe("the stdlib", function()
    it("is loaded once, by need", function()
        assert.is_true(kc.lib.gemm == kc.lib.gemm)
        assert.equal("table", type(kc.lib.gemm))
    end)

    it("is found by require too", function()
        assert.is_true(require("kcost.gemm") == kc.lib.gemm)
        assert.is_true(require("kcost.internal.plot") == kc.plot)
        assert.is_false((pcall(require, "kcost.plot")))
    end)

    it("names the nearest for a name that it has not", function()
        local message = failing.message(function() return kc.lib.gem end)
        assert.is_true(failing.holds(message, "kc.lib", "'gem'", "'gemm'"))
    end)

    it("does not see a script's globals", function()
        local before = string.format
        string.format = nil -- luacheck: ignore
        local good, text = pcall(kc.lib.report.si, 8589934592, "B")
        string.format = before -- luacheck: ignore
        assert.is_true(good)
        assert.equal("8.590 GB", text)
    end)
end)
