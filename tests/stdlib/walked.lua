-- walked.lua: the kernels of a program, and the walk beside the count of each.

local kc = require "kcost"

local walked = {}

-- The kernels of a kernel or program, those of nested programs too.
function walked.kernels(x)
  local good, parts = pcall(function() return x.kernels end)
  if not good then return { x } end
  local list = {}
  for _, part in ipairs(parts) do
    for _, kernel in ipairs(walked.kernels(part)) do list[#list + 1] = kernel end
  end
  return list
end

-- The walk finds what is counted, in each kernel of x; t is the tally.
function walked.agrees(t, name, x)
  for _, kernel in ipairs(walked.kernels(x)) do
    local good, reason = pcall(kc.verify, kernel)
    t:is_true(name .. ": " .. kernel.name .. ": walk", good, tostring(reason))
  end
end

return walked
