-- Every command and every C example of the READMEs, run as a reader would in the top folder.
--
-- A ```sh block is run by sh -e, a ```c block with a main is compiled against the build and run; where a
-- ```text block follows, the output must equal it.  A line `make TARGET …` must name a target of
-- `make help`; it is not run here, since `make check` is what runs this.  tests/golden runs the ```lua blocks.
-- The tour of the source in vm/README.md names every file, its SECURITY table tests that are there; so do commands that run one.

local build, engine = os.getenv("BUILD"), os.getenv("ENGINE")
local sanitized = os.getenv("VARIANT") == "asan"
local passed, failed, skipped = 0, 0, 0

local function slurp(path)
    local file = assert(io.open(path))
    local text = file:read("*a")
    file:close()
    return text
end

local function spill(path, text)
    local file = assert(io.open(path, "w"))
    assert(file:write(text))
    file:close()
end

-- The command's output, and whether it succeeded.
local function run(command)
    local pipe = assert(io.popen(command .. "\necho status $?"))
    local text = pipe:read("*a")
    pipe:close()
    local output, status = text:match("^(.-)\n?status (%d+)\n$")
    return output, status == "0"
end

local function trim(text)
    return (text:gsub("[ \t]+\n", "\n"):gsub("%s+$", ""))
end

local function fact(where, good, output)
    if good then
        passed = passed + 1
    else
        failed = failed + 1
        print("FAIL " .. where .. "\n" .. output)
    end
end

-- The fenced blocks of a page, in order: language, text, line.
local function blocks(path)
    local found, block, number = {}, nil, 0
    for line in io.lines(path) do
        number = number + 1
        local fence = line:match("^```(%a*)%s*$")
        if fence and block then
            found[#found + 1], block = block, nil
        elseif fence then
            block = { language = fence, text = "", where = path .. ":" .. number }
        elseif block then
            block.text = block.text .. line .. "\n"
        end
    end
    return found
end

local targets = {}
for target in run("make --no-print-directory help"):gmatch("(%a+) [^\n]*") do targets[target] = true end

local scratch = os.tmpname()
local runners = {}

function runners.sh(block)
    local commands = {}
    for line in block.text:gmatch("[^\n]+") do
        local target = line:match("^make (%a+)")
        if target or line == "make" then
            fact(block.where, not target or targets[target], "make help knows no " .. tostring(target))
        else
            commands[#commands + 1] = line
        end
    end
    if #commands == 0 then return end
    spill(scratch, table.concat(commands, "\n") .. "\n")
    return run("sh -e " .. scratch)
end

function runners.c(block)
    if not block.text:find("int main", 1, true) then return end
    if sanitized then
        skipped = skipped + 1
        return
    end
    local library = block.text:find("kc_vm_", 1, true) and "-lkcost-" .. engine .. " -lkcost" or "-lkcost"
    spill(scratch .. ".c", block.text)
    return run(os.getenv("CC") .. " -std=c99 -Wall -Wextra -Wpedantic -Werror -Ivm/include " .. scratch .. ".c -o "
        .. scratch .. ".out -L" .. build .. " -Wl,-rpath," .. build .. " " .. library .. " -lm && "
        .. scratch .. ".out")
end

for path in run("ls README.md */README.md"):gmatch("[^\n]+") do
    local page = blocks(path)
    for i, block in ipairs(page) do
        local runner = runners[block.language]
        local output, good
        if runner then output, good = runner(block) end
        if output then
            local want = page[i + 1] and page[i + 1].language == "text" and page[i + 1].text
            if good and want and trim(want) ~= trim(output) then
                good, output = false, "prints\n" .. output .. "\nwhere the page says\n" .. want
            end
            fact(block.where, good, output)
        end
    end
end

-- The tour of the source names each file in its folder's section, and none that is gone.
local tour = slurp("vm/README.md")
for _, folder in ipairs { "model", "lua", "cli" } do
    local section, named, there = tour:match("\n## " .. folder .. "/\n(.-)\n## "), {}, {}
    for cell in section:gmatch("\n| (`[^|]*`) |") do
        for name in cell:gmatch("`([%w_]+)`") do named[name] = true end
    end
    for name in run("ls vm/" .. folder):gmatch("([%w_]+)%.[ch]\n?") do
        if not named[name] and not there[name] then fact("vm/README.md", false, folder .. "/" .. name .. " is not named") end
        there[name] = true
    end
    for name in run("ls vm/" .. folder):gmatch("[^\n]+") do there[name] = true end -- others by their whole name
    for name in pairs(named) do
        if not there[name] then fact("vm/README.md", false, folder .. " has no " .. name) end
    end
    passed = passed + 1
end

-- The tests that SECURITY names are there, and `make help` has its target.
for threat, proofs in tour:match("\n## SECURITY\n(.-)\n## "):gmatch("\n| ([^|]+) | [^|]+ | (`[^|]+) |") do
    for proof in proofs:gmatch("`([^`]+)`") do
        local target = proof:match("^make (%a+)$")
        local command = target and "make help | grep '^" .. target .. " '" or "ls tests/" .. proof .. (proof:find("%.") and "" or ".lua")
        local output, good = run(command .. " 2>&1")
        fact("vm/README.md, SECURITY: " .. threat, good, output)
    end
end

-- A test program that a page runs by its path has a source.
for page in run("ls README.md */README.md */*/README.md"):gmatch("[^\n]+") do
    for program in slurp(page):gmatch("build/[%w.-]+/(tests/[%w_/]+)") do
        local output, good = run("ls " .. program .. ".c 2>&1")
        fact(page .. ": " .. program, good, output)
    end
end

for _, suffix in ipairs { "", ".c", ".out" } do os.remove(scratch .. suffix) end
print(("%d passed, %d failed, %d skipped"):format(passed, failed, skipped))
os.exit(failed == 0 and 0 or 1)
