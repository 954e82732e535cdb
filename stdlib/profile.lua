-- profile.lua: what a profiler measured, as tables: kc.load_profile, its text and its CSV.
--
--     kind       "profile"
--     source, form    the path; which export it is: "ncu raw", "ncu details", "ncu summary", "nvprof trace", "plain", …
--     kernels    a list, one a name, grid and block, in order of first appearance: name, grid and block as { x, y, z },
--                launches (how many), and figures: those of a result with _measured behind the name, in base units,
--                means over the launches; time_min_measured, time_max_measured; flags: sentences on impossible values
--     launches   a list of the first launches, one by one, as they stand in the file; empty where it has only means
--     idle_measured    the share of the time between the launches in which no kernel ran, where starts are known
--     launch_count, rows    how many launches and rows there were in all
--     unused     a list { what =, why =, rows = } of what could not be used
--     notes      sentences
local _, core = ...
local kc = require "kcost"
local report = kc.lib.report

local profile = {}

local LAUNCHES = 4096

-- Figures in the order of their columns; any other comes behind these, by name.
local order = {
    "launches", "time_measured", "time_min_measured", "time_max_measured", "start_measured", "ctas_measured",
    "threads_measured", "flops_measured", "matrix_flops_measured", "vector_flops_measured", "special_ops_measured",
    "bytes_measured", "bytes_read_measured", "bytes_written_measured", "l2_bytes_measured", "l2_bytes_read_measured",
    "l2_bytes_written_measured", "l1_bytes_measured", "l1_bytes_read_measured", "l1_bytes_written_measured",
    "smem_bytes_measured", "spill_bytes_measured", "occupancy_measured", "l2_hit_rate_measured", "l1_hit_rate_measured",
}

-- An empty list stays one in JSON.
local list = { __list = true, __metatable = false }

-- ---- names ----------------------------------------------------------------------------------------------

-- A kernel's name for people: without its arguments and what it returns, at most `width` characters.
function profile.short(name, width)
    local depth, cut, from = 0, #name, 1
    for i = 1, #name do
        local c = name:sub(i, i)
        if c == "<" then
            depth = depth + 1
        elseif c == ">" and name:sub(i - 1, i) ~= "->" then
            depth = math.max(depth - 1, 0)
        elseif c == " " and depth == 0 and name:sub(1, i - 1):match("^[%w_]+$") then
            from = i + 1
        elseif c == "(" and depth == 0 and i > 1 and name:sub(i, i + 10) ~= "(anonymous " then
            cut = i - 1
            break
        end
    end
    local short = name:sub(from, math.max(cut, from))
    if #short > width then
        short = short:sub(1, width - 1):gsub("[\192-\255]?[\128-\191]*$", "") .. "…" -- no character is cut in two
    end
    return short
end

-- "64x18x1"
local function extent(e)
    if not e then return "" end
    return kc.str(e[1]) .. "x" .. kc.str(e[2]) .. "x" .. kc.str(e[3])
end
profile.extent = extent

-- ---- figures as columns ------------------------------------------------------------------------------------

-- The figures of a kernel by dotted name: ["work_measured.matrix.f16"].
local function flat(t, prefix, into)
    for name, value in pairs(t) do
        if type(value) == "number" then
            into[prefix .. name] = value
        elseif type(value) == "table" and #value == 0 then
            flat(value, prefix .. name .. ".", into)
        end
    end
    return into
end

