-- check_time.lua: cases about waves, occupancy and levels that practitioners raised, each named by its id.
--
-- The right value stands in the comment; what other tools printed is there where it teaches.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/?.lua;" .. here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"

local t = tally.new("time")
local function case(id, test) t:try(id, test) end

-- C = A B of f16, tiled.
local function tiled(m, n, k, tile, opts)
  return kc.tile(kc.lib.gemm.plain { m = m, n = n, k = k }, tile, opts)
end
local function noted(r, words)
  for _, note in ipairs(r.notes) do
    if note:find(words, 1, true) then return true end
  end
  return false
end

-- P70: bytes shrink outward, so AI(smem) <= AI(L2) <= AI(HBM); the user believed the opposite.
case("P70", function()
  for _, device in ipairs { "a100-sxm4-80gb", "h100-sxm5", "mi300x" } do
    for _, tile in ipairs { { 64, 64 }, { 128, 64 }, { 128, 128 }, { 64, 256 } } do
      local kernel = tiled(4096, 4096, 4096, { m = tile[1], n = tile[2], k = 32 })
      local r = kc.evaluate(kernel, device)
      local smem, l2, hbm = r.flops / r.smem_bytes, r.flops / r.l2_bytes, r.flops / r.bytes
      local loads = r.flops / (r.l2_bytes - r.tensors[3].l2_bytes)      -- C goes to L2 from registers
      local id = "P70 " .. device .. " " .. tile[1] .. "x" .. tile[2]
      t:is_true(id .. " smem", smem <= loads, kc.str(smem) .. " > " .. kc.str(loads))
      t:is_true(id .. " L2", l2 <= hbm, kc.str(l2) .. " > " .. kc.str(hbm))
      t:near(id .. " is r.intensity", hbm, r.intensity, 1e-12)
    end
  end
end)

-- P74: 1792^2, tile 256 x 128, 108 SM: 98 tiles, 1 wave, 90.7 %; 1793^2: 120 tiles, 2 waves, 55.6 %
-- (45.4 % useful).  Work + 0.17 %, time x 2.
case("P74", function()
  local step = tiled(1792, 1792, 1792, { m = 256, n = 128, k = 32 }, { warps = 8 })
  local one = kc.evaluate(step, "a100-sxm4-80gb", { launch = "none" })
  local wider = kc.resize(step, { ["m n"] = 1793 })
  local two = kc.evaluate(wider, "a100-sxm4-80gb", { launch = "none" })
  t:equal("P74 tiles", one.ctas, 98)
  t:equal("P74 waves", one.waves, 1)
  t:near("P74 efficiency", one.wave_efficiency, 0.907, 1e-3)
  t:equal("P74 one more: tiles", two.ctas, 120)
  t:equal("P74 one more: waves", two.waves, 2)
  t:near("P74 one more: efficiency", two.wave_efficiency, 0.556, 1e-3)
  t:near("P74 work", two.flops / one.flops, 1793 ^ 2 / 1792 ^ 2, 1e-12)
  t:near("P74 time", two.time / one.time, 2, 0.1)
  -- the saw-tooth in one line: within a wave throughput rises, at the next it falls
  local function rate(size)
    local sized = kc.resize(step, { ["m n k"] = size })
    return kc.evaluate(sized, "a100-sxm4-80gb", { launch = "none" }).throughput
  end
  t:is_true("P74 rises", rate(1536) < rate(1664) and rate(1664) < rate(1792))
  t:is_true("P74 falls", rate(1920) < 0.65 * rate(1792))
  t:is_true("P74 advice", kc.evaluate(wider, "a100-sxm4-80gb"):explain():find("1 wave less, by m = 1792", 1, true))
end)

