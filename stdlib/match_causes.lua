-- match_causes.lua: why a kernel's measurement differs from its prediction, or from what its device can do, in words.
--
-- Each cause is a function of { row, result, device, profile }: the row of kc.match (measured figures and predicted ones),
-- the result (nil: no prediction), the device; it gives a sentence, or nothing where it does not apply.  A cause is likely,
-- not proven: it says which figures speak for it.
local kc = require "kcost"
local si = kc.lib.report.si

local causes = {}

local function percent(x) return string.format("%.0f %%", 100 * x) end

-- Differences below this are none.
local SLACK = 0.1

-- What the caches hold from launch to launch.
local function cached(d)
    return (d.l2 and d.l2.capacity or 0) + (d.llc and d.llc.capacity or 0)
end

-- Bytes that the kernel's inputs and outputs have, each once.
local function compulsory(r)
    local read, written = 0, 0
    for _, t in ipairs(r.tensors or {}) do
        if t.bytes_written > 0 then written = written + math.min(t.bytes_written, t.compulsory)
        else read = read + math.min(t.bytes_read, t.compulsory) end
    end
    return read, written
end

local function resident(c)
    local row, r, held = c.row, c.result, cached(c.device)
    if not r or not row.bytes_read_measured then return nil end
    local read = compulsory(r)
    local missing = read - row.bytes_read_measured
    if missing <= SLACK * read then return nil end
    if missing > held then
        return string.format("other sizes: HBM reads %s less than the %s of its inputs, more than the caches' %s can hold of them",
            si(missing, "B"), si(read, "B"), si(held, "B"))
    end
    return string.format("L2-resident: HBM reads %s of the %s of its inputs: the caches (%s) held the rest from before; compare "
        .. "with cache = \"warm\"", si(row.bytes_read_measured, "B"), si(read, "B"), si(held, "B"))
end

local function dirty(c)
    local row, r, held = c.row, c.result, cached(c.device)
    if not r or not row.bytes_written_measured then return nil end
    local _, written = compulsory(r)
    local missing = written - row.bytes_written_measured
    if missing <= SLACK * written or missing > held then return nil end
    return string.format("dirty lines: %s of the %s that it writes were still in the caches (%s) when it ended, and are written "
        .. "back later", si(missing, "B"), si(written, "B"), si(held, "B"))
end

-- The highest share of a compute roof.
local function compute_share(row)
    local s = row.roof_shares or {}
    return math.max(s.matrix or 0, s.vector or 0)
end

local function clock(c)
    local row, d, share = c.row, c.device, compute_share(c.row)
    local stated = share > 0 and (row.roof_shares.matrix or 0) >= share and d.matrix_clock or d.clock
    if not stated then return nil end
    if row.clock_measured then
        local ratio = row.clock_measured / stated
        if ratio > 1.02 then
            return string.format("boost clock: it ran at %s, and the peaks stand on %s", si(row.clock_measured, "Hz"),
                si(stated, "Hz"))
        elseif ratio < 0.95 then
            return string.format("lowered clock: it ran at %s, and the peaks stand on %s; Nsight Compute locks the base clock "
                .. "unless --clock-control none is given", si(row.clock_measured, "Hz"), si(stated, "Hz"))
        end
    elseif share > 1 and share <= 1.3 then
        return string.format("boost clock: the peak stands on %s, and this rate needs %s", si(stated, "Hz"), si(stated * share, "Hz"))
    end
end

local function sparse(c)
    local share = c.row.roof_shares and c.row.roof_shares.matrix or 0
    if share <= 1 or share > 2.2 then return nil end
    return "sparse peak: 2:4 sparsity does half of the work, and kcost's peaks are dense; or the math ran in a narrower dtype"
end

-- Sectors that a request of 32 lanes takes, where it should take 4 for elements of 4 bytes, 16 at most for vectors of 16.
local function uncoalesced(what, sectors, moved, wanted)
    if not sectors then return nil end
    local times = moved and wanted and wanted > 0 and moved / wanted
    if not (sectors > 16.5 or (sectors > 4.5 and times and times > 1.5)) then return nil end
    return string.format("uncoalesced %s: %s sectors of 32 B a request%s", what, kc.str(math.floor(sectors * 10 + 0.5) / 10),
        times and times > 1.2 and string.format(", %.3g times the bytes that are wanted", times) or
        "; 4 would do for elements of 4 B")
end

local function loads(c)
    local row, r = c.row, c.result
    return uncoalesced("loads", row.sectors_per_load_measured, row.l1_bytes_read_measured, r and r.bytes_read)
end

local function stores(c)
    local row, r = c.row, c.result
    return uncoalesced("stores", row.sectors_per_store_measured, row.l1_bytes_written_measured, r and r.bytes_written)
end

local function spill(c)
    local bytes = c.row.spill_bytes_measured
    if not bytes or bytes <= 0 then return nil end
    return "register spills: " .. si(bytes, "B") .. " of local memory went through L1"
