-- fuse_all.lua: which kernels of a layer should be one, and which had better stay apart?
--
-- A Llama layer as a framework runs it without a compiler: a kernel an op.  kc.fuse_all tries what a compiler's rules
-- join (elementwise work with its neighbours, the residual with the norm, scores with softmax and values) on the
-- device, each group under its best schedule, and keeps what moves no more and takes no longer.
--
--     kcost scripts/fuse_all.lua --set tokens=16 --set keys=4096 --device a100-sxm4-80gb
local kc = require "kcost"
local report = kc.lib.report

local tokens, device = kc.param("tokens", 2048), kc.device(kc.param("device", "h100-sxm5"))
local size = { t = tokens, j = kc.param("keys", tokens), h = 32, d = 128, e = 128, k = 4096, n = 4096, f = 11008 }

local function read(name, dims) return kc.read(kc.tensor(name, dims, "f16", size)) end
local list = {}
local function step(name, value, dims)
    list[#list + 1] = kc.write(name, value, { dtype = "f16", dims = dims })
    return kc.read(list[#list]), list[#list]
end

local function norm(name, x)
    local root = kc.map({ flops = 2, special = 1 }, kc.reduce("sum", kc.map("mul", x, x), "k"))
    return step(name, kc.map("mul", kc.map("mul", x, root), read("W " .. name, "k")))
end

local scores = step("scores", kc.causal(kc.matmul(read("Q", "h t d"), read("K", "h j d")), "t", "j"))
local scaled = step("scaled", kc.map("scale", scores))
local weights = step("weights", kc.softmax(scaled, "j"))
local values = step("values", kc.matmul(weights, read("V", "h j e"), "j"), "t h e")
local out = step("out", kc.matmul(values, read("W out", "h e k"), "h e"))
local stream, sum = step("stream", kc.map("add", out, read("residual", "t k")))
local normed = norm("norm", stream)
local gate, up = step("gate", kc.matmul(normed, read("W gate", "k f"))), step("up", kc.matmul(normed, read("W up", "k f")))
local inner = step("inner", kc.map("mul", kc.map("silu", gate), up))
local down = step("down", kc.matmul(inner, read("W down", "f n")))
step("result", kc.map("add", down, kc.read(sum, "t n")))

local layer = kc.program("a kernel an op", list)
local r = kc.fuse_all(layer, device)

local lines, apart = {}, {}
for n, f in ipairs(r.fused) do
    lines[n] = { table.concat(f.kernels, ", "), f.rule, report.si(f.apart.time, "s"), report.si(f.time, "s") }
end
for n, f in ipairs(r.refused) do apart[n] = table.concat(f.kernels, ", ") .. ": " .. f.why end
return {
    report.table({ "fused", "rule", "apart", "as one" }, lines),
    "left apart:\n    " .. table.concat(apart, "\n    "),
    kc.compare({ kc.best(layer, device).kernel, r.kernel }, { device }),
}
