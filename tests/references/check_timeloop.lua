-- check_timeloop.lua: 100 mappings whose DRAM traffic another tool counted, in elements.
--
-- Each mapping is a loop nest of one CTA (no grid) over whole tiles, in the order that
-- the file gives, outermost first; everything is f32, so elements are bytes / 4.
-- `rule_reads` of an input are its loads.  An output element that is left unfinished and
-- comes back is stored X times in all and fetched X - 1 times: `rule_updates` are the
-- X - 1 spilled stores with the final one, `rule_reads` the X - 1 fetches.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/?.lua;" .. here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local csv = require "csv"
local ops = require "ops"
local tally = require "tally"

local problems = {}

function problems.bmm(size)
  local A = kc.tensor("A", "b m k", "f32", size)
  local B = kc.tensor("B", "b k n", "f32", size)
  return kc.write("Z", kc.matmul(kc.read(A), kc.read(B), "k"), { dtype = "f32", dims = "b m n" })
end

function problems.conv2d(size)
  local st = size.st
  size.h = st * (size.p - 1) + size.r
  size.w = st * (size.q - 1) + size.s
  local X = kc.tensor("X", "n c h w", "f32", size)
  local W = kc.tensor("W", "f c r s", "f32", size)
  local x = kc.read(X, string.format("n c %d*p+r %d*q+s", st, st), { size = size })
  return kc.write("Y", kc.matmul(x, kc.read(W), "c r s"), { dtype = "f32", dims = "n f p q" })
end

function problems.matvec(size)
  local A = kc.tensor("A", "i j", "f32", size)
  local B = kc.tensor("B", "j", "f32", size)
  return kc.write("Z", kc.matmul(kc.read(A), kc.read(B)), "f32")
end

function problems.rowscale(size)
  local A = kc.tensor("A", "i j", "f32", size)
  local B = kc.tensor("B", "j", "f32", size)
  return kc.write("Z", kc.map("mul", kc.read(A), kc.read(B)), "f32")
end

local t = tally.new("timeloop")
local verified = {}
for _, row in ipairs(csv.read(here .. "/../data/timeloop_traffic.csv")) do
  local id = row.id .. " " .. row.tensor
  t:try(id, function()
    local kernel = kc.tile(problems[row.problem](csv.config(row.sizes)), csv.config(row.tile),
      { grid = "", order = row.order })
    local ledger = ops.row(kc.count(kernel), row.tensor)
    t:equal(id .. " reads", ledger.bytes_read / 4, tonumber(row.rule_reads))
    t:equal(id .. " updates", ledger.bytes_written / 4, tonumber(row.rule_updates))
    if not verified[row.id] then
      verified[row.id] = true
      kc.verify(kernel)
    end
  end)
end
t:finish()
