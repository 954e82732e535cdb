-- softmax_passes.lua: how often does a softmax read its row?
--
--     safe      max; sum of exp(x - max); normalise: three passes over the row
--     online    max and sum together, rescaled as the maximum grows; normalise: two passes
--     one pass  the whole row stays on chip: read once, if it fits
--
-- Milakov and Gimelshein, arXiv 1805.02867.  A CTA takes a row and walks it in tiles of `tile` elements.
-- Between two passes a row waits in L2 if all the rows in flight fit there: then it is the bytes that grow
-- with the passes, not the time.
--
--     kcost scripts/softmax_passes.lua --set rows=1024 --set lengths="8192 262144"
local kc = require "kcost"
local report = kc.lib.report

local rows, tile = kc.param("rows", 4096), kc.param("tile", 4096)
local dtype, threads = kc.param("dtype", "f32"), kc.param("threads", 512)
local lengths = report.words(kc.param("lengths", "4096 16384 32768 65536"))
local devices = report.words(kc.param("device", "a100-sxm4-40gb h100-sxm5"))

local X = kc.tensor("X", "i j", dtype, { i = rows, j = tile })
local function softmax(name, online, j)
    local Y = kc.write("Y", kc.softmax(kc.read(X), "j", { online = online }))
    return kc.tile(kc.kernel(name, { Y }), { i = 1, j = j }, { threads = threads })
end

local ways = {
    softmax("safe", false, tile),
    softmax("online", true, tile),
    softmax("one pass", false, 2^40),       -- a tile larger than the row is the whole row
}

-- The same schedules at other lengths.  Counted in rows, nothing here depends on a device.
local lines, longest = {}, nil
for _, length in ipairs(lengths) do
    local sized = {}
    for n, way in ipairs(ways) do sized[n] = kc.resize(way, { j = tonumber(length) }) end
    longest = kc.compare(sized, devices)
    for n, x in ipairs(sized) do
        local c = kc.count(x)
        local line = {
            x.name, length, c.passes, c.bytes_read / c.bytes_written, report.si(c.smem, "B"),
        }
        for m = 1, #devices do
            local r = longest.results[(n - 1) * #devices + m]
            line[#line + 1] = r.time and report.si(r.time, "s") or "does not fit"
        end
        lines[#lines + 1] = line
    end
end

local head = { "", "row", "passes", "reads a write", "shared memory" }
for _, device in ipairs(devices) do head[#head + 1] = device end

return {
    "Softmax of " .. kc.str(rows) .. " rows in " .. dtype .. ", tiles of " .. kc.str(tile) .. ":\n\n"
        .. report.table(head, lines),
    "Rows of " .. lengths[#lengths] .. ":",
    longest,
}
