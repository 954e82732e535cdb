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

-- A method or a metamethod may be called on anything, by a slip (r.table) or out of a debugger.
describe("what is called on another thing", function()
    local A = kc.tensor("A", "i", "f16", { i = 64 })
    local B = kc.write("B", kc.map("relu", kc.read(A)))
    local r, device = kc.evaluate(B, "h100"), kc.device("h100")
    local c, s = kc.compare({ B }, { "h100" }), kc.sweep { kernel = B, device = "h100", tile = { i = { 32, 64 } } }

    it("a method says how it is called", function()
        for _, other in ipairs { {}, 5, B } do
            assert.equal("kc.explain: call it as r:explain()", failing.message(r.explain, other))
            assert.equal("kc.sensitivity: call it as r:sensitivity()", failing.message(r.sensitivity, other))
            assert.equal("kc.rows: call it as s:rows()", failing.message(s.rows, other))
            assert.is_true(failing.holds(failing.message(device.with, other, {}), "device:with{"))
        end
        assert.equal("kc.table: call it as r:table()", failing.message(r.table))
        assert.is_true(failing.holds(failing.message(device.with, device, 5), "device:with{"))
    end)

    it("a metamethod says what is wanted", function()
        local function refuses(what, object, wrong)
            local index = debug.getmetatable(object).__index
            for _, other in ipairs(wrong) do assert.equal(what, failing.message(index, other, "name")) end
        end
        refuses("kc: an object is wanted", B, { {}, io.stdout, 5 })
        refuses("kc: a result is wanted", r, { {}, io.stdout, B })
        refuses("kc: a comparison is wanted", c, { {}, io.stdout, r })
        assert.equal("kc: an object is wanted", failing.message(debug.getmetatable(B).__tostring, {}))
        assert.equal("kc: an object is immutable; tile, fuse, resize and with give a new one",
            failing.message(debug.getmetatable(B).__newindex, {}, "name", 1))
        assert.is_false(debug.getmetatable(B).__eq({}, {}))
    end)

    it("an object that was let go is none any more", function()
        local gone = kc.tensor("gone", "i", "f16", { i = 1 })
        local meta = debug.getmetatable(gone)
        meta.__gc(gone)
        meta.__gc(gone)
        meta.__gc({})
        assert.equal("kc: an object is wanted", failing.message(function() return gone.name end))
        assert.is_true(failing.holds(failing.message(kc.read, gone), "kc.read: tensor is "))
    end)

    it("a field whose name is no text is none", function()
        for _, object in ipairs { A, B, kc.kernel("k", { B }), kc.program("p", { B }), r, c, s, kc.dtype("f16") } do
            assert.is_true(failing.holds(failing.message(function() return object[1] end), "has no field 1"))
        end
        assert.is_nil(device.hbm[1])
        assert.is_nil(kc.lib.gemm[1])
    end)
end)
