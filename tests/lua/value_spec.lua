-- value_spec.lua: read, write and the ops between them.
local kc = require "kcost"
local failing = require "failing"

local size = { b = 2, i = 128, j = 64, d = 32, e = 16, m = 8, k = 100 }
local Q = kc.tensor("Q", "b i d", "f16", size)
local K = kc.tensor("K", "b j d", "f16", size)
local V = kc.tensor("V", "b j e", "bf16", size)

describe("a read", function()
    it("is a value with the tensor's dims, sizes and dtype", function()
        local q = kc.read(Q)
        assert.equal("b i d", q.dims)
        assert.same({ b = 2, i = 128, d = 32 }, q.size)
        assert.equal("f16", q.dtype)
    end)

    it("renames dims by position", function()
        assert.equal("b j d", kc.read(Q, "b j d").dims)
    end)

    it("takes a table in second place for its options", function()
        assert.equal("b i d", kc.read(Q, { scale = 2 }).dims)
    end)

    it("takes sizes of new dims", function()
        local x = kc.tensor("x", "n c h", "f16", { n = 1, c = 3, h = 34 })
        local taps = kc.read(x, "n c 1*p+r", { size = { p = 32, r = 3 } })
        assert.equal(32, taps.size.p)
        assert.equal(3, taps.size.r)
    end)

    it("refuses an unknown option with the nearest name", function()
        assert.is_true(failing.holds(failing.message(kc.read, Q, { distict = 5 }), "kc.read", "'distict'", "'distinct'"))
    end)

    it("refuses a value where a tensor is wanted", function()
        assert.is_true(failing.holds(failing.message(kc.read, kc.read(Q)), "kc.read: tensor is a value", "a tensor"))
    end)

    it("refuses a scale below zero", function()
        assert.is_true(failing.holds(failing.message(kc.read, Q, nil, { scale = -1 }), "opts.scale is -1"))
    end)
end)

describe("a write", function()
    it("is a tensor with the dims of its value", function()
        local Y = kc.write("Y", kc.read(Q))
        assert.equal("Y", Y.name)
        assert.equal("b i d", Y.dims)
        assert.equal("f16", Y.dtype)
    end)

    it("takes a dtype, or options with one", function()
        assert.equal("f32", kc.write("Y", kc.read(Q), "f32").dtype)
        assert.equal("f32", kc.write("Y", kc.read(Q), { dtype = "f32" }).dtype)
        assert.equal("f32", kc.write("Y", kc.read(Q), kc.dtype("f32")).dtype)
    end)

    it("orders dims as asked", function()
        assert.equal("d b i", kc.write("Y", kc.read(Q), { dims = "d b i" }).dims)
        assert.equal("d b i", kc.write("Y", kc.read(Q), { dims = { "d", "b", "i" } }).dims)
    end)
end)

describe("a matmul", function()
    it("contracts the last dim of its left operand", function()
        assert.equal("b i j", kc.matmul(kc.read(Q), kc.read(K)).dims)
    end)

    it("contracts the dims it is told to, as a text or a list", function()
        local a, b = kc.read(Q), kc.read(K)
        assert.equal("b i j", kc.matmul(a, b, "d").dims)
        assert.equal("i j", kc.matmul(a, b, { "b", "d" }).dims)
    end)

    it("takes options in third or fourth place", function()
        local a, b = kc.read(Q), kc.read(K)
        local sum = kc.matmul(a, b)
        assert.equal("b i j", kc.matmul(a, b, { into = sum }).dims)
        assert.equal("b i j", kc.matmul(a, b, "d", { unit = "vector" }).dims)
    end)

    it("says that a tensor must be read first", function()
        assert.is_true(failing.holds(failing.message(kc.matmul, Q, kc.read(K)), "kc.matmul: a is the tensor 'Q'", "kc.read"))
    end)

    it("refuses a dim that the right operand has not", function()
        local message = failing.message(kc.matmul, kc.read(Q), kc.read(V))
        assert.is_true(failing.holds(message, "kc.matmul", "'d'"))
    end)

    it("refuses an unknown option", function()
        assert.is_true(failing.holds(failing.message(kc.matmul, kc.read(Q), kc.read(K), { mat = "f16" }), "'mat'", "'math'"))
    end)
end)

