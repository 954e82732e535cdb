-- reference.lua: what every public name of kcost is, in the order of the design.  The one place for it: `help`, the
-- reference page (stdlib/README.md) and the stubs for editors (stdlib/meta/kcost.lua) are made from it, and a test
-- compares its names with those that there are.  Kernels of kc.lib are described where they stand.
--
-- reference.calls      sections; each has a title and calls:
--     name             the field of kc
--     params           "name: Type, other?: Type, ...: Type"; types as the stubs write them, "T" the same kind as x;
--                      nothing: no function
--     gives            its type
--     shown            how the call is written, where params do not say it
--     text             what it is, with shapes, units and errors
--     options          of the table that the last param is: { name, type, text [, default] }
--     page             true: the options are a table of their own in the page
--     example          a call
-- reference.objects    by kind: fields { name, type, text }; methods have params, and what they give as type
-- reference.fields     of results: { "names", unit, text [, type] }; type "number" if it is left out
-- reference.tables     other tables that calls take: { name, type, text [, default] }
-- reference.words      names that strings hold: of dtypes, maps, reductions, conventions
local reference = {}

local section
local function begin(title)
    section = { title = title }
    reference.calls[#reference.calls + 1] = section
end

local function call(name, params, gives, text, more)
    local entry = more or {}
    entry.name, entry.params, entry.gives, entry.text = name, params, gives, text
    section[#section + 1] = entry
end

reference.tables = {
    Cost = {
        { "flops", "number", "vector FLOP an element" },
        { "special", "number", "ops of the special unit an element" },
        { "name", "string", "what messages and loop nests call it" },
    },
    Keep = {
        { "top", "integer", "the best so many rows" },
        { "by", "string", "the field that says which is better; `time` if it is left out" },
        { "pareto", "string[]", "the rows that no other beats in all of these fields" },
        { "best_per", "Dims", "the best row for each value of these axes" },
    },
    Convention = {
        { "as", "string", "a convention by name, which the others then change" },
        { "multiply_add", "1|2|\"2K-1\"", "FLOP of a multiply-add; `\"2K-1\"`: of a sum of K products", "2" },
        { "causal", "\"exact\"|\"half\"|\"full\"", "a causal mask: its live pairs, half the square, all of it", "`\"exact\"`" },
        { "peak", "\"dense\"|\"sparse\"", "what rates are held against: `\"sparse\"`, the peak with 2:4 sparsity", "`\"dense\"`" },
        { "softmax", "number", "FLOP an element of a softmax", "what each op costs" },
        { "norm", "number", "FLOP an element of a norm", "what each op costs" },
        { "special", "boolean", "special ops count", "true" },
        { "vector", "boolean", "other work than matmuls counts", "true" },
        { "integers", "boolean", "vector work on integers counts", "true" },
        { "padding", "boolean", "taps outside a tensor are useful work", "false" },
        { "second_operands", "boolean", "operands of a map after the first one move", "true" },
        { "broadcast", "boolean", "a broadcast operand of a map moves at the map's size", "false" },
        { "scales", "boolean", "scales of block-scaled dtypes move", "true" },
        { "write_allocate", "boolean", "what is written is read first", "false" },
    },
}

reference.words = {
    dtypes = "f64 f32 tf32 f16 bf16 f8 f8e4m3 f8e5m2 f6 f4 i32 i16 i8 i4 u8 bool mxf8 mxf6 mxf4 nvf4 i4g128",
    maps = "add sub mul max min scale relu fma exp log rsqrt rcp tanh div sigmoid silu gelu rope cast",
    reductions = "sum max mean min prod any all argmax argmin amax amin absmax topk cumsum cumprod cummax cummin",
    conventions = "kcost fma1 sparse pytorch fvcore ptflops thop solar tpu-v1 palm nanogpt megatron maxtext flash-attention "
        .. "scaling-book llm-viewer baseten transformer-roofline-analyzer nvidia-guide deepgemm kerncraft williams boehm stream "
        .. "triton triton-2021 fluidx3d",
}

reference.calls = {}

-- ---- tensors and values ------------------------------------------------------------------------------------

begin "Tensors and values"

call("tensor", "name: string, dims: Dims, dtype: DtypeName, size: Sizes", "Tensor", [[
An array in HBM. `dims` is `"b h i d"`, the last one contiguous; `size` maps each dim to its size in elements, more keys
are fine. A dim without a size, a size that is not whole and positive, an unknown dtype are errors.]],
    { example = [[kc.tensor("Q", "b h i d", "f16", { b = 8, h = 16, i = 4096, d = 64 })]] })

call("read", "tensor: Tensor, index?: string, opts?: ReadOptions", "Value", [[
The tensor on chip. `index` renames or combines dims by position: `"b h j d"`; affine `"n c 2*p+r-1 2*q+s-1"` (halo and
padding; `#c*u+c` uses a dim's size); data-dependent `"[m] k"` (gather).]],
    { example = [[kc.read(image, "n c p+r-1 q+s-1", { size = { p = 56, q = 56, r = 3, s = 3 } })]],
        options = {
            { "size", "Sizes", "the sizes of new dims, or a slice" },
            { "distinct", "number", "rows that a gather touches at most" },
            { "scale", "number", "multiplies the traffic" },
        } })

call("write", "name: string, value: Value, opts?: DtypeName|WriteOptions", "Tensor", [[
The value in HBM: a tensor that remembers the expression that made it, so it stands for its kernel. The dtype defaults to
that of the largest tensor behind it, at least 16 bits; `i32` behind integers. A dtype may stand for the options.]],
    { shown = "write(name, value [, dtype or opts])",
        example = [[kc.write("C", kc.matmul(kc.read(A), kc.read(B)), "f32")]],
        options = {
            { "dtype", "DtypeName", "of the tensor" },
            { "dims", "Dims", "another order of the dims" },
            { "index", "string", "scatter: where the points go; those that meet add up" },
            { "size", "Sizes", "of the tensor's dims, with `index`" },
            { "scale", "number", "multiplies the traffic" },
        } })

call("dtype", "dtype: DtypeOptions|string", "Dtype", [[
A dtype of your own; a name gives the one that there is. Bytes are
`elements * (bits + (scale_bits + zero_bits) / block) / 8`.]],
    { shown = "dtype { name =, bits =, block =, scale_bits =, zero_bits =, math = }",
        example = [[kc.dtype { name = "w3", bits = 3, block = 64, scale_bits = 16, math = "f16" }]],
        options = {
            { "name", "string", "its name" },
            { "bits", "number", "an element" },
            { "block", "number", "elements that share a scale" },
            { "scale_bits", "number", "a block's scale" },
            { "zero_bits", "number", "a block's zero point" },
            { "math", "DtypeName", "what matmuls compute in" },
        } })

-- ---- ops ------------------------------------------------------------------------------------------------------

begin "Ops"

call("matmul", "a: Value, b: Value, over?: Dims, opts?: MatmulOptions", "Value", [[
Contracts `over`, by default the last dim of `a`; a dim that both have and that stays is a batch dim. 2 FLOP a point.]],
    { example = [[kc.matmul(kc.read(Q), kc.read(K), "d")]],
        options = {
            { "math", "DtypeName", "dtype of the multiply; an error where the device has no such roof" },
            { "unit", "\"matrix\"|\"vector\"", "`\"vector\"`: not on the matrix unit" },
            { "into", "Value", "adds onto a value, without an op of its own" },
        } })

call("map", "what: string|Cost, a: Value, ...: Value", "Value", [[
Elementwise over the union of the dims. `what` is the name of a map (`help("maps")`) or a cost `{ flops = 3, special = 1 }` an element.]],
    { shown = "map(what, a, …)", example = [[kc.map("add", x, kc.map("gelu", y))]] })

call("reduce", "what: string|Cost, a: Value, over: Dims, opts?: ReduceOptions", "Value", [[
`"sum" "max" "mean"` (`min prod any all argmax argmin amax amin absmax topk`): 1 FLOP an input element, or a cost.]],
    { example = [[kc.reduce("topk", gate, "x", { size = { t = 8 } })]],
        options = { { "size", "Sizes", "dims that the output has beside those that stay" } } })

call("scan", "what: string|Cost, a: Value, over: Dims", "Value", [[
A running reduction: keeps `over`. `what` also `cumsum cumprod cummax cummin`; costs as of `reduce`.]],
    { example = [[kc.scan("cumsum", x, "i")]] })

call("softmax", "a: Value, over: Dims, opts?: SoftmaxOptions", "Value", [[
Per element max, subtract, sum, normalise 1 FLOP each, exp 1 special; per row 1 special.]],
    { example = [[kc.softmax(kc.read(S), "j", { online = true })]],
        options = { { "online", "boolean", "running statistics, one pass", "false" } } })

call("lse", "p: Value", "Value", "The log-sum-exp of the rows of a softmax `p`; 1 special a row.",
    { example = [[kc.write("L", kc.lse(p), "f32")]] })

call("mask", "a: Value, q: string, k: string, opts: MaskOptions", "Value",
    "Only points with `lo <= k - q <= hi` are live, q and k being places along these dims.",
    { example = [[kc.mask(scores, "i", "j", { lo = -1023, hi = 0 })]],
        options = {
            { "lo", "number", "the least `k - q`" },
            { "hi", "number", "the largest" },
        } })

call("causal", "a: Value, q: string, k: string", "Value", "The mask `hi = size(k) - size(q)`, which follows `resize`.",
    { example = [[kc.causal(scores, "i", "j")]] })

call("cast", "a: Value, dtype: DtypeName", "Value", "No FLOP; changes the bytes on chip and in a later write.",
    { example = [[kc.cast(p, "f8")]] })

-- ---- kernels and programs ----------------------------------------------------------------------------------------

begin "Kernels and programs"

call("kernel", "name: string, tensors: Tensor[]", "Kernel",
    "One launch that makes these written tensors; a value that two of them need is computed once.",
    { shown = "kernel(name, { tensors })", example = [[kc.kernel("norm", { Y, mean, rstd })]] })

call("program", "name: string, kernels: (Kernel|Tensor|Program)[]", "Program",
    "Kernels, written tensors and programs in launch order.",
    { shown = "program(name, { … })", example = [[kc.program("unfused", { S, P, O })]] })

call("times", "x: Kernel|Tensor|Program, n: number", "Program", "x, n times.",
    { example = [[kc.times(layer, 32)]] })

call("beside", "name: string, parts: (Kernel|Tensor|Program)[]", "Program", [[
The same parts at the same time. Roofs add up over them; the time is that of the longest part, or of the longest roof,
never above one after another. `serial_time` is still the sum.]],
    { shown = "beside(name, { … })", example = [[kc.beside("overlapped", { matmul, allreduce })]] })

call("comm", "what: string, tensor: Tensor, opts: CommOptions", "Tensor", [[
What this device gets in a collective of several, each of which has such a tensor. `"allreduce"`, `"alltoall"`,
`"broadcast"` and `"sendrecv"` keep its shape; `"allgather"` and `"reducescatter"` make a dim `ranks` times as long or as
short. A kernel of its own: nothing is fused with it. HBM moves what is read and what is got, once; the link takes
`link_steps * link.latency + link_bytes / rate` and `link.fixed` at its launch, the rate being the share `sustained.link`
of `link.bandwidth`, at most `link.peer` to each other rank. `collective.lua` says bytes and steps.]],
    { shown = "comm(what, tensor, opts)", example = [[kc.comm("allreduce", Y, { ranks = 8 })]],
        options = {
            { "ranks", "integer", "devices that take part" },
            { "over", "string", "the dim that is gathered or scattered along; the first if it is left out" },
            { "algorithm", "string", "`\"ring\"` (default) or `\"tree\"`" },
            { "name", "string", "of the result; `\"X.allreduce\"` if it is left out" },
        } })

call("fuse", "name: string, kernels: (Kernel|Tensor)[], opts?: FuseOptions", "Kernel", [[
One kernel of several: what one wrote and the next read stays on chip. Drops schedules. A kernel outside that needs
something from inside and is needed by it is an error.]],
    { shown = "fuse(name, { … } [, opts])", example = [[kc.fuse("flash", { S, P, O })]],
        options = { { "save", "string[]", "tensors that are still written, by name" } } })

call("group", "name: string, kernels: Kernel[]", "Kernel", "Several sizes in one launch: grids end to end.",
    { shown = "group(name, { kernels })", example = [[kc.group("experts", { few, many })]] })

call("tile", "kernel: Kernel|Tensor, sizes: Sizes, opts?: TileOptions", "Kernel", [[
A schedule: how a kernel walks its dims; replaces one. `sizes` are the elements of each dim that a tile has.]],
    { page = true, example = [[kc.tile(C, { m = 128, n = 128, k = 64 }, { stages = 3, raster = { "n", "m", group = 8 } })]],
        options = {
            { "grid", "Dims", "dims that run across CTAs, outermost first",
                "every dim of more than one trip that all writes have and nothing reduces" },
            { "order", "Dims", "sequential loops, outermost first",
                "first dims that nothing reduces, then reduced ones, later ops outside" },
            { "stages", "integer|table<string, integer>", "buffers of each streamed read; also by tensor `{ K = 3 }`", "2" },
            { "warps", "integer", "warps a CTA", "the least power of two, at least 4, whose registers suffice" },
            { "split", "table<string, integer|\"stream\">", [[`{ k = 4 }`: 4 CTAs share the trips over k, at most a CTA a
                trip (a note); `{ k = "stream" }`: stream-K]], "none" },
            { "combine", "\"kernel\"|\"atomic\"", "what adds up the partial sums of `split`", "`\"kernel\"`" },
            { "hold", "string[]", "tensors held on chip whole", "none" },
            { "place", "table<string, \"registers\"|\"smem\">", "where a read's tile lives: `{ Q = \"registers\" }`", "shared memory" },
            { "raster", "table", "how CTA numbers walk the grid: `{ \"n\", \"m\", group = 8 }`", "grid order" },
            { "cluster", "table<string, integer>", [[`{ n = 2 }`: CTAs that share loads. Hopper and Blackwell: 8, with a note
                up to 16; elsewhere it does not run]], "none" },
            { "persistent", "boolean", "CTAs stay and take tiles", "`false`" },
            { "vector", "integer", [[bytes an access, of row and elementwise kernels and of what matmuls on the vector unit
                load]], "16" },
            { "threads", "integer", "threads a CTA of row and elementwise kernels", "by the row" },
            { "path", "\"mma\"|\"wgmma\"|\"tcgen05\"|\"mfma\"", [[the matrix instruction: `"mma"`, `"wgmma"`, `"tcgen05"`,
                `"mfma"`; where the device lacks it, the kernel does not run]], "the device's best" },
            { "overlap", "\"none\"|\"load\"|\"all\"", "`\"none\"`, `\"load\"` (loads and stores beside compute), `\"all\"`", "`\"load\"`" },
        } })

call("resize", "x: T, sizes: Sizes", "T", "The same thing at other sizes; several dims: `[\"i j\"] = 4096`; keeps schedules.",
    { shown = "resize(x, { i = 4096 })", example = [[kc.resize(flash, { ["i j"] = 16384 })]] })

call("rename", "x: T, names: table<string, string>", "T", "The same thing with other dim names.",
    { shown = "rename(x, { k = \"k2\" })", example = [[kc.rename(C, { k = "k2" })]] })

-- ---- asking --------------------------------------------------------------------------------------------------------

begin "Asking"

call("count", "x: Kernel|Tensor|Program, opts?: CountOptions", "Result", "Work, traffic and footprint, with no device.",
    { example = [[kc.count(flash).bytes]],
        options = { { "convention", "string|Convention", "how others count, by name or switches (`help(\"conventions\")`)" } } })

call("evaluate", "x: Kernel|Tensor|Program, device: Device|string, opts?: EvaluateOptions", "Result", [[
Work, traffic, footprint and times. What does not fit the device is an error that says by how much, and what would.]],
    { example = [[kc.evaluate(flash, "h100-sxm5", { cache = "warm" }).time]],
        options = {
            { "l2", "boolean", "`false`: CTAs share nothing through L2", "true" },
            { "cache", "\"cold\"|\"warm\"|table<string, string>", "`\"cold\"`, `\"warm\"`, or by tensor", "`\"cold\"`" },
            { "launch", "\"stream\"|\"graph\"|\"eager\"|\"none\"", "`\"stream\"`, `\"graph\"`, `\"eager\"`, `\"none\"`", "`\"stream\"`" },
            { "convention", "string|Convention", "as for `count`" },
            { "measured", "number", "seconds that it really took, 1e-12 to 1e9, to be compared" },
        } })

call("best", "x: Kernel|Tensor|Program, device: Device|string, space?: Space, opts?: EvaluateOptions", "Result", [[
The fastest point of a space; without one the fastest of the schedules that a tuned library would try and of the one
that x has, of a program of each kernel. `r.kernel` is what it found, `r.search` counts points.]],
    { shown = "best(x, device [, space [, opts]])", example = [[kc.best(C, "h100-sxm5").kernel]] })

call("fuse_all", "program: Program, device: Device|string, opts?: FuseAllOptions", "Result", [[
The program with kernels fused as a compiler would: elementwise work into a kernel beside it, the residual into a norm, a
norm into the matmul behind it, scores, softmax and values into one attention, whose softmax may become online. Only what runs
under its best schedule, moves no more bytes and takes no more time than its parts; what saves most is fused first, ties to
the first in launch order, until nothing is left. A kernel reads what an earlier one wrote: that tensor, or one of its name,
sizes and dtype; a tensor `"X: K"` is part of the bytes of X. `r.kernel` is the program (kernels with a schedule keep it, the
others get the best), `r.fused` and `r.refused` say what was done and why not; they are notes as well.]],
    { shown = "fuse_all(program, device [, opts])", example = [[kc.fuse_all(unfused, "h100-sxm5").kernel]],
        options = {
            { "save", "string[]", "tensors that are still written, by name" },
            { "l2 cache launch convention", "boolean|string|table", "as for `evaluate`; `cache` of all tensors alike" },
        } })

call("compare", "xs: (Kernel|Tensor|Program)[], devices: (Device|string)[], opts?: EvaluateOptions", "Comparison",
    "Results side by side, with ratios to the first x. One x, or one device, needs no list.",
    { shown = "compare({ x… }, { device… } [, opts])", example = [[kc.compare({ unfused, flash }, { "a100-sxm4-40gb", "h100-sxm5" })]] })

call("sweep", "space: Space", "Sweep", [[
Many points at once, on all cores: tiles, sizes, stages, devices. Each row is what `evaluate` says of that point.]],
    { shown = "sweep { … }", page = true,
        example = [[kc.sweep { kernel = C, device = "h100-sxm5", tile = { m = kc.pow2(32, 256) }, keep = { top = 10 } }]],
        options = {
            { "kernel", "Kernel|Tensor|Program", [[a kernel, written tensor or program: a program's rows are sums over its
                kernels, and an axis is nothing to a kernel that lacks its dims]] },
            { "device", "Device|string|(Device|string)[]", "a device or its name, or a list; without one the points are counted only" },
            { "[\"hbm.bandwidth\"]", "number[]", "any figure of the device, as `dev:with` changes it" },
            { "size tile split", "table<string, number[]>", [[values by dim: `{ i = { 64, 128 }, ["j k"] = { … } }` ties j and
                k. A kernel without a schedule gets one of these tiles]] },
            { "dtype", "table<string, DtypeName[]>", [[values by tensor: `{ Q = { "f16", "f8" } }`; default dtypes of written
                tensors follow]] },
            { "order stages warps group", "table", "of the schedule; `group`: CTAs rastered together" },
            { "where", "string|fun(row: table): boolean", [[an expression: fields and axes by name (`tile.i`, `times.hbm`,
                `device == "l4"`), numbers (`48KiB`, `1.5ms`), texts, `+ - * / %`, comparisons, `and or not`, `min max ceil floor`.
                Or a function
                of a row (one thread then)]] },
            { "keep", "\"all\"|Keep", [[`"all"` (up to 10^6 rows), `{ top = 20, by = "time" }`, `{ pareto = { "time", "smem" } }`,
                `{ best_per = "device size", by = "time" }`. Ties go to the first point]] },
            { "fields", "string[]", "the columns; the usual ones if it is left out" },
            { "threads shard", "integer|integer[]", [[`4`; `{ 3, 16 }`: only that part. `--threads`, `--shard` and the host say
                it otherwise]] },
            { "l2 cache launch", "boolean|string", "as for `evaluate`" },
        } })

call("ski_slope", "kernel: Kernel|Tensor", "Sweep",
    "The least HBM traffic that each capacity on chip allows, over tiles and loop orders, whatever the device.",
    { example = [[kc.ski_slope(C):rows()[1].bytes]] })

call("range", "from: number, to: number, step?: number", "number[]", "The numbers from one to the other, both included.",
    { example = [[kc.range(16, 256, 16)]] })

call("pow2", "from: integer, to: integer", "number[]", "The powers of two from one to the other, both included.",
    { example = [[kc.pow2(16, 256)]] })

call("expect", "x: Result|Kernel|Tensor|Program, condition: string, opts?: string|ExpectOptions", "Result", [[
The result, of a kernel evaluated or counted for it, or an error with the values where the condition, as in `where` of a
sweep, does not hold: `"bytes <= 1.1GB and bound == 'matrix'"`. A message may stand for the options; others are those of
`evaluate`.]],
    { shown = "expect(x, condition [, message or opts])",
        example = [[kc.expect(flash, "time <= 800us", { device = "h100-sxm5", message = "the fusion is lost" })]],
        options = {
            { "message", "string", "begins the sentence of the error" },
            { "device", "Device|string", "of a kernel; without one it is counted" },
            { "l2", "boolean", "as for `evaluate`" },
            { "cache", "\"cold\"|\"warm\"|table<string, string>", "as for `evaluate`" },
            { "launch", "\"stream\"|\"graph\"|\"eager\"|\"none\"", "as for `evaluate`" },
            { "convention", "string|Convention", "as for `evaluate`" },
            { "measured", "number", "as for `evaluate`" },
        } })

call("load_json", "path: string", "table", [[
A file's JSON. `null` is absent; so are the `NaN` and `Infinity` that Python writes, which a model's audit names. What is no
JSON is an error with line and column. Not in a sandbox.]],
    { example = [[kc.load_json("before.json")]] })

call("load_profile", "path: string, opts?: ProfileOptions", "table", [[
What a profiler measured: launches and kernels out of the file that it exported. CSV of Nsight Compute (raw, details,
summary), Nsight Systems, nvprof, rocprofv3, rocprof-compute; a Chrome trace of PyTorch; `name,time[,flops][,bytes]`. Figures have the names
of a result's with `_measured` behind them, in base units; `help("profile")` lists them. Not in a sandbox.]],
    { example = [[kc.load_profile("profile.csv").kernels[1].time_measured]],
        options = { { "launches", "integer", "how many launches are kept one by one, the first ones", "4096" } } })

call("match", "profile: table, predictions: table<string, Kernel|Tensor|Result>|(Kernel|Tensor|Result)[], opts?: MatchOptions", "table", [[
What was predicted beside what `load_profile` read: time, bytes of each level, FLOP, occupancy, what is left over of each
(measured over predicted, less 1), the share of the roof that binds, impossible values, likely causes in words. A key of
`predictions` is a part of a kernel's name as it stands, or a Lua pattern, with `|` between alternatives (the longest that
names a kernel counts; of a list under one key that with its CTAs); a list is joined by order. `{}`: measured
figures against the device's roofs.]],
    { shown = "match(profile, { [\"name\"] = kernel, … } [, opts])",
        example = [[kc.match(kc.load_profile("ncu.csv"), { ["gemm|matmul"] = C }, { device = "h100-sxm5" })]],
        options = {
            { "device", "Device|string", "where kernels are evaluated; results have their own" },
            { "by", "\"name\"|\"grid\"|\"order\"", "of a list: `\"order\"` of the launches, or `\"grid\"`, the same number of CTAs",
                "`\"order\"`" },
            { "cache launch l2 convention", "string|boolean|table", "as for `evaluate`; `launch` is `\"none\"`, as under a profiler" },
        } })

call("verify", "kernel: Kernel|Tensor", "number", [[
Walks the loop nest tile by tile, with no formula, and compares with `count`; gives the number of steps. A difference is an
error; more than 10^8 steps are refused.]],
    { example = [[kc.verify(kc.resize(flash, { ["i j"] = 512 }))]] })

call("device", "device: string|table", "Device", [[
A shipped device by its id or alias, or your own, by its file (`"mine.lua"`, not in a sandbox) or its figures;
`dev:with { hbm = { bandwidth = 4.8e12 } }` changes one.]],
    { shown = "device(name or table)", example = [[kc.device("h100-sxm5"):with { hbm = { bandwidth = 4.8e12 } }]] })

call("occupancy", "device: Device|string, cta: Cta", "Occupancy", "How many CTAs a core holds, with no kernel.",
    { example = [[kc.occupancy("h100-sxm5", { threads = 256, registers = 128, smem = 98304 }).ctas]],
        options = {
            { "threads", "number", "of a CTA" },
            { "registers", "number", "a thread" },
            { "smem", "number", "byte a CTA" },
            { "tmem", "number", "byte a CTA" },
            { "stages", "number", "buffers of `stage` bytes each beside `smem`", "1" },
            { "stage", "number", "byte a buffer" },
            { "keep", "number", "CTAs that are to stay, in `max`", "1" },
        } })

call("calibrate", "what: CalibrateOptions", "Calibration, Device", [[
Fits up to three constants of a device to times that were measured on it: the sustained shares of its matrix peak and of its
HBM bandwidth, and a launch. Every fourth row is held out, and its error said. What the rows do not determine stays as it is,
with the reason; fewer than eight rows that kcost predicts, or none of the constants determined, is an error. The second
value is the device with the new constants; `kcost calibrate` writes its file.]],
    { shown = "calibrate { … }", example = [[kc.calibrate { device = "a100", profile = "times.csv" }]],
        options = {
            { "device", "Device|string", "what was measured" },
            { "profile", "string|table", [[the path of a profile or of a CSV `name,time,flops,bytes`, or what `load_profile` gives: each
                kernel is the longest of its FLOP at the matrix peak's share and its bytes at HBM's, and a launch]] },
            { "kernels", "table<string, Kernel|Tensor|(Kernel|Tensor)[]>", [[of a profile by name, as for `match`: what the
                model predicts in place of FLOP and bytes; kernels that no pattern names are left out]] },
            { "rows", "table[]", [[instead of a profile: `{ name, time }` in s, and `kernel`, or `flops`, `bytes` and `dtype`. A kernel
                without a schedule runs on what `best` finds]] },
            { "launch", "string", [[the regime that was timed, as for `evaluate`: of `"stream"`, `"graph"`, `"eager"` the gap
                is fitted, of `"none"` the start and end of kernels with matmuls]], '`"stream"`, of a profiler `"none"`' },
            { "cache", "string", [[`"cold"`, `"warm"`, as for `evaluate`; warm rows of bytes that the caches hold are left out]],
                '`"cold"`' },
            { "dtype", "DtypeName", "of FLOP whose row does not say it", '`"f16"`' },
            { "source", "string", "what the device is to say of where its constants come from", "the profile's path" },
        } })

call("param", "name: string, default: T", "T", [[
What `--set name=value` or the host gives; a number, string or boolean, as the default is one.]],
    { example = [[kc.param("device", "h100-sxm5")]] })

call("str", "x: any", "string", "A number as kcost writes it, the same on both engines.",
    { example = [[kc.str(1e6 / 3)]] })

call("help", "what?: any", "string", [[
What a call, a field, an option, a kind of object or a kernel of `kc.lib` is, given itself or by name. Without one: the list
of all.]], { example = [[print(kc.help(kc.tile), kc.help("bytes_min"), kc.help("gemm.plain"))]] })

call("lib", nil, "Lib", [[
The stdlib: `kc.lib.NAME` is what `stdlib/NAME.lua` returns, loaded at first use: the families of kernels, `transformer`,
`report` and `parameters`.]],
    { shown = "lib.NAME", example = [[kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }]] })

call("plot", nil, "table", [[
Results and sweeps as plots, plain tables in base units that a script returns: `roofline`, `bandwidth`, `ledger` of results
and comparisons, `sawtooth`, `tiles`, `pareto` of sweeps. `kcost --plot FILE` draws them.]],
    { shown = "plot.NAME", example = [[kc.plot.roofline(kc.compare({ unfused, flash }, { "h100-sxm5" }))]] })

call("version", nil, "string", "Of the library.", { example = [[kc.version]] })

-- ---- objects ----------------------------------------------------------------------------------------------------------

reference.objects = {
    { kind = "tensor", text = "An array in HBM.",
        { "name", "string", "" }, { "dims", "string", "\"b h i d\"" },
        { "size", "table<string, number>", "of each dim, in elements" }, { "dtype", "string", "its name" } },
    { kind = "value", text = "What a read or an op yields on chip; it costs no HBM traffic.",
        { "dims", "string", "\"b h i d\"" }, { "size", "table<string, number>", "of each dim, in elements" },
        { "dtype", "string", "its name" } },
    { kind = "dtype", text = "How elements are stored.",
        { "name", "string", "" }, { "bits", "number", "an element" } },
    { kind = "kernel", text = "One launch; print shows its loop nest.",
        { "name", "string", "" }, { "tensors", "Tensor[]", "that it writes" },
        { "schedule", "table?", "as it is resolved; nil where it is untiled" },
        { "comm", "string?", "which collective it is, `\"allreduce\"`; nil where it is none" } },
    { kind = "program", text = "Kernels that run one after another, or beside each other.",
        { "name", "string", "" }, { "kernels", "(Kernel|Program)[]", "in launch order" },
        { "beside", "boolean", "its parts run at the same time" } },
    { kind = "device", text = "Figures by name, as in a file of devices/: `d.cores`, `d.hbm.bandwidth` (byte/s), `d.source`.",
        { "with", "Device", "another one, with these figures changed; peaks are recomputed", params = "figures: table" },
        { "name", "string", "the product" }, { "id", "string", "" }, { "aliases", "string", "" }, { "vendor", "string", "" },
        { "arch", "string", "" }, { "year", "number", "" }, { "cores", "number", "streaming multiprocessors, compute units" },
        { "clock", "number", "Hz" }, { "matrix_clock", "number", "Hz, under matrix work" },
        { "matrix", "table<string, number>", "FLOP/s, dense, by dtype" }, { "vector", "table<string, number>", "FLOP/s, by dtype" },
        { "rate", "table", "FLOP per clock and core" }, { "special", "number", "ops per clock and core" },
        { "matrix_tile", "table", "of one instruction" }, { "hbm", "table", "byte, byte/s, s" },
        { "llc", "table", "a memory-side cache" }, { "l2", "table", "byte, byte/s, s" },
        { "smem", "table", "byte; byte per clock and core" }, { "registers", "table", "of a core, of a thread" },
        { "tmem", "table", "byte" }, { "warp", "number", "threads" }, { "max_warps", "number", "a core" },
        { "max_ctas", "number", "a core" }, { "max_threads", "number", "a CTA" }, { "launch", "table", "s a kernel" },
        { "link", "table", "byte/s, s" }, { "sustained", "table", "share of a peak" },
        { "sparse", "table<string, number>", "the peak with 2:4 sparsity over the dense one" }, { "overlap", "table", "share" },
        { "path", "table", "matrix instructions" }, { "tdp", "number", "W" }, { "energy", "table", "J" },
        { "source", "table", "where each figure comes from" } },
    { kind = "result", text = "What a kernel or program costs. A field that does not apply is nil." },
    { kind = "comparison", text = "Each x on each device.",
        { "kind", "string", "\"comparison\"" }, { "devices", "string[]", "their ids" },
        { "results", "Result[]", "for each x each device; with `ratio`, or `error` where x does not run" },
        { "table", "table", "plain tables, as the JSON has them", params = "" } },
    { kind = "sweep", text = "Points that were evaluated; `#s` is the number of rows that were kept.",
        { "kind", "string", "\"sweep\"" }, { "points", "number", "in all" }, { "done", "number", "evaluated" },
        { "fit", "number", "that run" }, { "name", "string", "of what was swept" },
        { "axes", "string[]", "titles of the columns that are axes" }, { "keep", "string", "which rows were kept, in words" },
        { "convention", "string", "of counting, in words" }, { "interrupted", "boolean", "Ctrl-C, or the host, ended it" },
        { "rejected", "table[]", "{ reason, points, first, sentence }" },
        { "rows", "table[]", "tables: row.tile.i, row.time, row.times.hbm, row.point", params = "" },
        { "columns", "table<string, any[]>", "a list for each column", params = "" },
        { "best", "table?", "the row with the least time, or of what `keep` goes by", params = "" },
        { "kernel", "Kernel|Program, Device?", "of a row or point, of the best without one", params = "row?: table|number" },
        { "missing", "table[]", "{ point, reason } of what does not fit; the first 1000 unless all rows are kept", params = "" },
        { "csv", "string", "as `kcost --csv` prints it", params = "" },
        { "json", "string", "as `kcost --json` prints it", params = "" },
        { "table", "table", "plain tables, as the JSON has them", params = "" } },
    { kind = "occupancy", text = "CTAs per core, and what limits them.",
        { "ctas", "number", "of a core; 0 where it does not fit" }, { "warps", "number", "of a core" },
        { "share", "number", "warps over those that a core can hold" },
        { "limit", "string", "what binds: `\"shared memory\"`, `\"registers\"`, `\"tensor memory\"`, `\"warps\"`, `\"CTAs\"`" },
        { "cta_warps", "number", "as allocated" }, { "registers", "number", "of a thread, as rounded" },
        { "smem", "number", "byte a CTA, reserved ones included" },
        { "allowed", "table<string, number>", "CTAs by each limit alone: `smem registers tmem warps ctas`" },
        { "max", "table<string, number>", [[the largest `smem`, `registers`, `stages` and `stage` with which `keep` CTAs stay;
            absent where another limit keeps fewer]] } },
    { kind = "calibration", text = "What `calibrate` fitted, and how well.",
        { "kind", "string", "`\"calibration\"`" }, { "device", "string", "its id" },
        { "source", "string", "where the rows come from" },
        { "launch", "string", "the regime" }, { "cache", "string", "as it was asked" },
        { "constants", "table<string, table>", [[of `matrix`, `hbm`, `launch`: `figure`, its path in a device; `before`, `after`, a share
            or s, absent where the device has none; `error`, standard, as a share of it; `rows` that it takes a tenth or more of;
            or `left`, why it stands]] },
        { "rows_fitted", "number", "rows of the fit" }, { "rows_held_out", "number", "rows of the errors" },
        { "error_before", "number", "median of `|predicted / measured - 1|` of the rows held out" },
        { "error_after", "number", "the same with the new constants" },
        { "notes", "string[]", "what was left, or left out, and why" } },
}

-- ---- results --------------------------------------------------------------------------------------------------------

reference.fields = {
    { "kind name device convention", "", "what it is of; the convention where one was asked for", "string" },
    { "on", "", "the device itself, `r.on.hbm.bandwidth`; nil of a count, and of a program's kernels", "Device?" },
    { "flops matrix_flops vector_flops", "FLOP", "useful work; `flops` is the sum, a special op counting as one" },
    { "special_ops", "op", "useful exp, rsqrt, …" },
    { "executed_flops executed_matrix_flops executed_vector_flops", "FLOP",
        "what the schedule really does: recomputation, padding, dead parts of live tiles included" },
    { "executed_special_ops", "op", "the same of special ops" },
    { "bytes bytes_read bytes_written", "byte", "HBM traffic" },
    { "bytes_min", "byte", "compulsory HBM traffic: what any schedule must move" },
    { "l2_bytes smem_bytes", "byte", "traffic of the inner levels" },
    { "link_bytes", "byte", "of collectives: what one device sends, in one direction" },
    { "link_steps", "", "of collectives: steps that wait for each other" },
    { "tensors", "byte", [[of each: `name`, `bytes_read`, `bytes_written`, `l2_bytes`, `loads`, and by cause
        `compulsory reload pass spill split`, which add up]], "table[]" },
    { "intensity ridge", "FLOP/byte", "`flops / bytes`, and where the device's roofs meet" },
    { "time roof_time serial_time", "s", "the estimate, and what brackets it: the plain roofline, and all in series" },
    { "times", "s", "per roof: `matrix vector special smem l2 hbm link launch fill drain`", "table<string, number>" },
    { "bound", "", "the roof that binds, or `latency`", "string" },
    { "class", "", "`compute-bound`, `memory-bound`, `communication-bound` or `overhead-bound`", "string" },
    { "measured", "s", "what `opts.measured` said" },
    { "measured_ratio measured_efficiency", "", "`measured / time`, `roof_time / measured`" },
    { "throughput", "FLOP/s", "`flops / time`" },
    { "bandwidth", "byte/s", "`bytes / time`" },
    { "smem register_bytes", "byte", "footprint of a CTA" },
    { "ctas occupancy waves", "", "CTAs in all, a core, and rounds of them: `ceil(ctas / (cores * occupancy))`" },
    { "wave_efficiency tile_efficiency", "", "`ctas / (cores * CTAs of the busiest core)`, `flops / executed_flops`" },
    { "passes launches", "", "walks over the sequential loops; kernels that are started" },
    { "schedule", "", [[of a tiled kernel: `tile grid order stages warps split raster overlap`, and where they were asked for
        `cluster persistent path vector threads combine`]], "table" },
    { "kernels", "", "of a program: the results of its kernels", "Result[]" },
    { "notes", "", "sentences on what was assumed, spilled, recomputed or fell back", "string[]" },
    { "ratio", "", "of a comparison's row: `time`, `bytes`, `flops` over those of the first x", "table<string, number>" },
    { "error", "", "of a comparison's row: why x does not run", "string" },
    { "kernel", "", "of `best`: the tiled kernel that it found; of `fuse_all`: the fused program", "Kernel|Program" },
    { "search", "", [[of `best`: how many `points` there were, `visited`, `cut` and `rejected`; `interrupted` where it
        was]], "table<string, number|boolean>" },
    { "fused refused", "", [[of `fuse_all`: groups that became one kernel, in that order, and those left apart: `kernels` (names),
        `rule` (`"attention"`, `"epilogue"`, `"prologue"`, `"norm"`), `why`, and of all launches `time` and `bytes` as one kernel,
        `apart.time` and `apart.bytes`]], "table[]" },
}

-- Their methods.
reference.methods = {
    { "explain", "string", [[where the time goes, which roof binds, what every byte is for, what would help by how much; of a
        field, `r:explain("bytes")`, its formula with the values]], params = "field?: string" },
    { "sensitivity", "table<string, number>", "the relative change of the time for 1 % more of each roof", params = "" },
    { "table", "table", "plain tables, as the JSON has them", params = "" },
}

return reference
