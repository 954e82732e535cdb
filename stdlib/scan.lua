-- scan.lua: running sums, and the recurrences of state-space models and linear attention.
--
-- Dims: b batch, h heads, t tokens, which chunks c of i (or j) tokens make up, p features of a head, n state; sizes in
-- elements.  A decay a = exp(delta A) is a number a head and token, but for `selective`, where each has its own.
local kc = require "kcost"
local take, merge, size = kc.lib.parameters.take, kc.lib.parameters.merge, kc.lib.parameters.size

local scan = {}

local function reader(p, sizes)
    return function(name, dims, dtype) return kc.read(kc.tensor(name, dims, dtype or p.dtype, sizes)) end
end

-- Y[m,c,i] from X, in chunks c of i elements: their sums, the running sum of these, and each chunk's own behind it.
local function prefix_sum_in_chunks(p)
    if p.n % p.chunk ~= 0 then error("scan.prefix_sum: chunk: must divide n") end
    local X = kc.tensor("X", "m c i", p.dtype, { m = p.m, c = p.n / p.chunk, i = p.chunk })
    local total = kc.write("total", kc.reduce("sum", kc.read(X), "i"), "f32")
    local before = kc.write("before", kc.scan("sum", kc.read(total), "c"), "f32")
    local y = kc.map("add", kc.scan("sum", kc.read(X), "i"), kc.read(before))
    return kc.program("prefix sum", { total, before, kc.write("Y", y, p.dtype) })
end

-- Y[m,n] = sum of X[m,1..n], an untiled kernel.  A CTA walks a row; nothing waits for a second pass.
--     n         elements of a row, required
--     m         rows: 1
--     dtype     of X and Y: "f32"
--     chunk     elements, which divide n: where rows are few and long, CTAs share them in such chunks, a program of
--               three kernels (sums of chunks; their running sum; running sums); none: one kernel
-- Useful work: 1 FLOP an element; in chunks 3, and 1 a chunk.  Compulsory traffic: X and Y once; in chunks X twice,
-- and two numbers a chunk (f32) written and read.
function scan.prefix_sum(p)
    p = take("scan.prefix_sum", p, { n = size, m = 1, dtype = "f32", chunk = kc.lib.parameters.optional_size })
    if p.chunk then return prefix_sum_in_chunks(p) end
    local x = kc.read(kc.tensor("X", "m n", p.dtype, { m = p.m, n = p.n }))
    return kc.kernel("prefix sum", { kc.write("Y", kc.scan("sum", x, "n"), p.dtype) })
end

-- The selective scan of Mamba (arXiv 2312.00752, algorithm 2), an untiled kernel whose state stays on chip:
--     H[t,d,n] = exp(delta[t,d] A[d,n]) H[t-1,d,n] + delta[t,d] B[t,n] u[t,d]     y[t,d] = sum_n C[t,n] H[t,d,n]
--     seq, channels (d)    sizes, required
--     state (n)            16
--     batch                1
--     dtype                of all tensors, A is f32: "f16"
-- Useful work by its terms, for every token, channel and state: delta A 1, exp 1 special, delta B u 2, product and
-- sum of the state 2, product with C and its sum 2.  These are 8; others quote 9.
-- Compulsory traffic: u, delta, B, C, A and y once.
function scan.selective(p)
    p = take("scan.selective", p, { seq = size, channels = size, state = 16, batch = 1, dtype = "f16" })
    local read = reader(p, { b = p.batch, t = p.seq, d = p.channels, n = p.state })
    local delta = read("delta", "b t d")
    local decay = kc.map("exp", kc.map("mul", delta, read("A", "d n", "f32")))
    local input = kc.map("mul", kc.map("mul", delta, read("B", "b t n")), read("u", "b t d"))
    local both = kc.map({ name = "pair", flops = 0 }, decay, input)
    local state = kc.scan({ name = "recurrence", flops = 2 }, both, "t")
    local y = kc.reduce("sum", kc.map("mul", state, read("C", "b t n")), "n")
    return kc.kernel("selective scan", { kc.write("y", y, p.dtype) })
end