-- The columns that any of the kernels has.
local function columns_of(rows)
    local there, columns, rest = {}, {}, {}
    for _, row in ipairs(rows) do
        for name in pairs(row) do there[name] = true end
    end
    for _, name in ipairs(order) do
        if there[name] then columns[#columns + 1], there[name] = name, nil end
    end
    for name in pairs(there) do rest[#rest + 1] = name end
    table.sort(rest)
    for _, name in ipairs(rest) do columns[#columns + 1] = name end
    return columns
end

-- A text as a cell of a CSV.
function profile.cell(text)
    text = tostring(text or "")
    return text:find("[,\"\n]") and '"' .. text:gsub('"', '""') .. '"' or text
end

-- One row a kernel; a column for each figure that any has.
function profile.csv(p)
    local rows = {}
    for i, kernel in ipairs(p.kernels) do rows[i] = flat(kernel, "", {}) end
    local columns = columns_of(rows)
    local lines = { "name,grid,block," .. table.concat(columns, ",") }
    for i, kernel in ipairs(p.kernels) do
        local cells = { profile.cell(kernel.name), extent(kernel.grid), extent(kernel.block) }
        for _, column in ipairs(columns) do
            local value = rows[i][column]
            cells[#cells + 1] = value and kc.str(value) or ""
        end
        lines[#lines + 1] = table.concat(cells, ",")
    end
    return table.concat(lines, "\n") .. "\n"
end

-- ---- the text ------------------------------------------------------------------------------------------------

local function si(unit)
    return function(x) return x and (x < 0 and kc.str(x) .. " " .. unit or report.si(x, unit)) or "" end
end

local function percent(x)
    return x and string.format("%.1f %%", 100 * x) or ""
end

local shown = {
    { "grid", "grid", extent },
    { "block", "block", extent },
    { "launches", "launches", function(x) return x and kc.str(x) or "" end },
    { "time", "time_measured", si "s" },
    { "HBM", "bytes_measured", si "B" },
    { "L2", "l2_bytes_measured", si "B" },
    { "L1", "l1_bytes_measured", si "B" },
    { "shared", "smem_bytes_measured", si "B" },
    { "FLOP", "flops_measured", si "FLOP" },
    { "occupancy", "occupancy_measured", percent },
    { "L2 hits", "l2_hit_rate_measured", percent },
    { "matrix unit", "matrix_share_measured", percent },
}

-- Sentences below a table: what is flagged, what was not used, notes.
local function remarks(p, flags)
    local lines = {}
    for _, flag in ipairs(flags) do lines[#lines + 1] = "impossible: " .. flag end
    local unused = {}
    for i, u in ipairs(p.unused) do
        if i <= 8 then unused[i] = u.what .. " (" .. u.why .. ", " .. kc.str(u.rows) .. (u.rows == 1 and " row)" or " rows)") end
    end
    if #p.unused > 8 then unused[9] = kc.str(#p.unused - 8) .. " more" end
    if #unused > 0 then lines[#lines + 1] = "not used: " .. table.concat(unused, ", ") end
    for _, note in ipairs(p.notes) do lines[#lines + 1] = "note: " .. note end
    return lines
end

-- The longest of the kernels in a table, and what is to be said of the file.
function profile.text(p)
    local MOST = 40
    local head, rows, used, flags, total = { "kernel" }, {}, {}, {}, 0
    for _, kernel in ipairs(p.kernels) do
        total = total + (kernel.time_measured or 0) * kernel.launches
        for _, flag in ipairs(kernel.flags or {}) do flags[#flags + 1] = profile.short(kernel.name, 44) .. ": " .. flag end
    end
    for _, column in ipairs(shown) do
        for _, kernel in ipairs(p.kernels) do used[column] = used[column] or kernel[column[2]] ~= nil end
        if used[column] then head[#head + 1] = column[1] end
    end
    if total > 0 then head[#head + 1] = "share" end
    local longest = {}
    for i, kernel in ipairs(p.kernels) do longest[i] = { kernel, (kernel.time_measured or 0) * kernel.launches, i } end
    table.sort(longest, function(a, b) return a[2] > b[2] or (a[2] == b[2] and a[3] < b[3]) end)
    for i = 1, math.min(#longest, MOST) do
        local kernel = longest[i][1]
        local row = { profile.short(kernel.name, 44) }
        for _, column in ipairs(shown) do
            if used[column] then row[#row + 1] = column[3](kernel[column[2]]) end
        end
        if total > 0 then row[#row + 1] = percent(longest[i][2] / total) end
        rows[i] = row
    end
    local lines = { p.source .. ": " .. p.form .. ", " .. kc.str(p.launch_count) .. (p.launch_count == 1 and " launch" or " launches")
        .. " of " .. kc.str(#p.kernels) .. (#p.kernels == 1 and " kernel" or " kernels"), report.table(head, rows) }
    if #longest > MOST then lines[#lines + 1] = kc.str(#longest - MOST) .. " kernels more; --json and --csv have all" end
    for _, line in ipairs(remarks(p, flags)) do lines[#lines + 1] = line end
    return table.concat(lines, "\n")
end

-- ---- gaps between launches ---------------------------------------------------------------------------------------

-- The share of the time from the first launch to the end of the last in which no kernel ran; nil: starts are not known.
local function idle(p)
    local spans = {}
    for i, launch in ipairs(p.launches) do
        if not launch.start_measured or not launch.time_measured then return nil end
        spans[i] = { launch.start_measured, launch.start_measured + launch.time_measured }
    end
    if #spans < 2 then return nil end
    table.sort(spans, function(a, b) return a[1] < b[1] or (a[1] == b[1] and a[2] < b[2]) end)
    local gaps, last = 0, spans[1][2]
    for _, span in ipairs(spans) do
        gaps, last = gaps + math.max(0, span[1] - last), math.max(last, span[2])
    end
    return last > spans[1][1] and gaps / (last - spans[1][1]) or nil
end

-- ---- tables made by hand ------------------------------------------------------------------------------------------

-- Figures within these are squared, divided and summed without an end of the numbers: no measurement lies outside.
local SMALLEST, LARGEST = 1e-60, 1e60

local function is_figure(x)
    if type(x) ~= "number" then return false end
    x = math.abs(x)
    return x == 0 or x >= SMALLEST and x <= LARGEST
end

-- A table that has what pairs shows, and nothing else.
local function is_plain(x)
    return type(x) == "table" and getmetatable(x) == nil
end

local function is_extent(x)
    return is_plain(x) and is_figure(x[1]) and is_figure(x[2]) and is_figure(x[3])
end

local function is_list_of(x, kind)
    if type(x) ~= "table" then return false end
    for _, one in ipairs(x) do if type(one) ~= kind then return false end end
    return true
end

-- "is 1e300", "is a table": what is no figure.
local function described(x)
    return "is " .. (type(x) == "number" and kc.str(x) or "a " .. type(x))
end

-- work_measured: figures by dtype by unit.
local function wrong_work(work)
    if not is_plain(work) then return "work_measured " .. described(work) end
    for unit, of_unit in pairs(work) do
        if type(unit) ~= "string" or not is_plain(of_unit) then return "work_measured has more than tables by unit" end
        for dtype, figure in pairs(of_unit) do
            if type(dtype) ~= "string" then return "work_measured." .. unit .. " has a key that is a " .. type(dtype) end
            if not is_figure(figure) then return "work_measured." .. unit .. "." .. dtype .. " " .. described(figure) end
        end
    end
end

-- What is wrong with a kernel or a launch; nil: nothing.
local function wrong_kernel(kernel, of_launches)
    if type(kernel) ~= "table" then return described(kernel) end
    if not is_plain(kernel) then return "has a metatable" end
    if type(kernel.name) ~= "string" then return "has no name" end
    local launches = kernel.launches
    if launches == nil and of_launches or launches ~= nil and not (is_figure(launches) and launches >= 1) then
        return "does not say how many launches it is of"
    end
    for _, name in ipairs { "grid", "block" } do
        if kernel[name] ~= nil and not is_extent(kernel[name]) then return "has a " .. name .. " that is no { x, y, z }" end
    end
    if kernel.flags ~= nil and not is_list_of(kernel.flags, "string") then return "has flags that are no list of sentences" end
    if kernel.work_measured ~= nil then
        local wrong = wrong_work(kernel.work_measured)
        if wrong then return "has a figure that is none: " .. wrong end
    end
    for name, value in pairs(kernel) do
        local measured = type(name) == "string" and name:find("_measured$") and name ~= "work_measured"
        if measured and not is_figure(value) then return "has a figure that is none: " .. name .. " " .. described(value) end
    end
end

-- Raises at the user's line where `p` is not as kc.load_profile gives it.  `call`: who was given it; `wanted`: what else
-- may be given there, "a path, or ".
function profile.check(call, p, wanted)
    if type(p) ~= "table" or p.kind ~= "profile" then
        error(call .. ": profile: expected " .. (wanted or "") .. "what kc.load_profile gives, got a " .. type(p))
    end
    local function fail(what) error(call .. ": " .. what .. "; give what kc.load_profile returned") end
    local function want(names, is_good)
        for _, name in ipairs(names) do
            if not is_good(p[name]) then fail("the profile has no " .. name) end
        end
    end
    want({ "kernels", "launches", "notes" }, function(x) return type(x) == "table" end)
    want({ "source", "form" }, function(x) return type(x) == "string" end)
    want({ "launch_count", "rows" }, is_figure)
    if not is_list_of(p.notes, "string") then fail("profile: notes: expected a list of sentences") end
    for _, name in ipairs { "kernels", "launches" } do
        for i, kernel in ipairs(p[name]) do
            local wrong = wrong_kernel(kernel, name == "kernels")
            if wrong then fail("profile: " .. name .. ": number " .. kc.str(i) .. " " .. wrong) end
        end
    end
end

-- ---- loading ------------------------------------------------------------------------------------------------------

local meta = { __metatable = false, __tostring = profile.text }
function meta.__show(p) return { text = profile.text(p), csv = profile.csv(p) } end

-- kc.load_profile(path [, opts]): launches and kernels out of the file that a profiler exported.
--     launches     how many launches are kept one by one, the first ones; 4096 if it is left out
function profile.load(path, opts)
    if opts ~= nil and type(opts) ~= "table" then
        error("kc.load_profile: opts: expected a table of options, got a " .. type(opts), 2)
    end
    local launches = LAUNCHES
    for name, value in pairs(opts or {}) do
        if name ~= "launches" then error("kc.load_profile: " .. tostring(name) .. ": no such option; there is launches", 2) end
        launches = value
    end
    local p = core.profile(path, launches)
    p.source, p.idle_measured = path, idle(p)
    if p.idle_measured and p.idle_measured > 0.05 then
        p.notes[#p.notes + 1] = string.format("launch gaps: in %.0f %% of the time between %s no kernel ran", 100 * p.idle_measured,
            #p.launches < p.launch_count and "the first " .. kc.str(#p.launches) .. " launches" or "the launches")
    end
    setmetatable(p.unused, list)
    setmetatable(p.notes, list)
    setmetatable(p.launches, list)
    return setmetatable(p, meta)
end

return profile
