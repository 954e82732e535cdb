-- command.lua: what `kcost NAME k=v …` shows: a kernel of the stdlib by its name, a model by its file, without a script.
--
--     kcost gemm m,n,k=4096 --device h100
--     kcost attention.standard i=4096 d=128 h=32 causal=true --device a100,h100 --as pytorch
--     kcost gemm m=64 n=4096 k=4096 tile.m=64 tile.n=128 tile.k=64 stages=4 --device h100 --measured 12us
local _, core = ...
local kc = require "kcost"
local command = {}

-- What a name without a dot stands for; any other is a function of kc.lib, as FAMILY.FUNCTION where several have its name.
local short = {
    gemm = "gemm.plain", matmul = "gemm.plain", attention = "attention.flash",
    rmsnorm = "norm.rms", layernorm = "norm.layer", elementwise = "elementwise.apply", softmax = "softmax.rows",
    decode = "attention.decode", conv = "conv.forward", moe = "moe.mlp",
}

-- Parameters of these names are the schedule's, for kc.tile; all others are the kernel's (a stencil has a grid).
local scheduled = {
    tile = true, order = true, stages = true, warps = true, split = true, raster = true,
    overlap = true, cluster = true, persistent = true, path = true, threads = true, vector = true, combine = true,
}

local seconds = { s = 1, ms = 1e-3, us = 1e-6, ["µs"] = 1e-6, ns = 1e-9 }

-- Errors are about what was typed: no line of this file.
local function fail(...)
    error(string.format(...), 0)
end

