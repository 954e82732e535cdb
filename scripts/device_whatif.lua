-- device_whatif.lua: how much bandwidth would make a kernel compute-bound?
--
-- A kernel is memory-bound where its intensity lies below the ridge, peak / bandwidth.  The sweep raises the bandwidth
-- of HBM step by step, everything else as it is, until another roof binds: from there on, more bandwidth buys
-- nothing.  Here a decode step: one query for each of many sequences, where every key and value is read for it alone.
--
--     kcost scripts/device_whatif.lua --set n=32768 --device a100-sxm4-80gb
local kc = require "kcost"
local report = kc.lib.report

local device = kc.device(kc.param("device", "h100-sxm5"))
local n, batch = kc.param("n", 8192), kc.param("batch", 64)
local matmul = kc.lib.gemm.plain { m = batch, n = n, k = n }
local kernels = {
    { "matmul, m = " .. kc.str(batch), matmul },
    { "matmul, m = " .. kc.str(4 * batch), kc.resize(matmul, { m = 4 * batch }) },
    { "attention, causal", kc.lib.attention.fused { b = 16, h = 16, i = 2048, d = 128, causal = true } },
}

local lines, steps = {}, kc.range(0.25, 8, 0.25)
for i, times in ipairs(steps) do steps[i] = times * device.hbm.bandwidth end
for _, kernel in ipairs(kernels) do
    local s = kc.sweep { kernel = kernel[2], device = device, ["hbm.bandwidth"] = steps, fields = { "time", "class", "bound" } }
    local now, enough = kc.evaluate(kernel[2], device), "more than 8 x"
    for _, row in ipairs(s:rows()) do
        if row.class ~= "memory-bound" then
            enough = report.si(row["hbm.bandwidth"], "B/s")
            break
        end
    end
    local best = s:best()
    lines[#lines + 1] = {
        kernel[1], string.format("%.0f", now.intensity), now.bound, report.si(now.time, "s"), enough,
        report.si(best.time, "s"), best.bound,
    }
end

return device.id .. " has " .. report.si(device.hbm.bandwidth, "B/s") .. "; its ridge lies at "
    .. string.format("%.0f", device.matrix.f16 / device.hbm.bandwidth) .. " FLOP/byte in f16.\n\n"
    .. report.table({ "kernel", "FLOP/B", "bound by", "time", "not memory-bound from", "at 8 x", "bound by" }, lines)
