-- plot.lua: kc.plot: results, comparisons and sweeps as plots: plain tables in base units, which plot_record.lua
-- describes.  A script returns them, `kcost --plot FILE` draws them.
local record = require "kcost.internal.plot_record"
local roofline, sweeps = require "kcost.internal.plot_roofline", require "kcost.internal.plot_sweep"

local plot = {
    roofline = roofline.roofline,   -- kernels under the roofs of a device
    bandwidth = roofline.bandwidth, -- kernels with no FLOP
    sawtooth = sweeps.sawtooth,     -- a field over a size
    tiles = sweeps.tiles,           -- a heat map over two tile dims
    pareto = sweeps.pareto,         -- two fields, and what no other point beats
    ledger = require("kcost.internal.plot_ledger").ledger, -- bytes of each tensor by cause
}

-- Does a program have a kernel with no FLOP, which a roofline lacks?
local function moves(r)
    for _, kernel in ipairs(r.kernels or {}) do if kernel.flops == 0 then return true end end
    return false
end

-- What a list of results, comparisons and sweeps looks like: one roofline of what computes, bars for what only moves
-- and for programs with such a kernel, the ledger of what is only counted, and for each sweep the plot that fits.
function plot.of(list)
    if type(list) == "userdata" then list = { list } end
    if type(list) ~= "table" then
        error("kc.plot.of: expected a list of results, comparisons and sweeps, got a " .. type(list))
    end
    local computing, moving, counted, plots = {}, {}, {}, {}
    for _, x in ipairs(list) do
        local kind = record.kind(x)
        if kind == "sweep" then
            plots[#plots + 1] = sweeps.of(x)
        elseif kind == "comparison" or kind == "result" then
            local first = kind == "result" and x or nil
            for _, row in ipairs(kind == "comparison" and x.results or {}) do
                if not first and type(row) ~= "table" then first = row end
            end
            local into = first and (first.time == nil and counted or first.flops > 0 and computing or moving)
            if into then into[#into + 1] = x end
            if into == computing and kind == "result" and moves(x) then moving[#moving + 1] = x end
        end
    end
    if #counted > 0 then table.insert(plots, 1, plot.ledger(counted)) end
    if #moving > 0 then table.insert(plots, 1, plot.bandwidth(moving)) end
    if #computing > 0 then table.insert(plots, 1, plot.roofline(computing)) end
    return plots
end

return plot