-- What both chunked forms share: sizes of chunks.
local function chunked(call, p, more)
    p = take(call, p, merge({
        seq = size, heads = size, head_dim = 64, state = 128, chunk = 256, batch = 1, dtype = "bf16",
    }, more))
    p.chunk = math.min(p.chunk, p.seq)
    if p.seq % p.chunk ~= 0 then error(call .. ": chunk: must divide seq") end
    p.size = {
        b = p.batch, h = p.heads, c = p.seq / p.chunk, i = p.chunk, j = p.chunk, p = p.head_dim, n = p.state,
    }
    return p
end

-- The state-space dual form of Mamba-2 (arXiv 2405.21060, section 6): matmuls inside chunks, a recurrence across
-- them.  A program of five untiled kernels:
--     cumulative    a running sum of the decays' logarithms in each chunk
--     states        S[n,p] = sum_j B[j,n] exp(a_end - a_j) X[j,p]                     2 n p FLOP a token and head
--     passing       H_c = exp(a) H_(c-1) + S_c                                        2 n p FLOP a chunk and head
--     scores        G[i,j] = sum_n C[i,n] B[j,n], for j <= i, once for all heads      2 n FLOP a pair
--     output        Y[i,p] = sum_j G[i,j] exp(a_i - a_j) X[j,p] + exp(a_i) sum_n C[i,n] H[n,p]
--                                                            2 p FLOP a pair and head, 2 n p a token and head
--     seq, heads    sizes, required
--     head_dim (p)  64
--     state (n)     128
--     chunk         tokens, which divide seq: 256
--     batch         1
--     dtype         of X, B, C, G and Y; decays and states are f32: "bf16"
-- A chunk of L tokens has L (L + 1) / 2 pairs.  Beside the matmuls, a token and head: 1 FLOP (running sum), 1 and an
-- exp (decay to the end), n (product with B), an exp and 2 p (product with exp(a_i), sum); a pair and head: 2 and an
-- exp; a chunk and head: an exp.  Compulsory traffic: each tensor once in each kernel that has it.
function scan.ssd(p)
    p = chunked("scan.ssd", p)
    local read = reader(p, p.size)
    local X, B = read("X", "b c j h p"), read("B", "b c j n")
    local cumulative = kc.write("a", kc.scan("sum", read("dA", "b h c j", "f32"), "j"), "f32")
    local a_j = kc.read(cumulative)
    local a_i = kc.read(cumulative, "b h c i", { size = p.size })
    local a_end = read("a end", "b h c", "f32")

    local to_end = kc.map("exp", kc.map("sub", a_end, a_j))
    local S = kc.write("S", kc.matmul(kc.map("mul", B, to_end), X, "j"),
        { dtype = "f32", dims = "b h c n p" })
    local decayed = kc.map({ name = "pair", flops = 0 }, kc.map("exp", a_end), kc.read(S))
    local H = kc.write("H", kc.scan({ name = "recurrence", flops = 2 }, decayed, "c"),
        { dtype = "f32", dims = "b h c n p" })
    local C = read("C", "b c i n")
    local G = kc.write("G", kc.mask(kc.matmul(C, B, "n"), "i", "j", { hi = 0 }), p.dtype)
    local decay = kc.map("exp", kc.map("sub", a_i, a_j))
    local inside = kc.matmul(kc.map("mul", kc.mask(kc.read(G), "i", "j", { hi = 0 }), decay), X, "j")
    local before = kc.matmul(C, kc.cast(kc.read(H), p.dtype), "n")
    local Y = kc.write("Y", kc.map("add", kc.map("mul", before, kc.map("exp", a_i)), inside),
        { dtype = p.dtype, dims = "b c i h p" })
    return kc.program("Mamba-2 SSD", { cumulative, S, H, G, Y })
end

