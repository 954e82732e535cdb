-- norm_fusion.lua: with what should a norm be fused: with the residual before it, or with the matmul behind it?
--
-- Between two layers: S = X + R, Y = rmsnorm(S), C = Y W.  As three kernels each array is written and read again.
-- The sum fits into the norm, which holds whole rows anyway: one read of S less.  The norm fits into the matmul, too:
-- Y is then never written; but a CTA needs the norm of its rows before it can multiply, which is a second pass over
-- them, and each CTA along n does it again.  Where n is one tile this is a draw, and then it is worse.
--
--     kcost scripts/norm_fusion.lua --set m=64 --set n=28672 --device a100-sxm4-80gb
local kc = require "kcost"
local report, norm, gemm = kc.lib.report, kc.lib.norm, kc.lib.gemm

local m, k = kc.param("m", 8192), kc.param("k", 4096)
local device = kc.device(kc.param("device", "h100-sxm5"))
local tile = { m = 128, n = 128, k = 64 }

local size = { m = m, k = k }
local function read(name) return kc.read(kc.tensor(name, "m k", "f16", size)) end
local S = kc.write("S", kc.map("add", read("X"), read("R")))
local Y = norm.rms { m = m, k = k, input = S }

local function ways(n)
    local C = gemm.plain { m = m, n = n, k = k, input = Y.tensors[1] }
    local rows = { m = 1, k = k }
    local function row(x) return kc.tile(x, rows) end
    local sum = kc.fuse("sum and norm", { S, Y }, { save = { "S" } })
    return {
        kc.program("three kernels", { row(S), row(Y), kc.tile(C, tile) }),
        kc.program("sum in the norm", { row(sum), kc.tile(C, tile) }),
        kc.program("norm in the matmul", { row(S), kc.tile(kc.fuse("norm and matmul", { Y, C }), tile) }),
    }
end

local lines = {}
for _, n in ipairs { 128, 512, 4096, 14336 } do
    local line = { n }
    for _, way in ipairs(ways(n)) do
        local r = kc.evaluate(way, device)
        line[#line + 1], line[#line + 2] = report.si(r.bytes, "B"), report.si(r.time, "s")
    end
    lines[#lines + 1] = line
end
local head = { "n", "three kernels", "time", "sum in the norm", "time", "norm in the matmul", "time" }
return {
    kc.str(m) .. " rows of " .. kc.str(k) .. " on " .. device.id .. ":\n\n" .. report.table(head, lines),
    kc.compare(ways(kc.param("n", 4096)), { device.id }),
}
