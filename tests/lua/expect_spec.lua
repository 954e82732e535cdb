-- expect_spec.lua: kc.expect, r:explain(field), kc.load_json, kcost diff: figures that a build is held to.
local kc = require "kcost"
local diff = require "kcost.internal.diff"
local failing = require "failing"

local gemm = kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }
local r = kc.evaluate(gemm, "h100-sxm5")

describe("expect", function()
    it("gives the result where the condition holds", function()
        assert.equal(r, kc.expect(r, "bytes <= 1.1e9 and bound == 'matrix' and times.hbm < time", "traffic grew"))
    end)

    it("fails with the values that it asked for", function()
        assert.equal("kc.expect: bytes <= 1e8 does not hold for gemm on h100-sxm5: bytes = 100663296 (101 MB)",
            failing.message(kc.expect, r, "bytes <= 1e8"))
        assert.equal("kc.expect: it got slow (bound == 'hbm' does not hold for gemm on h100-sxm5: bound = matrix)",
            failing.message(kc.expect, r, "bound == 'hbm'", "it got slow"))
    end)

    it("says what it does not understand, or the result lacks", function()
        assert.is_true(failing.holds(failing.message(kc.expect, r, "byts < 1"), "kc.expect: condition, column 1: ", "'bytes'"))
        assert.equal("kc.expect: occupancy > 1: 'occupancy' does not apply of gemm", failing.message(kc.expect, r, "occupancy > 1"))
        assert.equal("kc.expect: occupancy > 1: 'occupancy' does not apply of gemm",
            failing.message(kc.expect, r, "occupancy > 1"))
        assert.is_true(failing.holds(failing.message(kc.expect, 5, "bytes < 1"), "x is 5, and a kernel, program or written tensor"))
    end)

    it("evaluates a kernel for it, or counts it", function()
        assert.equal(r.time, kc.expect(gemm, "time <= 1ms", { device = "h100-sxm5" }).time)
        assert.equal(r.bytes, kc.expect(gemm, "bytes <= 110MB").bytes)
        assert.equal(2 ^ 36, kc.expect(gemm, "flops < 1e11", { convention = "fvcore", message = "it grew" }).flops)
        assert.equal("kc.expect: it got slow (time <= 100us does not hold for gemm on h100-sxm5: time = " .. kc.str(r.time)
            .. " (192 us))", failing.message(kc.expect, gemm, "time <= 100us", { device = "h100", message = "it got slow" }))
        assert.is_true(failing.holds(failing.message(kc.expect, r, "bytes < 1", { device = "h100" }), "no option 'device'", "'message'"))
        assert.equal("kc.expect: time < 1: 'time' does not apply of gemm", failing.message(kc.expect, gemm, "time < 1"))
    end)
end)

describe("a formula", function()
    it("ends in the field", function()
        assert.is_true(failing.holds(r:explain("bytes"), "bytes of gemm on h100-sxm5:", "A: m 4096 x k 4096 x 2 B compulsory",
            "\n  bytes = 100663296 B (101 MB)\n"))
    end)

    it("is there for fields that the result has", function()
        assert.equal("kc.explain: gemm has no occupancy", failing.message(r.explain, r, "occupancy"))
        assert.equal("kc.explain: a result has no field 'byts'; did you mean 'bytes'?", failing.message(r.explain, r, "byts"))
    end)
end)

-- What load_json makes of a text.
local function loaded(text)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    local good, value = pcall(kc.load_json, path)
    os.remove(path)
    return good and value or (tostring(value):gsub("^.-: kc", "kc"))
end

