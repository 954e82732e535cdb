-- bench.lua: runs every benchmark, prints one table, and writes the same rows as CSV.
--
--     lua5.4 tests/bench/bench.lua [-o FILE] BUILD...
--
-- BUILD: build/lua5.4, build/luajit: the last part is the engine.  FILE: build/bench.csv.  All programs run in turn,
-- three times over, and the least figure of each row counts: so what else the machine does meets all of them alike.
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local rows = require "rows"
local quick, long = os.getenv "KCOST_BENCH_QUICK" == "1", os.getenv "KCOST_BENCH_LONG" == "1"

-- ---- running ------------------------------------------------------------------------------

-- What a shell command prints, and whether it ended well.
local function output(command)
    local pipe = assert(io.popen("{ " .. command .. "; } 2>&1; echo status $?"))
    local text, status = pipe:read "*a":match "^(.*)status (%d+)\n$"
    pipe:close()
    return text, status == "0"
end

-- Why a program can't run here; nil: it can.
local function obstacle(program, command)
    local first = command:match "%S+"
    if not select(2, output("command -v " .. first)) then return first .. " is missing" end
    if program.needs and not select(2, output(("%s -c 'import %s'"):format(first, program.needs))) then
        return first .. " has no " .. program.needs
    end
end

-- `build`: { folder, engine }
local function command_of(program, build)
    local lua = ("env LUA_PATH='tests/bench/?.lua;;' LUA_CPATH='%s/?.so;;' %s"):format(build.folder, build.engine)
    return (program.command:gsub("%$(%u+)", {
        BUILD = build.folder, LUA = lua, PYTHON = os.getenv "PYTHON" or "python3", RUNS = quick and 1 or 5,
    }))
end

-- The least figure of each row; why it is not there; what programs of one answer print.
local figures, absent, answers = {}, {}, {}
local function key(engine, name) return engine .. ": " .. name end

local function take(engine, name, value)
    local at = key(engine, name)
    figures[at] = math.min(figures[at] or math.huge, value)
end

local function compare(program, text, command)
    local lines = {}
    for line in text:gmatch(program.answer) do lines[#lines + 1] = line end
    local answer = table.concat(lines, "\n")
    answers[program.answer] = answers[program.answer] or answer
    if answers[program.answer] ~= answer then
        error(("%s answers\n%s\nand others\n%s"):format(command, answer, answers[program.answer]), 0)
    end
end

local function run(program, build)
    local engine, command = program.engine == "each" and build.engine or program.engine, command_of(program, build)
    local why = obstacle(program, command)
    if why then
        absent[key(engine, program.name)] = why
        return
    end
    local text, good = output(command)
    if not good then error(command .. " failed:\n" .. text, 0) end
    if program.answer then compare(program, text, command) end
    if program.figure then
        take(engine, program.name, tonumber(text:match(program.figure .. "=(%S+)")))
    else
        for name, value in text:gmatch "([^\t\n]+)\t(%S+)" do take(engine, name, tonumber(value)) end
    end
end

local function run_all(builds)
    for round = 1, quick and 1 or 3 do
        for _, program in ipairs(rows.programs) do
            local wanted = (long or not program.long) and (round == 1 or not program.once)
            for i, build in ipairs(builds) do
                if wanted and (i == 1 or program.engine == "each") then run(program, build) end
            end
        end
    end
end

-- ---- one line a row and ratio ---------------------------------------------------------------

-- A line of the table.  The goal is of `judged`: the ratio, or the figure itself.
local function line(bench, row, engine, against)
    local value = figures[key(engine, row[1])]
    local l = {
        bench = bench.bench, engine = engine, name = row[1], unit = row.unit or bench.unit, value = value,
        goal = row.at_most, judged = value, absent = absent[key(engine, row[1])],
    }
    if against then
        l.against = key(against.engine or engine, against[1])
        local base = figures[l.against]
        l.ratio = value and base and value / base
        if against.at_most then l.goal, l.judged, l.is_ratio = against.at_most, l.ratio, true end
    end
    return l
end

local function lines_of(builds)
    local lines = {}
    for _, bench in ipairs(rows) do
        for _, row in ipairs(bench) do
            local who = row.engine or bench.engine
            local against = row.against or bench.against or {}
            for _, build in ipairs(who == "each" and builds or { { engine = who } }) do
                for i = 1, (long or not row.long) and math.max(1, #against) or 0 do
                    lines[#lines + 1] = line(bench, row, build.engine, against[i])
                end
            end
        end
    end
    return lines
end

-- ---- the table, the CSV -----------------------------------------------------------------------

local function digits(x)
    if x >= 999.5 then return ("%.0f"):format(x) end
    return ("%.3g"):format(x)
end

-- 2.5 as it is, 0.4 as 1/2.5.
local function times(x) return x < 1 and digits(1 / x) ~= "1" and "1/" .. digits(1 / x) or digits(x) end

local function goal(l)
    local verdict = (quick or not l.judged) and "not known" or l.judged <= l.goal and "met" or "MISSED"
    return ("at most %s %s: %s"):format(times(l.goal), l.is_ratio and "x" or l.unit, verdict)
end

local function show(lines)
    local bench
    for _, l in ipairs(lines) do
        if l.bench ~= bench then print("\n" .. l.bench) end
        bench = l.bench
        local figure = ("%10s %s"):format("-", l.absent or "no program gives it")
        if l.value then figure = ("%10s %-9s"):format(digits(l.value), l.unit) end
        local ratio = l.ratio and ("%7s x %s"):format(times(l.ratio), l.against:gsub("^" .. l.engine .. ": ", "")) or ""
        local text = ("  %-8s%-41s%s%-42s%s"):format(l.engine, l.name, figure, ratio, l.goal and goal(l) or "")
        print((text:gsub(" +$", "")))
    end
end

local function write(lines, path)
    local file = assert(io.open(path, "w"))
    file:write "bench,engine,name,value,unit,ratio,against\n"
    local function quoted(text) return '"' .. text .. '"' end
    local function number(x) return x and ("%.9g"):format(x) or "" end
    for _, l in ipairs(lines) do
        file:write(table.concat({
            quoted(l.bench), l.engine, quoted(l.name), number(l.value), l.unit, number(l.ratio), quoted(l.against or ""),
        }, ","), "\n")
    end
    file:close()
end

local function main()
    local path, first, builds = "build/bench.csv", 1, {}
    if arg[1] == "-o" then path, first = arg[2], 3 end
    for i = first, #arg do builds[#builds + 1] = { folder = arg[i], engine = arg[i]:match "([^/-]+)[^/]*$" } end
    run_all(builds)
    local lines = lines_of(builds)
    show(lines)
    write(lines, path)
    if quick then print("\nA quick run, to see that it works: its figures say nothing.") end
    print("\nThe same in " .. path .. "; tests/bench/README.md says how to read it.")
end

local good, message = pcall(main)
if not good then
    io.stderr:write("bench: ", tostring(message), "\n")
    os.exit(1)
end
