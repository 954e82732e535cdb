-- rows.lua: what is run, and every row of the table.  bench.lua fills it in.
--
-- A program prints lines of a row's name, a tab and a figure; or it is named, and has one figure behind `figure`=.
--     engine   who runs it; "each": all engines in turn, and $LUA is the interpreter
--     command  $BUILD: the folder of what was built; $RUNS: how many runs a baseline takes the median of
--     answer   a pattern: what programs with the same one print of it must be equal, so that their work is the same
--     needs    a Python module
--     once     is run in the first round only; `long`: only with KCOST_BENCH_LONG=1
local function gemm(engine, name, command, needs)
    command = command:gsub("$GEMM", "2048 11008 4096")
    return { engine = engine, name = name, command = command, figure = "ns_per_point", answer = "n=%d+ [^\n]+", needs = needs }
end

local same_task = "%a+ +flops=%d+ bytes=%d+"
local function task(engine, command)
    return { engine = engine, name = "a task by hand", command = command .. " 2048 $RUNS", figure = "task_us", answer = same_task }
end

local numpy = "$PYTHON tests/bench/baseline/gemm_sweep_numpy.py $GEMM "
local programs = {
    gemm("C", "by hand, a call a point", "$BUILD/tests/bench/baseline/gemm_sweep $GEMM call $RUNS"),
    gemm("C", "by hand, inlined", "$BUILD/tests/bench/baseline/gemm_sweep $GEMM nest $RUNS"),
    gemm("luajit", "by hand", "luajit tests/bench/baseline/gemm_sweep_jit.lua $GEMM $RUNS"),
    gemm("lua5.4", "by hand", "lua5.4 tests/bench/baseline/gemm_sweep_54.lua $GEMM $RUNS"),
    gemm("CPython", "by hand", "$PYTHON tests/bench/baseline/gemm_sweep.py $GEMM $RUNS"),
    gemm("PyPy", "by hand", "pypy3 tests/bench/baseline/gemm_sweep.py $GEMM $RUNS"),
    gemm("numpy", "by hand, all at once", numpy .. "flat $RUNS", "numpy"),
    gemm("numpy", "by hand, axis by axis", numpy .. "bcast $RUNS", "numpy"),
    task("C", "$BUILD/tests/bench/baseline/llm_napkin"),
    task("luajit", "luajit tests/bench/baseline/llm_napkin.lua"),
    task("lua5.4", "lua5.4 tests/bench/baseline/llm_napkin.lua"),
    task("CPython", "$PYTHON tests/bench/baseline/llm_napkin.py"),
    task("PyPy", "pypy3 tests/bench/baseline/llm_napkin.py"),
    { engine = "each", command = "$LUA tests/bench/bench_sweep.lua" },
    { engine = "each", command = "$LUA tests/bench/bench_search.lua" },
    { engine = "each", command = "$LUA tests/bench/bench_script.lua" },
    { engine = "each", command = "$LUA tests/bench/bench_llm.lua", answer = same_task },
    { engine = "C", command = "$BUILD/tests/bench/bench_sweep threads" },
    { engine = "C", command = "$BUILD/tests/bench/bench_plan" },
    { engine = "C", command = "$BUILD/tests/bench/bench_build" },
    { engine = "C", command = "$BUILD/tests/bench/bench_profile" },
    { engine = "each", command = "$BUILD/tests/bench/bench_vm", once = true },
    { engine = "C", command = "$BUILD/tests/bench/bench_sweep memory", once = true },
    { engine = "C", command = "$BUILD/tests/bench/bench_sweep long", once = true, long = true },
}

-- A row: its name; engine ("each" as above), unit and `against` where they are not its bench's; `at_most`, the goal of
-- its figure.  `against`: the rows that it is divided by, of the same engine if none is named, each with the goal of the
-- ratio.  A name is there once an engine.
local a_call = "by hand, a call a point"
local fastest = "kcost, the fastest kept"
local by_hand = { { "a task by hand", engine = "C" }, { "a task by hand", engine = "CPython" } }