describe("a map", function()
    local a = kc.read(Q)

    it("has the union of its inputs' dims", function()
        local bias = kc.read(kc.tensor("bias", "j", "f16", size))
        assert.equal("b i d j", kc.map("add", a, bias).dims)
    end)

    it("takes a cost in place of a name", function()
        assert.equal("b i d", kc.map({ flops = 3, special = 1 }, a).dims)
        assert.equal("b i d", kc.map({ flops = 3 }, a, a).dims)
    end)

    it("refuses a name without a cost, and names the nearest", function()
        assert.is_true(failing.holds(failing.message(kc.map, "gelo", a), "kc.map", "'gelo'", "'gelu'"))
    end)

    it("refuses a cost with an unknown figure", function()
        assert.is_true(failing.holds(failing.message(kc.map, { flop = 3 }, a), "'flop'", "'flops'"))
    end)

    it("refuses a negative cost", function()
        assert.is_true(failing.holds(failing.message(kc.map, { flops = -3 }, a), "what.flops is -3"))
    end)

    it("needs an input, and says which one is wrong", function()
        assert.is_true(failing.holds(failing.message(kc.map, "add"), "kc.map", "value"))
        assert.is_true(failing.holds(failing.message(kc.map, "add", a, 5), "input 2 is 5"))
        assert.is_true(failing.holds(failing.message(kc.map, "add", a, nil, a), "input 2 is nothing"))
    end)
end)

describe("other ops", function()
    local s = kc.matmul(kc.read(Q), kc.read(K))

    it("reduce drops the dims it reduces", function()
        assert.equal("b i", kc.reduce("max", s, "j").dims)
        assert.equal("b", kc.reduce("sum", s, "i j").dims)
        assert.equal("b", kc.reduce({ flops = 2 }, s, { "i", "j" }).dims)
    end)

    it("reduce may add dims, as a top-k does", function()
        assert.equal(8, kc.reduce("topk", s, "j", { size = { t = 8 } }).size.t)
    end)

    it("scan keeps the dim that it runs along", function()
        assert.equal("b i j", kc.scan("sum", s, "j").dims)
    end)

    it("softmax keeps its dims, and its rows have a log-sum-exp", function()
        local p = kc.softmax(s, "j", { online = true })
        assert.equal("b i j", p.dims)
        assert.equal("b i", kc.lse(p).dims)
    end)

    it("softmax takes online as true or false only", function()
        assert.is_true(failing.holds(failing.message(kc.softmax, s, "j", { online = 1 }), "opts.online is 1", "true or false"))
    end)

    it("lse refuses what no softmax made", function()
        assert.is_true(failing.holds(failing.message(kc.lse, s), "kc.lse"))
    end)

    it("masks keep dims and dtype", function()
        assert.equal("b i j", kc.causal(s, "i", "j").dims)
        assert.equal("b i j", kc.mask(s, "i", "j", { lo = -16, hi = 0 }).dims)
    end)

    it("a mask needs a bound", function()
        assert.is_true(failing.holds(failing.message(kc.mask, s, "i", "j", {}), "kc.mask", "lo", "hi"))
        assert.is_true(failing.holds(failing.message(kc.mask, s, "i", "j"), "kc.mask", "lo", "hi"))
    end)

    it("cast changes the dtype", function()
        assert.equal("f8e4m3", kc.cast(s, "f8").dtype)
        assert.is_true(failing.holds(failing.message(kc.cast, s), "kc.cast: dtype is nothing"))
    end)
end)

