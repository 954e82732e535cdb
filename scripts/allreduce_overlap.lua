-- allreduce_overlap.lua: how much of an allreduce hides behind the matmul that makes it?
--
-- A matmul whose contracted dim is shared by p devices leaves each with a part of the sum: an allreduce adds them up.
-- In chunks of rows, that of one chunk runs beside the matmul of the next, so that all but the first matmul and the
-- last allreduce overlap.  With t and u the seconds of one chunk's matmul and allreduce, c chunks take
--     t + (c - 1) max(t, u) + u
-- More chunks leave less alone at the ends, but each has its latencies, its launches, and its reads of the weights.
-- A matmul of k columns a device takes 2 m n k / p / peak, its allreduce 4 m n (p - 1) / p / link in 2-byte dtypes:
-- the link binds where k < 2 (p - 1) peak / link, about 30,000 on 8 H100, whatever the rows and the chunks.
--
--     kcost scripts/allreduce_overlap.lua --set k=8192 --set algorithm=tree --device mi300x
local kc = require "kcost"
local report, matmul_allreduce = kc.lib.report, kc.lib.collective.matmul_allreduce

local m, n, k = kc.param("m", 16384), kc.param("n", 8192), kc.param("k", 28672)     -- down projection of a 70B model
local ranks = report.words(kc.param("ranks", "2 4 8"))
local chunks = report.words(kc.param("chunks", "1 2 4 8 16 32"))
local algorithm = kc.param("algorithm", "ring")
local device = kc.device(kc.param("device", "h100-sxm5"))

local function split(p, c)
    return matmul_allreduce { m = m, n = n, k = k, ranks = p, chunks = c, algorithm = algorithm }
end

local head = { "devices", "matmul", "allreduce" }
for _, c in ipairs(chunks) do head[#head + 1] = c .. (c == "1" and " chunk" or " chunks") end
head[#head + 1], head[#head + 2] = "bound by", "hidden"

local lines, best = {}, nil
for _, p in ipairs(ranks) do
    local whole = kc.evaluate(split(tonumber(p), 1), device)
    local matmul, allreduce = whole.kernels[1].time, whole.kernels[2].time
    local line, least = { p, report.si(matmul, "s"), report.si(allreduce, "s") }, nil
    for _, c in ipairs(chunks) do
        local r = kc.evaluate(split(tonumber(p), tonumber(c)), device)
        line[#line + 1] = report.si(r.time, "s")
        if not least or r.time < least.time then least, best = r, split(tonumber(p), tonumber(c)) end
    end
    line[#line + 1] = least.bound
    line[#line + 1] = string.format("%.0f %%", 100 * (whole.time - least.time) / math.min(matmul, allreduce))
    lines[#lines + 1] = line
end

return {
    "C[" .. kc.str(m) .. "," .. kc.str(n) .. "] over k = " .. kc.str(k) .. ", f16, on " .. device.id .. ", a " .. algorithm
        .. "; hidden: of the shorter of the two, at best:\n\n" .. report.table(head, lines),
    kc.evaluate(best, device),
}