describe("load_json", function()
    it("reads objects, lists, numbers, texts and truths", function()
        local t = loaded('{"a":[1,2.5,-3e2],"b":{"c":"x\\u00e9\\n","d":true,"e":null}}')
        assert.same({ a = { 1, 2.5, -300 }, b = { c = "x\195\169\n", d = true } }, t)
    end)

    it("reads escapes of one to four bytes, and half a pair as no character", function()
        local function text(escaped) return loaded('["' .. escaped .. '"]')[1] end
        assert.equal("A\195\169\226\130\172\240\159\152\128!", text("\\u0041\\u00e9\\u20AC\\ud83d\\ude00!"))
        assert.equal('"\\/\b\f\r\t', text('\\"\\\\\\/\\b\\f\\r\\t'))
        local none = "\239\191\189"
        assert.equal(none .. "A", text("\\ud83d\\u0041"))
        assert.equal(none .. "\n", text("\\ud83d\\n"))
        assert.equal(none .. "xxxxxx", text("\\ud83dxxxxxx"))
        assert.equal(none .. "\238\128\128", text("\\ud83d\\ue000"))
        assert.equal(none, text("\\ude00"))
    end)

    it("reads what Python writes for no number as absent, and says where it was", function()
        local t = loaded('{"a": [0, Infinity],\n "b": NaN, "c": {"d": -Infinity}}')
        assert.same({ a = { 0 }, c = {} }, t)
        assert.same({ { key = "a", value = "Infinity", line = 1 }, { key = "b", value = "NaN", line = 2 },
            { key = "d", value = "-Infinity", line = 2 } }, getmetatable(t).absent)
        assert.is_nil(getmetatable(loaded('{"a": null}')))
    end)

    it("says where and what is no JSON", function()
        for text, said in pairs {
            [""] = "1, column 1: nothing is there",
            ["{"] = "1, column 2: it ends too early",
            ["[1,"] = "1, column 4: it ends too early",
            ["{1:2}"] = "1, column 2: a key in quotes is wanted",
            ["{a:1}"] = "1, column 2: a key in quotes is wanted",
            ["[1,\n 2}"] = "2, column 3: '}' does not belong here",
            ["[nul]"] = "1, column 2: 'nul' is no number, text, list, object, true, false or null",
            ["[nan]"] = "1, column 2: 'nan' is no number",
            ["[1e]"] = "1, column 2: '1e' is no number",
            ["[01]"] = "1, column 2: '01' is no number",
            ["[.5]"] = "1, column 2: '.5' is no number",
            ["[5.]"] = "1, column 2: '5.' is no number",
            ["[+1]"] = "1, column 2: '+1' is no number",
            ["[0x10]"] = "1, column 2: '0x10' is no number",
            ["[1e999]"] = "1, column 2: the number '1e999' is too large",
            ['"\\ud8"'] = "1, column 1: the text that begins here has an escape",
            ['{"a": "b'] = "1, column 7: the text that begins here does not end",
            ["[1] 2"] = "1, column 5: something follows its end",
            ["[1 2]"] = "1, column 4: a comma is missing",
            ["[,1]"] = "1, column 2: ',' does not belong here",
            ["[1,,2]"] = "1, column 4: ',' does not belong here",
            ["[1,]"] = "1, column 3: ',' does not belong here",
            ['{"a" 1}'] = "1, column 3: the key has no value",
            ['{"a":1 "b":2}'] = "1, column 3: a comma is missing behind its value",
            ['{"a":}'] = "1, column 3: the key has no value",
            ['{"a":1,}'] = "1, column 7: ',' does not belong here",
        } do
            assert.is_true(failing.holds(loaded(text), "kc.load_json: ", ", line " .. said), text .. ": " .. tostring(loaded(text)))
        end
        assert.is_true(failing.holds(loaded("\0"), "there is a zero byte in it"))
        assert.is_true(failing.holds(loaded(("["):rep(100000)), "column 65: it is nested too deeply"))
        assert.is_true(failing.holds(loaded(("["):rep(100000) .. ("]"):rep(100000)), "it is nested too deeply"))
        assert.is_true(failing.holds(loaded(("[1],"):rep(100000)), "column 5: something follows its end"))
        assert.is_true(#loaded(("x"):rep(100000)) < 200)
    end)

    it("needs a file", function()
        assert.equal("kc.load_json: cannot read /nowhere/x.json", failing.message(kc.load_json, "/nowhere/x.json"))
        assert.equal("kc.load_json: cannot read /", failing.message(kc.load_json, "/"))
    end)
end)

-- A result as what its document has of it.
local function document(kernel)
    local result, copy = kc.evaluate(kernel, "h100-sxm5"), {}
    for _, field in ipairs { "name", "device", "flops", "executed_flops", "bytes", "l2_bytes", "smem_bytes", "time", "tensors" } do
        copy[field] = result[field]
    end
    return copy
end

describe("a difference", function()
    local heads = { i = 2048, d = 64, h = 4 }
    local function flash(more)
        local p = { i = heads.i, d = heads.d, h = heads.h }
        for name, value in pairs(more) do p[name] = value end
        return document(kc.lib.attention.flash(p))
    end

    it("is none of a document and itself", function()
        local lines, worse = diff.compare(flash {}, flash {}, 0)
        assert.same({}, lines)
        assert.equal(0, worse)
    end)

    it("names the tensor and the cause that grew", function()
        local before, after = flash { loops = "fa2" }, flash { loops = "fa1" }
        local lines, worse = diff.compare(before, after, 0.01)
        assert.is_true(worse > 0)
        assert.is_true(failing.holds(table.concat(lines, "\n"), "flash attention on h100-sxm5: bytes ", "%): O spill +"))
        local back, none = diff.compare(after, before, 0.01)
        assert.is_true(#back > 0 and none < worse)
    end)

    it("is none up to the tolerance", function()
        local lines = diff.compare(document(gemm), document(kc.lib.gemm.plain { m = 4096, n = 4096, k = 4104 }), 0.01)
        assert.same({}, lines)
    end)

    it("names results that are gone or new, and tells those of one name apart", function()
        local one, two = document(gemm), document(kc.lib.norm.rms { m = 64, k = 64 })
        local lines, worse = diff.compare({ one, one, two }, { one, one, one }, 0)
        assert.same({ "rmsnorm on h100-sxm5: gone", "gemm on h100-sxm5 (3): new" }, lines)
        assert.equal(1, worse)
    end)
end)
