---@meta kcost
-- Made from stdlib/reference.lua and the comments of the stdlib; tests/help checks that it still is.

---@alias kcost.Dims string|string[]
---@alias kcost.Sizes table<string, number>
---@alias kcost.DtypeName kcost.Dtype|string
---| "f64"
---| "f32"
---| "tf32"
---| "f16"
---| "bf16"
---| "f8"
---| "f8e4m3"
---| "f8e5m2"
---| "f6"
---| "f4"
---| "i32"
---| "i16"
---| "i8"
---| "i4"
---| "u8"
---| "bool"
---| "mxf8"
---| "mxf6"
---| "mxf4"
---| "nvf4"
---| "i4g128"

---@class kcost.Convention
---@field as? string a convention by name, which the others then change
---@field multiply_add? 1|2|"2K-1" FLOP of a multiply-add; `"2K-1"`: of a sum of K products
---@field causal? "exact"|"half"|"full" a causal mask: its live pairs, half the square, all of it
---@field peak? "dense"|"sparse" what rates are held against: `"sparse"`, the peak with 2:4 sparsity
---@field softmax? number FLOP an element of a softmax
---@field norm? number FLOP an element of a norm
---@field special? boolean special ops count
---@field vector? boolean other work than matmuls counts
---@field integers? boolean vector work on integers counts
---@field padding? boolean taps outside a tensor are useful work
---@field second_operands? boolean operands of a map after the first one move
---@field broadcast? boolean a broadcast operand of a map moves at the map's size
---@field scales? boolean scales of block-scaled dtypes move
---@field write_allocate? boolean what is written is read first

---@class kcost.Cost
---@field flops? number vector FLOP an element
---@field special? number ops of the special unit an element
---@field name? string what messages and loop nests call it

---@class kcost.Keep
---@field top? integer the best so many rows
---@field by? string the field that says which is better; `time` if it is left out
---@field pareto? string[] the rows that no other beats in all of these fields
---@field best_per? kcost.Dims the best row for each value of these axes

---@class kcost.ReadOptions
---@field size? kcost.Sizes the sizes of new dims, or a slice
---@field distinct? number rows that a gather touches at most
---@field scale? number multiplies the traffic

---@class kcost.WriteOptions
---@field dtype? kcost.DtypeName of the tensor
---@field dims? kcost.Dims another order of the dims
---@field index? string scatter: where the points go; those that meet add up
---@field size? kcost.Sizes of the tensor's dims, with `index`
---@field scale? number multiplies the traffic

---@class kcost.DtypeOptions
---@field name? string its name
---@field bits? number an element
---@field block? number elements that share a scale
---@field scale_bits? number a block's scale
---@field zero_bits? number a block's zero point
---@field math? kcost.DtypeName what matmuls compute in

---@class kcost.MatmulOptions
---@field math? kcost.DtypeName dtype of the multiply; an error where the device has no such roof
---@field unit? "matrix"|"vector" `"vector"`: not on the matrix unit
---@field into? kcost.Value adds onto a value, without an op of its own

---@class kcost.ReduceOptions
---@field size? kcost.Sizes dims that the output has beside those that stay

---@class kcost.SoftmaxOptions
---@field online? boolean running statistics, one pass; default: false

---@class kcost.MaskOptions
---@field lo? number the least `k - q`
---@field hi? number the largest

---@class kcost.CommOptions
---@field ranks? integer devices that take part
---@field over? string the dim that is gathered or scattered along; the first if it is left out
---@field algorithm? string `"ring"` (default) or `"tree"`
---@field name? string of the result; `"X.allreduce"` if it is left out

---@class kcost.FuseOptions
---@field save? string[] tensors that are still written, by name

---@class kcost.TileOptions
---@field grid? kcost.Dims dims that run across CTAs, outermost first; default: every dim of more than one trip that all writes have and nothing reduces
---@field order? kcost.Dims sequential loops, outermost first; default: first dims that nothing reduces, then reduced ones, later ops outside
---@field stages? integer|table<string, integer> buffers of each streamed read; also by tensor `{ K = 3 }`; default: 2
---@field warps? integer warps a CTA; default: the least power of two, at least 4, whose registers suffice
---@field split? table<string, integer|"stream"> `{ k = 4 }`: 4 CTAs share the trips over k, at most a CTA a trip (a note); `{ k = "stream" }`: stream-K; default: none
---@field combine? "kernel"|"atomic" what adds up the partial sums of `split`; default: `"kernel"`
---@field hold? string[] tensors held on chip whole; default: none
---@field place? table<string, "registers"|"smem"> where a read's tile lives: `{ Q = "registers" }`; default: shared memory
---@field raster? table how CTA numbers walk the grid: `{ "n", "m", group = 8 }`; default: grid order
---@field cluster? table<string, integer> `{ n = 2 }`: CTAs that share loads. Hopper and Blackwell: 8, with a note up to 16; elsewhere it does not run; default: none
---@field persistent? boolean CTAs stay and take tiles; default: `false`
---@field vector? integer bytes an access, of row and elementwise kernels and of what matmuls on the vector unit load; default: 16
---@field threads? integer threads a CTA of row and elementwise kernels; default: by the row
---@field path? "mma"|"wgmma"|"tcgen05"|"mfma" the matrix instruction: `"mma"`, `"wgmma"`, `"tcgen05"`, `"mfma"`; where the device lacks it, the kernel does not run; default: the device's best
---@field overlap? "none"|"load"|"all" `"none"`, `"load"` (loads and stores beside compute), `"all"`; default: `"load"`

---@class kcost.CountOptions
---@field convention? string|kcost.Convention how others count, by name or switches (`help("conventions")`)

---@class kcost.EvaluateOptions
---@field l2? boolean `false`: CTAs share nothing through L2; default: true
---@field cache? "cold"|"warm"|table<string, string> `"cold"`, `"warm"`, or by tensor; default: `"cold"`
---@field launch? "stream"|"graph"|"eager"|"none" `"stream"`, `"graph"`, `"eager"`, `"none"`; default: `"stream"`
---@field convention? string|kcost.Convention as for `count`
---@field measured? number seconds that it really took, 1e-12 to 1e9, to be compared

---@class kcost.FuseAllOptions
---@field save? string[] tensors that are still written, by name
---@field l2? boolean|string|table as for `evaluate`; `cache` of all tensors alike
---@field cache? boolean|string|table as for `evaluate`; `cache` of all tensors alike
---@field launch? boolean|string|table as for `evaluate`; `cache` of all tensors alike
---@field convention? boolean|string|table as for `evaluate`; `cache` of all tensors alike

---@class kcost.Space
---@field kernel? kcost.Kernel|kcost.Tensor|kcost.Program a kernel, written tensor or program: a program's rows are sums over its kernels, and an axis is nothing to a kernel that lacks its dims
---@field device? kcost.Device|string|(kcost.Device|string)[] a device or its name, or a list; without one the points are counted only
---@field [string] number[] any figure of the device, as `dev:with` changes it
---@field size? table<string, number[]> values by dim: `{ i = { 64, 128 }, ["j k"] = { … } }` ties j and k. A kernel without a schedule gets one of these tiles
---@field tile? table<string, number[]> values by dim: `{ i = { 64, 128 }, ["j k"] = { … } }` ties j and k. A kernel without a schedule gets one of these tiles
---@field split? table<string, number[]> values by dim: `{ i = { 64, 128 }, ["j k"] = { … } }` ties j and k. A kernel without a schedule gets one of these tiles
---@field dtype? table<string, kcost.DtypeName[]> values by tensor: `{ Q = { "f16", "f8" } }`; default dtypes of written tensors follow
---@field order? table of the schedule; `group`: CTAs rastered together
---@field stages? table of the schedule; `group`: CTAs rastered together
---@field warps? table of the schedule; `group`: CTAs rastered together
---@field group? table of the schedule; `group`: CTAs rastered together
---@field where? string|fun(row: table): boolean an expression: fields and axes by name (`tile.i`, `times.hbm`, `device == "l4"`), numbers (`48KiB`, `1.5ms`), texts, `+ - * / %`, comparisons, `and or not`, `min max ceil floor`. Or a function of a row (one thread then)
---@field keep? "all"|kcost.Keep `"all"` (up to 10^6 rows), `{ top = 20, by = "time" }`, `{ pareto = { "time", "smem" } }`, `{ best_per = "device size", by = "time" }`. Ties go to the first point
---@field fields? string[] the columns; the usual ones if it is left out
---@field threads? integer|integer[] `4`; `{ 3, 16 }`: only that part. `--threads`, `--shard` and the host say it otherwise
---@field shard? integer|integer[] `4`; `{ 3, 16 }`: only that part. `--threads`, `--shard` and the host say it otherwise
---@field l2? boolean|string as for `evaluate`
---@field cache? boolean|string as for `evaluate`
---@field launch? boolean|string as for `evaluate`

---@class kcost.ExpectOptions
---@field message? string begins the sentence of the error
---@field device? kcost.Device|string of a kernel; without one it is counted
---@field l2? boolean as for `evaluate`
---@field cache? "cold"|"warm"|table<string, string> as for `evaluate`
---@field launch? "stream"|"graph"|"eager"|"none" as for `evaluate`
---@field convention? string|kcost.Convention as for `evaluate`
---@field measured? number as for `evaluate`

---@class kcost.ProfileOptions
---@field launches? integer how many launches are kept one by one, the first ones; default: 4096

---@class kcost.MatchOptions
---@field device? kcost.Device|string where kernels are evaluated; results have their own
---@field by? "name"|"grid"|"order" of a list: `"order"` of the launches, or `"grid"`, the same number of CTAs; default: `"order"`
---@field cache? string|boolean|table as for `evaluate`; `launch` is `"none"`, as under a profiler
---@field launch? string|boolean|table as for `evaluate`; `launch` is `"none"`, as under a profiler
---@field l2? string|boolean|table as for `evaluate`; `launch` is `"none"`, as under a profiler
---@field convention? string|boolean|table as for `evaluate`; `launch` is `"none"`, as under a profiler

---@class kcost.Cta
---@field threads? number of a CTA
---@field registers? number a thread
---@field smem? number byte a CTA
---@field tmem? number byte a CTA
---@field stages? number buffers of `stage` bytes each beside `smem`; default: 1
---@field stage? number byte a buffer
---@field keep? number CTAs that are to stay, in `max`; default: 1

---@class kcost.CalibrateOptions
---@field device? kcost.Device|string what was measured
---@field profile? string|table the path of a profile or of a CSV `name,time,flops,bytes`, or what `load_profile` gives: each kernel is the longest of its FLOP at the matrix peak's share and its bytes at HBM's, and a launch
---@field kernels? table<string, kcost.Kernel|kcost.Tensor|(kcost.Kernel|kcost.Tensor)[]> of a profile by name, as for `match`: what the model predicts in place of FLOP and bytes; kernels that no pattern names are left out
---@field rows? table[] instead of a profile: `{ name, time }` in s, and `kernel`, or `flops`, `bytes` and `dtype`. A kernel without a schedule runs on what `best` finds
---@field launch? string the regime that was timed, as for `evaluate`: of `"stream"`, `"graph"`, `"eager"` the gap is fitted, of `"none"` the start and end of kernels with matmuls; default: `"stream"`, of a profiler `"none"`
---@field cache? string `"cold"`, `"warm"`, as for `evaluate`; warm rows of bytes that the caches hold are left out; default: `"cold"`
---@field dtype? kcost.DtypeName of FLOP whose row does not say it; default: `"f16"`
---@field source? string what the device is to say of where its constants come from; default: the profile's path

---An array in HBM.
---@class kcost.Tensor
---@field name string
---@field dims string "b h i d"
---@field size table<string, number> of each dim, in elements
---@field dtype string its name

---What a read or an op yields on chip; it costs no HBM traffic.
---@class kcost.Value
---@field dims string "b h i d"
---@field size table<string, number> of each dim, in elements
---@field dtype string its name

---How elements are stored.
---@class kcost.Dtype
---@field name string
---@field bits number an element

---One launch; print shows its loop nest.
---@class kcost.Kernel
---@field name string
---@field tensors kcost.Tensor[] that it writes
---@field schedule table? as it is resolved; nil where it is untiled
---@field comm string? which collective it is, `"allreduce"`; nil where it is none

---Kernels that run one after another, or beside each other.
---@class kcost.Program
---@field name string
---@field kernels (kcost.Kernel|kcost.Program)[] in launch order
---@field beside boolean its parts run at the same time

---Figures by name, as in a file of devices/: `d.cores`, `d.hbm.bandwidth` (byte/s), `d.source`.
---@class kcost.Device
---@field with fun(self: kcost.Device, figures: table): kcost.Device another one, with these figures changed; peaks are recomputed
---@field name string the product
---@field id string
---@field aliases string
---@field vendor string
---@field arch string
---@field year number
---@field cores number streaming multiprocessors, compute units
---@field clock number Hz
---@field matrix_clock number Hz, under matrix work
---@field matrix table<string, number> FLOP/s, dense, by dtype
---@field vector table<string, number> FLOP/s, by dtype
---@field rate table FLOP per clock and core
---@field special number ops per clock and core
---@field matrix_tile table of one instruction
---@field hbm table byte, byte/s, s
---@field llc table a memory-side cache
---@field l2 table byte, byte/s, s
---@field smem table byte; byte per clock and core
---@field registers table of a core, of a thread
---@field tmem table byte
---@field warp number threads
---@field max_warps number a core
---@field max_ctas number a core
---@field max_threads number a CTA
---@field launch table s a kernel
---@field link table byte/s, s
---@field sustained table share of a peak
---@field sparse table<string, number> the peak with 2:4 sparsity over the dense one
---@field overlap table share
---@field path table matrix instructions
---@field tdp number W
---@field energy table J
---@field source table where each figure comes from

---What a kernel or program costs. A field that does not apply is nil.
---@class kcost.Result
---@field kind string? what it is of; the convention where one was asked for
---@field name string? what it is of; the convention where one was asked for
---@field device string? what it is of; the convention where one was asked for
---@field convention string? what it is of; the convention where one was asked for
---@field on kcost.Device?? the device itself, `r.on.hbm.bandwidth`; nil of a count, and of a program's kernels
---@field flops number? [FLOP] useful work; `flops` is the sum, a special op counting as one
---@field matrix_flops number? [FLOP] useful work; `flops` is the sum, a special op counting as one
---@field vector_flops number? [FLOP] useful work; `flops` is the sum, a special op counting as one
---@field special_ops number? [op] useful exp, rsqrt, …
---@field executed_flops number? [FLOP] what the schedule really does: recomputation, padding, dead parts of live tiles included
---@field executed_matrix_flops number? [FLOP] what the schedule really does: recomputation, padding, dead parts of live tiles included
---@field executed_vector_flops number? [FLOP] what the schedule really does: recomputation, padding, dead parts of live tiles included
---@field executed_special_ops number? [op] the same of special ops
---@field bytes number? [byte] HBM traffic
---@field bytes_read number? [byte] HBM traffic
---@field bytes_written number? [byte] HBM traffic
---@field bytes_min number? [byte] compulsory HBM traffic: what any schedule must move
---@field l2_bytes number? [byte] traffic of the inner levels
---@field smem_bytes number? [byte] traffic of the inner levels
---@field link_bytes number? [byte] of collectives: what one device sends, in one direction
---@field link_steps number? of collectives: steps that wait for each other
---@field tensors table[]? [byte] of each: `name`, `bytes_read`, `bytes_written`, `l2_bytes`, `loads`, and by cause `compulsory reload pass spill split`, which add up
---@field intensity number? [FLOP/byte] `flops / bytes`, and where the device's roofs meet
---@field ridge number? [FLOP/byte] `flops / bytes`, and where the device's roofs meet
---@field time number? [s] the estimate, and what brackets it: the plain roofline, and all in series
---@field roof_time number? [s] the estimate, and what brackets it: the plain roofline, and all in series
---@field serial_time number? [s] the estimate, and what brackets it: the plain roofline, and all in series
---@field times table<string, number>? [s] per roof: `matrix vector special smem l2 hbm link launch fill drain`
---@field bound string? the roof that binds, or `latency`
---@field class string? `compute-bound`, `memory-bound`, `communication-bound` or `overhead-bound`
---@field measured number? [s] what `opts.measured` said
---@field measured_ratio number? `measured / time`, `roof_time / measured`
---@field measured_efficiency number? `measured / time`, `roof_time / measured`
---@field throughput number? [FLOP/s] `flops / time`
---@field bandwidth number? [byte/s] `bytes / time`
---@field smem number? [byte] footprint of a CTA
---@field register_bytes number? [byte] footprint of a CTA
---@field ctas number? CTAs in all, a core, and rounds of them: `ceil(ctas / (cores * occupancy))`
---@field occupancy number? CTAs in all, a core, and rounds of them: `ceil(ctas / (cores * occupancy))`
---@field waves number? CTAs in all, a core, and rounds of them: `ceil(ctas / (cores * occupancy))`
---@field wave_efficiency number? `ctas / (cores * CTAs of the busiest core)`, `flops / executed_flops`
---@field tile_efficiency number? `ctas / (cores * CTAs of the busiest core)`, `flops / executed_flops`
---@field passes number? walks over the sequential loops; kernels that are started
---@field launches number? walks over the sequential loops; kernels that are started
---@field schedule table? of a tiled kernel: `tile grid order stages warps split raster overlap`, and where they were asked for `cluster persistent path vector threads combine`
---@field kernels kcost.Result[]? of a program: the results of its kernels
---@field notes string[]? sentences on what was assumed, spilled, recomputed or fell back
---@field ratio table<string, number>? of a comparison's row: `time`, `bytes`, `flops` over those of the first x
---@field error string? of a comparison's row: why x does not run
---@field kernel kcost.Kernel|kcost.Program? of `best`: the tiled kernel that it found; of `fuse_all`: the fused program
---@field search table<string, number|boolean>? of `best`: how many `points` there were, `visited`, `cut` and `rejected`; `interrupted` where it was
---@field fused table[]? of `fuse_all`: groups that became one kernel, in that order, and those left apart: `kernels` (names), `rule` (`"attention"`, `"epilogue"`, `"prologue"`, `"norm"`), `why`, and of all launches `time` and `bytes` as one kernel, `apart.time` and `apart.bytes`
---@field refused table[]? of `fuse_all`: groups that became one kernel, in that order, and those left apart: `kernels` (names), `rule` (`"attention"`, `"epilogue"`, `"prologue"`, `"norm"`), `why`, and of all launches `time` and `bytes` as one kernel, `apart.time` and `apart.bytes`
---@field explain fun(self: kcost.Result, field?: string): string where the time goes, which roof binds, what every byte is for, what would help by how much; of a field, `r:explain("bytes")`, its formula with the values
---@field sensitivity fun(self: kcost.Result): table<string, number> the relative change of the time for 1 % more of each roof
---@field table fun(self: kcost.Result): table plain tables, as the JSON has them

