-- depthwise.lua: why is a convolution of a ninth of the work not nine times as fast?
--
-- A 3x3 convolution of C to C channels does 18 C^2 FLOP a pixel, on the matrix unit.  Depthwise, each channel has its
-- own 3x3 filter: 18 C FLOP, a C-th, but nothing that a matrix unit could do, and 4.5 FLOP a byte in f16: it
-- takes as long as its image takes to move.  With the 1x1 convolution that mixes channels behind it (MobileNet,
-- arXiv 1704.04861) the two do 1/9 + 1/C of the work.
--
--     kcost scripts/depthwise.lua --set channels=512 --set image=28 --device a100-sxm4-80gb
local kc = require "kcost"
local report, conv = kc.lib.report, kc.lib.conv

local channels, image, batch = kc.param("channels", 256), kc.param("image", 56), kc.param("batch", 32)
local device = kc.device(kc.param("device", "h100-sxm5"))

local function layer(filter, groups)
    return conv.forward {
        image = { image, image }, filter = filter, pad = (filter - 1) / 2, channels = channels, filters = channels,
        groups = groups, batch = batch,
    }
end
local full, depth, point = layer(3, 1), layer(3, channels), layer(1, 1)
local ways = {
    { "3x3", full }, { "3x3, 4 groups", layer(3, 4) }, { "3x3, 32 groups", layer(3, 32) }, { "depthwise 3x3", depth },
    { "1x1", point }, { "depthwise, then 1x1", kc.program("separable", { depth, point }) },
    { "3x3 by Winograd", conv.winograd { image = { image, image }, pad = 1, channels = channels, filters = channels,
        batch = batch } },
}

local lines, first = {}, nil
for _, way in ipairs(ways) do
    local r = kc.evaluate(way[2], device)
    first = first or r
    lines[#lines + 1] = {
        way[1], report.si(r.flops, "FLOP"), report.si(r.bytes, "B"), string.format("%.3g", r.intensity),
        report.si(r.time, "s"), r.bound, string.format("%.3f", r.flops / first.flops),
        string.format("%.3f", r.time / first.time),
    }
end
local head = { "", "work", "HBM", "FLOP/B", "time", "bound by", "work x", "time x" }
return kc.str(channels) .. " channels of " .. kc.str(image) .. " x " .. kc.str(image) .. ", " .. kc.str(batch)
    .. " images, f16, on " .. device.id .. ", untiled:\n\n" .. report.table(head, lines)
