-- check_parameters.lua: every function of the stdlib with wrong parameters: an error at the user's line that says
-- which, never one inside the stdlib.

local here = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = here .. "/../data/?.lua;" .. package.path

local kc = require "kcost"
local tally = require "tally"
local lib = kc.lib

local t = tally.new("parameters")

local with = lib.parameters.merge
local good = require "usual"

local wrong = {
  -1, 0, 1.5, 1e300, 0 / 0, "x", "", {}, { 1 }, { -1 }, { 1, "x" }, { x = 1 }, { i = "x" }, true, false,
  function() end, kc.dtype("f16"), kc.device("l4"),
}

-- An error that names this file, or none: some of these values are right for some parameters.
local function at_our_line(what, call, p)
  local ok, message = pcall(function()
    local x = call(p)
    return x
  end)
  message = tostring(message)
  local ours = message:find("check_parameters.lua:%d+: ") and not message:find("attempt to", 1, true)
  t:is_true(what, ok or ours, message)
end

-- helpers and what gives no kernel of a shape
local other = lib.parameters.merge(require("kcost.internal.help").of_itself, { parameters = true, report = true })
local files = assert(io.popen("ls stdlib"))
for name in files:read("*a"):gmatch("([%w_]+)%.lua") do
  if not other[name] then
    for call, run in pairs(lib[name]) do
      local what = name .. "." .. call
      local p = good[name] and good[name][call]
      if not p then
        t:fail(what, "has no row in this test")
      else
        t:try(what, function() run(p) end)
        at_our_line(what .. " unknown", run, with(p, { no_such_parameter = 1 }))
        for i, value in ipairs(wrong) do
          at_our_line(what .. " of value " .. i, run, value)
          for key in pairs(p) do at_our_line(what .. "." .. key .. " value " .. i, run, with(p, { [key] = value })) end
        end
      end
    end
  end
end
files:close()

t:finish()