---Each x on each device.
---@class kcost.Comparison
---@field kind string "comparison"
---@field devices string[] their ids
---@field results kcost.Result[] for each x each device; with `ratio`, or `error` where x does not run
---@field table fun(self: kcost.Comparison): table plain tables, as the JSON has them

---Points that were evaluated; `#s` is the number of rows that were kept.
---@class kcost.Sweep
---@field kind string "sweep"
---@field points number in all
---@field done number evaluated
---@field fit number that run
---@field name string of what was swept
---@field axes string[] titles of the columns that are axes
---@field keep string which rows were kept, in words
---@field convention string of counting, in words
---@field interrupted boolean Ctrl-C, or the host, ended it
---@field rejected table[] { reason, points, first, sentence }
---@field rows fun(self: kcost.Sweep): table[] tables: row.tile.i, row.time, row.times.hbm, row.point
---@field columns fun(self: kcost.Sweep): table<string, any[]> a list for each column
---@field best fun(self: kcost.Sweep): table? the row with the least time, or of what `keep` goes by
---@field kernel fun(self: kcost.Sweep, row?: table|number): kcost.Kernel|kcost.Program, kcost.Device? of a row or point, of the best without one
---@field missing fun(self: kcost.Sweep): table[] { point, reason } of what does not fit; the first 1000 unless all rows are kept
---@field csv fun(self: kcost.Sweep): string as `kcost --csv` prints it
---@field json fun(self: kcost.Sweep): string as `kcost --json` prints it
---@field table fun(self: kcost.Sweep): table plain tables, as the JSON has them

---CTAs per core, and what limits them.
---@class kcost.Occupancy
---@field ctas number of a core; 0 where it does not fit
---@field warps number of a core
---@field share number warps over those that a core can hold
---@field limit string what binds: `"shared memory"`, `"registers"`, `"tensor memory"`, `"warps"`, `"CTAs"`
---@field cta_warps number as allocated
---@field registers number of a thread, as rounded
---@field smem number byte a CTA, reserved ones included
---@field allowed table<string, number> CTAs by each limit alone: `smem registers tmem warps ctas`
---@field max table<string, number> the largest `smem`, `registers`, `stages` and `stage` with which `keep` CTAs stay; absent where another limit keeps fewer

---What `calibrate` fitted, and how well.
---@class kcost.Calibration
---@field kind string `"calibration"`
---@field device string its id
---@field source string where the rows come from
---@field launch string the regime
---@field cache string as it was asked
---@field constants table<string, table> of `matrix`, `hbm`, `launch`: `figure`, its path in a device; `before`, `after`, a share or s, absent where the device has none; `error`, standard, as a share of it; `rows` that it takes a tenth or more of; or `left`, why it stands
---@field rows_fitted number rows of the fit
---@field rows_held_out number rows of the errors
---@field error_before number median of `|predicted / measured - 1|` of the rows held out
---@field error_after number the same with the new constants
---@field notes string[] what was left, or left out, and why

---attention.lua: the core of attention, from Q, K and V to O.
---
---    S[i,j] = sum_d Q[i,d] K[j,d]     P = softmax over j of S     O[i,e] = sum_j P[i,j] V[j,e]
---
---Dims: b batch, g groups of heads that share K and V, h heads (of a group, where there are groups), i queries,
---j keys, d and e head sizes; sizes in elements.  The factor 1/sqrt(d) is folded into Q.  Parameters of every
---function here, but those that it says it lacks; the letter of a dim may stand for its name:
---    seq (i)          queries of a sequence, required
---    cached           tokens before them whose keys and values are there already: 0
---    keys (j)         keys of a sequence: cached + seq
---    head_dim (d)     of Q and K, required
---    value_dim (e)    of V and O: head_dim
---    batch (b)        sequences: 1
---    heads (h)        query heads: 1
---    kv_heads (g)     heads of K and V, which divide heads (GQA; 1 is MQA): heads
---    dtype            of all tensors: "f16"; below 16 bits, what is written has 16
---    kv_dtype         of K and V, scales included where it has any ("mxf8", a kc.dtype): dtype
---    causal           true: a query sees no later key, the last one sees all keys (j - i <= keys - seq);
---                     "top-left": the first one sees one key (j <= i); false.  Pairs are counted exactly;
---                     half the square is a convention: kc.count(x, { convention = { causal = "half" } })
---    window           a query sees that many keys, its own the last; where there are fewer, these: all
---Useful work, with n live pairs of a query and a key in all heads: 2 n (d + e) FLOP in matmuls; softmax 4 n FLOP
---and n exps.  In one kernel the division is done on O: 3 n + batch heads seq e FLOP.  Compulsory traffic in
---one kernel: Q, K, V and O once, of K and V what some query sees.
---@class kcost.lib.attention
local attention = {}

---@class kcost.lib.attention.standard
---@field batch? integer sequences: 1
---@field cached? integer tokens before them whose keys and values are there already: 0
---@field causal? any true: a query sees no later key, the last one sees all keys (j - i <= keys - seq); "top-left": the first one sees one key (j <= i); false. Pairs are counted exactly; half the square is a convention: kc.count(x, { convention = { causal = "half" } })
---@field dtype? kcost.DtypeName of all tensors: "f16"; below 16 bits, what is written has 16
---@field head_dim integer of Q and K, required
---@field heads? integer query heads: 1
---@field keys? integer keys of a sequence: cached + seq
---@field kv_dtype? kcost.DtypeName of K and V, scales included where it has any ("mxf8", a kc.dtype): dtype
---@field kv_heads? integer heads of K and V, which divide heads (GQA; 1 is MQA): heads
---@field seq integer queries of a sequence, required
---@field value_dim? integer of V and O: head_dim
---@field window? integer a query sees that many keys, its own the last; where there are fewer, these: all
---@field b? integer is batch
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field g? integer is kv_heads
---@field h? integer is heads
---@field i? integer is seq
---@field j? integer is keys

---A program of three untiled kernels: S and P are written to HBM and read again, 4 b h i j elements.
---@param p kcost.lib.attention.standard
---@return kcost.Program
function attention.standard(p) end

---@class kcost.lib.attention.fused
---@field batch? integer sequences: 1
---@field cached? integer tokens before them whose keys and values are there already: 0
---@field causal? any true: a query sees no later key, the last one sees all keys (j - i <= keys - seq); "top-left": the first one sees one key (j <= i); false. Pairs are counted exactly; half the square is a convention: kc.count(x, { convention = { causal = "half" } })
---@field dtype? kcost.DtypeName of all tensors: "f16"; below 16 bits, what is written has 16
---@field head_dim integer of Q and K, required
---@field heads? integer query heads: 1
---@field keys? integer keys of a sequence: cached + seq
---@field kv_dtype? kcost.DtypeName of K and V, scales included where it has any ("mxf8", a kc.dtype): dtype
---@field kv_heads? integer heads of K and V, which divide heads (GQA; 1 is MQA): heads
---@field seq integer queries of a sequence, required
---@field value_dim? integer of V and O: head_dim
---@field window? integer a query sees that many keys, its own the last; where there are fewer, these: all
---@field b? integer is batch
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field g? integer is kv_heads
---@field h? integer is heads
---@field i? integer is seq
---@field j? integer is keys

---One untiled kernel: S and P stay on chip.  What no tiling can beat.
---@param p kcost.lib.attention.fused
---@return kcost.Kernel
function attention.fused(p) end

---@class kcost.lib.attention.flash
---@field batch? integer sequences: 1
---@field cached? integer tokens before them whose keys and values are there already: 0
---@field causal? any true: a query sees no later key, the last one sees all keys (j - i <= keys - seq); "top-left": the first one sees one key (j <= i); false. Pairs are counted exactly; half the square is a convention: kc.count(x, { convention = { causal = "half" } })
---@field dtype? kcost.DtypeName of all tensors: "f16"; below 16 bits, what is written has 16
---@field head_dim integer of Q and K, required
---@field heads? integer query heads: 1
---@field keys? integer keys of a sequence: cached + seq
---@field kv_dtype? kcost.DtypeName of K and V, scales included where it has any ("mxf8", a kc.dtype): dtype
---@field kv_heads? integer heads of K and V, which divide heads (GQA; 1 is MQA): heads
---@field loops? string "fa2": a CTA owns a block of queries and walks the keys (Dao, arXiv 2307.08691, algorithm 1); "fa1": a CTA owns a head and walks the keys outside the queries, so O and its row statistics go out to HBM and come back (Dao et al., arXiv 2205.14135, algorithm 1): "fa2"
---@field packed? boolean the heads that share K and V are rows of one tile, so that K and V are loaded once: false
---@field schedule? table more options of kc.tile. { overlap = "all" } lets exps run beside matmuls and loads, as two warpgroups in turns do (FlashAttention 3, arXiv 2407.08608), { warps = 12 } gives it them: none
---@field seq integer queries of a sequence, required
---@field tile? table tile sizes: { i = 128, j = 64 }
---@field value_dim? integer of V and O: head_dim
---@field window? integer a query sees that many keys, its own the last; where there are fewer, these: all
---@field b? integer is batch
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field g? integer is kv_heads
---@field h? integer is heads
---@field i? integer is seq
---@field j? integer is keys

---One tiled kernel, a FlashAttention.
---    loops      "fa2": a CTA owns a block of queries and walks the keys (Dao, arXiv 2307.08691,
---               algorithm 1); "fa1": a CTA owns a head and walks the keys outside the queries, so O and
---               its row statistics go out to HBM and come back (Dao et al., arXiv 2205.14135,
---               algorithm 1): "fa2"
---    packed     the heads that share K and V are rows of one tile, so that K and V are loaded once: false
---    tile       tile sizes: { i = 128, j = 64 }
---    schedule   more options of kc.tile.  { overlap = "all" } lets exps run beside matmuls and loads, as two
---               warpgroups in turns do (FlashAttention 3, arXiv 2407.08608), { warps = 12 } gives it them: none
---@param p kcost.lib.attention.flash
---@return kcost.Kernel
function attention.flash(p) end

---@class kcost.lib.attention.ragged
---@field causal? boolean true
---@field dtype? kcost.DtypeName of all tensors: "f16"; below 16 bits, what is written has 16
---@field head_dim integer of Q and K, required
---@field heads? integer query heads: 1
---@field kv_dtype? kcost.DtypeName of K and V, scales included where it has any ("mxf8", a kc.dtype): dtype
---@field kv_heads? integer heads of K and V, which divide heads (GQA; 1 is MQA): heads
---@field loops? string as of `flash`
---@field packed? boolean as of `flash`
---@field requests any a list of { new, cached } tokens, or as text: "512 1+4096"; required
---@field schedule? table as of `flash`
---@field tile? table as of `flash`
---@field value_dim? integer of V and O: head_dim
---@field window? integer a query sees that many keys, its own the last; where there are fewer, these: all
---@field b? nil is batch
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field g? integer is kv_heads
---@field h? integer is heads
---@field i? nil is seq
---@field j? nil is keys

---Sequences of different lengths in one launch: chunks of prefills beside decodes.  It has no seq, cached,
---keys and batch.
---    requests   a list of { new, cached } tokens, or as text: "512 1+4096"; required
---    causal     true
---    loops, packed, tile, schedule    as of `flash`
---Live pairs of a request, causal: new cached + new (new + 1) / 2.
---@param p kcost.lib.attention.ragged
---@return any
function attention.ragged(p) end

---@class kcost.lib.attention.prefix
---@field batch? integer sequences: 1
---@field dtype? kcost.DtypeName of all tensors: "f16"; below 16 bits, what is written has 16
---@field head_dim integer of Q and K, required
---@field heads? integer query heads: 1
---@field kv_dtype? kcost.DtypeName of K and V, scales included where it has any ("mxf8", a kc.dtype): dtype
---@field kv_heads? integer heads of K and V, which divide heads (GQA; 1 is MQA): heads
---@field loops? string as of `flash`; no cached, keys, causal and window
---@field packed? boolean as of `flash`; no cached, keys, causal and window
---@field prefix integer tokens, required
---@field schedule? table as of `flash`; no cached, keys, causal and window
---@field seq integer queries of a sequence, required
---@field tile? table as of `flash`; no cached, keys, causal and window
---@field value_dim? integer of V and O: head_dim
---@field b? integer is batch
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field g? integer is kv_heads
---@field h? integer is heads
---@field i? integer is seq
---@field j? nil is keys

---A bidirectional prefix, then causal: a prefix of tokens sees itself, what follows sees all before it.
---    prefix     tokens, required
---    loops, packed, tile, schedule    as of `flash`; no cached, keys, causal and window
---Live pairs, with c = seq - prefix: prefix^2 + c prefix + c (c + 1) / 2.  The two parts are two grids of one
---launch, each of which reads the keys of the prefix.
---@param p kcost.lib.attention.prefix
---@return any
function attention.prefix(p) end

---@class kcost.lib.attention.chunked
---@field batch? integer sequences: 1
---@field chunk integer tokens, required
---@field dtype? kcost.DtypeName of all tensors: "f16"; below 16 bits, what is written has 16
---@field head_dim integer of Q and K, required
---@field heads? integer query heads: 1
---@field kv_dtype? kcost.DtypeName of K and V, scales included where it has any ("mxf8", a kc.dtype): dtype
---@field kv_heads? integer heads of K and V, which divide heads (GQA; 1 is MQA): heads
---@field loops? string as of `flash`; no cached, keys, causal and window
---@field packed? boolean as of `flash`; no cached, keys, causal and window
---@field schedule? table as of `flash`; no cached, keys, causal and window
---@field seq integer queries of a sequence, required
---@field tile? table as of `flash`; no cached, keys, causal and window
---@field value_dim? integer of V and O: head_dim
---@field b? integer is batch
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field g? integer is kv_heads
---@field h? integer is heads
---@field i? integer is seq
---@field j? nil is keys

---Causal inside chunks of the sequence, and nothing across them (local attention).
---    chunk      tokens, required
---    loops, packed, tile, schedule    as of `flash`; no cached, keys, causal and window
---Live pairs of a whole chunk: chunk (chunk + 1) / 2.
---@param p kcost.lib.attention.chunked
---@return any
function attention.chunked(p) end

