-- tally.lua: counts the checks of one test file and prints what failed.

local tally = {}
tally.__index = tally

function tally.new(name)
  return setmetatable({ name = name, passed = 0, failed = 0, skipped = 0 }, tally)
end

local function text(x)
  if type(x) == "number" then return string.format("%.17g", x) end
  return tostring(x)
end

function tally:pass() self.passed = self.passed + 1 end

function tally:fail(id, why)
  self.failed = self.failed + 1
  print("FAILED " .. id .. ": " .. why)
end

-- A skip says why: nothing is left out silently.
function tally:skip(id, why)
  self.skipped = self.skipped + 1
  if self.verbose then print("skipped " .. id .. ": " .. why) end
end

-- got must be within `tolerance` (relative; absolute where want is 0) of want.
function tally:near(id, got, want, tolerance)
  if type(got) ~= "number" then
    return self:fail(id, "got " .. text(got) .. ", expected " .. text(want))
  end
  local off = math.abs(got - want)
  if want ~= 0 then off = off / math.abs(want) end
  if off <= tolerance then return self:pass() end
  self:fail(id, "got " .. text(got) .. ", expected " .. text(want) ..
    " within " .. text(tolerance) .. ", off by " .. text(off))
end

function tally:equal(id, got, want)
  if got == want then return self:pass() end
  self:fail(id, "got " .. text(got) .. ", expected " .. text(want))
end

function tally:is_true(id, fact, why)
  if fact then return self:pass() end
  self:fail(id, why or "it does not hold")
end

-- f() is an error at a line of the test's file, in a sentence that begins as `pattern` says and has these words; f must not
-- end in a tail call, which has no line.
function tally:refused(id, file, pattern, f, ...)
  local good, message = pcall(f)
  message = tostring(message)
  self:is_true(id .. ": refused", not good, "it is not")
  self:is_true(id .. ": at our line", message:find("^[^\n]*" .. file .. "%.lua:%d+: " .. pattern) ~= nil, message:sub(1, 300))
  for _, word in ipairs { ... } do
    self:is_true(id .. ": names " .. word, message:find(word, 1, true) ~= nil, message:sub(1, 300))
  end
  return message
end

-- Runs a test's function: an error in it is a failure of that test, not the end.
function tally:try(id, test)
  local good, message = pcall(test)
  if not good then self:fail(id, "error: " .. tostring(message)) end
end

function tally:finish()
  print(string.format("%s: %d passed, %d failed, %d skipped", self.name, self.passed, self.failed,
    self.skipped))
  if self.failed > 0 then error(self.name .. ": " .. self.failed .. " failed", 0) end
end

return tally