-- P75: grids that are too small, each with a hint.
case("P75", function()
  -- 2048 x 256 in tiles of 256 x 256: 8 of 256 CU (3 %)
  local mi = kc.device("mi300x"):with { cores = 256 }
  local r = kc.evaluate(tiled(2048, 256, 1024, { m = 256, n = 256, k = 32 }), mi)
  t:equal("P75 256 CU", r.ctas, 8)
  t:near("P75 efficiency", r.wave_efficiency, 8 / 256, 1e-12)
  t:is_true("P75 hint", noted(r, "8 CTAs leave 248 of 256 cores idle"))
  -- 256 x 256 in 128 x 128: 4 of 148; in 32 x 32: 64
  r = kc.evaluate(tiled(256, 256, 1024, { m = 128, n = 128, k = 64 }), "b200")
  t:equal("P75 148 SM", r.ctas, 4)
  t:is_true("P75 148 SM hint", noted(r, "4 CTAs leave 144 of 148 cores idle"))
  t:is_true("P75 148 SM explained", r:explain():find("fewer CTAs than cores", 1, true))
  t:equal("P75 smaller tiles", kc.evaluate(tiled(256, 256, 1024, { m = 32, n = 32, k = 64 }), "b200").ctas, 64)
  -- D = 2560, M = 12 in 32 x 32: ceil(12/32) * 2560/32 = 80
  t:equal("P75 thin", kc.count(tiled(12, 2560, 2560, { m = 32, n = 32, k = 32 })).ctas, 80)
end)

-- P78: 128 threads, 85 registers: 5 blocks where a block may have the register file, 4 where half of it.
case("P78", function()
  local cta = { threads = 128, registers = 85 }
  local v100 = kc.device("v100-sxm2-16gb")
  t:equal("P78 whole file", kc.occupancy(v100, cta).ctas, 5)
  t:equal("P78 half a file", kc.occupancy(v100:with { registers = { per_cta = 32768 } }, cta).ctas, 4)
  t:equal("P78 limit", kc.occupancy(v100, cta).limit, "registers")
end)

-- P79: 41 and 43 registers are the same, 48; 92 registers and 224 threads: 21 warps fit, 20 by the four files,
-- 2 blocks = 14 warps; with 128 threads 5 blocks = 20 warps.
case("P79", function()
  local function of(threads, registers)
    return kc.occupancy("a100-sxm4-80gb", { threads = threads, registers = registers })
  end
  t:equal("P79 41", of(128, 41).registers, 48)
  t:equal("P79 43", of(128, 43).registers, 48)
  t:equal("P79 same CTAs", of(128, 41).ctas, of(128, 43).ctas)
  t:equal("P79 224: CTAs", of(224, 92).ctas, 2)
  t:equal("P79 224: warps", of(224, 92).warps, 14)
  t:equal("P79 128: CTAs", of(128, 92).ctas, 5)
  t:equal("P79 128: warps", of(128, 92).warps, 20)
  -- a sweep over block sizes finds 128 (the first of those with the most warps)
  local best, most = nil, 0
  for threads = 128, 1024, 32 do
    local o = of(threads, 92)
    if o.warps > most then best, most = threads, o.warps end
  end
  t:equal("P79 sweep", best, 128)
end)

-- P81: shared memory by stages.
case("P81", function()
  -- (256 + 64) * 32 * 4 B * 4 stages = 163,840; an A6000 has 102,400 a core, 101,376 a block
  local small = kc.device("rtx-4090"):with { smem = { per_core = 102400, per_cta = 101376 } }
  local stage = (256 + 64) * 32 * 4
  local o = kc.occupancy(small, { threads = 256, stage = stage, stages = 4 })
  t:equal("P81 A6000", o.ctas, 0)
  t:equal("P81 A6000 limit", o.limit, "shared memory")
  t:equal("P81 A6000 bytes", o.smem - 1024, 163840)
  t:equal("P81 A6000 stages", o.max.stages, 2)
  -- 128 x 256 x 64 in f16, 4 stages: 196,608 > 166,912; 3 stages are 147,456 and fit
  local a100 = "a100-sxm4-80gb"
  o = kc.occupancy(a100, { threads = 256, stage = (128 + 256) * 64 * 2, stages = 4 })
  t:equal("P81 A100", o.ctas, 0)
  t:equal("P81 A100 limit of a block", o.max.smem, 166912)
  t:equal("P81 A100 stages", o.max.stages, 3)
  t:equal("P81 A100 fits", kc.occupancy(a100, { threads = 256, stage = 49152, stages = 3 }).ctas, 1)
  -- the kernel itself is refused with the number, the limit and the stages that fit
  local good, message = pcall(kc.evaluate,
    tiled(4096, 4096, 4096, { m = 128, n = 256, k = 64 }, { stages = 4, warps = 8 }), a100)
  t:is_true("P81 refused", not good)
  for _, part in ipairs { "196608", "166912", "stages = 3", "147456" } do
    t:is_true("P81 says " .. part, tostring(message):find(part, 1, true), tostring(message))
  end
end)

t:finish()
