-- mlp_fusion.lua: do the two matmuls of an MLP belong in one kernel?
--
--     H[m,f] = gelu(sum_k X[m,k] W1[k,f])        Y[m,n] = sum_f H[m,f] W2[f,n]
--
-- Fused, H never goes to HBM: it saves 4 m f bytes in f16.  But a row of Y is complete only when all of f has been
-- walked, so a CTA either holds whole rows of Y, m n f32 a tile, which fits for small models only, or owns a piece
-- of n and computes H again for each piece.  Where the matmuls bind and H is a small part of the traffic there is
-- nothing to gain.
--
--     kcost scripts/mlp_fusion.lua --set m=65536 --set widths="64 128 256" --device a100-sxm4-80gb
local kc = require "kcost"
local report = kc.lib.report

local m, device = kc.param("m", 32768), kc.device(kc.param("device", "h100-sxm5"))
local widths = report.words(kc.param("widths", "64 128 256 512 1024 4096"))

local function steps(width)
    local size = { m = m, k = width, n = width, f = 4 * width }
    local function read(name, dims) return kc.read(kc.tensor(name, dims, "f16", size)) end
    local H = kc.write("H", kc.map("gelu", kc.matmul(read("X", "m k"), read("W1", "k f"))))
    return { H, kc.write("Y", kc.matmul(kc.read(H), read("W2", "f n"))) }
end

-- The fastest of some tiles, or why none fits: rows of Y whole, or in pieces of 128.
local function fused(width, n)
    local kernel = kc.fuse("fused", steps(width))
    local found, why
    for _, rows in ipairs { 32, 64, 128 } do
        for _, f in ipairs { 32, 64 } do
            local tile = { m = rows, n = n, f = f, k = math.min(width, 128) }
            local good, r = pcall(kc.evaluate, kc.tile(kernel, tile, { order = "f k" }), device)
            if good and (not found or r.time < found.time) then found = r end
            if not good then why = tostring(r):match("registers") or "shared memory" end
        end
    end
    return found, why
end
local function cell(r, why) return r and report.si(r.time, "s") or why end

local lines = {}
for _, word in ipairs(widths) do
    local width = tonumber(word)
    local apart = kc.best(kc.program("apart", steps(width)), device)
    local whole, why = fused(width, width)
    local pieces, why_pieces = fused(width, math.min(width, 128))
    local again = pieces and string.format("%.2f x", pieces.executed_flops / pieces.flops) or ""
    lines[#lines + 1] = {
        word, report.si(apart.bytes, "B"), cell(apart), whole and report.si(whole.bytes, "B") or "", cell(whole, why),
        cell(pieces, why_pieces), again,
    }
end
local head = { "width", "apart", "time", "rows whole", "time", "pieces of 128", "work" }
return kc.str(m) .. " rows on " .. device.id .. ":\n\n" .. report.table(head, lines)
