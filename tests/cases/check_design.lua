-- check_design.lua: the worked examples of the design page and the facts that every version must keep.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/?.lua;" .. here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"

local t = tally.new("design")
local function fact(name, test) t:try(name, test) end

local function read(name, dims, dtype, size) return kc.read(kc.tensor(name, dims, dtype, size)) end
local function row(result, name)
  for _, r in ipairs(result.tensors) do
    if r.name == name then return r end
  end
  error("no tensor '" .. name .. "'", 2)
end
-- bytes by cause of a tensor, all others 0.
local function ledger(name, r, want)
  for _, cause in ipairs{ "compulsory", "reload", "pass", "spill", "split" } do
    t:equal(name .. " " .. r.name .. " " .. cause, r[cause], want[cause] or 0)
  end
end

local function product(size, dtype)
  return kc.write("C", kc.matmul(read("A", "m k", dtype, size), read("B", "k n", dtype, size)), dtype)
end

-- Worked example 1: M=100 N=70 K=60, tile 32 16 16, grid m n: A by 5 column tiles, B by 4
-- row tiles; 128 * 80 * 64 = 655,360 points executed.
fact("example 1", function()
  local C = product({ m = 100, n = 70, k = 60 }, "f16")
  local r = kc.count(kc.tile(C, { m = 32, n = 16, k = 16 }, { grid = "m n", order = "k" }))
  t:equal("1 A", row(r, "A").bytes_read, 60000)
  t:equal("1 B", row(r, "B").bytes_read, 33600)
  t:equal("1 C", row(r, "C").bytes_written, 100 * 70 * 2)
  t:equal("1 C reads", row(r, "C").bytes_read, 0)
  t:equal("1 useful", r.flops, 2 * 420000)
  t:equal("1 executed", r.executed_flops, 2 * 655360)
  t:equal("1 CTAs", r.ctas, 20)
  ledger("1", row(r, "A"), { compulsory = 12000, reload = 48000 })
  ledger("1", row(r, "B"), { compulsory = 8400, reload = 25200 })
  ledger("1", row(r, "C"), { compulsory = 14000 })
end)

-- Worked example 2: no grid, order k m n: C is left three times and comes back.
fact("example 2", function()
  local C = product({ m = 100, n = 70, k = 60 }, "f16")
  local r = kc.count(kc.tile(C, { m = 32, n = 16, k = 16 }, { grid = "", order = "k m n" }))
  t:equal("2 A", row(r, "A").bytes_read, 12000)
  t:equal("2 B", row(r, "B").bytes_read, 33600)
  t:equal("2 C reads", row(r, "C").bytes_read, 3 * 7000 * 4)
  t:equal("2 C writes", row(r, "C").bytes_written, 3 * 7000 * 4 + 7000 * 2)
  ledger("2", row(r, "C"), { compulsory = 14000, spill = 168000 })
end)

local function attention(o)
  local size = { b = o.b or 64, h = o.h or 16, i = o.n or 1024, j = o.n or 1024, d = 64, e = 64 }
  local S = kc.write("S", kc.matmul(read("Q", "b h i d", "f16", size), read("K", "b h j d", "f16", size)))
  local P = kc.write("P", kc.softmax(kc.read(S), "j", { online = o.online ~= false }))
  local O = kc.write("O", kc.matmul(kc.read(P), read("V", "b h j e", "f16", size)))
  return S, P, O
end

-- One Q-sized array and one score-sized array of the design's attention, in bytes.
local ONE, SCORES = 64 * 16 * 1024 * 64 * 2, 64 * 16 * 1024 * 1024 * 2

-- Worked example 3: i = 128 over the grid: Q and O once, K and V eight times.
fact("example 3, rows over the grid", function()
  local S, P, O = attention{}
  local r = kc.count(kc.tile(kc.fuse("flash", { S, P, O }), { i = 128, j = 64 }, { grid = "b h i", order = "j" }))
  t:equal("3 Q", row(r, "Q").bytes_read, ONE)
  t:equal("3 K", row(r, "K").bytes_read, 8 * ONE)
  t:equal("3 V", row(r, "V").bytes_read, 8 * ONE)
  t:equal("3 O", row(r, "O").bytes_written, ONE)
  t:equal("3 all", r.bytes, 18 * ONE)
  t:equal("3 passes", r.passes, 1)
  t:equal("3 CTAs", r.ctas, 64 * 16 * 8)
end)

