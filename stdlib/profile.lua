-- profile.lua: kc.load_profile: what a profiler measured.
local _, core = ...
local kc = require "kcost"

local profile = {}

-- kc.load_profile(path [, opts]): launches and kernels out of the file that a profiler exported.
--     launches     how many launches are kept one by one, the first ones; 4096 if it is left out
function profile.load(path, opts)
    opts = opts or {}
    local p = core.profile(path, opts.launches or 4096)
    p.source = path
    return p
end

return profile