---@class kcost.lib.attention.decode
---@field batch? integer sequences: 1
---@field cached integer tokens, required
---@field causal? boolean true
---@field dtype? kcost.DtypeName of all tensors: "f16"; below 16 bits, what is written has 16
---@field head_dim integer of Q and K, required
---@field heads? integer query heads: 1
---@field keys? integer keys of a sequence: cached + seq
---@field kv_dtype? kcost.DtypeName of K and V, scales included where it has any ("mxf8", a kc.dtype): dtype
---@field kv_heads? integer heads of K and V, which divide heads (GQA; 1 is MQA): heads
---@field page? integer slots of a page (PagedAttention, arXiv 2309.06180): whole pages are loaded, and 4 bytes of a page table for each; without window: none
---@field schedule? table more options of kc.tile: none
---@field seq? integer new tokens: 1
---@field splits? integer CTAs that share the keys of a sequence (FlashDecoding), so that few sequences fill a device; each writes e + 2 f32 a row, and a small kernel merges them: 1
---@field tile? table tile sizes: { j = 64 }, of pages { p = 64 / page }
---@field value_dim? integer of V and O: head_dim
---@field window? integer a query sees that many keys, its own the last; where there are fewer, these: all
---@field b? integer is batch
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field g? integer is kv_heads
---@field h? integer is heads
---@field i? integer is seq
---@field j? integer is keys

---New tokens of sequences whose other keys and values are cached, one tiled kernel: a CTA owns the heads
---that share K and V.  With one new token it is the step of a decode, with more the check of so many
---drafted tokens (speculative decoding), causal at the end: K and V once, FLOP seq times.
---    cached     tokens, required
---    seq        new tokens: 1
---    causal     true
---    splits     CTAs that share the keys of a sequence (FlashDecoding), so that few sequences fill a
---               device; each writes e + 2 f32 a row, and a small kernel merges them: 1
---    page       slots of a page (PagedAttention, arXiv 2309.06180): whole pages are loaded, and 4 bytes of a
---               page table for each; without window: none
---    tile       tile sizes: { j = 64 }, of pages { p = 64 / page }
---    schedule   more options of kc.tile: none
---@param p kcost.lib.attention.decode
---@return kcost.Kernel
function attention.decode(p) end

---@class kcost.lib.attention.standard_backward
---@field batch? integer sequences: 1
---@field cached? integer tokens before them whose keys and values are there already: 0
---@field causal? any true: a query sees no later key, the last one sees all keys (j - i <= keys - seq); "top-left": the first one sees one key (j <= i); false. Pairs are counted exactly; half the square is a convention: kc.count(x, { convention = { causal = "half" } })
---@field dtype? kcost.DtypeName of all tensors: "f16"; below 16 bits, what is written has 16
---@field head_dim integer of Q and K, required
---@field heads? integer query heads: 1
---@field keys? integer keys of a sequence: cached + seq
---@field kv_dtype? kcost.DtypeName of K and V, scales included where it has any ("mxf8", a kc.dtype): dtype
---@field kv_heads? integer heads of K and V, which divide heads (GQA; 1 is MQA): heads
---@field seq integer queries of a sequence, required
---@field value_dim? integer of V and O: head_dim
---@field window? integer a query sees that many keys, its own the last; where there are fewer, these: all
---@field b? integer is batch
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field g? integer is kv_heads
---@field h? integer is heads
---@field i? integer is seq
---@field j? integer is keys

---From a P that the forward pass kept: a program of six untiled kernels.  Four matmuls, of n live pairs
---4 n (d + e) FLOP; P is read twice, dP written and read, dS written and read twice.
---@param p kcost.lib.attention.standard_backward
---@return kcost.Program
function attention.standard_backward(p) end

---@class kcost.lib.attention.flash_backward
---@field batch? integer sequences: 1
---@field cached? integer tokens before them whose keys and values are there already: 0
---@field causal? any true: a query sees no later key, the last one sees all keys (j - i <= keys - seq); "top-left": the first one sees one key (j <= i); false. Pairs are counted exactly; half the square is a convention: kc.count(x, { convention = { causal = "half" } })
---@field dtype? kcost.DtypeName of all tensors: "f16"; below 16 bits, what is written has 16
---@field head_dim integer of Q and K, required
---@field heads? integer query heads: 1
---@field how? string "two": a kernel that owns keys (dK, dV) and one that owns queries (dQ); S and dP are computed in both, seven matmuls; "atomic": one that owns keys, whose CTAs add their share of dQ to HBM in f32, and a last one that rounds it, five matmuls (arXiv 2307.08691): "atomic"
---@field keys? integer keys of a sequence: cached + seq
---@field kv_dtype? kcost.DtypeName of K and V, scales included where it has any ("mxf8", a kc.dtype): dtype
---@field kv_heads? integer heads of K and V, which divide heads (GQA; 1 is MQA): heads
---@field seq integer queries of a sequence, required
---@field tile? table tile sizes: { i = 64, j = 128 }
---@field value_dim? integer of V and O: head_dim
---@field window? integer a query sees that many keys, its own the last; where there are fewer, these: all
---@field b? integer is batch
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field g? integer is kv_heads
---@field h? integer is heads
---@field i? integer is seq
---@field j? integer is keys

---From the log-sum-exp L of each row: P = exp(S - L) is computed again, nothing n x n moves.
---    how      "two": a kernel that owns keys (dK, dV) and one that owns queries (dQ); S and dP are
---             computed in both, seven matmuls; "atomic": one that owns keys, whose CTAs add their share
---             of dQ to HBM in f32, and a last one that rounds it, five matmuls (arXiv 2307.08691): "atomic"
---    tile     tile sizes: { i = 64, j = 128 }
---Useful work of five matmuls, with n live pairs: 2 n (3 d + 2 e) FLOP, 2.5 of the forward pass where e = d.
---@param p kcost.lib.attention.flash_backward
---@return kcost.Kernel
function attention.flash_backward(p) end

---collective.lua: what devices send each other, alone and beside a matmul.
---
---p ranks, a message of S bytes (the whole of what is reduced, gathered, scattered or sent), in one direction over the
---device's link, whose rate is link.bandwidth, but no more than link.peer to each other rank:
---    time = launch + link.fixed + steps * link.latency + bytes / (rate * sustained.link)
---
---    call             bytes, ring        steps       bytes, tree          steps
---    allreduce        2 (p-1)/p S        2 (p-1)     2 S                  2 log2 p
---    allgather        (p-1)/p S          p - 1       (p-1)/p S            log2 p
---    reducescatter    (p-1)/p S          p - 1       (p-1)/p S            log2 p
---    alltoall         (p-1)/p S          1           log2(p)/2 S          log2 p
---    broadcast        S                  p - 1       S                    log2 p
---    send             S                  1           S                    1
---
---Logarithms are rounded up.  Sources: rings, Patarasuk and Yuan (2009); two pipelined trees (allreduce, broadcast),
---Sanders, Speck and Träff (2009), NCCL's double binary trees; recursive doubling and halving, Thakur, Rabenseifner
---and Gropp (2005); all-to-all to all at once, or in log2 p steps, Bruck et al. (1997); latency and rate, Hockney
---(1994).  Against 545 times of NCCL on A100, H100 and B200 (aiconfigurator) the median error is 25 %, 11 % above
---100 MB; messages of 0.1 to 10 MB, for which NCCL changes its protocols, take up to 1.6 times as long.
---HBM: what a rank has is read once, what it gets written once.  Additions count as no work; cores that a library
---takes for its copies are not charged.
---
---Parameters of every function but the last:
---    n            elements that this rank has before, required
---    ranks        p, required
---    dtype        "f16"
---    algorithm    "ring" or "tree": "ring"
---@class kcost.lib.collective
local collective = {}

---@class kcost.lib.collective.allreduce
---@field algorithm? string "ring" or "tree": "ring"
---@field dtype? kcost.DtypeName "f16"
---@field n integer elements that this rank has before, required
---@field ranks integer p, required

---Every rank gets the sum over all: n elements.
---@param p kcost.lib.collective.allreduce
---@return any
function collective.allreduce(p) end

---@class kcost.lib.collective.allgather
---@field algorithm? string "ring" or "tree": "ring"
---@field dtype? kcost.DtypeName "f16"
---@field n integer elements that this rank has before, required
---@field ranks integer p, required

---Every rank gets what all have: ranks * n elements.
---@param p kcost.lib.collective.allgather
---@return any
function collective.allgather(p) end

---@class kcost.lib.collective.reducescatter
---@field algorithm? string "ring" or "tree": "ring"
---@field dtype? kcost.DtypeName "f16"
---@field n integer elements that this rank has before, required
---@field ranks integer p, required

---Every rank gets its part of the sum over all: n / ranks elements.
---@param p kcost.lib.collective.reducescatter
---@return any
function collective.reducescatter(p) end

---@class kcost.lib.collective.alltoall
---@field algorithm? string "ring" or "tree": "ring"
---@field dtype? kcost.DtypeName "f16"
---@field n integer elements that this rank has before, required
---@field ranks integer p, required

---Every rank sends each other one n / ranks elements, and gets as many.
---@param p kcost.lib.collective.alltoall
---@return any
function collective.alltoall(p) end

---@class kcost.lib.collective.broadcast
---@field algorithm? string "ring" or "tree": "ring"
---@field dtype? kcost.DtypeName "f16"
---@field n integer elements that this rank has before, required
---@field ranks integer p, required

---Every rank gets what the first one has: n elements.
---@param p kcost.lib.collective.broadcast
---@return any
function collective.broadcast(p) end

---@class kcost.lib.collective.send
---@field algorithm? string "ring" or "tree": "ring"
---@field dtype? kcost.DtypeName "f16"
---@field n integer elements that this rank has before, required
---@field ranks integer p, required

---One rank to one other: n elements.
---@param p kcost.lib.collective.send
---@return any
function collective.send(p) end

---@class kcost.lib.collective.matmul_allreduce
---@field algorithm? string "ring"
---@field chunks? integer of m, which they divide: 1
---@field dtype? kcost.DtypeName "f16"
---@field k integer sizes of the whole product, required; ranks divides k
---@field m integer sizes of the whole product, required; ranks divides k
---@field n integer sizes of the whole product, required; ranks divides k
---@field ranks integer required
---@field tile? table of a chunk's matmul: untiled

---C[m,n] = sum over ranks of A[m,k/ranks] B[k/ranks,n]: the row-parallel matmul of tensor parallelism, then an allreduce
---of C.  In chunks of rows, the allreduce of one chunk runs beside the matmul of the next:
---
---    chunks = 1:  A B         C
---    chunks = 3:  A B  A B C  A B C  C
---
---so that all but the first matmul and the last allreduce overlap: with t and u the seconds of one chunk's matmul and
---allreduce, t + (chunks - 1) max(t, u) + u.  Smaller chunks have more latencies, launches and bytes of B.
---Useful work: 2 m n k / ranks FLOP.  Link: an allreduce of m n elements.
---Source: Wang et al., "Overlap communication with dependent computation via decomposition" (ASPLOS 2023).
---    m, n, k      sizes of the whole product, required; ranks divides k
---    ranks        required
---    chunks       of m, which they divide: 1
---    dtype        "f16"
---    algorithm    "ring"
---    tile         of a chunk's matmul: untiled
---@param p kcost.lib.collective.matmul_allreduce
---@return any
function collective.matmul_allreduce(p) end

---conv.lua: convolutions in one, two or three dimensions.
---
---    Y[n,f,p] = sum over c and r of X[n, c, stride*p + dilation*r - pad] W[f,c,r]
---
---Dims: n images, g groups, c channels and f filters of a group; of each axis one of y x z (input), p q o (output)
---and r s t (taps); sizes in elements.  Parameters of every function here, but those that it says it lacks:
---    image      sizes of the input's axes, { 224, 224 } or "224 224", required: one number is one axis
---    filter     taps of each axis, { 3, 3 }, required: a number stands for all axes
---    channels   of X, required
---    filters    channels of Y, required
---    stride, dilation    of each axis, as filter: 1
---    pad        of each side of each axis, as filter: 0
---    groups     divide channels and filters; as many as channels is depthwise: 1
---    batch      images: 1
---    dtype      of all tensors: "f16"
---    unit       "matrix" or "vector", which does the products: "matrix"; "vector" where a group has one channel
---All are untiled kernels, unless it is said.  With T the pairs of an output point and a tap that lie inside the
---image, the product over axes: useful work is 2 batch (channels / groups) filters T FLOP, the same forward, for
---the gradient of the data and for that of the weights.  Padding taps count as executed, and under the
---convention { padding = true } as work.  Compulsory traffic: each tensor once, of X what some tap touches.
---@class kcost.lib.conv
local conv = {}

---@class kcost.lib.conv.forward
---@field batch? integer images: 1
---@field bias? boolean a vector over filters is added, 1 FLOP an element of Y: false
---@field channels integer of X, required
---@field dilation? any of each axis, as filter: 1
---@field dtype? kcost.DtypeName of all tensors: "f16"
---@field epilogue? any a named map on Y ("relu"): none
---@field filter any taps of each axis, { 3, 3 }, required: a number stands for all axes
---@field filters integer channels of Y, required
---@field groups? integer divide channels and filters; as many as channels is depthwise: 1
---@field image any sizes of the input's axes, { 224, 224 } or "224 224", required: one number is one axis
---@field pad? any of each side of each axis, as filter: 0
---@field stride? any of each axis, as filter: 1
---@field unit? any "matrix" or "vector", which does the products: "matrix"; "vector" where a group has one channel

---Y of the formula above.
---    bias       a vector over filters is added, 1 FLOP an element of Y: false
---    epilogue   a named map on Y ("relu"): none
---@param p kcost.lib.conv.forward
---@return any
function conv.forward(p) end

---@class kcost.lib.conv.backward_data
---@field batch? integer images: 1
---@field channels integer of X, required
---@field dilation? any of each axis, as filter: 1
---@field dtype? kcost.DtypeName of all tensors: "f16"
---@field filter any taps of each axis, { 3, 3 }, required: a number stands for all axes
---@field filters integer channels of Y, required
---@field groups? integer divide channels and filters; as many as channels is depthwise: 1
---@field image any sizes of the input's axes, { 224, 224 } or "224 224", required: one number is one axis
---@field pad? any of each side of each axis, as filter: 0
---@field stride? any of each axis, as filter: 1
---@field unit? any "matrix" or "vector", which does the products: "matrix"; "vector" where a group has one channel

---dX[n,c,stride*p + dilation*r - pad] = sum over f of dY[n,f,p] W[f,c,r], added up over the p and r that meet.
---@param p kcost.lib.conv.backward_data
---@return any
function conv.backward_data(p) end

---@class kcost.lib.conv.backward_weight
---@field batch? integer images: 1
---@field channels integer of X, required
---@field dilation? any of each axis, as filter: 1
---@field dtype? kcost.DtypeName of all tensors: "f16"
---@field filter any taps of each axis, { 3, 3 }, required: a number stands for all axes
---@field filters integer channels of Y, required
---@field groups? integer divide channels and filters; as many as channels is depthwise: 1
---@field image any sizes of the input's axes, { 224, 224 } or "224 224", required: one number is one axis
---@field pad? any of each side of each axis, as filter: 0
---@field stride? any of each axis, as filter: 1
---@field unit? any "matrix" or "vector", which does the products: "matrix"; "vector" where a group has one channel

---dW[f,c,r] = sum over n and p of dY[n,f,p] X[n, c, stride*p + dilation*r - pad].
---@param p kcost.lib.conv.backward_weight
---@return any
function conv.backward_weight(p) end

---@class kcost.lib.conv.transposed
---@field batch? integer images: 1
---@field bias? boolean a vector over filters is added by a second kernel, 1 FLOP an element of Y: false
---@field channels integer of X, required
---@field dilation? any of each axis, as filter: 1
---@field dtype? kcost.DtypeName of all tensors: "f16"
---@field filter any taps of each axis, { 3, 3 }, required: a number stands for all axes
---@field filters integer channels of Y, required
---@field groups? integer divide channels and filters; as many as channels is depthwise: 1
---@field image any sizes of the input's axes, { 224, 224 } or "224 224", required: one number is one axis
---@field output_pad? integer elements more on one side of each axis, as filter: 0
---@field pad? any of each side of each axis, as filter: 0
---@field stride? any of each axis, as filter: 1
---@field unit? any "matrix" or "vector", which does the products: "matrix"; "vector" where a group has one channel

