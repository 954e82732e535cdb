-- suite.lua: makes a stock state fit to run a spec or a check in, for test_refused_suites.c: the words of busted, and no way
-- to end the process.  A failure is printed as "FAILED what: why"; files have the one name that is given.

local temporary = ...
local host, pcall = _G, pcall

local function fail(what, why) print("FAILED " .. what .. ": " .. tostring(why)) end

local function holds(name, good, got)
  if not good then error("assert." .. name .. " does not hold of " .. tostring(got), 3) end
  return got
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for k, v in pairs(a) do
    if not same(v, b[k]) then return false end
  end
  for k in pairs(b) do
    if a[k] == nil then return false end
  end
  return true
end

host.assert = setmetatable({
  equal = function(want, got) return holds("equal", want == got, got) end,
  same = function(want, got) return holds("same", same(want, got), got) end,
  is_true = function(got) return holds("is_true", got == true, got) end,
  is_false = function(got) return holds("is_false", got == false, got) end,
  is_nil = function(got) return holds("is_nil", got == nil, got) end,
  is_not_nil = function(got) return holds("is_not_nil", got ~= nil, got) end,
  truthy = function(got) return holds("truthy", got, got) end,
  is_truthy = function(got) return holds("is_truthy", got, got) end,
}, {
  __call = function(_, good, ...)
    if good then return good, ... end
    error((...) or "assertion failed!", 2)
  end,
})

function host.describe(_, body) body() end

function host.it(what, body)
  local good, why = pcall(body)
  if not good then fail(what, why) end
end

-- Memory that ran out is no failure that a suite looks for.
function host.pcall(f, ...)
  local function passed(good, why, ...)
    if not good and why == "not enough memory" then error(why, 0) end
    return good, why, ...
  end
  return passed(pcall(f, ...))
end

function host.pending() end

function host.os.tmpname() return temporary end

function host.os.exit(code) error(code == 0 and "ended well" or "ended badly", 0) end

if host.jit then host.jit.off() end
