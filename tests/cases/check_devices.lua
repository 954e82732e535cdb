-- check_devices.lua: the shipped devices as scripts see them, and the cases that practitioners raised about devices.
--
-- The ids are those of the cases; the wrong values that other tools printed stand in the comments.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"

local t = tally.new("devices")
local function case(id, test) t:try(id, test) end

local function read(name, dims, dtype, size) return kc.read(kc.tensor(name, dims, dtype, size)) end

local function matmul(dtype, n, opts)
  local size = { m = n, n = n, k = n }
  return kc.kernel("matmul", { kc.write("C", kc.matmul(read("A", "m k", dtype, size), read("B", "k n", dtype, size), opts)) })
end

local function message(...)
  local good, why = pcall(...)
  return not good and tostring(why) or nil
end

local function noted(result, ...)
  for _, note in ipairs(result.notes) do
    local all = true
    for _, part in ipairs { ... } do all = all and note:find(part, 1, true) ~= nil end
    if all then return true end
  end
  return false
end

local function ridge(name, format)
  local d = kc.device(name)
  return d.matrix[format] / d.hbm.bandwidth
end

-- P53: H100 SXM has 132 SMs * 4 tensor cores * 512 multiply-adds * 2 * 1.83 GHz = 989.4e12 dense; 1979 is sparse.
case("P53", function()
  local d = kc.device("h100-sxm5")
  t:near("P53 dense", d.matrix.f16, 132 * 4 * 512 * 2 * 1.83e9, 1e-4)
  -- 420 TFLOP/s are 42 % of it (the tool: 21 %)
  t:near("P53 share", 420e12 / d.matrix.f16, 0.4245, 1e-3)
  -- no implementation beats the dense roof; the H100 PCIe has 756 (the tools: 1513, sparse)
  local r = kc.evaluate(matmul("bf16", 8192), "h100-sxm5")
  t:near("P53 roof time", r.roof_time, 2 * 8192 ^ 3 / 989.4e12, 1e-12)
  t:near("P53 PCIe", kc.device("h100-pcie").matrix.bf16, 756.5e12, 1e-12)
  -- every matrix peak is multiply-adds a clock, without a factor of 2 for zeros: L4 121, L40S 362, B200 2250, MI355X 2517
  for name, peak in pairs { l4 = 121e12, l40s = 362.05e12, b200 = 2250e12, mi355x = 2516.6e12, a10 = 125e12 } do
    t:equal("P53 " .. name, kc.device(name).matrix.f16, peak)
  end
  -- the result says which roof it used
  t:near("P53 ridge", r.ridge, 989.4e12 / 3.352e12, 1e-12)
  t:equal("P53 bound", r.bound, "matrix")
end)

-- P55: bf16 work is held against 989, not against the 495 of tf32; f8 doubles the roof.
case("P55", function()
  local function roof(dtype, opts)
    local r = kc.evaluate(matmul(dtype, 16384, opts), "h100-sxm5")
    return r.flops / r.roof_time
  end
  t:near("P55 bf16", roof("bf16"), 989.4e12, 1e-12)
  t:near("P55 tf32", roof("tf32"), 494.7e12, 1e-12)
  t:near("P55 f8", roof("f8"), 1978.9e12, 1e-12)
  t:near("P55 f32 asked to run as tf32", roof("f32", { math = "tf32" }), 494.7e12, 1e-12)
  -- a roof that was asked for and is not there is an error, not a silent other one
  local why = message(kc.evaluate, matmul("f16", 1024, { math = "f4" }), "h100-sxm5")
  t:is_true("P55 mismatch", why and why:find("h100-sxm5 has no matrix roof for f4", 1, true), why)
  -- TPUs have no f16: said, not computed at the rate of bf16
  why = message(kc.evaluate, matmul("f16", 1024), "tpu-v5e")
  t:is_true("P55 TPU", why and why:find("tpu-v5e has neither a matrix nor a vector roof for f16", 1, true), why)
end)