---Y[n, f, stride*p + dilation*r - pad] = sum over c of X[n,c,p] W[c,f,r]: the image is the small side, and
---the work that of the convolution whose gradient it is.  An axis of Y has
---stride (image - 1) + dilation (filter - 1) + 1 - 2 pad + output_pad elements.
---    output_pad    elements more on one side of each axis, as filter: 0
---    bias          a vector over filters is added by a second kernel, 1 FLOP an element of Y: false
---@param p kcost.lib.conv.transposed
---@return kcost.Kernel
function conv.transposed(p) end

---@class kcost.lib.conv.gemm
---@field batch? integer images: 1
---@field channels integer of X, required
---@field dilation? any of each axis, as filter: 1
---@field dtype? kcost.DtypeName of all tensors: "f16"
---@field filter any taps of each axis, { 3, 3 }, required: a number stands for all axes
---@field filters integer channels of Y, required
---@field groups? integer divide channels and filters; as many as channels is depthwise: 1
---@field image any sizes of the input's axes, { 224, 224 } or "224 224", required: one number is one axis
---@field pad? any of each side of each axis, as filter: 0
---@field stride? any of each axis, as filter: 1
---@field unit? any "matrix" or "vector", which does the products: "matrix"; "vector" where a group has one channel

---The matrix product that a convolution is: { m, n, k, batch }, of which conv.forward reads A by index and
---gemm.batched from a matrix that was written before.
---    m = batch p q     n = filters / groups     k = (channels / groups) r s     batch = groups
---@param p kcost.lib.conv.gemm
---@return any
function conv.gemm(p) end

---@class kcost.lib.conv.winograd
---@field batch? integer images: 1
---@field channels integer of X, required
---@field dilation? any of each axis, as filter: 1
---@field dtype? kcost.DtypeName of all tensors: "f16"
---@field filter? integer taps of each axis, { 3, 3 }, required: a number stands for all axes
---@field filters integer channels of Y, required
---@field groups? integer divide channels and filters; as many as channels is depthwise: 1
---@field image any sizes of the input's axes, { 224, 224 } or "224 224", required: one number is one axis
---@field pad? any of each side of each axis, as filter: 0
---@field stride? any of each axis, as filter: 1
---@field unit? any "matrix" or "vector", which does the products: "matrix"; "vector" where a group has one channel

---A 3x3 convolution of stride 1 by F(2x2, 3x3): 16 products for each 2x2 outputs, where 36 are nominal.  A
---program of three untiled kernels: V = B^T X B, M = sum over c of U V (U are the transformed weights, made
---once), Y = A^T M A; the 16 products lie apart in U, V and M.  The output's axes are even.  It has no filter,
---stride, dilation, groups and unit.
---Useful work: 32 FLOP for each input tile of 4x4 and channel (2 for each of its elements inside the image),
---2 * 16 for each tile, channel and filter, 24 for each tile and filter.  Source: Lavin and Gray, arXiv
---1509.09308, section 4.1.
---@param p kcost.lib.conv.winograd
---@return kcost.Program
function conv.winograd(p) end

---@class kcost.lib.conv.pool
---@field batch? integer images: 1
---@field channels integer of X, required
---@field dilation? any of each axis, as filter: 1
---@field dtype? kcost.DtypeName of all tensors: "f16"
---@field filter any taps of each axis, { 3, 3 }, required: a number stands for all axes
---@field filters? integer channels of Y, required
---@field groups? integer divide channels and filters; as many as channels is depthwise: 1
---@field image any sizes of the input's axes, { 224, 224 } or "224 224", required: one number is one axis
---@field pad? any of each side of each axis, as filter: 0
---@field stride? any of each axis, as filter: 1
---@field unit? any "matrix" or "vector", which does the products: "matrix"; "vector" where a group has one channel
---@field what? string "max" or "mean": "max"

---Pooling: Y[n,c,p] = the maximum (or mean) of X over the taps.  It has no filters, groups, dilation and unit.
---    what       "max" or "mean": "max"
---Useful work: 1 FLOP a tap inside the image.  Compulsory traffic: Y, and of X what some tap touches.
---@param p kcost.lib.conv.pool
---@return any
function conv.pool(p) end

---elementwise.lua: one op on every element; memory-bound on any device.  All are untiled kernels.
---
---Parameters of every function here, but those that it says it lacks:
---    n         elements, required
---    dtype     of what is read and written: "f16"
---@class kcost.lib.elementwise
local elementwise = {}

---@class kcost.lib.elementwise.apply
---@field dtype? kcost.DtypeName of what is read and written: "f16"
---@field input? any a tensor to read as X, of any dims: a new one with the dim n
---@field n? any required without `input`
---@field output? string the name of Y: "Y"
---@field what any a named map ("gelu", "silu", "relu", …) or a cost { flops =, special = }, required

---Y = what(X).
---    what     a named map ("gelu", "silu", "relu", …) or a cost { flops =, special = }, required
---    n        required without `input`
---    input    a tensor to read as X, of any dims: a new one with the dim n
---    output   the name of Y: "Y"
---Useful work: the map's cost per element; compulsory traffic: X read and Y written once.
---@param p kcost.lib.elementwise.apply
---@return any
function elementwise.apply(p) end

---@class kcost.lib.elementwise.gelu
---@field dtype? kcost.DtypeName of what is read and written: "f16"
---@field n integer elements, required

---Y = gelu(X): 8 FLOP and 1 special op an element (the tanh form).
---@param p kcost.lib.elementwise.gelu
---@return any
function elementwise.gelu(p) end

---@class kcost.lib.elementwise.silu
---@field dtype? kcost.DtypeName of what is read and written: "f16"
---@field n integer elements, required

---Y = X / (1 + exp(-X)): 2 FLOP and 2 special ops an element.
---@param p kcost.lib.elementwise.silu
---@return any
function elementwise.silu(p) end

---@class kcost.lib.elementwise.swiglu
---@field dtype? kcost.DtypeName of what is read and written: "f16"
---@field n integer elements, required

---Y = silu(gate) * up: 3 FLOP and 2 special ops an element of Y; reads two, writes one.
---@param p kcost.lib.elementwise.swiglu
---@return any
function elementwise.swiglu(p) end

---@class kcost.lib.elementwise.rope
---@field batch? integer 1
---@field dtype? kcost.DtypeName of what is read and written: "f16"
---@field head_dim integer sizes, required; head_dim is even
---@field heads integer sizes, required; head_dim is even
---@field n? any elements, required
---@field seq integer sizes, required; head_dim is even

---Rotary position embedding: pairs (x0, x1) of a head turn by an angle of their place and position,
---    y0 = x0 cos - x1 sin     y1 = x0 sin + x1 cos
---It has no n.
---    seq, heads, head_dim    sizes, required; head_dim is even
---    batch                   1
---Useful work: 3 FLOP an element.  Compulsory traffic: X and Y once, and seq head_dim / 2 cosines and sines
---of `dtype`.  Source: Su et al., arXiv 2104.09864, equation 34.
---@param p kcost.lib.elementwise.rope
---@return any
function elementwise.rope(p) end

---@class kcost.lib.elementwise.dropout
---@field dtype? kcost.DtypeName of what is read and written: "f16"
---@field keep_mask? boolean the draw is written, a byte an element, for the backward pass: false
---@field n integer elements, required

---Y = X * kept / (1 - rate), which elements are kept being drawn on chip.
---    keep_mask    the draw is written, a byte an element, for the backward pass: false
---Useful work: 3 FLOP an element (compare, two products); the generator's integer ops are not counted.
---@param p kcost.lib.elementwise.dropout
---@return any
function elementwise.dropout(p) end

---@class kcost.lib.elementwise.cast
---@field dtype? kcost.DtypeName of what is read and written: "f16"
---@field n integer elements, required
---@field to any dtype of Y, required

---Y = X in another dtype: no FLOP.
---    to       dtype of Y, required
---@param p kcost.lib.elementwise.cast
---@return any
function elementwise.cast(p) end

---@class kcost.lib.elementwise.quantise
---@field block? integer elements that share a scale, which divide n: 128
---@field dtype? kcost.DtypeName of what is read and written: "f16"
---@field n integer elements, required
---@field scale_dtype? kcost.DtypeName of s: "f32"
---@field to? string dtype of Q: "i8"

---Q = round(X / s) with s = max |X| / largest value of a block.
---    to            dtype of Q: "i8"
---    block         elements that share a scale, which divide n: 128
---    scale_dtype   of s: "f32"
---Useful work: 3 FLOP an element (maximum; product, round), a block 1 FLOP and 1 reciprocal.  Compulsory
---traffic: X, Q and the scales once.  A dtype with scales of its own ("mxf8") is a cast: its scales are inside.
---@param p kcost.lib.elementwise.quantise
---@return any
function elementwise.quantise(p) end

---@class kcost.lib.elementwise.dequantise
---@field block? integer elements that share a scale, which divide n: 128
---@field dtype? kcost.DtypeName of what is read and written: "f16"
---@field n integer elements, required
---@field scale_dtype? kcost.DtypeName of s: "f32"
---@field to? string dtype of Q: "i8"

---Y = Q s, parameters as of `quantise`, dtype being that of Y: 1 FLOP an element.
---@param p kcost.lib.elementwise.dequantise
---@return any
function elementwise.dequantise(p) end

---embedding.lua: rows of a table, by number.  tokens t, vocabulary v, features k; sizes in elements.
---
---Parameters of both functions:
---    tokens, vocab, hidden    sizes, required
---    dtype                    of the table and of what is read or written: "f16"
---Both are untiled kernels without a FLOP: a table is no matrix that tokens are multiplied by.
---@class kcost.lib.embedding
local embedding = {}

---@class kcost.lib.embedding.gather
---@field distinct? any rows that are different, at most; may be an expected value: the fewer of tokens and vocab
---@field dtype? kcost.DtypeName of the table and of what is read or written: "f16"
---@field hidden integer sizes, required
---@field tokens integer sizes, required
---@field vocab integer sizes, required

---Y[t,k] = table[token[t],k].
---    distinct    rows that are different, at most; may be an expected value: the fewer of tokens and vocab
---Compulsory traffic: the distinct rows of the table, an i32 number and a row of Y a token.
---@param p kcost.lib.embedding.gather
---@return any
function embedding.gather(p) end

---@class kcost.lib.embedding.backward
---@field dtype? kcost.DtypeName of the table and of what is read or written: "f16"
---@field hidden integer sizes, required
---@field tokens integer sizes, required
---@field vocab integer sizes, required

---dtable[token[t],k] += dY[t,k], for a gradient that is kept as the rows that occur.
---Compulsory traffic: dY and an i32 number a token; a row of dtable a token, at most the table.
---@param p kcost.lib.embedding.backward
---@return any
function embedding.backward(p) end

---gemm.lua: matrix products.  m rows of A, n columns of B, k contracted, all in elements; dtypes by name.
---
---    C[m,n] = epilogue(sum_k A[m,k] B[k,n])
---
---Parameters of every function here, but those that it says it lacks:
---    m, n, k      sizes, required
---    dtype        of A: "f16"
---    weights      of B: dtype.  "i4g128" with dtype "f16" is W4A16; a device multiplies in the wider one
---    out          of C: dtype
---    dequantise   FLOP that a weight costs before it is multiplied, once for each time that it is loaded: 0
---and of the epilogue, in the order in which it is done, each element of C once:
---    scale        "row", "column" or "both": f32 factors of C's rows and columns, 1 FLOP each: none
---    bias         a vector over n is added, 1 FLOP: false
---    epilogue     a named map on C ("gelu", "silu", …): none
---    residual     a matrix over m and n is added, 1 FLOP (beta = 1): false
---W8A8 is { dtype = "i8", out = "f16", scale = "both" }: i8 operands, i32 sums, factors of token and channel.
---Useful work: 2 m n k FLOP, and the epilogue's an element of C.  Compulsory traffic: A, B, C, and what
---the epilogue reads, once.  In a 2-byte dtype the intensity is m n k / (m k + k n + m n).
---@class kcost.lib.gemm
local gemm = {}

---@class kcost.lib.gemm.plain
---@field bias? boolean a vector over n is added, 1 FLOP: false
---@field dequantise? integer FLOP that a weight costs before it is multiplied, once for each time that it is loaded: 0
---@field dtype? kcost.DtypeName of A: "f16"
---@field epilogue? any a named map on C ("gelu", "silu", …): none
---@field input? any a tensor with dims m k to read as A: a new one
---@field k integer sizes, required
---@field m integer sizes, required
---@field n integer sizes, required
---@field out? string of C: dtype
---@field residual? boolean a matrix over m and n is added, 1 FLOP (beta = 1): false
---@field scale? any "row", "column" or "both": f32 factors of C's rows and columns, 1 FLOP each: none
---@field weights? string of B: dtype. "i4g128" with dtype "f16" is W4A16; a device multiplies in the wider one

---One product, an untiled kernel.
---    input    a tensor with dims m k to read as A: a new one
---@param p kcost.lib.gemm.plain
---@return kcost.Kernel
function gemm.plain(p) end

---@class kcost.lib.gemm.batched
---@field batch integer products, required
---@field bias? boolean a vector over n is added, 1 FLOP: false
---@field dequantise? integer FLOP that a weight costs before it is multiplied, once for each time that it is loaded: 0
---@field dtype? kcost.DtypeName of A: "f16"
---@field epilogue? any a named map on C ("gelu", "silu", …): none
---@field k integer sizes, required
---@field m integer sizes, required
---@field n integer sizes, required
---@field out? string of C: dtype
---@field residual? boolean a matrix over m and n is added, 1 FLOP (beta = 1): false
---@field scale? any "row", "column" or "both": f32 factors of C's rows and columns, 1 FLOP each: none
---@field shared? boolean one B for all: false
---@field weights? string of B: dtype. "i4g128" with dtype "f16" is W4A16; a device multiplies in the wider one

---As many products as `batch` says, each with its own A, B and C, an untiled kernel.
---    batch    products, required
---    shared   one B for all: false
---Useful work batch times, compulsory traffic too, but for a shared B and the epilogue's vectors.
---@param p kcost.lib.gemm.batched
---@return kcost.Kernel
function gemm.batched(p) end

---@class kcost.lib.gemm.grouped
---@field bias? boolean a vector over n is added, 1 FLOP: false
---@field dequantise? integer FLOP that a weight costs before it is multiplied, once for each time that it is loaded: 0
---@field dtype? kcost.DtypeName of A: "f16"
---@field epilogue? any a named map on C ("gelu", "silu", …): none
---@field k integer sizes, required
---@field m? any sizes, required
---@field n integer sizes, required
---@field out? string of C: dtype
---@field residual? boolean a matrix over m and n is added, 1 FLOP (beta = 1): false
---@field rows any a list of numbers of rows, required
---@field scale? any "row", "column" or "both": f32 factors of C's rows and columns, 1 FLOP each: none
---@field tile? table tile sizes: { m = 128, n = 128, k = 64 }
---@field weights? string of B: dtype. "i4g128" with dtype "f16" is W4A16; a device multiplies in the wider one

---Products of one n and k and different numbers of rows, each with its own B, in one launch: the experts
---of a mixture.  An expert without rows is not read.  It has no m.
---    rows     a list of numbers of rows, required
---    tile     tile sizes: { m = 128, n = 128, k = 64 }
---Useful work 2 sum(rows) n k FLOP; compulsory traffic sum(rows) (k + n) elements, and k n for each with rows.
---@param p kcost.lib.gemm.grouped
---@return any
function gemm.grouped(p) end

---@class kcost.lib.gemm.vector
---@field bias? boolean a vector over n is added, 1 FLOP: false
---@field dequantise? integer FLOP that a weight costs before it is multiplied, once for each time that it is loaded: 0
---@field dtype? kcost.DtypeName of A: "f16"
---@field epilogue? any a named map on C ("gelu", "silu", …): none
---@field k integer sizes, required
---@field m? any sizes, required
---@field n integer sizes, required
---@field out? string of C: dtype
---@field residual? boolean a matrix over m and n is added, 1 FLOP (beta = 1): false
---@field scale? any "row", "column" or "both": f32 factors of C's rows and columns, 1 FLOP each: none
---@field weights? string of B: dtype. "i4g128" with dtype "f16" is W4A16; a device multiplies in the wider one

