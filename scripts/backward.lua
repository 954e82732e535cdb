-- backward.lua: the backward pass of attention, with the score matrix in HBM, and recomputed.
--
--     dV[j,e] = sum_i P[i,j] dO[i,e]      dP[i,j] = sum_e dO[i,e] V[j,e]
--     dS = P * (dP - D)                   D[i]    = sum_e dO[i,e] O[i,e]
--     dQ[i,d] = sum_j dS[i,j] K[j,d]      dK[j,d] = sum_i dS[i,j] Q[i,d]
--
-- Standard attention kept P (n x n a head) from the forward pass: four matmuls, and P, dP and dS go
-- through HBM.  Flash attention kept the log-sum-exp L of each row instead and computes P = exp(S - L)
-- again: five matmuls, and nothing n x n moves.  dK and dV add up over queries, dQ over keys, so no
-- grid owns all three:
--
--     two kernels    one owns keys (dK, dV), one owns queries (dQ): S and dP are computed in both
--     one kernel     owns keys; each CTA adds its share of dQ to HBM by atomics (Dao, arXiv 2307.08691)
--
--     kcost scripts/backward.lua --set n=4096 --set d=128 --set causal=true
local kc = require "kcost"
local report = kc.lib.report

local n, d = kc.param("n", 1024), kc.param("d", 64)
local size = { b = kc.param("b", 64), h = kc.param("h", 16), i = n, j = n, d = d, e = d }
local dtype, causal = kc.param("dtype", "f16"), kc.param("causal", false)
local devices = report.words(kc.param("device", "a100-sxm4-40gb h100-sxm5"))

local function tensor(name, dims, kind) return kc.tensor(name, dims, kind or dtype, size) end
local Q, K, V = tensor("Q", "b h i d"), tensor("K", "b h j d"), tensor("V", "b h j e")
local O, dO = tensor("O", "b h i e"), tensor("dO", "b h i e")
local L = tensor("L", "b h i", "f32")

local function masked(scores)
    return causal and kc.causal(scores, "i", "j") or scores
end

-- D, a row sum, comes first in every variant.
local D = kc.write("D", kc.reduce("sum", kc.map("mul", kc.read(dO), kc.read(O)), "e"), "f32")

-- Standard: one kernel per line, P from the forward pass.
local kept = masked(kc.read(tensor("P", "b h i j")))
local dP = kc.write("dP", masked(kc.matmul(kc.read(dO), kc.read(V), "e")))
local dS = kc.write("dS", kc.map("mul", kept, kc.map("sub", kc.read(dP), kc.read(D))))
local standard = kc.program("standard", {
    D,
    kc.write("dV", kc.matmul(kept, kc.read(dO), "i")),
    dP,
    dS,
    kc.write("dQ", kc.matmul(kc.read(dS), kc.read(K), "j")),
    kc.write("dK", kc.matmul(kc.read(dS), kc.read(Q), "i")),
})

-- Flash: P and dS are values.  What two kernels need is computed in each.
local q, k, v, grad = kc.read(Q), kc.read(K), kc.read(V), kc.read(dO)
local p = kc.map("exp", kc.map("sub", masked(kc.matmul(q, k, "d")), kc.read(L)))
local ds = kc.map("mul", p, kc.map("sub", kc.matmul(grad, v, "e"), kc.read(D)))
local dV = kc.write("dV", kc.matmul(p, grad, "i"))
local dK = kc.write("dK", kc.matmul(ds, q, "i"))
local dq = kc.matmul(ds, k, "j")

local tile = { i = kc.param("tile_i", 64), j = kc.param("tile_j", 128) }
local two = kc.program("two kernels", {
    D,
    kc.tile(kc.kernel("dK dV", { dK, dV }), tile, { grid = "b h j", order = "i" }),
    kc.tile(kc.write("dQ", dq), { i = tile.j, j = tile.i }, { grid = "b h i", order = "j" }),
})

-- dQ is reduced over j, which is a grid dim: every CTA adds to it, in f32; a last kernel rounds it.
local sum = kc.write("dQ sum", dq, "f32")
local one = kc.program("one kernel, atomics", {
    D,
    kc.tile(kc.kernel("dK dV dQ", { dK, dV, sum }), tile,
        { grid = "b h j", order = "i", combine = "atomic" }),
    kc.write("dQ", kc.read(sum), dtype),
})

-- How many matmuls of 2 b h n^2 d FLOP, how much of the traffic is n x n, and what dQ costs.
local matmul = 2 * size.b * size.h * n * n * d
local lines = {}
for _, x in ipairs { standard, two, one } do
    local c = kc.count(x)
    local square, dq_bytes = 0, 0
    for _, t in ipairs(c.tensors) do
        local bytes = t.bytes_read + t.bytes_written
        if t.name == "P" or t.name == "dP" or t.name == "dS" then square = square + bytes end
        if t.name == "dQ" or t.name == "dQ sum" then dq_bytes = dq_bytes + bytes end
    end
    lines[#lines + 1] = {
        x.name, string.format("%.3g", c.matrix_flops / matmul),
        report.si(c.bytes, "B"), report.si(square, "B"), report.si(dq_bytes, "B"),
    }
end

return {
    "Matmuls done, and bytes between the chip and HBM (no L2):\n\n"
        .. report.table({ "", "matmuls", "bytes", "P, dP, dS", "dQ" }, lines),
    kc.compare({ standard, two, one }, devices),
}
