-- flashattn.lua: attention with the score matrix in HBM, and without it.
--
--     S[i,j] = sum_d Q[i,d] K[j,d]     P = softmax over j of S     O[i,e] = sum_j P[i,j] V[j,e]
--
-- S and P are n x n for every head, the largest things here, and nobody asked for them.  Unfused, each
-- is written to HBM and read again: 4 n^2 elements a head beside the 4 n d of Q, K, V and O.  Fused, a
-- tile of S lives in registers until its row of O has used it.
--
--     kcost scripts/flashattn.lua
--     kcost scripts/flashattn.lua --set n=4096 --set causal=true --device h200-sxm
local kc = require "kcost"
local report = kc.lib.report

local n, d = kc.param("n", 1024), kc.param("d", 64)
local size = { b = kc.param("b", 64), h = kc.param("h", 16), i = n, j = n, d = d, e = d }
local dtype, causal = kc.param("dtype", "f16"), kc.param("causal", false)
local devices = report.words(kc.param("device", "a100-sxm4-40gb h100-sxm5"))

-- Three ops.  Each write is a kernel of its own until something fuses it.
local Q = kc.tensor("Q", "b h i d", dtype, size)
local K = kc.tensor("K", "b h j d", dtype, size)
local V = kc.tensor("V", "b h j e", dtype, size)

local scores = kc.matmul(kc.read(Q), kc.read(K))
if causal then scores = kc.causal(scores, "i", "j") end
local S = kc.write("S", scores)
local P = kc.write("P", kc.softmax(kc.read(S), "j", { online = true }))
local O = kc.write("O", kc.matmul(kc.read(P), kc.read(V)))

-- Four ways to run them.
local unfused = kc.program("unfused", { S, P, O })
local ideal = kc.fuse("fused, untiled", { S, P, O })
-- FlashAttention 1: a CTA owns a head; keys outside, queries inside.  K and V are loaded once, but O and
-- its row statistics are left unfinished at every trip over j, and spill.
local fa1 = kc.tile(kc.fuse("FlashAttention 1", { S, P, O }),
    { i = kc.param("fa1_i", 64), j = kc.param("fa1_j", 256) }, { grid = "b h", order = "j i" })
-- FlashAttention 2: a CTA owns a block of queries and walks the keys.  O is finished on chip; each
-- block of queries loads K and V again.
local fa2 = kc.tile(kc.fuse("FlashAttention 2", { S, P, O }),
    { i = kc.param("fa2_i", 128), j = kc.param("fa2_j", 64) }, { grid = "b h i", order = "j" })

local ways = { unfused, ideal, fa1, fa2 }
local with_l2 = kc.compare(ways, devices)
local without_l2 = kc.compare(ways, devices, { l2 = false })

-- What every byte was for, before any cache helps.
local function ledger(x)
    local moved, compulsory, reload, spill = {}, 0, 0, 0
    for _, t in ipairs(kc.count(x).tensors) do
        moved[t.name] = t.bytes_read + t.bytes_written
        compulsory, reload, spill = compulsory + t.compulsory, reload + t.reload, spill + t.spill
    end
    return moved, compulsory, reload, spill
end

local function moved_or_not(bytes)
    return bytes and bytes > 0 and report.si(bytes, "B") or "on chip"
end

local fate, traffic = {}, {}
for _, x in ipairs(ways) do
    local moved, compulsory, reload, spill = ledger(x)
    fate[#fate + 1] = {
        x.name, moved_or_not(moved.S), moved_or_not(moved.P),
        report.si(compulsory, "B"), report.si(reload, "B"), report.si(spill, "B"),
    }
end
for row, shared in ipairs(with_l2.results) do
    local alone = without_l2.results[row]
    traffic[#traffic + 1] = {
        shared.name, shared.device,
        shared.bytes and report.si(shared.bytes, "B") or "does not fit",
        alone.bytes and report.si(alone.bytes, "B") or "",
        shared.time and report.si(shared.time, "s") or "",
        alone.time and report.si(alone.time, "s") or "",
    }
end

return {
    "The loop nest of FlashAttention 2:\n\n" .. tostring(fa2),
    "What became of S and P, and what the other bytes are for (no L2):\n\n"
        .. report.table({ "", "S", "P", "compulsory", "loaded again", "spilled" }, fate),
    "HBM traffic and time, with CTAs sharing loads through L2 and without:\n\n"
        .. report.table({ "", "device", "bytes", "bytes, no L2", "time", "time, no L2" }, traffic),
    with_l2,
}
