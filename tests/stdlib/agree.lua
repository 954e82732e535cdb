-- agree.lua: holds a kernel of the stdlib against its closed form, the walk, its tiled forms and every device.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"
local walked = require "walked"

local agree = { t = tally.new("stdlib") }
local t = agree.t

local fields = { matrix = "matrix_flops", vector = "vector_flops", special = "special_ops", bytes = "bytes_min" }

-- Useful work and compulsory bytes of x are those of `want`, in FLOP, ops and bytes, to the last one.
function agree.form(name, x, want)
  local c = kc.count(x)
  for _, key in ipairs { "matrix", "vector", "special", "bytes" } do
    t:equal(name .. ": " .. key, c[fields[key]], want[key] or 0)
  end
end

-- x in each of the tiles: the same useful work and compulsory bytes; the walk finds what is counted.
function agree.tiles(name, x, tiles)
  local whole = kc.count(x)
  for n, tile in ipairs(tiles or {}) do
    local tiled = kc.tile(x, tile)
    local c = kc.count(tiled)
    for key, field in pairs(fields) do t:equal(name .. " in tile " .. n .. ": " .. key, c[field], whole[field]) end
    agree.walk(name .. " in tile " .. n, tiled)
  end
end

-- The walk agrees with the count, kernel by kernel.
function agree.walk(name, x) walked.agrees(t, name, x) end

-- What a device can't do is said in one of these ways.
local limits = {
  "does not fit", "neither a matrix nor a vector roof", "no vector unit for", "which the device does not state",
}

local devices
local function shipped()
  if devices then return devices end
  devices = {}
  local list = assert(io.popen("ls devices"))
  for name in list:read("*a"):gmatch("([^\n]+)%.lua") do
    if name ~= "defaults" then devices[#devices + 1] = kc.device(name) end
  end
  list:close()
  return devices
end

-- x runs on every shipped device, or says which limit it meets.
function agree.devices(name, x)
  for _, device in ipairs(shipped()) do
    local good, r = pcall(kc.evaluate, x, device)
    local real = good
    for _, limit in ipairs(limits) do real = real or tostring(r):find(limit, 1, true) ~= nil end
    t:is_true(name .. " on a device", real, tostring(r))
    if good then
      t:is_true(name .. ": bracket", r.roof_time <= r.time and r.time <= r.serial_time, name .. " on " .. r.device)
    end
  end
end

-- All of it: `x` untiled or as it comes, `want` its closed form, `tiles` in which it must count the same.
function agree.all(name, x, want, tiles)
  t:try(name, function()
    agree.form(name, x, want)
    agree.walk(name, x)
    agree.tiles(name, x, tiles)
    agree.devices(name, x)
  end)
end

function agree.finish() t:finish() end

return agree