-- The gradients of `ssd`, from dY, and H and G of the forward pass, a program of five untiled kernels.  Each matmul is done
-- twice over:
--     output        dG = (dY X^T) exp(a_i - a_j), summed over heads     dX = (G exp(a_i - a_j))^T dY
--                   dC = exp(a_i) dY H^T     dH = C^T (exp(a_i) dY)
--     passing       dS_c = dH_c + exp(a) dS_(c+1)
--     scores        dC += dG B     dB = dG^T C
--     states        dX += (B exp(a_end - a_j)) dS     dB += exp(a_end - a_j) X dS^T
--     decays        da = sum_p (dY Y - dX X), of which each dA's gradient is a running sum
-- The last one since Y grows with exp(a_i) and falls with exp(a_j): Yang et al., arXiv 2312.06635, for decays of any kind.
--     seq, heads, head_dim, state, chunk, batch, dtype    as of `ssd`
-- Useful work: twice `ssd`'s in matmuls.  Beside them, a token and head: p and an exp (product of dY with exp(a_i)), 1 and an exp
-- (decay to the end), n (product with B), p (sum of dX), 2 n (product and sum of dB), 4 p + 1 (decays); a pair and head: 4 and an
-- exp; a chunk and head: an exp; 2 FLOP an element of a state; 2 n a token (sums of dB and dC).
-- Compulsory traffic: each tensor once in each kernel that has it.
function scan.ssd_backward(p)
    p = chunked("scan.ssd_backward", p)
    local read = reader(p, p.size)
    local function write(name, value, dims, dtype) return kc.write(name, value, { dtype = dtype or p.dtype, dims = dims }) end
    local X, dY, B, C = read("X", "b c j h p"), read("dY", "b c i h p"), read("B", "b c j n"), read("C", "b c i n")
    local a = kc.tensor("a", "b h c j", "f32", p.size)
    local a_i, a_j, a_end = kc.read(a, "b h c i", { size = p.size }), kc.read(a), read("a end", "b h c", "f32")
    local function live(scores) return kc.mask(scores, "i", "j", { hi = 0 }) end

    local decay = kc.map("exp", kc.map("sub", a_i, a_j))
    local dG = kc.reduce("sum", kc.map("mul", live(kc.matmul(dY, X, "p")), decay), "h")
    local inside = kc.matmul(kc.map("mul", live(read("G", "b c i j")), decay), dY, "i")
    local grown = kc.map("mul", dY, kc.map("exp", a_i))
    local before = kc.matmul(grown, kc.cast(read("H", "b h c n p", "f32"), p.dtype), "h p")
    local output = kc.kernel("output backward", {
        write("dG", dG, "b c i j"), write("dX inside", inside, "b c j h p"), write("dC before", before, "b c i n"),
        write("dH", kc.matmul(C, grown, "i"), "b h c n p", "f32"),
    })
    local pair = kc.map({ name = "pair", flops = 0 }, kc.map("exp", a_end), read("dH", "b h c n p", "f32"))
    local passing = write("dS", kc.scan({ name = "recurrence", flops = 2 }, pair, "c"), "b h c n p", "f32")
    local dG_read = live(read("dG", "b c i j"))
    local scores = kc.kernel("scores backward", {
        write("dC", kc.map("add", kc.matmul(dG_read, B, "j"), read("dC before", "b c i n")), "b c i n"),
        write("dB inside", kc.matmul(dG_read, C, "i"), "b c j n"),
    })
    local to_end, dS = kc.map("exp", kc.map("sub", a_end, a_j)), kc.cast(read("dS", "b h c n p", "f32"), p.dtype)
    local dB = kc.reduce("sum", kc.map("mul", kc.matmul(X, dS, "p"), to_end), "h")
    local states = kc.kernel("states backward", {
        write("dX", kc.map("add", kc.matmul(kc.map("mul", B, to_end), dS, "n"), read("dX inside", "b c j h p")), "b c j h p"),
        write("dB", kc.map("add", dB, read("dB inside", "b c j n")), "b c j n"),
    })
    local function product(x, y) return kc.map("mul", read(x, "b c j h p"), read(y, "b c j h p")) end
    local da = kc.reduce("sum", kc.map("sub", product("dY", "Y"), product("dX", "X")), "p")
    local decays = write("d dA", kc.scan("sum", da, "j"), "b h c j", "f32")
    return kc.program("Mamba-2 SSD backward", { output, passing, scores, states, kc.kernel("decays backward", { decays }) })
end

