-- errors_spec.lua: where an error is reported: at the user's line, on both engines.
local kc = require "kcost"
local failing = require "failing"

describe("an error's position", function()
    it("is the line of the call", function()
        local line
        local message = failing.whole(function()
            line = failing.line() + 1
            local t = kc.tensor("A", "i", "f17", { i = 1 })
            return t.name
        end)
        assert.is_true(failing.holds(message, "errors_spec.lua:" .. line .. ": kc.tensor: "))
    end)

    it("is the line of a field's use", function()
        local A = kc.tensor("A", "i", "f16", { i = 1 })
        local line
        local message = failing.whole(function()
            line = failing.line() + 1
            local size = A.sizes
            return size.i
        end)
        assert.is_true(failing.holds(message, "errors_spec.lua:" .. line .. ": ", "'sizes'"))
    end)

    it("is the user's line where the stdlib called kcost", function()
        local line
        local message = failing.whole(function()
            line = failing.line() + 1
            local k = kc.lib.gemm.plain { m = 1, n = 2, k = 127.5 }
            return k.name
        end)
        assert.is_true(failing.holds(message, "errors_spec.lua:" .. line .. ": "))
    end)

    it("is the user's line where the stdlib raises", function()
        local line
        local message = failing.whole(function()
            line = failing.line() + 1
            local k = kc.lib.attention.flash { i = 1 }
            return k.name
        end)
        assert.is_true(failing.holds(message, "errors_spec.lua:" .. line .. ": ", "d"))
    end)

    it("is some frame of the user's after a tail call", function()
        local message = failing.whole(function()
            return kc.tensor("A", "i", "f17", { i = 1 })
        end)
        assert.is_true(failing.holds(message, ".lua:", ": kc.tensor: unknown dtype"))
    end)

    it("is said once, also through pcall of the function itself", function()
        local good, message = pcall(kc.tensor, "A", "i", "f17", { i = 1 })
        assert.is_false(good)
        local _, count = message:gsub("kc%.tensor: ", "")
        assert.equal(1, count)
    end)
end)

describe("an error's sentence", function()
    local A = kc.tensor("A", "m k", "f16", { m = 4, k = 4 })

    it("describes what was given by type and value", function()
        local read = function(x) return function() local v = kc.read(x) return v.dims end end
        assert.is_true(failing.holds(failing.message(read(nil)), "tensor is nothing"))
        assert.is_true(failing.holds(failing.message(read(true)), "tensor is true"))
        assert.is_true(failing.holds(failing.message(read("A")), "tensor is 'A'"))
        assert.is_true(failing.holds(failing.message(read({})), "tensor is a table"))
        assert.is_true(failing.holds(failing.message(read(print)), "tensor is a function"))
        assert.is_true(failing.holds(failing.message(read(io.stdout)), "tensor is a userdata"))
    end)

    it("cuts long texts short", function()
        local message = failing.message(kc.read, ("x"):rep(1000))
        assert.is_true(#message < 200)
    end)

    it("lists the options where none is near", function()
        local message = failing.message(kc.softmax, kc.read(A), "k", { quick = true })
        assert.is_true(failing.holds(message, "kc.softmax", "'quick'", "'online'"))
    end)

    it("refuses options that are no names", function()
        assert.is_true(failing.holds(failing.message(kc.read, A, { 1, 2 }), "key 1"))
    end)
end)