-- The loop order of FlashAttention 1: K and V once, Q once per j trip (16 of 64), O and
-- the two statistics a row left 15 times and fetched 15 times in f32.
fact("example 3, columns outside", function()
  local S, P, O = attention{}
  local r = kc.count(kc.tile(kc.fuse("flash1", { S, P, O }), { i = 128, j = 64 }, { grid = "b h", order = "j i" }))
  local X, elements, rows = 16, ONE / 2, 64 * 16 * 1024
  t:equal("3b K", row(r, "K").bytes_read, ONE)
  t:equal("3b V", row(r, "V").bytes_read, ONE)
  t:equal("3b Q", row(r, "Q").bytes_read, X * ONE)
  t:equal("3b O reads", row(r, "O").bytes_read, (X - 1) * elements * 4)
  t:equal("3b O writes", row(r, "O").bytes_written, (X - 1) * elements * 4 + ONE)
  for _, name in ipairs{ "P.max", "P.sum" } do
    t:equal("3b " .. name .. " reads", row(r, name).bytes_read, (X - 1) * rows * 4)
    t:equal("3b " .. name .. " writes", row(r, name).bytes_written, (X - 1) * rows * 4)
  end
end)

-- Worked example 4: rows of 32,768 in f32, tile 4096: safe 3 reads and a write, online 2
-- and 1; whole rows 1 and 1.
fact("example 4", function()
  local size = { i = 8, j = 32768 }
  local all = 8 * 32768 * 4
  local function softmax(online, tile)
    local Y = kc.write("Y", kc.softmax(read("X", "i j", "f32", size), "j", { online = online }), "f32")
    return kc.count(kc.tile(Y, { i = 1, j = tile }))
  end
  local safe, online, whole = softmax(false, 4096), softmax(true, 4096), softmax(false, 32768)
  t:equal("4 safe reads", safe.bytes_read, 3 * all)
  t:equal("4 safe writes", safe.bytes_written, all)
  t:equal("4 safe passes", safe.passes, 3)
  ledger("4 safe", row(safe, "X"), { compulsory = all, pass = 2 * all })
  t:equal("4 online reads", online.bytes_read, 2 * all)
  t:equal("4 online writes", online.bytes_written, all)
  t:equal("4 online passes", online.passes, 2)
  t:equal("4 whole reads", whole.bytes_read, all)
  t:equal("4 whole writes", whole.bytes_written, all)
  t:equal("4 whole passes", whole.passes, 1)
end)

-- Worked example 5: m = n = 16 with k = 64: 2*16*16*64 / ((16 + 16)*64*2) = 8 FLOP a loaded
-- byte, m = n = 64: 32; untiled N^3: N/3.
fact("example 5", function()
  local C = product({ m = 1024, n = 1024, k = 1024 }, "f16")
  local function loaded(tile)
    local r = kc.count(kc.tile(C, { m = tile, n = tile, k = 64 }, { grid = "m n" }))
    return r.flops / r.bytes_read
  end
  t:equal("5 tile 16", loaded(16), 8)
  t:equal("5 tile 64", loaded(64), 32)
  t:near("5 untiled", kc.count(C).intensity, 1024 / 3, 1e-15)
end)

-- Unfused attention moves S and P four times through HBM: 4 * 64*16*1024*1024*2 B = 8.59 GB
-- beside Q, K, V, O; the fused kernel none of it.
fact("fused attention moves no scores", function()
  local S, P, O = attention{}
  local unfused = kc.count(kc.program("unfused", { S, P, O }))
  t:equal("scores moved", unfused.bytes - 4 * ONE, 4 * SCORES)
  t:equal("scores moved in bytes", 4 * SCORES, 8589934592)
  local fused = kc.count(kc.fuse("fused", { S, P, O }))
  t:equal("fused", fused.bytes, 4 * ONE)
  for _, r in ipairs(fused.tensors) do
    t:is_true("fused has no " .. r.name, r.name ~= "S" and r.name ~= "P")
  end
end)

-- An f32 value between two f16 matmuls: the second stays on the f16 roof.
fact("a value in f32 between two f16 matmuls stays on the f16 roof", function()
  local size = { m = 4096, k = 4096, n = 4096, o = 4096 }
  local wide = kc.map("scale", kc.matmul(read("A", "m k", "f16", size), read("B", "k n", "f16", size)))
  local function chain(between)
    return kc.write("D", kc.matmul(between, read("C", "n o", "f16", size), "n"), "f16")
  end
  local S = kc.write("S", wide, "f32")
  local fused = kc.fuse("chain", { S, kc.write("D", kc.matmul(kc.read(S), read("C", "n o", "f16", size), "n"), "f16") })
  local plain = kc.evaluate(chain(wide), "a100-sxm4-80gb")
  local through = kc.evaluate(fused, "a100-sxm4-80gb")
  t:equal("f16 roof", plain.roof_time, 4 * 4096 ^ 3 / 312e12)
  t:equal("f32 between", through.roof_time, plain.roof_time)
  t:equal("ridge of f16", through.ridge, plain.ridge)
end)