-- An error without its place, unless that is in a file of the user: the command has said `name` already.
local function sentence(name, what)
    local function behind_name(text)
        for _, said in ipairs { name, short[name] or name, name } do
            while text:sub(1, #said + 2) == said .. ": " or text:sub(1, #said + 2) == said .. ", " do text = text:sub(#said + 3) end
        end
        return text
    end
    what = behind_name((tostring(what):gsub("^kcost/[%w_]+%.lua:%d+: ", "")))
    what = behind_name((what:gsub("^[%w_.]+: (kc%.)", "%1"):gsub("^kc%.[%w_]+: ", "")))
    return what == "cannot read " .. name and "it cannot be read" or what
end

-- What f gives.
local function call(name, f, ...)
    local good, answer = pcall(f, ...)
    return good and answer or fail("%s", sentence(name, answer))
end

local function functions_of(family)
    local functions = {}
    local all = call(family, function() return kc.lib[family] end)
    for name, f in pairs(type(all) == "table" and all or {}) do
        if type(f) == "function" then functions[name] = f end
    end
    return functions
end

local function sorted_names(t, prefix)
    local names = {}
    for name in pairs(t) do names[#names + 1] = prefix .. name end
    table.sort(names)
    return names
end

-- The names of kernels: those of a family, "norm.rms", or those without a dot.
function command.names(family)
    if family then return sorted_names(functions_of(family), family .. ".") end
    local names = sorted_names(short, "")
    names[#names + 1] = "occupancy"
    table.sort(names)
    return names
end

local function is_device(name) return (pcall(kc.device, name)) end

-- "flash": the functions of that name, as FAMILY.FUNCTION.
local function functions_called(name)
    local found = {}
    for _, family in ipairs(core.files()) do
        if functions_of(family)[name] then found[#found + 1] = family .. "." .. name end
    end
    return found
end

-- "gemm.plain" of "gemm".
function command.full_name(name)
    return short[name] or name
end

local function kernel_function(name)
    local full = command.full_name(name)
    local found = full:find("%.") and {} or functions_called(full)
    local family, member = (#found == 1 and found[1] or full):match("^([%w_]+)%.([%w_]+)$")
    if #found > 1 then fail("there are several: %s", table.concat(found, ", ")) end
    if not family then
        if is_device(name) then fail("it is a device: 'kcost devices %s' shows it, --device %s prices a kernel on it", name, name) end
        local nearest = core.nearest(name, command.names())
        fail("there is no kernel '%s'%s", name, nearest ~= "" and nearest or "; there are " .. table.concat(command.names(), ", ")
            .. ", and FAMILY.FUNCTION of the stdlib; a script's name has a dot or a slash")
    end
    local functions = functions_of(family)
    if not functions[member] then
        fail("%s has no kernel '%s'; there are %s", family, member, table.concat(sorted_names(functions, ""), ", "))
    end
    return functions[member]
end

-- "4096" is a number, "true" a boolean, anything else text.
local function value_of(text)
    if text == "true" or text == "false" then return text == "true" end
    if text:find("^[-+.%d]") and text:find("^[-+.%deE]+$") then return tonumber(text) or text end
    return text
end

-- "612us" in seconds.
local function time_of(text)
    local number, unit = text:match("^([-+.%deE]-)%s*([a-zµ]+)$")
    local time = tonumber(number or "")
    if not time or not seconds[unit] or not (time > 0 and time < math.huge) then
        fail("--measured wants a time with its unit, as 612us or 1.5ms, not '%s'", text)
    end
    return time * seconds[unit]
end

-- "palm", "fma1", "palm,causal=half": a bundle, then switches of it.
local function convention_of(text)
    local convention = {}
    for word in text:gmatch("[^,]+") do
        local name, value = word:match("^%s*([%w_]+)=(.+)$")
        if not name and convention.as then fail("--as: '%s' and '%s' are both conventions; one counts a kernel", convention.as, word) end
        convention[name or "as"] = name and value_of(value) or word
    end
    return convention
end

-- tile.m=128 is m of the table tile.
local function set(t, name, value)
    local outer, inner = name:match("^([^.]+)%.(.+)$")
    if not outer then
        t[name] = value
    else
        t[outer] = type(t[outer]) == "table" and t[outer] or {}
        t[outer][inner] = value
    end
end

local function kernel_of(name, words)
    local given, schedule = {}, {}
    for _, word in ipairs(words) do
        if word[2] == "true" and is_device(word[1]) then fail("%s is a device: --device %s", word[1], word[1]) end
        for one in word[1]:gmatch("[^,]+") do -- m,n,k=4096
            set(scheduled[one:match("^[^.]+")] and schedule or given, one, value_of(word[2]))
        end
    end
    local kernel = call(name, kernel_function(name), given)
    if type(kernel) ~= "userdata" then
        fail("it gives a %s, and the command prices kernels; a script has it: return require('kcost').lib.%s { … }",
            type(kernel), name)
    end
    if not next(schedule) then return kernel end
    local tile = schedule.tile
    schedule.tile = nil
    local tiled = call(name, kc.tile, kernel, tile or {}, schedule)
    if schedule.stages and not tile and call(name, kc.count, tiled).ctas == 1 then
        fail("stages=%s buffers the tiles of a loop, and without a tile all is one: give tile.DIM=SIZE too, or --best",
            kc.str(schedule.stages))
    end
    return tiled
end

-- The kernel of that name, `words` its parameters as { name, text } pairs.
command.kernel = kernel_of

-- The devices that were asked for; a time is of one.
local function devices_of(asked)
    if not asked.device then
        if asked.measured or asked.best then fail("--%s needs --device", asked.measured and "measured" or "best") end
        return {}
    end
    local devices = {}
    for device in asked.device:gmatch("[^,]+") do devices[#devices + 1] = device end
    if #devices == 0 then fail("--device wants a device, such as h100; 'kcost devices' lists them") end
    return devices
end

-- ---- how many CTAs a core holds -----------------------------------------------------------------------------------

local function occupancy_of(words, asked)
    local cta = {}
    for _, word in ipairs(words) do
        local number, unit = word[2]:match("^([%d.]+)([KM]?)i?B?$") -- 48K, 48KiB
        cta[word[1]] = number and tonumber(number) * (unit == "K" and 1024 or unit == "M" and 1024^2 or 1) or value_of(word[2])
    end
    for _, option in ipairs { "measured", "as", "best" } do
        if asked[option] then fail("--%s is of a kernel", option) end
    end
    if not asked.device then fail("it needs --device, such as h100") end
    return call("occupancy", kc.occupancy, asked.device, cta)
end

-- ---- a model --------------------------------------------------------------------------------------------------

-- What `kcost config.json` takes: of a step, else an option of kc.lib.transformer.
local steps = { seq = 2048, cached = 2048, batch = 1 }

-- Its size and cache, a prefill and a decode kernel by kernel, what became of each key; with a device also what fits.
local function model_of(file, words, asked)
    local step, options, results = {}, {}, {}
    for name, default in pairs(steps) do step[name] = default end
    for _, word in ipairs(words) do
        local name, value = word[1], value_of(word[2])
        if steps[name] then step[name] = value else options[name] = value end
    end
    local devices = devices_of(asked)
    if asked.measured then fail("--measured is of a kernel") end
    local good, model = pcall(function() return kc.lib.transformer(kc.load_json(file), options) end)
    if not good then fail("%s", (sentence(file, model):gsub("parameter; there are ", "%0batch, cached, seq, "))) end
    local programs = {
        call(file, model.prefill, model, { seq = step.seq }),
        call(file, model.decode, model, { cached = step.cached, batch = step.batch }),
    }
    local as, lines = asked.as and { convention = convention_of(asked.as) } or nil, { model:summary() }
    for _, device in ipairs(devices) do
        local most = call(file, model.memory, model, { device = device, tokens = step.cached }).largest_batch
        lines[#lines + 1] = ("on %s %s of %s tokens fits beside the weights"):format(kc.device(device).id,
            most == 0 and "no sequence" or "a batch of " .. kc.str(most) .. " sequences", kc.str(step.cached))
    end
    lines[#lines + 1] = ("prefill: seq=%s; decode: batch=%s cached=%s"):format(kc.str(step.seq), kc.str(step.batch), kc.str(step.cached))
    results[1] = table.concat(lines, "\n")
    for _, program in ipairs(programs) do
        for _, device in ipairs(devices) do
            results[#results + 1] = asked.best and call(file, kc.best, program, device, nil, as)
                or call(file, kc.evaluate, program, device, as)
        end
        if #devices == 0 then results[#results + 1] = call(file, kc.count, program, as) end
    end
    results[#results + 1] = model:audit_table()
    return results
end

-- ---- the whole -------------------------------------------------------------------------------------------------

-- `name`: the kernel, or a model's file; `words`: its parameters as { name, text } pairs; `asked`: device (names, "," between
-- them), measured, as, best.  A result, or a list: one a device, with best the fastest schedule behind it.
function command.run(name, words, asked)
    if name:find("%.json$") then return model_of(name, words, asked) end
    if name == "occupancy" then return occupancy_of(words, asked) end
    local kernel, results = kernel_of(name, words), {}
    local as, devices = asked.as and convention_of(asked.as), devices_of(asked)
    if #devices == 0 then return call(name, kc.count, kernel, { convention = as }) end
    local options = { convention = as, measured = asked.measured and time_of(asked.measured) }
    for _, device in ipairs(devices) do
        results[#results + 1] = call(name, kc.evaluate, kernel, device, options)
        if asked.best then results[#results + 1] = call(name, kc.best, kernel, device, nil, options) end
    end
    return #results == 1 and results[1] or results
end

return command
