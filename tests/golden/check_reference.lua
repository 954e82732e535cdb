-- check_reference.lua: stdlib/README.md names every call of the language and every function of the stdlib.
local kc = require "kcost"

local file = assert(io.open("stdlib/README.md"))
local page = file:read("*a")
file:close()

local passed, failed = 0, 0
local function named(text)
    if page:find(text, 1, true) then
        passed = passed + 1
    else
        failed = failed + 1
        print("stdlib/README.md does not name " .. text)
    end
end

for name in pairs(kc) do named("`kc." .. name) end

local libraries = io.popen("ls stdlib")
for name in libraries:read("*a"):gmatch("([%w_]+)%.lua") do
    named("`" .. name .. ".lua`")
    local internal, own = pcall(require, "kcost.internal." .. name)
    for call, value in pairs(internal and own or kc.lib[name]) do
        if type(value) == "function" then named("`" .. call .. "`") end
    end
end
libraries:close()

-- And no call that is gone.
for name in page:gmatch("`kc%.([%w_]+)") do
    if kc[name] == nil then
        failed = failed + 1
        print("stdlib/README.md names kc." .. name .. ", which is not there")
    end
end

print(passed .. " passed, " .. failed .. " failed")
os.exit(failed == 0 and 0 or 1)