---y[n] = sum_k W[n,k] x[k] on the vector unit, an untiled kernel.  It has no m; W is named B, y C.
---Memory-bound on any device: 2 FLOP for each weight.
---@param p kcost.lib.gemm.vector
---@return kcost.Kernel
function gemm.vector(p) end

---@class kcost.lib.gemm.split_k
---@field bias? boolean a vector over n is added, 1 FLOP: false
---@field combine? string how the f32 partials become C: "kernel" or "atomic": "kernel"
---@field dequantise? integer FLOP that a weight costs before it is multiplied, once for each time that it is loaded: 0
---@field dtype? kcost.DtypeName of A: "f16"
---@field epilogue? any a named map on C ("gelu", "silu", …): none
---@field k integer sizes, required
---@field m integer sizes, required
---@field n integer sizes, required
---@field out? string of C: dtype
---@field residual? boolean a matrix over m and n is added, 1 FLOP (beta = 1): false
---@field scale? any "row", "column" or "both": f32 factors of C's rows and columns, 1 FLOP each: none
---@field splits? any CTAs that share the trips over k, or "stream" (stream-K): 4
---@field tile? table tile sizes: { m = 128, n = 128, k = 64 }
---@field weights? string of B: dtype. "i4g128" with dtype "f16" is W4A16; a device multiplies in the wider one

---A tiled product whose k is shared by several CTAs, so that few rows still fill a device.
---    splits   CTAs that share the trips over k, or "stream" (stream-K): 4
---    tile     tile sizes: { m = 128, n = 128, k = 64 }
---    combine  how the f32 partials become C: "kernel" or "atomic": "kernel"
---Useful work as of `plain`.  With the kernel each of the `splits` partials of m n f32 elements is written
---once and read once more.
---@param p kcost.lib.gemm.split_k
---@return kcost.Kernel
function gemm.split_k(p) end

---@class kcost.lib.gemm.sparse
---@field bias? boolean a vector over n is added, 1 FLOP: false
---@field dequantise? integer FLOP that a weight costs before it is multiplied, once for each time that it is loaded: 0
---@field dtype? kcost.DtypeName of A: "f16"
---@field epilogue? any a named map on C ("gelu", "silu", …): none
---@field k integer sizes, required
---@field m integer sizes, required
---@field n integer sizes, required
---@field out? string of C: dtype
---@field residual? boolean a matrix over m and n is added, 1 FLOP (beta = 1): false
---@field scale? any "row", "column" or "both": f32 factors of C's rows and columns, 1 FLOP each: none
---@field weights? any of B: dtype. "i4g128" with dtype "f16" is W4A16; a device multiplies in the wider one

---A product with 2:4-sparse weights: of four neighbours along k two are kept, each with 2 bits that say
---where it stood.  Nothing else here, and no peak of any device, counts on zeros.  It has no weights.
---Useful work m n k FLOP; compulsory traffic of B: k n / 2 elements of 2 bits more than dtype's.
---k must be even.  Source: Mishra et al., arXiv 2104.08378, section 3.
---@param p kcost.lib.gemm.sparse
---@return any
function gemm.sparse(p) end

---kv_cache.lua: what attention keeps of each token: bytes, out of named parts.
---
---A part is { name =, width =, dtype = }: elements of a token in one layer, stored as `dtype`, scales included
---where it has any (kc.dtype { name = "f8 with f32 scales", bits = 8, block = 128, scale_bits = 32, … }).
---@class kcost.lib.kv_cache
local kv_cache = {}

---@class kcost.lib.kv_cache.heads
---@field dtype? kcost.DtypeName of both: "bf16"
---@field head_dim integer of K, required: a model's file says it, and hidden size over heads is another number
---@field kv_heads integer heads that are kept, required
---@field value_dim? integer of V: head_dim

---The parts of heads: K and V.
---    kv_heads     heads that are kept, required
---    head_dim     of K, required: a model's file says it, and hidden size over heads is another number
---    value_dim    of V: head_dim
---    dtype        of both: "bf16"
---@param p kcost.lib.kv_cache.heads
---@return any
function kv_cache.heads(p) end

---@class kcost.lib.kv_cache.latent
---@field dtype? kcost.DtypeName of the latent: "bf16"
---@field latent_dim? integer 512
---@field rope_dim? integer 64
---@field rope_dtype? kcost.DtypeName "bf16"

---The parts of a latent (MLA): one vector for K and V of all heads, and the key that carries the position.
---    latent_dim   512
---    rope_dim     64
---    dtype        of the latent: "bf16"
---    rope_dtype   "bf16"
---@param p kcost.lib.kv_cache.latent
---@return any
function kv_cache.latent(p) end

---@class kcost.lib.kv_cache.bytes
---@field batch? integer sequences: 1
---@field layers? integer that have these parts: 1
---@field page? integer slots of a page; tokens are rounded up to whole pages: 1
---@field parts any a list of parts, required
---@field tokens? integer of a sequence: 1
---@field window? integer tokens that a sliding window keeps, at most: all

---Bytes of a cache: those of its parts, for every layer, sequence and slot.
---    parts     a list of parts, required
---    layers    that have these parts: 1
---    tokens    of a sequence: 1
---    batch     sequences: 1
---    page      slots of a page; tokens are rounded up to whole pages: 1
---    window    tokens that a sliding window keeps, at most: all
---@param p kcost.lib.kv_cache.bytes
---@return any
function kv_cache.bytes(p) end

---mla.lua: multi-head latent attention, whose cache holds one latent vector a token for all heads.
---
---    K[h,j,d] = sum_c Wk[h,d,c] C[j,c]        S[h,i,j] = sum_d Q[h,i,d] K[h,j,d] + sum_r Qr[h,i,r] R[j,r]
---    V[h,j,e] = sum_c Wv[h,e,c] C[j,c]        O[h,i,e] = sum_j softmax_j(S)[h,i,j] V[h,j,e]
---
---C is the latent and R the key that carries the position; both are the cache.  Absorbed, the heads work in
---the latent: Qc = Q Wk, S = Qc C + Qr R, Oc = P C, O = Oc Wv, and K and V never exist (DeepSeek-V2,
---arXiv 2405.04434, section 2.1).  Dims: b batch, h heads, i queries, j keys, d and e head sizes, c latent,
---r position; sizes in elements.  Parameters of every function here:
---    seq (i)          new tokens of a sequence: 1
---    cached           tokens before them, whose C and R are in the cache: 0
---    head_dim (d)     of Q without the position: 128
---    rope_dim (r)     of the position: 64
---    value_dim (e)    of V and O: head_dim
---    latent_dim (c)   512
---    batch (b)        sequences: 1
---    heads (h)        1
---    dtype            of all tensors: "bf16"
---    kv_dtype         of C and R: dtype
---    causal           a query sees no later key: true
---    tile             tile sizes of the attention: { i = 128, j = 64 }; of `latent` { h = 64, i = 1, j = 64 }
---    splits           CTAs that share the keys, as in attention.decode: 1
---n is the number of live pairs of a query and a key in all heads.
---@class kcost.lib.mla
local mla = {}

---@class kcost.lib.mla.heads
---@field batch? integer sequences: 1
---@field cached? integer tokens before them, whose C and R are in the cache: 0
---@field causal? boolean a query sees no later key: true
---@field dtype? kcost.DtypeName of all tensors: "bf16"
---@field head_dim? integer of Q without the position: 128
---@field heads? integer 1
---@field kv_dtype? kcost.DtypeName of C and R: dtype
---@field latent_dim? integer 512
---@field rope_dim? integer of the position: 64
---@field seq? integer new tokens of a sequence: 1
---@field splits? integer CTAs that share the keys, as in attention.decode: 1
---@field tile? table tile sizes of the attention: { i = 128, j = 64 }; of `latent` { h = 64, i = 1, j = 64 }
---@field value_dim? integer of V and O: head_dim
---@field b? integer is batch
---@field c? integer is latent_dim
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field h? integer is heads
---@field i? integer is seq
---@field r? integer is rope_dim

---Attention over keys and values of every head that exist already (a prefill), one tiled kernel.
---Useful work: 2 n (d + r + e) FLOP in matmuls.  Compulsory traffic: Q, Qr, O, K and V of all heads, R once.
---@param p kcost.lib.mla.heads
---@return kcost.Kernel
function mla.heads(p) end

---@class kcost.lib.mla.latent
---@field batch? integer sequences: 1
---@field cached? integer tokens before them, whose C and R are in the cache: 0
---@field causal? boolean a query sees no later key: true
---@field dtype? kcost.DtypeName of all tensors: "bf16"
---@field head_dim? integer of Q without the position: 128
---@field heads? integer 1
---@field kv_dtype? kcost.DtypeName of C and R: dtype
---@field latent_dim? integer 512
---@field rope_dim? integer of the position: 64
---@field seq? integer new tokens of a sequence: 1
---@field splits? integer CTAs that share the keys, as in attention.decode: 1
---@field tile? table tile sizes of the attention: { i = 128, j = 64 }; of `latent` { h = 64, i = 1, j = 64 }
---@field value_dim? integer of V and O: head_dim
---@field b? integer is batch
---@field c? integer is latent_dim
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field h? integer is heads
---@field i? integer is seq
---@field r? integer is rope_dim

---Attention in the latent, as FlashMLA does it, one tiled kernel: C serves as keys and as values.
---Useful work: 2 n (2 c + r) FLOP in matmuls.  Compulsory traffic: Qc, Qr, Oc, C and R once: with one query
---of many heads (2 c + r) / (c + r) heads FLOP for each byte of a 2-byte cache.
---@param p kcost.lib.mla.latent
---@return kcost.Kernel
function mla.latent(p) end

---@class kcost.lib.mla.absorbed
---@field batch? integer sequences: 1
---@field cached? integer tokens before them, whose C and R are in the cache: 0
---@field causal? boolean a query sees no later key: true
---@field dtype? kcost.DtypeName of all tensors: "bf16"
---@field head_dim? integer of Q without the position: 128
---@field heads? integer 1
---@field kv_dtype? kcost.DtypeName of C and R: dtype
---@field latent_dim? integer 512
---@field rope_dim? integer of the position: 64
---@field seq? integer new tokens of a sequence: 1
---@field splits? integer CTAs that share the keys, as in attention.decode: 1
---@field tile? table tile sizes of the attention: { i = 128, j = 64 }; of `latent` { h = 64, i = 1, j = 64 }
---@field value_dim? integer of V and O: head_dim
---@field b? integer is batch
---@field c? integer is latent_dim
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field h? integer is heads
---@field i? integer is seq
---@field r? integer is rope_dim

---The whole of it absorbed, a program of three kernels: Qc = Q Wk, attention in the latent, O = Oc Wv.
---Useful work beyond mla.latent: 2 b h i c (d + e) FLOP; Wk and Wv are read once, h c (d + e) elements.
---@param p kcost.lib.mla.absorbed
---@return kcost.Program
function mla.absorbed(p) end

---@class kcost.lib.mla.expanded
---@field batch? integer sequences: 1
---@field cached? integer tokens before them, whose C and R are in the cache: 0
---@field causal? boolean a query sees no later key: true
---@field dtype? kcost.DtypeName of all tensors: "bf16"
---@field head_dim? integer of Q without the position: 128
---@field heads? integer 1
---@field kv_dtype? kcost.DtypeName of C and R: dtype
---@field latent_dim? integer 512
---@field rope_dim? integer of the position: 64
---@field seq? integer new tokens of a sequence: 1
---@field splits? integer CTAs that share the keys, as in attention.decode: 1
---@field tile? table tile sizes of the attention: { i = 128, j = 64 }; of `latent` { h = 64, i = 1, j = 64 }
---@field value_dim? integer of V and O: head_dim
---@field b? integer is batch
---@field c? integer is latent_dim
---@field d? integer is head_dim
---@field e? integer is value_dim
---@field h? integer is heads
---@field i? integer is seq
---@field r? integer is rope_dim

---The whole of it with K and V of all heads made from the cache at each step, a program of three kernels.
---Useful work beyond mla.heads: 2 b h j c (d + e) FLOP.
---@param p kcost.lib.mla.expanded
---@return kcost.Program
function mla.expanded(p) end

---moe.lua: a mixture of experts: a router picks top_k of the experts for each token, and their outputs add up.
---
---    G = softmax(X Wr)     O[t] = sum over the top_k experts x of G[t,x] E_x(X[t])
---    E(x) = (silu(x Wg) * (x Wu)) Wd
---
---Dims: t tokens, x experts, s the places of a token's experts, k features, f inner features; sizes in elements.
---Parameters of every function here:
---    tokens, experts, top_k, hidden    sizes, required
---    dtype                             of all activations: "bf16"
---@class kcost.lib.moe
local moe = {}

---@class kcost.lib.moe.distinct
---@field dtype? kcost.DtypeName of all activations: "bf16"
---@field experts integer sizes, required
---@field tokens integer sizes, required
---@field top_k integer sizes, required

---How many different experts the tokens reach, on average, if the router spreads them evenly:
---    experts (1 - (1 - top_k / experts)^tokens)
---It has no hidden and dtype.
---@param p kcost.lib.moe.distinct
---@return any
function moe.distinct(p) end

---@class kcost.lib.moe.route
---@field dtype? kcost.DtypeName of all activations: "bf16"
---@field experts integer sizes, required
---@field hidden integer sizes, required
---@field tokens integer sizes, required
---@field top_k integer sizes, required

---The router, one untiled kernel: weights and numbers of the experts of each token.
---Useful work: 2 tokens hidden experts FLOP in the matmul; 5 FLOP (softmax 4, top-k 1) and 1 exp for each token and
---expert, 1 reciprocal a token; 2 FLOP and 1 reciprocal for each weight (sum, quotient).  Compulsory traffic: X,
---Wr, and a weight and an i32 number for each token and place.
---@param p kcost.lib.moe.route
---@return kcost.Kernel
function moe.route(p) end

---@class kcost.lib.moe.mlp
---@field distinct? any experts that are read: what moe.distinct says, on average; experts is "all of them"
---@field dtype? kcost.DtypeName of all activations: "bf16"
---@field experts integer sizes, required
---@field gated? boolean three matrices and silu; false: two and gelu: true
---@field hidden integer sizes, required
---@field inner integer features between the two, required
---@field tokens integer sizes, required
---@field top_k integer sizes, required
---@field weights? string dtype of the matrices: dtype

---The experts, a program of two untiled kernels (up; down with the weighted sum).
---    inner     features between the two, required
---    gated     three matrices and silu; false: two and gelu: true
---    weights   dtype of the matrices: dtype
---    distinct  experts that are read: what moe.distinct says, on average; experts is "all of them"
---Useful work, with r = tokens top_k: 2 r hidden inner FLOP a matrix; 3 FLOP and 2 special ops (gelu: 8 and 1) an
---element between; 2 r hidden to add up.  Compulsory traffic: X, O, the weights' routing and what is between once,
---and the matrices of the distinct experts.  Dense is { experts = 1, top_k = 1 }.
---@param p kcost.lib.moe.mlp
---@return kcost.Program
function moe.mlp(p) end

---@class kcost.lib.moe.grouped
---@field dtype? kcost.DtypeName of all activations: "bf16"
---@field gated? boolean as of `mlp`
---@field hidden integer sizes, required
---@field inner integer as of `mlp`
---@field rows any a list of the rows of each expert, required
---@field tile? table of both products: { t = 128, f = 128, k = 64 } and { t = 128, n = 128, f = 64 }
---@field weights? string as of `mlp`

---The experts where the number of rows of each is known, a program of two grouped products and the sum: rows
---are sorted by expert, each expert reads its own once.  It has no tokens, experts and top_k.
---    rows      a list of the rows of each expert, required
---    inner, gated, weights    as of `mlp`
---    tile      of both products: { t = 128, f = 128, k = 64 } and { t = 128, n = 128, f = 64 }
---@param p kcost.lib.moe.grouped
---@return kcost.Program
function moe.grouped(p) end

---norm.lua: normalisation of rows.  m rows (tokens), k features; every size in elements.
---
---Parameters of every function here:
---    m, k      sizes, required
---    dtype     of X, weight and Y: "f16"
---and of the forward ones:
---    residual  a tensor R is added to X before, and the sum is written too, as "sum": false
---    input     a tensor with dims m k to read as X: a new one
---    output    the name of Y: "Y"
---and of the backward ones:
---    splits    CTAs that share the rows: each walks its own, whole rows on chip, and a small kernel adds up what
---              it summed over them (f32): a tiled kernel; none: an untiled one
---Forward ones are untiled kernels.  A tile smaller than k costs more passes over X.
---@class kcost.lib.norm
local norm = {}