describe("what is wrong with an argument", function()
    local q, k, s = kc.read(Q), kc.read(K), kc.matmul(kc.read(Q), kc.read(K))
    local mine = kc.dtype { name = "mine", bits = 4, math = kc.dtype("f16") }

    local function refuses(said, call, ...)
        local message = failing.message(kc[call], ...)
        assert.equal("kc." .. call .. ": " .. said, message:sub(1, #said + #call + 5))
    end

    it("of a read and a write", function()
        refuses("opts.distinct is 0, and a number of rows above 0 is wanted", "read", Q, { distinct = 0 })
        refuses("opts.scale is inf, and a factor of at least 0 is wanted", "read", Q, { scale = math.huge })
        refuses("opts.scale is -1, and", "read", Q, "b i d", { scale = -1 })
        refuses("index is a table, and a string is wanted", "read", Q, {}, {})
        refuses("opts.scale is inf, and", "write", "X", q, { scale = math.huge })
        refuses("opts.size is for an index, and opts.index is nothing", "write", "X", q, { size = { z = 3 } })
        refuses("unknown dtype 'f99'", "write", "X", q, "f99")
    end)

    it("of a tensor", function()
        refuses("size has a key with a zero byte in it", "tensor", "X", "m", "f16", { ["m\0"] = 1 })
        refuses("size has the key 1, and the name of a dim is wanted", "tensor", "X", "m", "f16", { 2 })
        refuses("size of dim 'm' is nan, and", "tensor", "X", "m", "f16", { m = 0 / 0 })
        refuses("size of dim 'm' is 1e16, and", "tensor", "X", "m", "f16", { m = 1e16 })
        refuses("dtype is a table, and a dtype is wanted", "tensor", "X", "m", {}, size)
        local dims = {}
        for i = 1, 1100 do dims[i] = "d" .. i end
        refuses("dims has more than 1000 dims", "tensor", "X", dims, "f16", size)
        refuses("dims is a text of more than 1048576 bytes", "tensor", "X", ("i "):rep(2 ^ 20), "f16", size)
        refuses("the index is a text of more than 1048576 bytes", "read", kc.tensor("X", "i", "f16", { i = 1 }), ("i "):rep(2 ^ 20))
    end)

    it("of an op", function()
        refuses("opts.math is a tensor, and a string is wanted", "matmul", q, k, "d", { math = Q })
        refuses("over is empty", "matmul", q, k, {}, { math = "f8" })
        refuses("what.flops is inf, and a number of at least 0 is wanted", "map", { flops = math.huge }, q)
        refuses("what is 5, and a name or a cost", "map", 5, q)
        refuses("a value is wanted after 'mine'", "map", { name = "mine" })
        refuses("a value is wanted after 'the cost'", "map", { flops = 1 })
        refuses("over is nothing, and the name of a dim is wanted", "reduce", "sum", q)
        refuses("over is nothing, and the name of a dim is wanted", "scan", "sum", q)
        refuses("no dim 'z' in the operand", "scan", "sum", q, "z")
        refuses("no dim 'z' in the operand", "causal", s, "i", "z")
        refuses("unknown dtype 'f99'", "cast", s, "f99")
    end)

    it("of a dtype, which may be computed in another", function()
        assert.is_true(failing.holds(tostring(mine), "4 bits, computed in f16"))
        assert.equal("b i j", kc.matmul(q, k, "d", { math = kc.dtype("f8") }).dims)
        refuses("dtype is nothing, and a table { name = \"mine\", bits = 4 } is wanted", "dtype")
        refuses("math is a tensor, and a string is wanted", "dtype", { name = "x", bits = 4, math = Q })
        refuses("bits must be above 0", "dtype", { name = "x", bits = -4 })
        assert.is_true(failing.holds(failing.message(function() return mine.foo end), "a dtype has no field 'foo'"))
        assert.equal(4, mine.bits)
    end)
end)
