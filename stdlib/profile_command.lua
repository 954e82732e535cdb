-- profile_command.lua: what `kcost profile FILE … --device NAME --kernel NAME=WHAT` shows.
--
--     kcost profile ncu.csv
--     kcost profile ncu.csv --device h100
--     kcost profile ncu.csv --device h100 --kernel 'gemm=gemm m=4096 n=4096 k=4096 tile.m=128 tile.n=128 tile.k=64'
local kc = require "kcost"
local command = require "kcost.internal.command"

local profiles = {}

-- What f gives.  Errors are about what was typed: no line of this file, no name of a call.
local function call(f, ...)
    local good, answer = pcall(f, ...)
    if good then return answer end
    error((tostring(answer):gsub("^.-kc%.[%w_]+: ", "")), 0)
end

-- 'gemm=gemm m=4096 tile.m=128': the pattern, and the kernel.
local function prediction(text)
    local pattern, rest = text:match("^(.-)=(.*)$")
    local name, words = rest:match("^%s*(%S*)"), {}
    for word in rest:gsub("^%s*%S*", ""):gmatch("%S+") do
        local parameter, value = word:match("^([^=]+)=(.*)$")
        if not parameter then error("--kernel: a kernel takes name=value, not '" .. word .. "'", 0) end
        words[#words + 1] = { parameter, value }
    end
    local good, kernel = pcall(command.kernel, name, words)
    if good then return pattern, kernel end
    local what = tostring(kernel)
    for _, script in ipairs { "^profile:%d*:? ", "^calibrate:%d*:? " } do -- the script's name, which is said already
        while what:find(script) do what = what:gsub(script, "") end
    end
    error("--kernel: " .. what, 0)
end

-- Kernels of the command line by pattern, a list each.
function profiles.predictions(kernels)
    local predictions = {}
    for _, text in ipairs(kernels) do
        local pattern, kernel = prediction(text)
        predictions[pattern] = predictions[pattern] or {}
        table.insert(predictions[pattern], kernel)
    end
    return predictions
end

-- Files as they are, or held against a device and predictions; one, or a list.
function profiles.run(files, kernels, asked)
    local predictions, shown = profiles.predictions(kernels), {}
    if #kernels > 0 and not asked.device then error("--kernel needs --device", 0) end
    for i, path in ipairs(files) do
        local p = call(kc.load_profile, path)
        shown[i] = asked.device and call(kc.match, p, predictions, { device = asked.device }) or p
    end
    return #shown == 1 and shown[1] or shown
end

return profiles