---@class kcost.lib.norm.rms
---@field dtype? kcost.DtypeName of X, weight and Y: "f16"
---@field input? any a tensor with dims m k to read as X: a new one
---@field k integer sizes, required
---@field m integer sizes, required
---@field output? string the name of Y: "Y"
---@field residual? boolean a tensor R is added to X before, and the sum is written too, as "sum": false

---Y[m,k] = X[m,k] * rsqrt(mean_k(X^2) + eps) * weight[k].
---Useful work: 4 FLOP per element (square, add, two products), 5 with a residual; per row 2 FLOP (times
---1/k, plus eps) and 1 special op.  Compulsory traffic: X, weight and Y once, with a residual R and the sum.
---In tiles two passes over X.  Source: Zhang and Sennrich, arXiv 1910.07467, equation 4.
---@param p kcost.lib.norm.rms
---@return any
function norm.rms(p) end

---@class kcost.lib.norm.layer
---@field dtype? kcost.DtypeName of X, weight and Y: "f16"
---@field input? any a tensor with dims m k to read as X: a new one
---@field k integer sizes, required
---@field m integer sizes, required
---@field output? string the name of Y: "Y"
---@field residual? boolean a tensor R is added to X before, and the sum is written too, as "sum": false

---Y[m,k] = (X[m,k] - mean) * rsqrt(variance + eps) * weight[k] + bias[k].
---Useful work: 7 FLOP per element (add; subtract, square, add; two products, add), 8 with a residual; per row
---3 FLOP (times 1/k twice, plus eps) and 1 special op.  Compulsory traffic: X, weight, bias and Y once, with
---a residual R and the sum.  In tiles three passes over X.  Source: Ba, Kiros and Hinton, arXiv 1607.06450.
---@param p kcost.lib.norm.layer
---@return any
function norm.layer(p) end

---@class kcost.lib.norm.rms_backward
---@field dtype? kcost.DtypeName of X, weight and Y: "f16"
---@field k integer sizes, required
---@field m integer sizes, required
---@field splits? integer CTAs that share the rows: each walks its own, whole rows on chip, and a small kernel adds up what it summed over them (f32): a tiled kernel; none: an untiled one

---The gradients of norm.rms, from the row factor r that the forward pass kept in f32.
---    N = X r     G = dY weight     dX = (G - N mean_k(G N)) r     dweight[k] = sum_m dY N
---Useful work: 9 FLOP per element (N; G; product and add of the mean; product, subtract, product; product
---and add of dweight), 1 per row (times 1/k).  Compulsory traffic: X, dY, r, weight, dX and dweight once.
---@param p kcost.lib.norm.rms_backward
---@return any
function norm.rms_backward(p) end

---@class kcost.lib.norm.layer_backward
---@field dtype? kcost.DtypeName of X, weight and Y: "f16"
---@field k integer sizes, required
---@field m integer sizes, required
---@field splits? integer CTAs that share the rows: each walks its own, whole rows on chip, and a small kernel adds up what it summed over them (f32): a tiled kernel; none: an untiled one

---The gradients of norm.layer, from the row's mean and factor r that the forward pass kept in f32.
---    N = (X - mean) r     G = dY weight     dX = (G - mean_k(G) - N mean_k(G N)) r
---    dweight[k] = sum_m dY N     dbias[k] = sum_m dY
---Useful work: 13 FLOP per element (2 for N; G; add; product and add; product, two subtracts, product;
---product and add of dweight; add of dbias), 2 per row (times 1/k twice).  Compulsory traffic: X, dY, mean, r,
---weight, dX, dweight and dbias once.
---@param p kcost.lib.norm.layer_backward
---@return any
function norm.layer_backward(p) end

---parameters.lua: how every function of the stdlib takes its named parameters.
---@class kcost.lib.parameters
local parameters = {}

---A new table with every name of `declared`, taken from `given` where it is there.
---    declared     by name: a default, whose type a number, boolean or table must have (numbers are whole; from
---                 1, from 0 where the default is 0); one of the marks above; or the name of another
---                 parameter in a table: { "heads" } means "the same as heads"
---    synonyms     other names, each with the one that it stands for: { h = "heads" }; none
---A name that neither has, a required one that `given` lacks and a value that does not suit are errors
---at the line that called `call`.
---@param call any
---@param given any
---@param declared any
---@param synonyms any
---@return any
function parameters.take(call, given, declared, synonyms) end

---An error at the line of the user, out of a function of the stdlib that he called, unless `value` is one
---of `choices`.
---@param call any
---@param name any
---@param value any
---@param choices any
---@return any
function parameters.one_of(call, name, value, choices) end

---A list of numbers, given as one, as a number or as text: { 224, 224 }, 224, "224 224".  Nothing: something else.
---@param value any
---@return any
function parameters.numbers(value) end

---A new table with the entries of both; those of `b`, which may be nothing, win.
---@param a any
---@param b any
---@return any
function parameters.merge(a, b) end

---report.lua: text for people, out of figures.  Prefixes are decimal: 1 GB is 10^9 byte.
---@class kcost.lib.report
local report = {}

---`x` in `unit` with a prefix and four digits: si(8589934592, "B") is "8.590 GB", si(96, "B") "96 B".
---@param x any
---@param unit any
---@return any
function report.si(x, unit) end

---The words of a text, split at spaces and commas: words("a100 h100") is { "a100", "h100" }.
---@param text any
---@return any
function report.words(text) end

---A table of text: `head` is a list of column titles, `rows` a list of lists; a number is written as
---kc.str does.  The first column stands left, the others right.
---@param head any
---@param rows any
---@return any
function report.table(head, rows) end

---sampling.lua: from logits to tokens.  m rows (sequences), n columns (vocabulary), in elements.
---
---Parameters of every function here:
---    m, n      sizes, required
---    dtype     of the logits X: "f32"
---All are untiled kernels; tokens are i32.  Random numbers, one a row, are drawn on chip.
---@class kcost.lib.sampling
local sampling = {}

---@class kcost.lib.sampling.topk
---@field dtype? kcost.DtypeName of the logits X: "f32"
---@field k integer required
---@field m integer sizes, required
---@field n integer sizes, required

---The k largest of each row and their columns.
---    k         required
---Useful work: 1 FLOP (a comparison) an element.  Compulsory traffic: X, k values and k numbers a row.
---@param p kcost.lib.sampling.topk
---@return any
function sampling.topk(p) end

---@class kcost.lib.sampling.greedy
---@field dtype? kcost.DtypeName of the logits X: "f32"
---@field m integer sizes, required
---@field n integer sizes, required

---The column of the largest logit: 1 FLOP an element.  Compulsory traffic: X and a token a row.
---@param p kcost.lib.sampling.greedy
---@return any
function sampling.greedy(p) end

---@class kcost.lib.sampling.categorical
---@field dtype? kcost.DtypeName of the logits X: "f32"
---@field m integer sizes, required
---@field n integer sizes, required

---P = softmax(X / temperature), and the first column where the running sum of P exceeds a random number.
---Useful work: 7 FLOP (scale; maximum, subtract, sum, quotient; running sum, compare) and 1 exp an element,
---1 reciprocal a row.  Compulsory traffic: X and a token a row.
---@param p kcost.lib.sampling.categorical
---@return any
function sampling.categorical(p) end

---@class kcost.lib.sampling.categorical_topk
---@field dtype? kcost.DtypeName of the logits X: "f32"
---@field k integer required
---@field m integer sizes, required
---@field n integer sizes, required

---The same among the k largest of each row.
---    k         required
---Useful work: 1 FLOP an element; 7 FLOP and 1 exp for each of the k, 1 reciprocal a row.
---@param p kcost.lib.sampling.categorical_topk
---@return any
function sampling.categorical_topk(p) end

---scan.lua: running sums, and the recurrences of state-space models and linear attention.
---
---Dims: b batch, h heads, t tokens, which chunks c of i (or j) tokens make up, p features of a head, n state; sizes in
---elements.  A decay a = exp(delta A) is a number a head and token, but for `selective`, where each has its own.
---@class kcost.lib.scan
local scan = {}

---@class kcost.lib.scan.prefix_sum
---@field chunk? integer elements, which divide n: where rows are few and long, CTAs share them in such chunks, a program of three kernels (sums of chunks; their running sum; running sums); none: one kernel
---@field dtype? kcost.DtypeName of X and Y: "f32"
---@field m? integer rows: 1
---@field n integer elements of a row, required

---Y[m,n] = sum of X[m,1..n], an untiled kernel.  A CTA walks a row; nothing waits for a second pass.
---    n         elements of a row, required
---    m         rows: 1
---    dtype     of X and Y: "f32"
---    chunk     elements, which divide n: where rows are few and long, CTAs share them in such chunks, a program of
---              three kernels (sums of chunks; their running sum; running sums); none: one kernel
---Useful work: 1 FLOP an element; in chunks 3, and 1 a chunk.  Compulsory traffic: X and Y once; in chunks X twice,
---and two numbers a chunk (f32) written and read.
---@param p kcost.lib.scan.prefix_sum
---@return kcost.Program
function scan.prefix_sum(p) end

---@class kcost.lib.scan.selective
---@field batch? integer 1
---@field channels integer sizes, required
---@field dtype? kcost.DtypeName of all tensors, A is f32: "f16"
---@field seq integer sizes, required
---@field state? integer 16

---The selective scan of Mamba (arXiv 2312.00752, algorithm 2), an untiled kernel whose state stays on chip:
---    H[t,d,n] = exp(delta[t,d] A[d,n]) H[t-1,d,n] + delta[t,d] B[t,n] u[t,d]     y[t,d] = sum_n C[t,n] H[t,d,n]
---    seq, channels (d)    sizes, required
---    state (n)            16
---    batch                1
---    dtype                of all tensors, A is f32: "f16"
---Useful work by its terms, for every token, channel and state: delta A 1, exp 1 special, delta B u 2, product and
---sum of the state 2, product with C and its sum 2.  These are 8; others quote 9.
---Compulsory traffic: u, delta, B, C, A and y once.
---@param p kcost.lib.scan.selective
---@return kcost.Kernel
function scan.selective(p) end

---@class kcost.lib.scan.ssd
---@field batch? integer 1
---@field chunk? integer tokens, which divide seq: 256
---@field dtype? kcost.DtypeName of X, B, C, G and Y; decays and states are f32: "bf16"
---@field head_dim? integer 64
---@field heads integer sizes, required
---@field seq integer sizes, required
---@field state? integer 128

---The state-space dual form of Mamba-2 (arXiv 2405.21060, section 6): matmuls inside chunks, a recurrence across
---them.  A program of five untiled kernels:
---    cumulative    a running sum of the decays' logarithms in each chunk
---    states        S[n,p] = sum_j B[j,n] exp(a_end - a_j) X[j,p]                     2 n p FLOP a token and head
---    passing       H_c = exp(a) H_(c-1) + S_c                                        2 n p FLOP a chunk and head
---    scores        G[i,j] = sum_n C[i,n] B[j,n], for j <= i, once for all heads      2 n FLOP a pair
---    output        Y[i,p] = sum_j G[i,j] exp(a_i - a_j) X[j,p] + exp(a_i) sum_n C[i,n] H[n,p]
---                                                           2 p FLOP a pair and head, 2 n p a token and head
---    seq, heads    sizes, required
---    head_dim (p)  64
---    state (n)     128
---    chunk         tokens, which divide seq: 256
---    batch         1
---    dtype         of X, B, C, G and Y; decays and states are f32: "bf16"
---A chunk of L tokens has L (L + 1) / 2 pairs.  Beside the matmuls, a token and head: 1 FLOP (running sum), 1 and an
---exp (decay to the end), n (product with B), an exp and 2 p (product with exp(a_i), sum); a pair and head: 2 and an
---exp; a chunk and head: an exp.  Compulsory traffic: each tensor once in each kernel that has it.
---@param p kcost.lib.scan.ssd
---@return kcost.Program
function scan.ssd(p) end

---@class kcost.lib.scan.ssd_backward
---@field batch? integer as of `ssd`
---@field chunk? integer as of `ssd`
---@field dtype? kcost.DtypeName as of `ssd`
---@field head_dim? integer as of `ssd`
---@field heads integer as of `ssd`
---@field seq integer as of `ssd`
---@field state? integer as of `ssd`

---The gradients of `ssd`, from dY, and H and G of the forward pass, a program of five untiled kernels.  Each matmul is done
---twice over:
---    output        dG = (dY X^T) exp(a_i - a_j), summed over heads     dX = (G exp(a_i - a_j))^T dY
---                  dC = exp(a_i) dY H^T     dH = C^T (exp(a_i) dY)
---    passing       dS_c = dH_c + exp(a) dS_(c+1)
---    scores        dC += dG B     dB = dG^T C
---    states        dX += (B exp(a_end - a_j)) dS     dB += exp(a_end - a_j) X dS^T
---    decays        da = sum_p (dY Y - dX X), of which each dA's gradient is a running sum
---The last one since Y grows with exp(a_i) and falls with exp(a_j): Yang et al., arXiv 2312.06635, for decays of any kind.
---    seq, heads, head_dim, state, chunk, batch, dtype    as of `ssd`
---Useful work: twice `ssd`'s in matmuls.  Beside them, a token and head: p and an exp (product of dY with exp(a_i)), 1 and an exp
---(decay to the end), n (product with B), p (sum of dX), 2 n (product and sum of dB), 4 p + 1 (decays); a pair and head: 4 and an
---exp; a chunk and head: an exp; 2 FLOP an element of a state; 2 n a token (sums of dB and dC).
---Compulsory traffic: each tensor once in each kernel that has it.
---@param p kcost.lib.scan.ssd_backward
---@return kcost.Program
function scan.ssd_backward(p) end

---@class kcost.lib.scan.linear_attention
---@field batch? integer 1
---@field chunk? integer tokens, which divide seq: 256
---@field dtype? kcost.DtypeName of X, B, C, G and Y; decays and states are f32: "bf16"
---@field head_dim? integer 64
---@field heads integer sizes, required
---@field seq integer sizes, required
---@field state? integer 128

---Linear attention without decay, in chunks (arXiv 2006.16236; GLA, arXiv 2312.06635, section 4):
---    S_c = sum_j K[j,n] V[j,p]     H_c = H_(c-1) + S_c
---    O[i,p] = sum_(j <= i) (Q K^T)[i,j] V[j,p] + sum_n Q[i,n] H_(c-1)[n,p]
---A program of three untiled kernels: states, passing, output.  Parameters as of `ssd`; state is the head size of Q
---and K, 64 by default here; the state is f32.
---Useful work: 4 n p FLOP in matmuls a token and head, 2 (n + p) a pair and head; 1 FLOP an element of a state and
---of O.  Compulsory traffic: Q, O once, K and V twice, states written and read twice over.
---@param p kcost.lib.scan.linear_attention
---@return kcost.Program
function scan.linear_attention(p) end

---@class kcost.lib.scan.gated_delta
---@field batch? integer 1
---@field chunk? integer tokens, which divide seq: 64
---@field dtype? kcost.DtypeName of Q, K, V, W, U and Y; gates and states are f32: "bf16"
---@field head_dim? integer 128
---@field heads integer sizes, required
---@field key_heads? integer heads
---@field seq integer sizes, required
---@field state? integer 128