-- A cast between softmax and matmul costs no pass.
fact("a cast between softmax and matmul costs no pass", function()
  local size = { i = 1024, j = 1024, d = 64, e = 64 }
  local function flash(cast)
    local P = kc.softmax(kc.matmul(read("Q", "i d", "f16", size), read("K", "j d", "f16", size)), "j", { online = true })
    if cast then P = kc.cast(P, "bf16") end
    local O = kc.write("O", kc.matmul(P, read("V", "j e", "f16", size)), "f16")
    return kc.count(kc.tile(O, { i = 128, j = 64 }, { grid = "i", order = "j" }))
  end
  t:equal("passes without", flash(false).passes, 1)
  t:equal("passes with", flash(true).passes, 1)
  t:equal("bytes", flash(true).bytes, flash(false).bytes)
end)

-- An epilogue behind a matmul costs no pass, in any loop order.
fact("an epilogue behind a matmul in any loop order costs no pass", function()
  local size = { m = 256, n = 256, k = 256 }
  local plain = product(size, "f16")
  local product_of = kc.matmul(read("A", "m k", "f16", size), read("B", "k n", "f16", size))
  local biased = kc.write("C", kc.map("gelu", kc.map("add", product_of, read("bias", "n", "f16", size))), "f16")
  for _, order in ipairs{ "m n k", "m k n", "n m k", "n k m", "k m n", "k n m" } do
    local schedule = { grid = "", order = order }
    local without = kc.count(kc.tile(plain, { m = 64, n = 64, k = 64 }, schedule))
    local with = kc.count(kc.tile(biased, { m = 64, n = 64, k = 64 }, schedule))
    t:equal("passes in " .. order, with.passes, 1)
    for _, name in ipairs{ "A", "B", "C" } do
      t:equal(name .. " in " .. order, row(with, name).bytes_read + row(with, name).bytes_written,
        row(without, name).bytes_read + row(without, name).bytes_written)
    end
    t:equal("epilogue once in " .. order, with.vector_flops, 9 * 256 * 256)
  end
end)

-- FlashAttention 2 backward: S and P computed again from Q, K and the row statistic L;
-- dV, dK stay on chip over i, dQ is added over the grid with atomics.
local function backward(n, d)
  local size = { b = 2, h = 16, i = n, j = n, d = d }
  local function tensor(name, dims, dtype) return kc.read(kc.tensor(name, dims, dtype or "f16", size)) end
  local Q, K, V, dO = tensor("Q", "b h i d"), tensor("K", "b h j d"), tensor("V", "b h j d"), tensor("dO", "b h i d")
  local P = kc.map("exp", kc.map("sub", kc.matmul(Q, K), tensor("L", "b h i", "f32")))
  local dS = kc.map("mul", P, kc.map("sub", kc.matmul(dO, V), tensor("D", "b h i", "f32")))
  return kc.kernel("backward", {
    kc.write("dV", kc.matmul(P, dO, "i"), "f16"),
    kc.write("dK", kc.matmul(dS, Q, "i"), "f16"),
    kc.write("dQ", kc.matmul(dS, K, "j"), "f32"),
  })
end
fact("FlashAttention 2 backward at i=64 j=128 d=128 fits an A100 and an H100", function()
  local k = kc.tile(backward(2048, 128), { i = 64, j = 128 },
    { grid = "b h j", order = "i", combine = "atomic", stages = 1 })
  for _, device in ipairs{ "a100-sxm4-80gb", "h100-sxm5" } do
    local r = kc.evaluate(k, device)
    t:is_true("occupancy on " .. device, r.occupancy >= 1)
    t:equal("passes on " .. device, r.passes, 1)
  end
end)