-- P57: types that the chip does not have, and the linter that finds them.
case("P57", function()
  -- H100 has no i4 units (the file: 3958, which is sparse i8)
  t:equal("P57 H100 i4", kc.device("h100-sxm5").matrix.i4, nil)
  local r = kc.evaluate(matmul("i4", 4096), "h100-sxm5")
  t:is_true("P57 H100 i4 runs as i8", noted(r, "no matrix roof for i4", "i8"), "no note")
  t:near("P57 H100 i4 time", r.roof_time, 2 * 4096 ^ 3 / 1978.9e12, 1e-12)
  -- MI210 i8 = 104 * 1.7e9 * 1024 = 181.0e12 (the file: 362); MI250X 383 a package (766), 191.5 a GCD
  t:near("P57 MI210", kc.device("mi210").matrix.i8, 104 * 1.7e9 * 1024, 1e-3)
  t:near("P57 MI250X", 2 * kc.device("mi250x").matrix.i8, 383e12, 1e-12)
  -- A10 24 GB (the file: 28), V100 SXM2 16 GB (32)
  t:equal("P57 A10", kc.device("a10").hbm.capacity, 24e9)
  t:equal("P57 V100", kc.device("v100-sxm2-16gb").hbm.capacity, 16e9)
  t:equal("P57 V100 32GB", kc.device("v100-32gb").hbm.capacity, 32e9)
  -- V100 has neither bf16 nor tf32 nor i8 matrix units, B300 no f64 ones, MI355X no tf32, Apple none at all
  for name, formats in pairs {
    ["v100"] = "bf16 tf32 i8 f64 f8", ["t4"] = "bf16 tf32 f64", ["b300"] = "f64 i4", ["mi355x"] = "tf32 i4",
    ["mi300x"] = "i4 f6 f4", ["a100"] = "f8 f4", ["m2-ultra"] = "f16 f32 i8",
  } do
    local matrix = kc.device(name).matrix or {}
    for format in formats:gmatch("%S+") do t:equal("P57 " .. name .. " " .. format, matrix[format], nil) end
  end
end)

-- P59: the same name with other memory is another product; results say which one a common name meant.
case("P59", function()
  t:near("P59 H100", ridge("h100-sxm5", "f16"), 295.2, 1e-3) -- the viewer: 322, from 3072 GB/s
  t:near("P59 A100 40GB", ridge("a100-sxm4-40gb", "f16"), 200.6, 1e-3)
  t:near("P59 A100 80GB", ridge("a100-sxm4-80gb", "f16"), 153.0, 1e-3)
  t:near("P59 H200", ridge("h200-sxm", "f16"), 206.1, 1e-3)
  t:near("P59 H100 PCIe", ridge("h100-pcie", "f16"), 371.0, 1e-3)
  t:near("P59 H100 NVL", ridge("h100-nvl", "f16"), 212.2, 1e-3)
  for alias, product in pairs {
    h100 = "NVIDIA H100 SXM5 80GB", a100 = "NVIDIA A100 SXM4 80GB", v100 = "NVIDIA V100 SXM2 16GB",
    gh200 = "NVIDIA GH200 96GB", mi250x = "AMD Instinct MI250X 128GB, one GCD of 64GB", trillium = "Google TPU v6e 32GB",
  } do
    local r = kc.evaluate(matmul("bf16", 1024), alias)
    t:is_true("P59 " .. alias, noted(r, "device " .. alias .. " means " .. product), "no note on what it means")
  end
  local r = kc.evaluate(matmul("bf16", 1024), "h100-sxm5")
  t:is_true("P59 an id needs no note", not noted(r, " means "), "a note")
end)

-- P86: low-bit weights raise the memory line only. H100, a linear layer of n = k: memory bound below 295 tokens in bf16,
-- below 989e12 * (4.125/8) / (2 * 3.35e12) = 76 in w4a16, below 295 in f8, weights alone counted.
case("P86", function()
  local d = kc.device("h100-sxm5")
  local n = 16384
  local function linear(tokens, weights, activations)
    local size = { t = tokens, k = n, n = n }
    return kc.evaluate(kc.kernel("linear", {
      kc.write("Y", kc.matmul(read("X", "t k", activations, size), read("W", "k n", weights, size)), activations),
    }), d)
  end
  local cases = {
    { "bf16", "bf16", 16, d.matrix.bf16, 295 }, { "i4g128", "f16", 4.125, d.matrix.f16, 76 }, { "f8", "f8", 8, d.matrix.f8, 295 },
  }
  for _, c in ipairs(cases) do
    local weights, activations, bits, peak, tokens = c[1], c[2], c[3], c[4], c[5]
    local crossing = peak * bits / 8 / (2 * d.hbm.bandwidth)
    t:is_true("P86 " .. weights .. " crossing", math.abs(crossing - tokens) < 0.5, "at " .. crossing .. " tokens")
    -- activations move the crossing: tokens * 2n values of X and Y pass through HBM as well
    local act = activations == "f8" and 1 or 2
    local exact = n * n * bits / 8 / (2 * n * n / peak - 2 * n * act / d.hbm.bandwidth) / d.hbm.bandwidth
    local below, above = math.floor(exact) - 1, math.ceil(exact) + 1
    local low, high = linear(below, weights, activations), linear(above, weights, activations)
    t:near("P86 " .. weights .. " below: memory", low.roof_time, low.bytes_min / d.hbm.bandwidth, 1e-12)
    t:near("P86 " .. weights .. " above: compute", high.roof_time, 2 * above * n * n / peak, 1e-12)
  end
end)

