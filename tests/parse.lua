-- parse.lua: compiles the files named with the engine that runs it, and runs none of them.
local bad = 0
for i = 1, #arg do
    local chunk, message = loadfile(arg[i])
    if not chunk then
        print(message)
        bad = 1
    end
end
os.exit(bad)