return {
    programs = programs,
    {
        bench = "matmul sweep of 98,304 points", unit = "ns/point", engine = "each",
        { a_call, engine = "C" },
        { "by hand, inlined", engine = "C" },
        { "by hand", engine = "luajit" },
        { "by hand", engine = "lua5.4" },
        { "by hand", engine = "CPython" },
        { "by hand", engine = "PyPy" },
        { "by hand, all at once", engine = "numpy" },
        { "by hand, axis by axis", engine = "numpy" },
        { fastest, against = { { a_call, engine = "C" } } },
        {
            "kcost, ten fields of all kept",
            against = {
                { a_call, engine = "C", at_most = 2 },
                { "by hand", engine = "CPython", at_most = 1 / 30 },
                { "by hand, all at once", engine = "numpy", at_most = 1 / 3 },
            },
        },
    },
    {
        bench = "kinds of sweep", unit = "ns/point", engine = "each", against = { { fastest } },
        { "tiles only" },
        { "stages, warps, group" },
        { "sizes" },
        { "dtype" },
        { "order" },
        { "split" },
        { "devices" },
        { "a device figure" },
        { "where in C, of axes" },
        { "where in C, of fields" },
        { "where, a Lua function" },
        { "keep top 100" },
        { "keep a Pareto front" },
        { "keep the best per stages" },
        { "keep all" },
    },
    {
        bench = "flash attention", unit = "ns/point", engine = "each", against = { { fastest, at_most = 5 } },
        { "no mask, 4,096 rows", against = { { fastest } } },
        { "causal, 1,024 rows" },
        { "causal, 4,096 rows" },
        { "causal, 16,384 rows" },
        { "causal, 65,536 rows" },
    },
    {
        bench = "threads", unit = "ns/point", engine = "C",
        { "1 thread" },
        { "2 threads", against = { { "1 thread", at_most = 1 / 1.85 } } },
    },
    {
        bench = "search", unit = "s", engine = "each",
        { "98,304 points swept" },
        { "best of 98,304", against = { { "98,304 points swept", at_most = 1 / 20 } } },
        { "best of 98,304, visited", unit = "points" },
        { "best of 10^9", at_most = 2 },
        { "best of 10^9, visited", unit = "points" },
    },
    {
        bench = "one kernel in C", unit = "ns", engine = "C",
        { "matmul, plan made" },
        { "matmul, counted" },
        { "matmul, evaluated" },
        { "causal flash attention, plan made", against = { { "matmul, plan made" } } },
        { "causal flash attention, counted", against = { { "matmul, counted" } } },
        { "causal flash attention, evaluated", against = { { "matmul, evaluated" } } },
    },
    {
        bench = "one kernel in Lua", unit = "us", engine = "each",
        { "matmul, evaluated", at_most = 2 },
        { "attention, evaluated" },
        { "attention, built, fused, tiled, evaluated", at_most = 15 },
        { "matmul, built and counted", unit = "ns" },
    },
    {
        bench = "profiles, 1,000,000 rows", unit = "ns/byte", engine = "C",
        { "name,time,flops,bytes", at_most = 20 }, -- 50 MB/s
        { "Nsight Compute's details", at_most = 20 },
        { "a PyTorch trace", at_most = 20 },
        { "memory, 20,000 rows", unit = "MiB" },
        { "memory, a million rows", unit = "MiB", against = { { "memory, 20,000 rows", at_most = 1.01 } } },
    },
    {
        bench = "Llama-2-7B, ten steps of 15 kernels", unit = "us", engine = "each",
        { "a task by hand", engine = "C" },
        { "a task by hand", engine = "luajit" },
        { "a task by hand", engine = "lua5.4" },
        { "a task by hand", engine = "CPython" },
        { "a task by hand", engine = "PyPy" },
        { "a task, built and evaluated", against = by_hand },
        { "a task, evaluated", against = by_hand },
        { "a task, resized and evaluated", at_most = 400, against = { { "a task, evaluated" } } },
        { "its nine decoding steps, swept", against = { { "a task, evaluated" } } },
    },
    {
        bench = "a VM made, run and freed; a bare state with its libraries", unit = "us", engine = "each",
        { "a bare state" },
        { "a VM", at_most = 100, against = { { "a bare state" } } },
        { "a bare state, at most", unit = "KiB" },
        { "a VM, at most", unit = "KiB", at_most = 150, against = { { "a bare state, at most" } } },
    },
    {
        bench = "scripts that go for a limit", unit = "ms", engine = "each",
        { "attacks, 4 MiB, 0.5 s: the last ends late", at_most = 50 },
        { "attacks, 16 MiB, 0.2 s: the last ends late", at_most = 50 },
        { "attacks, 64 MiB, 0.5 s: the last ends late", at_most = 200 },
    },
    {
        bench = "kernels of N ops, built and counted", unit = "ns/op", engine = "C",
        { "untiled, N ops" },
        { "untiled, 16 N ops", against = { { "untiled, N ops" } } },
        { "tiled, N ops" },
        { "tiled, 16 N ops", against = { { "tiled, N ops" } } },
        { "tensors, N ops" },
        { "tensors, 16 N ops", against = { { "tensors, N ops" } } },
        { "reductions, N ops" },
        { "reductions, 16 N ops", against = { { "reductions, N ops" } } },
    },
    {
        bench = "memory", unit = "MB", engine = "C",
        { "before the first point" },
        { "10^7 points", at_most = 100, against = { { "before the first point" } } },
        { "10^7 points, all cores", unit = "ns/point" },
        { "10^9 points", long = true, at_most = 100, against = { { "before the first point" } } },
        { "10^9 points, all cores", long = true, unit = "ns/point" },
    },
}