-- Reads of one tensor at shifted indices, in one pass, are one box.
fact("a stencil read by two indices is one box", function()
  local size = { n = 4098, i = 4096 }
  local X = kc.tensor("X", "n", "f32", size)
  local function at(index) return kc.read(X, index, { size = size }) end
  local Y = kc.write("Y", kc.map("add", at("i"), at("i+2")), "f32")
  -- untiled: every element once; in tiles of 128: 32 boxes of 130
  t:equal("untiled", row(kc.count(Y), "X").bytes_read, 4098 * 4)
  t:equal("tiled", row(kc.count(kc.tile(Y, { i = 128 }, { grid = "i" })), "X").bytes_read, 32 * 130 * 4)
  t:equal("in a loop", row(kc.count(kc.tile(Y, { i = 128 }, { grid = "", order = "i" })), "X").bytes_read, 32 * 130 * 4)
end)

-- Dims of 10^12 give finite, exact or correctly rounded counts.
fact("sizes of 10^12 give finite and exact counts", function()
  local huge = 1e12
  local sum = kc.map("add", read("X", "i", "f32", { i = huge }), read("Z", "i", "f32", { i = huge }))
  local r = kc.count(kc.write("Y", sum, "f32"))
  t:equal("bytes", r.bytes, 12e12)
  t:equal("flops", r.flops, 1e12)
  local C = product({ m = huge, n = huge, k = huge }, "f16")
  local whole = kc.count(C)
  t:equal("matmul flops", whole.flops, 2e36)
  t:equal("matmul bytes", whole.bytes, 6e24)
  local tiled = kc.count(kc.tile(C, { m = 128, n = 128, k = 64 }, { grid = "m n", order = "k" }))
  -- 7,812,500,000 column tiles of 128 each read A once
  t:equal("tiled A", row(tiled, "A").bytes_read, 1.5625e34)
  t:equal("CTAs", tiled.ctas, 7812500000 ^ 2)
  for _, field in ipairs{ "flops", "executed_flops", "bytes", "bytes_min", "ctas", "smem" } do
    local x = tiled[field]
    t:is_true("finite " .. field, x == x and x < math.huge and x > -math.huge)
  end
  -- a causal triangle of 10^6: exact below 2^53
  local QK = kc.matmul(read("Q", "i d", "f16", { i = 1e6, d = 1 }), read("K", "j d", "f16", { j = 1e6, d = 1 }))
  local S = kc.write("S", kc.causal(QK, "i", "j"))
  t:equal("triangle", kc.count(S).flops, 2 * (1e6 * (1e6 + 1) / 2))
end)

-- Useful work never exceeds executed, compulsory never exceeds total, totals are the sums of
-- their rows.
fact("useful is at most executed and compulsory at most the total", function()
  local S, P, O = attention{ b = 2, h = 3, n = 200 }
  local fused = kc.fuse("flash", { S, P, O })
  local kernels = { S, P, O, fused, product({ m = 100, n = 70, k = 60 }, "f16"), backward(200, 64) }
  for _, o in ipairs{ { "b h i", "j" }, { "b h", "j i" }, { "b h", "i j" }, { "", "b h j i" } } do
    kernels[#kernels + 1] = kc.tile(fused, { i = 48, j = 32 }, { grid = o[1], order = o[2] })
  end
  for _, order in ipairs{ "m n k", "k m n", "n k m" } do
    kernels[#kernels + 1] = kc.tile(kernels[5], { m = 32, n = 16, k = 16 }, { grid = "", order = order })
  end
  kernels[#kernels + 1] = kc.tile(kernels[6], { i = 64, j = 48 }, { grid = "b h j", order = "i", combine = "atomic" })
  for number, kernel in ipairs(kernels) do
    local r = kc.count(kernel)
    local id = "kernel " .. number .. " "
    for _, field in ipairs{ "flops", "matrix_flops", "vector_flops", "special_ops" } do
      t:is_true(id .. field, r[field] <= r["executed_" .. field], field .. " exceeds executed")
    end
    t:is_true(id .. "compulsory", r.bytes_min <= r.bytes, "compulsory exceeds the total")
    t:equal(id .. "flops are the sum", r.flops, r.matrix_flops + r.vector_flops + r.special_ops)
    t:equal(id .. "bytes are the sum", r.bytes, r.bytes_read + r.bytes_written)
    local all, least = 0, 0
    for _, x in ipairs(r.tensors) do
      t:equal(id .. x.name, x.compulsory + x.reload + x.pass + x.spill + x.split, x.bytes_read + x.bytes_written)
      all, least = all + x.bytes_read + x.bytes_written, least + x.compulsory
    end
    t:equal(id .. "tensors add up", all, r.bytes)
    t:equal(id .. "compulsory adds up", least, r.bytes_min)
  end
end)

t:finish()
