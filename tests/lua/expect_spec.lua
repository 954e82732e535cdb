-- expect_spec.lua: kc.expect, r:explain(field), kc.load_json, kc.lib.diff: figures that a build is held to.
local kc = require "kcost"
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
        assert.is_true(failing.holds(failing.message(kc.expect, gemm, "bytes < 1"), "and a result is wanted"))
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

    it("takes the infinities that Python writes", function()
        assert.same({ math.huge, -math.huge }, loaded("[Infinity, -Infinity]"))
    end)

    it("says in one sentence what is no JSON", function()
        for _, text in ipairs { "", "{", "[1,", "{1:2}", "{a:1}", "[1]]", "[nul]", "[NaN]", "[1e]", '"\\ud8"', "]", "\0", "[1] 2",
            "[1 2]", "[,1]", "[1,,2]", "[1,]", '{"a" 1}', '{"a":1 "b":2}', '{"a":}', '{"a"}', '{"a":1,}', '{"a":1,"b"}', "nope" } do
            assert.is_true(failing.holds(loaded(text), "kc.load_json: the JSON text is broken: "), text)
        end
        assert.is_true(failing.holds(loaded(("["):rep(100000)), "kc.load_json: the JSON text is broken: "))
        assert.is_true(failing.holds(loaded(("[1],"):rep(100000)), "kc.load_json: the JSON text is broken: "))
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
        local lines, worse = kc.lib.diff.compare(flash {}, flash {}, 0)
        assert.same({}, lines)
        assert.equal(0, worse)
    end)

    it("names the tensor and the cause that grew", function()
        local before, after = flash { loops = "fa2" }, flash { loops = "fa1" }
        local lines, worse = kc.lib.diff.compare(before, after, 0.01)
        assert.is_true(worse > 0)
        assert.is_true(failing.holds(table.concat(lines, "\n"), "flash attention on h100-sxm5: bytes ", "%): O spill +"))
        local back, none = kc.lib.diff.compare(after, before, 0.01)
        assert.is_true(#back > 0 and none < worse)
    end)

    it("is none up to the tolerance", function()
        local lines = kc.lib.diff.compare(document(gemm), document(kc.lib.gemm.plain { m = 4096, n = 4096, k = 4104 }), 0.01)
        assert.same({}, lines)
    end)

    it("names results that are gone or new, and tells those of one name apart", function()
        local one, two = document(gemm), document(kc.lib.norm.rms { m = 64, k = 64 })
        local lines, worse = kc.lib.diff.compare({ one, one, two }, { one, one, one }, 0)
        assert.same({ "rmsnorm on h100-sxm5: gone", "gemm on h100-sxm5 (3): new" }, lines)
        assert.equal(1, worse)
    end)
end)