-- Linear attention without decay, in chunks (arXiv 2006.16236; GLA, arXiv 2312.06635, section 4):
--     S_c = sum_j K[j,n] V[j,p]     H_c = H_(c-1) + S_c
--     O[i,p] = sum_(j <= i) (Q K^T)[i,j] V[j,p] + sum_n Q[i,n] H_(c-1)[n,p]
-- A program of three untiled kernels: states, passing, output.  Parameters as of `ssd`; state is the head size of Q
-- and K, 64 by default here; the state is f32.
-- Useful work: 4 n p FLOP in matmuls a token and head, 2 (n + p) a pair and head; 1 FLOP an element of a state and
-- of O.  Compulsory traffic: Q, O once, K and V twice, states written and read twice over.
function scan.linear_attention(p)
    p = chunked("scan.linear_attention", p, { state = 64 })
    local read = reader(p, p.size)
    local K, V = read("K", "b h c j n"), read("V", "b h c j p")
    local S = kc.write("S", kc.matmul(K, V, "j"), "f32")
    local H = kc.write("H", kc.scan("sum", kc.read(S), "c"), "f32")
    local Q = read("Q", "b h c i n")
    local scores = kc.mask(kc.matmul(Q, K, "n"), "i", "j", { hi = 0 })
    local inside = kc.matmul(scores, V, "j")
    local before = kc.matmul(Q, kc.cast(kc.read(H), p.dtype), "n")
    return kc.program("linear attention", { S, H, kc.write("O", kc.map("add", before, inside), p.dtype) })
end