end

local function conflicts(c)
    local row = c.row
    local bytes = row.smem_bytes_measured or row.smem_bytes
    if not row.bank_conflicts_measured or not bytes or bytes <= 0 then return nil end
    local share = 128 * row.bank_conflicts_measured / bytes
    return share > 0.15 and string.format("bank conflicts: %s of the cycles of shared memory", percent(math.min(share, 1))) or nil
end

local function lanes(c)
    local active, warp = c.row.lanes_measured, c.device.warp or 32
    return active and active > 0 and active < 0.9 * warp
        and string.format("divergence: %.3g of %s lanes are active in the mean instruction", active, kc.str(warp)) or nil
end

-- CTAs that a core holds at once: by the prediction, or by what was measured.
local function resident_ctas(c)
    local row, d = c.row, c.device
    if c.result and c.result.occupancy then return c.result.occupancy end
    local warps = row.threads_measured and d.warp and math.ceil(row.threads_measured / d.warp)
    return row.occupancy_measured and warps and d.max_warps and math.max(1, math.ceil(row.occupancy_measured * d.max_warps / warps - 0.1))
end

local function tail(c)
    local row, d = c.row, c.device
    local held = resident_ctas(c)
    local waves = row.waves_measured or (row.ctas_measured and d.cores and held and row.ctas_measured / (d.cores * held))
    if not waves or waves <= 0 then return nil end
    if d.cores and row.ctas_measured and row.ctas_measured < d.cores then
        return string.format("too few CTAs: %s of the %s cores have one", kc.str(row.ctas_measured), kc.str(d.cores))
    end
    local filled = waves / math.ceil(waves)
    return filled < 0.8 and string.format("tail wave: %.3g waves take the time of %s: %s of the slots are filled", waves,
        kc.str(math.ceil(waves)), percent(filled)) or nil
end

local function grid(c)
    local row, r = c.row, c.result
    if not r or not r.ctas or not row.ctas_measured or r.ctas == row.ctas_measured then return nil end
    return string.format("another tile: it launched %s CTAs, and the predicted schedule has %s", kc.str(row.ctas_measured), kc.str(r.ctas))
end

local function work(c)
    local row = c.row
    local residual = row.residual and row.residual.flops
    if not residual or math.abs(residual) <= SLACK / 2 then return nil end
    return string.format("other work: it does %.3g times the FLOP: other sizes, padding, or work done twice", 1 + residual)
end

local function refetch(c)
    local row = c.row
    local residual = row.residual and row.residual.bytes
    if not residual or residual <= SLACK then return nil end
    return string.format("more HBM traffic: %.3g times the prediction%s: tiles come back that L2 was to hold, or it has other sizes",
        1 + residual, row.l2_hit_rate_measured and ", L2 hits " .. percent(row.l2_hit_rate_measured) or "")
end

local function warps(c)
    local row = c.row
    local residual = row.residual and row.residual.occupancy
    if not residual or residual >= -0.3 then return nil end
    return string.format("few warps: %s of a core's where %s were predicted: more registers or shared memory, or a short tail",
        percent(row.occupancy_measured), percent(row.occupancy))
end

-- Slow, far from every roof that was predicted, with a pipe that is busy or none.
local function pipe(c)
    local row = c.row
    local busy, residual = row.compute_share_measured, row.residual and row.residual.time
    if not busy or not residual or residual < 0.3 or (row.roof_share or 0) > 0.6 then return nil end
    if busy > 0.6 then
        return string.format("another pipe: a core's busiest one is at %s of its peak, and the predicted roof at %s: more "
            .. "instructions than predicted, such as loads from shared memory of few bytes a lane", percent(busy), percent(row.roof_share))
    end
    return string.format("latency: no pipe of a core is above %s, and no roof above %s: too few bytes in flight, or waits",
        percent(busy), percent(row.roof_share))
end

local function short(c)
    local row, launch = c.row, c.device.launch
    local gap = launch and launch.stream
    if not gap or not row.time_measured or row.time_measured >= 2 * gap then return nil end
    return string.format("launch gaps: it is no longer than two launches (%s each): what surrounds it weighs more", si(gap, "s"))
end

local function invisible(c)
    local row, r = c.row, c.result
    if not r or r.matrix_flops == 0 or row.matrix_flops_measured or row.matrix_share_measured then return nil end
    if not row.vector_flops_measured then return nil end
    return "matrix work is invisible: the export has no counter of the matrix unit, and FLOP are those of the vector unit alone"
end

local all = {
    resident, dirty, clock, sparse, loads, stores, spill, conflicts, lanes, tail, grid, work, refetch, warps, pipe, short,
    invisible,
}

-- The likely causes of a row, a list of sentences.
function causes.of(c)
    local found = {}
    for _, cause in ipairs(all) do
        found[#found + 1] = cause(c) or nil
    end
    return found
end

return causes
