-- collective.lua: what devices send each other, alone and beside a matmul.
--
-- p ranks, a message of S bytes (the whole of what is reduced, gathered, scattered or sent), in one direction over the
-- device's link, whose rate is link.bandwidth, but no more than link.peer to each other rank:
--     time = launch + link.fixed + steps * link.latency + bytes / (rate * sustained.link)
--
--     call             bytes, ring        steps       bytes, tree          steps
--     allreduce        2 (p-1)/p S        2 (p-1)     2 S                  2 log2 p
--     allgather        (p-1)/p S          p - 1       (p-1)/p S            log2 p
--     reducescatter    (p-1)/p S          p - 1       (p-1)/p S            log2 p
--     alltoall         (p-1)/p S          1           log2(p)/2 S          log2 p
--     broadcast        S                  p - 1       S                    log2 p
--     send             S                  1           S                    1
--
-- Logarithms are rounded up.  Sources: rings, Patarasuk and Yuan (2009); two pipelined trees (allreduce, broadcast),
-- Sanders, Speck and Träff (2009), NCCL's double binary trees; recursive doubling and halving, Thakur, Rabenseifner
-- and Gropp (2005); all-to-all to all at once, or in log2 p steps, Bruck et al. (1997); latency and rate, Hockney
-- (1994).  Against 545 times of NCCL on A100, H100 and B200 (aiconfigurator) the median error is 25 %, 11 % above
-- 100 MB; messages of 0.1 to 10 MB, for which NCCL changes its protocols, take up to 1.6 times as long.
-- HBM: what a rank has is read once, what it gets written once.  Additions count as no work; cores that a library
-- takes for its copies are not charged.
--
-- Parameters of every function but the last:
--     n            elements that this rank has before, required
--     ranks        p, required
--     dtype        "f16"
--     algorithm    "ring" or "tree": "ring"
local kc = require "kcost"
local take, size, one_of = kc.lib.parameters.take, kc.lib.parameters.size, kc.lib.parameters.one_of

local collective = {}

local algorithms = { "ring", "tree" }

-- The collective of that name, which kc.comm may call otherwise.
local function of(name, p, what)
    local call = "collective." .. name
    p = take(call, p, { n = size, ranks = size, dtype = "f16", algorithm = "ring" })
    local X = kc.tensor("X", "n", p.dtype, { n = p.n })
    local algorithm = one_of(call, "algorithm", p.algorithm, algorithms)
    return kc.kernel(name, { kc.comm(what or name, X, { ranks = p.ranks, algorithm = algorithm, name = "Y" }) })
end

-- Every rank gets the sum over all: n elements.
function collective.allreduce(p) return of("allreduce", p) end

-- Every rank gets what all have: ranks * n elements.
function collective.allgather(p) return of("allgather", p) end

-- Every rank gets its part of the sum over all: n / ranks elements.
function collective.reducescatter(p) return of("reducescatter", p) end

-- Every rank sends each other one n / ranks elements, and gets as many.
function collective.alltoall(p) return of("alltoall", p) end

-- Every rank gets what the first one has: n elements.
function collective.broadcast(p) return of("broadcast", p) end

-- One rank to one other: n elements.
function collective.send(p) return of("send", p, "sendrecv") end

-- C[m,n] = sum over ranks of A[m,k/ranks] B[k/ranks,n]: the row-parallel matmul of tensor parallelism, then an allreduce
-- of C.  In chunks of rows, the allreduce of one chunk runs beside the matmul of the next:
--
--     chunks = 1:  A B         C
--     chunks = 3:  A B  A B C  A B C  C
--
-- so that all but the first matmul and the last allreduce overlap: with t and u the seconds of one chunk's matmul and
-- allreduce, t + (chunks - 1) max(t, u) + u.  Smaller chunks have more latencies, launches and bytes of B.
-- Useful work: 2 m n k / ranks FLOP.  Link: an allreduce of m n elements.
-- Source: Wang et al., "Overlap communication with dependent computation via decomposition" (ASPLOS 2023).
--     m, n, k      sizes of the whole product, required; ranks divides k
--     ranks        required
--     chunks       of m, which they divide: 1
--     dtype        "f16"
--     algorithm    "ring"
--     tile         of a chunk's matmul: untiled
function collective.matmul_allreduce(p)
    local call = "collective.matmul_allreduce"
    p = take(call, p, {
        m = size, n = size, k = size, ranks = size, chunks = 1, dtype = "f16", algorithm = "ring",
        tile = kc.lib.parameters.optional_table,
    })
    one_of(call, "algorithm", p.algorithm, algorithms)
    if p.m % p.chunks ~= 0 then error(call .. ": chunks = " .. kc.str(p.chunks) .. " do not divide m = " .. kc.str(p.m)) end
    if p.k % p.ranks ~= 0 then error(call .. ": ranks = " .. kc.str(p.ranks) .. " do not divide k = " .. kc.str(p.k)) end
    local sizes = { m = p.m / p.chunks, n = p.n, k = p.k / p.ranks }
    local function tensor(name, dims) return kc.tensor(name, dims, p.dtype, sizes) end
    local C = kc.write("C", kc.matmul(kc.read(tensor("A", "m k")), kc.read(tensor("B", "k n"))), p.dtype)
    local matmul = p.tile and kc.tile(C, p.tile) or kc.kernel("matmul", { C })
    local function allreduce(of_chunk)
        local how = { ranks = p.ranks, algorithm = p.algorithm, name = "sum" }
        return kc.kernel("allreduce", { kc.comm("allreduce", of_chunk, how) })
    end
    local steps = { matmul }
    if p.chunks > 1 then
        local overlapped = kc.beside("overlapped", { matmul, allreduce(tensor("C", "m n")) }) -- of the chunk before
        steps[2] = kc.times(overlapped, p.chunks - 1)
    end
    steps[#steps + 1] = allreduce(C)
    return kc.program("matmul and allreduce" .. (p.chunks > 1 and ", " .. kc.str(p.chunks) .. " chunks" or ""), steps)
end

return collective
