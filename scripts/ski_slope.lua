-- How much HBM traffic does each capacity on chip allow: of a matmul, and of attention in three kernels or fused?
--
-- Over all tiles and loop orders, whatever the device: the least traffic falls with the capacity, of a
-- matmul with its square root, down to the compulsory bytes where enough fits. `bound` is what no
-- schedule can be below.
local kc = require "kcost"

local n = kc.param("n", 4096)
local heads, rows, head = kc.param("heads", 16), kc.param("rows", 4096), kc.param("head", 64)

local square = { m = n, k = n, n = n }
local C = kc.write("C", kc.matmul(kc.read(kc.tensor("A", "m k", "f16", square)), kc.read(kc.tensor("B", "k n", "f16", square))))

local size = { h = heads, i = rows, j = rows, d = head, e = head }
local Q, K = kc.tensor("Q", "h i d", "f16", size), kc.tensor("K", "h j d", "f16", size)
local V = kc.tensor("V", "h j e", "f16", size)
local S = kc.write("S", kc.matmul(kc.read(Q), kc.read(K)))
local P = kc.write("P", kc.softmax(kc.read(S), "j", { online = true }))
local O = kc.write("O", kc.matmul(kc.read(P), kc.read(V)))

local apart = { kc.ski_slope(S), kc.ski_slope(P), kc.ski_slope(O) }
local fused = kc.ski_slope(kc.fuse("flash", { S, P, O }))

-- The least traffic of a slope within a capacity; nil: nothing fits.
local function within(slope, capacity)
    local least
    for _, row in ipairs(slope:rows()) do
        if row.capacity <= capacity then least = row.bytes end
    end
    return least
end

local lines = { "attention, bytes:  on chip    in three kernels       fused" }
for power = 12, 22, 2 do
    local capacity, sum = 2 ^ power, 0
    for _, slope in ipairs(apart) do sum = sum + (within(slope, capacity) or 1 / 0) end
    lines[#lines + 1] = ("%25s  %18s  %10s"):format(kc.str(capacity), kc.str(sum), kc.str(within(fused, capacity)))
end

return { kc.ski_slope(C), table.concat(lines, "\n") }
