-- measure.lua: what the benchmarks in Lua share: the least of several runs, short runs, a row.
local measure = { quick = os.getenv "KCOST_BENCH_QUICK" == "1" }

-- KCOST_BENCH_QUICK=1: a few points and one run, to see that it works.
function measure.few(many, few) return measure.quick and few or many end

-- The least CPU seconds that one of `times` calls of `work` takes, in several runs; and what it gave.
function measure.least(times, work)
    local best, result = math.huge, nil
    times = measure.few(times, 1)
    for _ = 1, measure.few(2, 1) do
        collectgarbage()
        local start = os.clock()
        for _ = 1, times do result = work() end
        best = math.min(best, (os.clock() - start) / times)
    end
    return best, result
end

-- bench.lua reads these lines, and rows.lua says what they are.
function measure.row(name, value) print(("%s\t%.17g"):format(name, value)) end

return measure
