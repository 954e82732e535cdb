-- quantised_weights.lua: what do weights of 8 and 4 bits save?
--
-- A layer of a decode step multiplies few rows, so its time is that of reading weights, and halves with their size.
-- With more rows the matmuls bind, and then it matters what they multiply in: f8 by f8 doubles the roof; 4-bit
-- weights that are widened to f16 (W4A16) keep that of f16, and widening costs vector work besides.  The row at which
-- reading and multiplying take equally long is the ridge over the FLOP of a byte: 295 in bf16, 76 in W4A16, 295 in f8.
--
--     kcost scripts/quantised_weights.lua --set n=28672 --set k=8192 --device b200
local kc = require "kcost"
local report, gemm = kc.lib.report, kc.lib.gemm

local n, k = kc.param("n", 14336), kc.param("k", 4096)
local device = kc.device(kc.param("device", "h100-sxm5"))

local kinds = {
    { "bf16", { dtype = "bf16" } },
    { "W8A8 f8", { dtype = "f8", out = "bf16" } },
    { "W4A16", { dtype = "bf16", weights = "i4g128", dequantise = 2 } },
    { "W4A16 mxf4", { dtype = "bf16", weights = "mxf4", dequantise = 2 } },
    { "W4A4 nvf4", { dtype = "nvf4", out = "bf16" } },
}
local function layer(kind, m)
    return gemm.plain(kc.lib.parameters.merge(kind[2], { m = m, n = n, k = k }))
end

local lines, notes = {}, {}
for _, m in ipairs { 1, 16, 64, 128, 256, 512, 2048, 8192 } do
    local line = { m }
    for _, kind in ipairs(kinds) do
        local r = kc.best(layer(kind, m), device)
        line[#line + 1] = report.si(r.time, "s") .. (r.class == "memory-bound" and " m" or "  ")
        for _, note in ipairs(r.notes) do
            if note:find("no matrix roof", 1, true) then notes[kind[1]] = note end
        end
    end
    lines[#lines + 1] = line
end

local head, fell_back = { "rows" }, {}
for _, kind in ipairs(kinds) do
    head[#head + 1] = kind[1] .. "  "
    if notes[kind[1]] then fell_back[#fell_back + 1] = kind[1] .. ": " .. notes[kind[1]] end
end
local first = layer(kinds[1], 1)
local weights = { { kinds[1][1], kc.count(first).bytes_min } }
for i = 2, #kinds do weights[i] = { kinds[i][1], kc.count(layer(kinds[i], 1)).bytes_min } end
for _, line in ipairs(weights) do line[2] = report.si(line[2], "B") end
return {
    "A layer of " .. kc.str(n) .. " x " .. kc.str(k) .. " on " .. device.id .. "; m: memory binds\n\n"
        .. report.table(head, lines),
    "What one row moves:\n\n" .. report.table({ "", "bytes" }, weights),
    #fell_back > 0 and table.concat(fell_back, "\n") or "Every format has a matrix roof of its own.",
}