---The gated delta rule in chunks (arXiv 2412.06464, section 3.3; arXiv 2406.06484): H = a H + k beta (v - k a H), y = q H, with
---a decay a and a rate beta of each token and head.  A program of six untiled kernels; h heads of values and states, of which
---key_heads share Q and K (n); L tokens a chunk, L (L + 1) / 2 pairs, without a token's own one L (L - 1) / 2:
---    cumulative    a running sum of the decays' logarithms in each chunk
---    products      A[i,j] = beta_i exp(a_i - a_j) sum_n K[i,n] K[j,n], for j < i    2 n FLOP a pair and key head
---    inverse       T = (1 + A)^-1, by substitution: L (L - 1) (L - 2) / 3 FLOP a chunk and head
---    rows          W = T beta exp(a) K, U = T beta V                                2 (n + p) FLOP a pair and head
---    states        H_c = exp(a_end) H_(c-1) + (exp(a_end - a_j) K)^T V', V' = U - W H_(c-1)    4 n p a token and head
---    output        Y = exp(a_i) Q H + (Q K^T exp(a_i - a_j)) V'       2 n FLOP a pair and key head, 2 p a pair and head,
---                                                                     2 n p a token and head
---    seq, heads    sizes, required
---    key_heads     heads
---    head_dim (p)  128
---    state (n)     128
---    chunk         tokens, which divide seq: 64
---    batch         1
---    dtype         of Q, K, V, W, U and Y; gates and states are f32: "bf16"
---Beside the matmuls, a token and head: 1 (running sum), 1 and an exp (beta exp(a)), n + p (with K and V), 1, an exp and n
---(exp(a_end - a_j) K), p (V'), 2 p and an exp (exp(a_i), sum of Y); a pair without a token's own and head: 3 and an exp; a pair
---and head: 2 and an exp; a chunk and head: an exp; 2 FLOP an element of a state.
---Compulsory traffic: each tensor once in each kernel that has it.  That V' needs the state before it makes no difference to
---counts: here the states are made of U.
---@param p kcost.lib.scan.gated_delta
---@return kcost.Program
function scan.gated_delta(p) end

---@class kcost.lib.scan.step
---@field batch? integer 1
---@field dtype? kcost.DtypeName of x, B, C and y: "bf16"
---@field head_dim? integer 64
---@field heads integer required
---@field state? integer 128
---@field state_dtype? kcost.DtypeName of H: "f32"

---One token of a decode: H = a H + B x, y = C H, an untiled kernel; the state lies in HBM between tokens, whatever
---the context (Mamba-2, linear attention with B = K, C = Q, x = V).
---    heads         required
---    head_dim (p)  64
---    state (n)     128
---    batch         1
---    dtype         of x, B, C and y: "bf16"
---    state_dtype   of H: "f32"
---Useful work: 5 FLOP (decay, B x, sum; product and sum with C) for each element of the state, 1 exp a head.
---Compulsory traffic: the state read and written, 2 batch heads n p elements; the rest is small.
---@param p kcost.lib.scan.step
---@return kcost.Kernel
function scan.step(p) end

---softmax.lua: softmax of rows, and the cross-entropy loss behind it.  m rows, n columns, in elements.
---
---    Y[m,n] = exp(X[m,n] - max_n X) / sum_n exp(X - max_n X)
---
---Parameters of every function here, but those that it says it lacks:
---    m, n      sizes, required
---    dtype     of X and Y: "f16"
---@class kcost.lib.softmax
local softmax = {}

---@class kcost.lib.softmax.rows
---@field dtype? kcost.DtypeName of X and Y: "f16"
---@field m integer sizes, required
---@field n integer sizes, required
---@field passes? integer 3: maximum, then sum, then quotient (safe); 2: maximum and sum together, rescaled as the maximum grows (online; Milakov and Gimelshein, arXiv 1805.02867); 1: the row stays on chip: 1
---@field tile? integer elements: 4096; of one pass the whole row

---A row in tiles of `tile` elements, one CTA a row, a tiled kernel.
---    passes   3: maximum, then sum, then quotient (safe); 2: maximum and sum together, rescaled as the
---             maximum grows (online; Milakov and Gimelshein, arXiv 1805.02867); 1: the row stays on chip: 1
---    tile     elements: 4096; of one pass the whole row
---Useful work: 4 FLOP and 1 exp an element, 1 reciprocal a row.  Compulsory traffic: X and Y once; each pass
---reads X again.
---@param p kcost.lib.softmax.rows
---@return kcost.Kernel
function softmax.rows(p) end

---@class kcost.lib.softmax.naive
---@field dtype? kcost.DtypeName of X and Y: "f16"
---@field m integer sizes, required
---@field n integer sizes, required
---@field tile? integer elements: 4096

---Without the maximum: exp, sum, quotient; right only where no exp overflows.  A tiled kernel of two passes.
---    tile     elements: 4096
---Useful work: 2 FLOP (sum, quotient), 1 exp and 1 reciprocal an element.  Compulsory traffic: X and Y once.
---@param p kcost.lib.softmax.naive
---@return kcost.Kernel
function softmax.naive(p) end

---@class kcost.lib.softmax.backward
---@field dtype? kcost.DtypeName of X and Y: "f16"
---@field m integer sizes, required
---@field n integer sizes, required

---dX = Y (dY - sum_n(dY Y)), an untiled kernel.
---Useful work: 4 FLOP an element.  Compulsory traffic: Y, dY and dX once.
---@param p kcost.lib.softmax.backward
---@return kcost.Kernel
function softmax.backward(p) end

---@class kcost.lib.softmax.cross_entropy
---@field dtype? kcost.DtypeName of X and Y: "f16"
---@field m integer sizes, required
---@field n integer sizes, required

---loss[m] = log sum_n exp(X[m,n]) - X[m,target[m]] over logits that lie in HBM, an untiled kernel.
---Useful work: max, subtract, sum 3 FLOP and 1 exp an element; 1 FLOP and 1 log a row.  Compulsory
---traffic: X once, an i32 target and an f32 loss a row.
---@param p kcost.lib.softmax.cross_entropy
---@return kcost.Kernel
function softmax.cross_entropy(p) end

---@class kcost.lib.softmax.head
---@field dtype? kcost.DtypeName of X and Y: "f16"
---@field k integer features, required
---@field m integer sizes, required
---@field n integer sizes, required
---@field splits? integer CTAs that share the vocabulary, so that few rows fill a device; a second kernel adds up what each found of a row, its log-sum-exp and the target's logit in f32: 1
---@field tile? table tile sizes of m, a CTA's columns and k: { m = 128, n = 128, k = 64 }

---The same fused with the head: X[m,n] = sum_k A[m,k] W[n,k] stays on chip; n is the vocabulary.
---    k        features, required
---    splits   CTAs that share the vocabulary, so that few rows fill a device; a second kernel adds up what each
---             found of a row, its log-sum-exp and the target's logit in f32: 1
---    tile     tile sizes of m, a CTA's columns and k: { m = 128, n = 128, k = 64 }
---A tiled kernel; with splits a program of it and of an untiled one.
---Useful work: 2 m n k FLOP in the matmul; max, subtract, sum and a comparison with the target's number 4 FLOP and
---1 exp an element; 1 FLOP and 1 log a row.  With splits 4 FLOP, 1 exp and 1 log more for each of them and row.
---Compulsory traffic: A, W, targets and losses once; unfused, m n logits would be written and read.
---Source: Wijmans et al., arXiv 2411.09009.
---@param p kcost.lib.softmax.head
---@return kcost.Program
function softmax.head(p) end

---speculative.lua: speculative decoding: a draft proposes tokens, the model checks them all at once.
---
---With a the chance that a drafted token is accepted, g drafts a round and c the time of a draft over that of a
---token of the model (Leviathan et al., arXiv 2211.17192, equation 1 and theorem 3.8):
---    tokens of a round = (1 - a^(g + 1)) / (1 - a)        speed-up = tokens / (g c + 1)
---@class kcost.lib.speculative
local speculative = {}

---@class kcost.lib.speculative.tokens
---@field acceptance number a, from 0 to 1, required
---@field drafts integer g, required

---Tokens that a round makes, on average.
---    acceptance    a, from 0 to 1, required
---    drafts        g, required
---@param p kcost.lib.speculative.tokens
---@return any
function speculative.tokens(p) end

---@class kcost.lib.speculative.speedup
---@field acceptance number as of `tokens`
---@field cost number c, from 0 to 1, required
---@field drafts integer as of `tokens`

---Speed-up where checking g + 1 tokens takes the time of one.
---    acceptance, drafts    as of `tokens`
---    cost                  c, from 0 to 1, required
---@param p kcost.lib.speculative.speedup
---@return any
function speculative.speedup(p) end

---@class kcost.lib.speculative.evaluate
---@field acceptance number as of `tokens`
---@field device any required
---@field draft any the draft's step of one token, required
---@field drafts integer as of `tokens`
---@field options? table of kc.evaluate: none
---@field step any the model's step of one token, required
---@field verify any its step of drafts + 1 tokens, required

---The same with times of kernels or programs on a device.
---    acceptance, drafts    as of `tokens`
---    step      the model's step of one token, required
---    verify    its step of drafts + 1 tokens, required
---    draft     the draft's step of one token, required
---    device    required
---    options   of kc.evaluate: none
---Gives { tokens, time, per_token, speedup }: tokens of a round, seconds of a round and of a token, and how
---many times as fast as `step` alone.
---@param p kcost.lib.speculative.evaluate
---@return any
function speculative.evaluate(p) end

---stencil.lua: each point of a grid becomes a weighted sum of its neighbours.
---
---    B[i] = sum over the neighbours o of w[o] A[i + o]
---
---Dims: y x z of A, i j k of B; sizes in points.  Parameters of both functions:
---    grid      points of B along each axis, one to three, { 512, 512, 512 } or text, required; A has `radius` more
---              on either side
---    radius    neighbours on either side: 1
---    dtype     of A and B: "f64"
---    flops     of a point: an addition less than a product a neighbour, 2 * points - 1; 4 for a Jacobi of five
---              points that adds four and scales
---Both are untiled kernels.  Useful work: `flops` a point of B on the vector unit.  Compulsory traffic: B, and of
---A what some neighbour reaches, once each.
---@class kcost.lib.stencil
local stencil = {}

---@class kcost.lib.stencil.star
---@field dtype? kcost.DtypeName of A and B: "f64"
---@field flops? any of a point: an addition less than a product a neighbour, 2 * points - 1; 4 for a Jacobi of five points that adds four and scales
---@field grid any points of B along each axis, one to three, { 512, 512, 512 } or text, required; A has `radius` more on either side
---@field radius? integer neighbours on either side: 1

---Neighbours along the axes: 2 radius rank + 1 of them.
---@param p kcost.lib.stencil.star
---@return any
function stencil.star(p) end

---@class kcost.lib.stencil.box
---@field dtype? kcost.DtypeName of A and B: "f64"
---@field flops? any of a point: an addition less than a product a neighbour, 2 * points - 1; 4 for a Jacobi of five points that adds four and scales
---@field grid any points of B along each axis, one to three, { 512, 512, 512 } or text, required; A has `radius` more on either side
---@field radius? integer neighbours on either side: 1

---All neighbours of the cube: (2 radius + 1)^rank of them.
---@param p kcost.lib.stencil.box
---@return any
function stencil.box(p) end

---stream.lua: kernels of memory alone: STREAM's four (McCalpin), and transposing.
---
---All are untiled kernels, and memory-bound on any device.  Compulsory traffic: each array once; a write that
---reads its lines first is a convention, { write_allocate = true }.  Parameters of STREAM's four:
---    n        elements of an array, required
---    dtype    "f64"
---@class kcost.lib.stream
local stream = {}

---@class kcost.lib.stream.copy
---@field dtype? kcost.DtypeName "f64"
---@field n integer elements of an array, required

---a = b: no FLOP, 2 n elements.
---@param p kcost.lib.stream.copy
---@return any
function stream.copy(p) end

---@class kcost.lib.stream.scale
---@field dtype? kcost.DtypeName "f64"
---@field n integer elements of an array, required

---a = s b: n FLOP, 2 n elements.
---@param p kcost.lib.stream.scale
---@return any
function stream.scale(p) end

---@class kcost.lib.stream.add
---@field dtype? kcost.DtypeName "f64"
---@field n integer elements of an array, required

---a = b + c: n FLOP, 3 n elements.
---@param p kcost.lib.stream.add
---@return any
function stream.add(p) end

---@class kcost.lib.stream.triad
---@field dtype? kcost.DtypeName "f64"
---@field n integer elements of an array, required

---a = b + s c: 2 n FLOP, 3 n elements.
---@param p kcost.lib.stream.triad
---@return any
function stream.triad(p) end

---@class kcost.lib.stream.transpose
---@field batch? integer matrices: 1
---@field columns integer of X, required
---@field dtype? kcost.DtypeName "f32"
---@field rows integer of X, required

---Y[b,j,i] = X[b,i,j]: no FLOP, 2 batch rows columns elements.
---    rows, columns    of X, required
---    batch            matrices: 1
---    dtype            "f32"
---@param p kcost.lib.stream.transpose
---@return any
function stream.transpose(p) end

---transformer.lua: a model out of its config.json: parameters, cache, and programs of its steps.
---
---    local model = kc.lib.transformer(kc.load_json("config.json"), { kv_dtype = "f8" })
---    kc.evaluate(model:decode { batch = 16, cached = 2047 }, "h100-sxm5")
---
---The first argument is a table as kc.load_json gives it.  Options, none of them required:
---    weights       dtype of all matrices of the layers: what the file says
---    kv_dtype      of the cache: the model's dtype
---    activations   what inputs of matmuls by weights below 16 bits are rounded to: what the file says
---    tensor        ranks that share the heads, inner features and words of every layer: 1
---    expert        ranks that share the experts of a layer: 1.  Those beyond `tensor` are replicas (`data`), whose
---                  tokens meet in the experts
---    data          replicas of the whole, each with a batch of its own: 1
---    pipeline      ranks that share the layers: 1
---    algorithm     of what ranks send each other, "ring" or "tree", as of collective.lua: "ring"
---Programs are those of one rank.  A token passes all stages of a pipeline one after another, so a step's program has all
---layers; memory and throughput know the stages.  What ranks send each other goes over the device's link
---(transformer_layers.lua says what): a device whose file states none is an error, device:with { link = { bandwidth = … } }
---gives it one, say of a slower network.
---A model has
---    shape         what config.lua read; audit: its notes, one a key; model:audit_table() as text
---    parameters    { stored, matrix, vector, active, experts, bytes } of one rank: matrix are all matrices, tables of words
---                  and positions included, each once where words are tied; vector norms, biases and the like; stored both;
---                  active the matrices that a token is multiplied by, the head but no table, of experts only its own; experts
---                  what these store; bytes of all.  layers, a list with the same of a layer of each group of the shape, and
---                  ends, of what stands before and behind them
---    cache         bytes of a token in all layers, windows or not; state: bytes of a sequence, however long, where layers
---                  have one
---and methods, each of which takes one table of named parameters:
---    model:prefill { seq =, batch =, cached = }      programs of a step
---    model:decode { cached =, batch =, seq = }
---    model:summary()                                 its size in one line
---    model:chunked { requests = { { new, cached }, … } }
---    model:train_step { seq =, batch =, microbatches =, recompute = }
---    model:bytes(x)                                  what a program or its result moves, term by term
---    model:layers { step =, device =, … }            a step layer by layer
---    model:touched { tokens = }                      matrix elements that a step reads
---    model:cache_bytes { tokens =, batch =, page = }
---    model:memory { device =, tokens =, batch = }    what fits
---    model:serve { device =, prompt =, output =, batch = }    times to the first and the next token, MFU, MBU
---    model:train { device =, seq =, batch =, recompute = }    time of a step, MFU, HFU, memory
---Layers that are alike are one kernel list with kc.times, so alternating layers stand apart.
---A program can be resized: b sequences, t new tokens, j keys, tied as in { ["t j"] = 4096 } of a prefill.  Not so the
---experts, whose distinct number is part of the program, and windows at lengths near them.
---Models: Vaswani et al., arXiv 1706.03762; the family's page for what differs.
---@class kcost.lib.transformer
local transformer = {}

---@class kcost.Lib
---@field attention kcost.lib.attention
---@field collective kcost.lib.collective
---@field conv kcost.lib.conv
---@field elementwise kcost.lib.elementwise
---@field embedding kcost.lib.embedding
---@field gemm kcost.lib.gemm
---@field kv_cache kcost.lib.kv_cache
---@field mla kcost.lib.mla
---@field moe kcost.lib.moe
---@field norm kcost.lib.norm
---@field parameters kcost.lib.parameters
---@field report kcost.lib.report
---@field sampling kcost.lib.sampling
---@field scan kcost.lib.scan
---@field softmax kcost.lib.softmax
---@field speculative kcost.lib.speculative
---@field stencil kcost.lib.stencil
---@field stream kcost.lib.stream
---@field transformer kcost.lib.transformer

---@class kcost
local kc = {}

---An array in HBM. `dims` is `"b h i d"`, the last one contiguous; `size` maps each dim to its size in elements, more keys are fine. A dim without a size, a size that is not whole and positive, an unknown dtype are errors.
---```lua
---kc.tensor("Q", "b h i d", "f16", { b = 8, h = 16, i = 4096, d = 64 })
---```
---@param name string
---@param dims kcost.Dims
---@param dtype kcost.DtypeName
---@param size kcost.Sizes
---@return kcost.Tensor
function kc.tensor(name, dims, dtype, size) end

---The tensor on chip. `index` renames or combines dims by position: `"b h j d"`; affine `"n c 2*p+r-1 2*q+s-1"` (halo and padding; `#c*u+c` uses a dim's size); data-dependent `"[m] k"` (gather).
---```lua
---kc.read(image, "n c p+r-1 q+s-1", { size = { p = 56, q = 56, r = 3, s = 3 } })
---```
---@param tensor kcost.Tensor
---@param index? string
---@param opts? kcost.ReadOptions
---@return kcost.Value
function kc.read(tensor, index, opts) end

---The value in HBM: a tensor that remembers the expression that made it, so it stands for its kernel. The dtype defaults to that of the largest tensor behind it, at least 16 bits; `i32` behind integers. A dtype may stand for the options.
---```lua
---kc.write("C", kc.matmul(kc.read(A), kc.read(B)), "f32")
---```
---@param name string
---@param value kcost.Value
---@param opts? kcost.DtypeName|kcost.WriteOptions
---@return kcost.Tensor
function kc.write(name, value, opts) end

---A dtype of your own; a name gives the one that there is. Bytes are `elements * (bits + (scale_bits + zero_bits) / block) / 8`.
---```lua
---kc.dtype { name = "w3", bits = 3, block = 64, scale_bits = 16, math = "f16" }
---```
---@param dtype kcost.DtypeOptions|string
---@return kcost.Dtype
function kc.dtype(dtype) end

---Contracts `over`, by default the last dim of `a`; a dim that both have and that stays is a batch dim. 2 FLOP a point.
---```lua
---kc.matmul(kc.read(Q), kc.read(K), "d")
---```
---@param a kcost.Value
---@param b kcost.Value
---@param over? kcost.Dims
---@param opts? kcost.MatmulOptions
---@return kcost.Value
function kc.matmul(a, b, over, opts) end

---Elementwise over the union of the dims. `what` is the name of a map (`help("maps")`) or a cost `{ flops = 3, special = 1 }` an element.
---```lua
---kc.map("add", x, kc.map("gelu", y))
---```
---@param what string|kcost.Cost
---@param a kcost.Value
---@param ... kcost.Value
---@return kcost.Value
function kc.map(what, a, ...) end

---`"sum" "max" "mean"` (`min prod any all argmax argmin amax amin absmax topk`): 1 FLOP an input element, or a cost.
---```lua
---kc.reduce("topk", gate, "x", { size = { t = 8 } })
---```
---@param what string|kcost.Cost
---@param a kcost.Value
---@param over kcost.Dims
---@param opts? kcost.ReduceOptions
---@return kcost.Value
function kc.reduce(what, a, over, opts) end

---A running reduction: keeps `over`. `what` also `cumsum cumprod cummax cummin`; costs as of `reduce`.
---```lua
---kc.scan("cumsum", x, "i")
---```
---@param what string|kcost.Cost
---@param a kcost.Value
---@param over kcost.Dims
---@return kcost.Value
function kc.scan(what, a, over) end

---Per element max, subtract, sum, normalise 1 FLOP each, exp 1 special; per row 1 special.
---```lua
---kc.softmax(kc.read(S), "j", { online = true })
---```
---@param a kcost.Value
---@param over kcost.Dims
---@param opts? kcost.SoftmaxOptions
---@return kcost.Value
function kc.softmax(a, over, opts) end

---The log-sum-exp of the rows of a softmax `p`; 1 special a row.
---```lua
---kc.write("L", kc.lse(p), "f32")
---```
---@param p kcost.Value
---@return kcost.Value
function kc.lse(p) end

---Only points with `lo <= k - q <= hi` are live, q and k being places along these dims.
---```lua
---kc.mask(scores, "i", "j", { lo = -1023, hi = 0 })
---```
---@param a kcost.Value
---@param q string
---@param k string
---@param opts kcost.MaskOptions
---@return kcost.Value
function kc.mask(a, q, k, opts) end

---The mask `hi = size(k) - size(q)`, which follows `resize`.
---```lua
---kc.causal(scores, "i", "j")
---```
---@param a kcost.Value
---@param q string
---@param k string
---@return kcost.Value
function kc.causal(a, q, k) end

---No FLOP; changes the bytes on chip and in a later write.
---```lua
---kc.cast(p, "f8")
---```
---@param a kcost.Value
---@param dtype kcost.DtypeName
---@return kcost.Value
function kc.cast(a, dtype) end

---One launch that makes these written tensors; a value that two of them need is computed once.
---```lua
---kc.kernel("norm", { Y, mean, rstd })
---```
---@param name string
---@param tensors kcost.Tensor[]
---@return kcost.Kernel
function kc.kernel(name, tensors) end

---Kernels, written tensors and programs in launch order.
---```lua
---kc.program("unfused", { S, P, O })
---```
---@param name string
---@param kernels (kcost.Kernel|kcost.Tensor|kcost.Program)[]
---@return kcost.Program
function kc.program(name, kernels) end

---x, n times.
---```lua
---kc.times(layer, 32)
---```
---@param x kcost.Kernel|kcost.Tensor|kcost.Program
---@param n number
---@return kcost.Program
function kc.times(x, n) end

---The same parts at the same time. Roofs add up over them; the time is that of the longest part, or of the longest roof, never above one after another. `serial_time` is still the sum.
---```lua
---kc.beside("overlapped", { matmul, allreduce })
---```
---@param name string
---@param parts (kcost.Kernel|kcost.Tensor|kcost.Program)[]
---@return kcost.Program
function kc.beside(name, parts) end

---What this device gets in a collective of several, each of which has such a tensor. `"allreduce"`, `"alltoall"`, `"broadcast"` and `"sendrecv"` keep its shape; `"allgather"` and `"reducescatter"` make a dim `ranks` times as long or as short. A kernel of its own: nothing is fused with it. HBM moves what is read and what is got, once; the link takes `link_steps * link.latency + link_bytes / rate` and `link.fixed` at its launch, the rate being the share `sustained.link` of `link.bandwidth`, at most `link.peer` to each other rank. `collective.lua` says bytes and steps.
---```lua
---kc.comm("allreduce", Y, { ranks = 8 })
---```
---@param what string
---@param tensor kcost.Tensor
---@param opts kcost.CommOptions
---@return kcost.Tensor
function kc.comm(what, tensor, opts) end

---One kernel of several: what one wrote and the next read stays on chip. Drops schedules. A kernel outside that needs something from inside and is needed by it is an error.
---```lua
---kc.fuse("flash", { S, P, O })
---```
---@param name string
---@param kernels (kcost.Kernel|kcost.Tensor)[]
---@param opts? kcost.FuseOptions
---@return kcost.Kernel
function kc.fuse(name, kernels, opts) end

---Several sizes in one launch: grids end to end.
---```lua
---kc.group("experts", { few, many })
---```
---@param name string
---@param kernels kcost.Kernel[]
---@return kcost.Kernel
function kc.group(name, kernels) end

---A schedule: how a kernel walks its dims; replaces one. `sizes` are the elements of each dim that a tile has.
---```lua
---kc.tile(C, { m = 128, n = 128, k = 64 }, { stages = 3, raster = { "n", "m", group = 8 } })
---```
---@param kernel kcost.Kernel|kcost.Tensor
---@param sizes kcost.Sizes
---@param opts? kcost.TileOptions
---@return kcost.Kernel
function kc.tile(kernel, sizes, opts) end

---The same thing at other sizes; several dims: `["i j"] = 4096`; keeps schedules.
---```lua
---kc.resize(flash, { ["i j"] = 16384 })
---```
---@generic T
---@param x T
---@param sizes kcost.Sizes
---@return T
function kc.resize(x, sizes) end

---The same thing with other dim names.
---```lua
---kc.rename(C, { k = "k2" })
---```
---@generic T
---@param x T
---@param names table<string, string>
---@return T
function kc.rename(x, names) end

---Work, traffic and footprint, with no device.
---```lua
---kc.count(flash).bytes
---```
---@param x kcost.Kernel|kcost.Tensor|kcost.Program
---@param opts? kcost.CountOptions
---@return kcost.Result
function kc.count(x, opts) end

---Work, traffic, footprint and times. What does not fit the device is an error that says by how much, and what would.
---```lua
---kc.evaluate(flash, "h100-sxm5", { cache = "warm" }).time
---```
---@param x kcost.Kernel|kcost.Tensor|kcost.Program
---@param device kcost.Device|string
---@param opts? kcost.EvaluateOptions
---@return kcost.Result
function kc.evaluate(x, device, opts) end

---The fastest point of a space; without one the fastest of the schedules that a tuned library would try and of the one that x has, of a program of each kernel. `r.kernel` is what it found, `r.search` counts points.
---```lua
---kc.best(C, "h100-sxm5").kernel
---```
---@param x kcost.Kernel|kcost.Tensor|kcost.Program
---@param device kcost.Device|string
---@param space? kcost.Space
---@param opts? kcost.EvaluateOptions
---@return kcost.Result
function kc.best(x, device, space, opts) end

---The program with kernels fused as a compiler would: elementwise work into a kernel beside it, the residual into a norm, a norm into the matmul behind it, scores, softmax and values into one attention, whose softmax may become online. Only what runs under its best schedule, moves no more bytes and takes no more time than its parts; what saves most is fused first, ties to the first in launch order, until nothing is left. A kernel reads what an earlier one wrote: that tensor, or one of its name, sizes and dtype; a tensor `"X: K"` is part of the bytes of X. `r.kernel` is the program (kernels with a schedule keep it, the others get the best), `r.fused` and `r.refused` say what was done and why not; they are notes as well.
---```lua
---kc.fuse_all(unfused, "h100-sxm5").kernel
---```
---@param program kcost.Program
---@param device kcost.Device|string
---@param opts? kcost.FuseAllOptions
---@return kcost.Result
function kc.fuse_all(program, device, opts) end

---Results side by side, with ratios to the first x. One x, or one device, needs no list.
---```lua
---kc.compare({ unfused, flash }, { "a100-sxm4-40gb", "h100-sxm5" })
---```
---@param xs (kcost.Kernel|kcost.Tensor|kcost.Program)[]
---@param devices (kcost.Device|string)[]
---@param opts? kcost.EvaluateOptions
---@return kcost.Comparison
function kc.compare(xs, devices, opts) end

---Many points at once, on all cores: tiles, sizes, stages, devices. Each row is what `evaluate` says of that point.
---```lua
---kc.sweep { kernel = C, device = "h100-sxm5", tile = { m = kc.pow2(32, 256) }, keep = { top = 10 } }
---```
---@param space kcost.Space
---@return kcost.Sweep
function kc.sweep(space) end

---The least HBM traffic that each capacity on chip allows, over tiles and loop orders, whatever the device.
---```lua
---kc.ski_slope(C):rows()[1].bytes
---```
---@param kernel kcost.Kernel|kcost.Tensor
---@return kcost.Sweep
function kc.ski_slope(kernel) end

---The numbers from one to the other, both included.
---```lua
---kc.range(16, 256, 16)
---```
---@param from number
---@param to number
---@param step? number
---@return number[]
function kc.range(from, to, step) end

---The powers of two from one to the other, both included.
---```lua
---kc.pow2(16, 256)
---```
---@param from integer
---@param to integer
---@return number[]
function kc.pow2(from, to) end

---The result, of a kernel evaluated or counted for it, or an error with the values where the condition, as in `where` of a sweep, does not hold: `"bytes <= 1.1GB and bound == 'matrix'"`. A message may stand for the options; others are those of `evaluate`.
---```lua
---kc.expect(flash, "time <= 800us", { device = "h100-sxm5", message = "the fusion is lost" })
---```
---@param x kcost.Result|kcost.Kernel|kcost.Tensor|kcost.Program
---@param condition string
---@param opts? string|kcost.ExpectOptions
---@return kcost.Result
function kc.expect(x, condition, opts) end

---A file's JSON. `null` is absent; so are the `NaN` and `Infinity` that Python writes, which a model's audit names. What is no JSON is an error with line and column. Not in a sandbox.
---```lua
---kc.load_json("before.json")
---```
---@param path string
---@return table
function kc.load_json(path) end

---What a profiler measured: launches and kernels out of the file that it exported. CSV of Nsight Compute (raw, details, summary), Nsight Systems, nvprof, rocprofv3, rocprof-compute; a Chrome trace of PyTorch; `name,time[,flops][,bytes]`. Figures have the names of a result's with `_measured` behind them, in base units; `help("profile")` lists them. Not in a sandbox.
---```lua
---kc.load_profile("profile.csv").kernels[1].time_measured
---```
---@param path string
---@param opts? kcost.ProfileOptions
---@return table
function kc.load_profile(path, opts) end

---What was predicted beside what `load_profile` read: time, bytes of each level, FLOP, occupancy, what is left over of each (measured over predicted, less 1), the share of the roof that binds, impossible values, likely causes in words. A key of `predictions` is a part of a kernel's name as it stands, or a Lua pattern, with `|` between alternatives (the longest that names a kernel counts; of a list under one key that with its CTAs); a list is joined by order. `{}`: measured figures against the device's roofs.
---```lua
---kc.match(kc.load_profile("ncu.csv"), { ["gemm|matmul"] = C }, { device = "h100-sxm5" })
---```
---@param profile table
---@param predictions table<string, kcost.Kernel|kcost.Tensor|kcost.Result>|(kcost.Kernel|kcost.Tensor|kcost.Result)[]
---@param opts? kcost.MatchOptions
---@return table
function kc.match(profile, predictions, opts) end

---Walks the loop nest tile by tile, with no formula, and compares with `count`; gives the number of steps. A difference is an error; more than 10^8 steps are refused.
---```lua
---kc.verify(kc.resize(flash, { ["i j"] = 512 }))
---```
---@param kernel kcost.Kernel|kcost.Tensor
---@return number
function kc.verify(kernel) end

---A shipped device by its id or alias, or your own, by its file (`"mine.lua"`, not in a sandbox) or its figures; `dev:with { hbm = { bandwidth = 4.8e12 } }` changes one.
---```lua
---kc.device("h100-sxm5"):with { hbm = { bandwidth = 4.8e12 } }
---```
---@param device string|table
---@return kcost.Device
function kc.device(device) end

---How many CTAs a core holds, with no kernel.
---```lua
---kc.occupancy("h100-sxm5", { threads = 256, registers = 128, smem = 98304 }).ctas
---```
---@param device kcost.Device|string
---@param cta kcost.Cta
---@return kcost.Occupancy
function kc.occupancy(device, cta) end

---Fits up to three constants of a device to times that were measured on it: the sustained shares of its matrix peak and of its HBM bandwidth, and a launch. Every fourth row is held out, and its error said. What the rows do not determine stays as it is, with the reason; fewer than eight rows that kcost predicts, or none of the constants determined, is an error. The second value is the device with the new constants; `kcost calibrate` writes its file.
---```lua
---kc.calibrate { device = "a100", profile = "times.csv" }
---```
---@param what kcost.CalibrateOptions
---@return kcost.Calibration, kcost.Device
function kc.calibrate(what) end

---What `--set name=value` or the host gives; a number, string or boolean, as the default is one.
---```lua
---kc.param("device", "h100-sxm5")
---```
---@param name string
---@param default T
---@return T
function kc.param(name, default) end

---A number as kcost writes it, the same on both engines.
---```lua
---kc.str(1e6 / 3)
---```
---@param x any
---@return string
function kc.str(x) end

---What a call, a field, an option, a kind of object or a kernel of `kc.lib` is, given itself or by name. Without one: the list of all.
---```lua
---print(kc.help(kc.tile), kc.help("bytes_min"), kc.help("gemm.plain"))
---```
---@param what? any
---@return string
function kc.help(what) end

---The stdlib: `kc.lib.NAME` is what `stdlib/NAME.lua` returns, loaded at first use: the families of kernels, `transformer`, `report` and `parameters`.
---```lua
---kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }
---```
---@type kcost.Lib
kc.lib = nil

---Results and sweeps as plots, plain tables in base units that a script returns: `roofline`, `bandwidth`, `ledger` of results and comparisons, `sawtooth`, `tiles`, `pareto` of sweeps. `kcost --plot FILE` draws them.
---```lua
---kc.plot.roofline(kc.compare({ unfused, flash }, { "h100-sxm5" }))
---```
---@type table
kc.plot = nil

---Of the library.
---```lua
---kc.version
---```
---@type string
kc.version = nil

return kc