-- The gated delta rule in chunks (arXiv 2412.06464, section 3.3; arXiv 2406.06484): H = a H + k beta (v - k a H), y = q H, with
-- a decay a and a rate beta of each token and head.  A program of six untiled kernels; h heads of values and states, of which
-- key_heads share Q and K (n); L tokens a chunk, L (L + 1) / 2 pairs, without a token's own one L (L - 1) / 2:
--     cumulative    a running sum of the decays' logarithms in each chunk
--     products      A[i,j] = beta_i exp(a_i - a_j) sum_n K[i,n] K[j,n], for j < i    2 n FLOP a pair and key head
--     inverse       T = (1 + A)^-1, by substitution: L (L - 1) (L - 2) / 3 FLOP a chunk and head
--     rows          W = T beta exp(a) K, U = T beta V                                2 (n + p) FLOP a pair and head
--     states        H_c = exp(a_end) H_(c-1) + (exp(a_end - a_j) K)^T V', V' = U - W H_(c-1)    4 n p a token and head
--     output        Y = exp(a_i) Q H + (Q K^T exp(a_i - a_j)) V'       2 n FLOP a pair and key head, 2 p a pair and head,
--                                                                      2 n p a token and head
--     seq, heads    sizes, required
--     key_heads     heads
--     head_dim (p)  128
--     state (n)     128
--     chunk         tokens, which divide seq: 64
--     batch         1
--     dtype         of Q, K, V, W, U and Y; gates and states are f32: "bf16"
-- Beside the matmuls, a token and head: 1 (running sum), 1 and an exp (beta exp(a)), n + p (with K and V), 1, an exp and n
-- (exp(a_end - a_j) K), p (V'), 2 p and an exp (exp(a_i), sum of Y); a pair without a token's own and head: 3 and an exp; a pair
-- and head: 2 and an exp; a chunk and head: an exp; 2 FLOP an element of a state.
-- Compulsory traffic: each tensor once in each kernel that has it.  That V' needs the state before it makes no difference to
-- counts: here the states are made of U.
function scan.gated_delta(p)
    p = chunked("scan.gated_delta", p, { state = 128, head_dim = 128, chunk = 64, key_heads = { "heads" } })
    if p.heads % p.key_heads ~= 0 then error("scan.gated_delta: key_heads: must divide heads") end
    p.size.g, p.size.h = p.key_heads, p.heads / p.key_heads
    local read = reader(p, p.size)
    local function write(name, value, dims, dtype) return kc.write(name, value, { dtype = dtype or p.dtype, dims = dims }) end
    local function live(x, hi) return kc.mask(x, "i", "j", { hi = hi }) end
    local keys = kc.tensor("K", "b c j g n", p.dtype, p.size)
    local K, K_i = kc.read(keys), kc.read(keys, "b c i g n", { size = p.size })
    local cumulative = write("a", kc.scan("sum", read("log a", "b g h c j", "f32"), "j"), "b g h c j", "f32")
    local a_j, a_i = kc.read(cumulative), kc.read(cumulative, "b g h c i", { size = p.size })
    local a_end, beta = read("a end", "b g h c", "f32"), read("beta", "b g h c j", "f32")
    local beta_i = read("beta i", "b g h c i", "f32")
    local function decayed(x) return kc.map("mul", x, kc.map("exp", kc.map("sub", a_i, a_j))) end

    local A = write("A", kc.map("mul", decayed(live(kc.matmul(K_i, K, "n"), -1)), beta_i), "b c g h i j", "f32")
    local substitution = { name = "substitution", flops = 2 * math.max(0, p.chunk - 2) / 3 }
    local T = write("T", kc.map(substitution, live(kc.read(A), -1)), "b c g h i j")
    local inverse = live(read("T", "b c g h i j"), 0)                -- its diagonal is 1
    local W = write("W", kc.matmul(inverse, kc.map("mul", K, kc.map("mul", beta, kc.map("exp", a_j))), "j"), "b c i g h n")
    local U = write("U", kc.matmul(inverse, kc.map("mul", read("V", "b c j g h p"), beta), "j"), "b c i g h p")

    local rows = kc.read(U, "b c j g h p", { size = p.size })
    local S = kc.matmul(kc.map("mul", K, kc.map("exp", kc.map("sub", a_end, a_j))), rows, "j")
    local pair = kc.map({ name = "pair", flops = 0 }, kc.map("exp", a_end), S)
    local H = kc.scan({ name = "recurrence", flops = 2 }, pair, "c")
    local before = kc.matmul(kc.read(W, "b c j g h n", { size = p.size }), kc.cast(H, p.dtype), "n")
    local states = kc.kernel("states", {
        write("H", H, "b c g h n p", "f32"), write("V new", kc.map("sub", rows, before), "b c j g h p"),
    })
    local Q = read("Q", "b c i g n")
    local inside = kc.matmul(decayed(live(kc.matmul(Q, K, "n"), 0)), read("V new", "b c j g h p"), "j")
    local far = kc.matmul(Q, kc.cast(read("H", "b c g h n p", "f32"), p.dtype), "n")
    local Y = write("Y", kc.map("add", kc.map("mul", far, kc.map("exp", a_i)), inside), "b c i g h p")
    return kc.program("gated delta rule", { cumulative, A, T, kc.kernel("rows", { W, U }), states, Y })
end

-- One token of a decode: H = a H + B x, y = C H, an untiled kernel; the state lies in HBM between tokens, whatever
-- the context (Mamba-2, linear attention with B = K, C = Q, x = V).
--     heads         required
--     head_dim (p)  64
--     state (n)     128
--     batch         1
--     dtype         of x, B, C and y: "bf16"
--     state_dtype   of H: "f32"
-- Useful work: 5 FLOP (decay, B x, sum; product and sum with C) for each element of the state, 1 exp a head.
-- Compulsory traffic: the state read and written, 2 batch heads n p elements; the rest is small.
function scan.step(p)
    p = take("scan.step", p, {
        heads = size, head_dim = 64, state = 128, batch = 1, dtype = "bf16", state_dtype = "f32",
    })
    local read = reader(p, { b = p.batch, h = p.heads, p = p.head_dim, n = p.state })
    local kept = kc.map("mul", read("H", "b h p n", p.state_dtype), kc.map("exp", read("dA", "b h", "f32")))
    local state = kc.map("add", kept, kc.map("mul", read("B", "b n"), read("x", "b h p")))
    local y = kc.reduce("sum", kc.map("mul", state, read("C", "b n")), "n")
    return kc.kernel("state step", {
        kc.write("next H", state, p.state_dtype), kc.write("y", y, { dtype = p.dtype, dims = "b h p" }),
    })
end

return scan
