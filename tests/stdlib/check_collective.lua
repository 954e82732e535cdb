-- check_collective.lua: collectives and the matmul with an overlapped allreduce, against closed forms.

local agree = require "agree"
local kc = require "kcost"
local collective = kc.lib.collective
local t = agree.t

-- Bytes one rank sends over S, and steps, by ring and tree; S and what is written over what is read.
local p = 8
local forms = {
  allreduce = { 2 * (p - 1) / p, 2 * (p - 1), 2, 6, whole = 1, written = 1 },
  allgather = { (p - 1) / p, p - 1, (p - 1) / p, 3, whole = p, written = p },
  reducescatter = { (p - 1) / p, p - 1, (p - 1) / p, 3, whole = 1, written = 1 / p },
  alltoall = { (p - 1) / p, 1, 3 / 2, 3, whole = 1, written = 1 },
  broadcast = { 1, p - 1, 1, 3, whole = 1, written = 1 },
  send = { 1, 1, 1, 1, whole = 1, written = 1 },
}
local n = 4096
for name, form in pairs(forms) do
  for i, algorithm in ipairs { "ring", "tree" } do
    local x = collective[name] { n = n, ranks = p, algorithm = algorithm }
    agree.all(name .. " " .. algorithm, x, { bytes = 2 * n * (1 + form.written) })
    local c = kc.count(x)
    t:equal(name .. ": link bytes", c.link_bytes, form[2 * i - 1] * form.whole * 2 * n)
    t:equal(name .. ": steps", c.link_steps, form[2 * i])
  end
end

-- m n k / ranks multiply-adds; every chunk reads its rows of A and all of B; C goes in and out of the allreduce.
local m, w, k, ranks = 512, 256, 1024, 4
for _, chunks in ipairs { 1, 2, 8 } do
  local x = collective.matmul_allreduce { m = m, n = w, k = k, ranks = ranks, chunks = chunks }
  agree.all("matmul and allreduce", x, {
    matrix = 2 * m * w * k / ranks, bytes = 2 * (m * k / ranks + chunks * w * k / ranks + 3 * m * w),
  })
  t:equal("link bytes", kc.count(x).link_bytes, 2 * (ranks - 1) / ranks * 2 * m * w)
end

-- t + (chunks - 1) max(t, u) + u: on a device without launches the roofs of the two parts are different ones.
local device = kc.device { name = "plain", hbm = { bandwidth = 1e18 }, matrix = { f16 = 1e12 },
  link = { bandwidth = 10e9, latency = 1e-6 } }
for _, width in ipairs { 64, 4096 } do
  for _, chunks in ipairs { 2, 16 } do
    local x = collective.matmul_allreduce { m = 1024, n = 256, k = width, ranks = ranks, chunks = chunks }
    local r = kc.evaluate(x, device, { launch = "none" })
    local one, other = r.kernels[1].time, r.kernels[4].time
    t:near("overlap", r.time, one + (chunks - 1) * math.max(one, other) + other, 1e-12)
  end
end

-- Against NCCL, where the measured times are at hand: the median error of all, and that of large messages.
local names = { all_reduce = "allreduce", all_gather = "allgather", reduce_scatter = "reducescatter", alltoall = "alltoall" }
local devices = { ["A100-SXM4-80GB"] = "a100-sxm4-80gb", ["H100-SXM5-80GB"] = "h100-sxm5", ["B200"] = "b200" }
local file = io.open((os.getenv("SHARED") or "../shared") .. "/measured/aiconfigurator.csv")
if file then
  local all, large = {}, {}
  for line in file:lines() do
    local on, op, members, elements, us = line:match("^[^,]*,([^,]*),([^,]*),[^,]*,ranks=(%d+);elems=(%d+),([%d.]+)")
    if names[op] then
      local elems = op == "all_gather" and elements / members or tonumber(elements) -- NCCL names the whole
      local x = collective[names[op]] { n = elems, ranks = tonumber(members) }
      local off = math.abs(kc.evaluate(x, devices[on]).time / (us * 1e-6) - 1)
      all[#all + 1] = off
      if 2 * elements > 1e8 then large[#large + 1] = off end
    end
  end
  file:close()
  table.sort(all)
  table.sort(large)
  t:is_true("collectives are there", #all > 500 and #large > 50, #all .. " and " .. #large)
  t:is_true("median error", all[math.ceil(#all / 2)] < 0.27, all[math.ceil(#all / 2)])
  t:is_true("median error of large messages", large[math.ceil(#large / 2)] < 0.13, large[math.ceil(#large / 2)])
else
  t:skip("collectives against NCCL", "no measured times")
end

agree.finish()