-- ---- what lacks on-chip limits ------------------------------------------------------------------

local untiled_only = {
  "tpu-v3", "tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "tpu-v7", "gaudi2", "gaudi3", "max-1550",
  "xeon-platinum-8480+", "epyc-9654", "graviton4", "grace-120gb",
}
local tiled_too = {
  "v100-sxm2-16gb", "v100-sxm2-32gb", "t4", "a100-sxm4-40gb", "a100-sxm4-80gb", "a100-pcie-80gb", "a10", "a40", "rtx-a6000",
  "rtx-3090", "l4", "l20", "l40s", "rtx-4090", "rtx-5090", "h100-sxm5", "h100-pcie", "h100-nvl", "h20-96gb", "h200-sxm",
  "gh200-96gb", "b200", "gb200", "b300", "mi210", "mi250x-gcd", "mi300x", "mi325x", "mi355x",
  "m1-max-32core", "m2-ultra-76core", "m3-max-40core", "m4-max-40core",
}
t:equal("products", #untiled_only + #tiled_too, 46)

local size = { m = 4096, n = 4096 }
local softmax = kc.kernel("softmax", { kc.write("Y", kc.softmax(read("X", "m n", "bf16", size), "n")) })
local add = kc.kernel("add", { kc.write("Z", kc.map("add", read("U", "m n", "f32", size), read("V", "m n", "f32", size))) })

local function ordered(id, r)
  t:is_true(id, r.roof_time > 0 and r.roof_time <= r.time and r.time <= r.serial_time,
    kc.str(r.roof_time) .. " <= " .. kc.str(r.time) .. " <= " .. kc.str(r.serial_time))
end

for _, list in ipairs { untiled_only, tiled_too } do
  for _, name in ipairs(list) do
    case(name, function()
      for _, kernel in ipairs { matmul("bf16", 2048), softmax, add } do
        ordered(name .. " " .. kernel.name .. ", untiled", kc.evaluate(kernel, name))
      end
      -- an elementwise kernel is a stream: compulsory bytes over the printed bandwidth
      local r = kc.evaluate(add, name)
      t:near(name .. " stream", r.roof_time, r.bytes_min / kc.device(name).hbm.bandwidth, 1e-12)
    end)
  end
end

local tiled = kc.tile(matmul("bf16", 2048), { m = 64, n = 64, k = 32 })
for _, name in ipairs(untiled_only) do
  case(name, function()
    local why = message(kc.evaluate, tiled, name)
    t:is_true(name .. " tiled", why and why:find(name .. ": a tiled kernel needs smem.per_core", 1, true), why or "no error")
  end)
end
for _, name in ipairs(tiled_too) do
  case(name, function() ordered(name .. " tiled", kc.evaluate(tiled, name)) end)
end

-- An L2 bandwidth that nobody measured on that product is an assumption, and every result says so.
case("l2.bandwidth", function()
  for _, name in ipairs { "t4", "a10", "rtx-3090", "rtx-5090", "l4", "h20-96gb", "b300", "gb200", "mi300x", "mi355x" } do
    t:equal(name .. " states no L2 bandwidth", kc.device(name).l2.bandwidth, nil)
    t:is_true(name .. " says so", noted(kc.evaluate(tiled, name), "assumed", "l2.bandwidth"), "no note")
  end
  t:is_true("a40 states it", not noted(kc.evaluate(tiled, "a40"), "assumed", "l2.bandwidth"), "a note")
end)

-- Block-scaled f8 on the RTX 5090, as its file says to ask for it.
case("with", function()
  local d = kc.device("rtx-5090"):with { matrix = { f8 = 838e12 } }
  t:near("5090 block-scaled f8", kc.evaluate(matmul("mxf8", 16384), d).roof_time, 2 * 16384 ^ 3 / 838e12, 1e-12)
end)

t:finish()
