-- embedding.lua: rows of a table, by number.  tokens t, vocabulary v, features k; sizes in elements.
--
-- Parameters of both functions:
--     tokens, vocab, hidden    sizes, required
--     dtype                    of the table and of what is read or written: "f16"
-- Both are untiled kernels without a FLOP: a table is no matrix that tokens are multiplied by.
local kc = require "kcost"
local take, merge, size = kc.lib.parameters.take, kc.lib.parameters.merge, kc.lib.parameters.size

local embedding = {}

local function taken(call, p, more)
    p = take(call, p, merge({ tokens = size, vocab = size, hidden = size, dtype = "f16" }, more))
    p.size = { t = p.tokens, v = p.vocab, k = p.hidden }
    return p, kc.read(kc.tensor("token", "t", "i32", p.size))
end

-- Y[t,k] = table[token[t],k].
--     distinct    rows that are different, at most; may be an expected value: the fewer of tokens and vocab
-- Compulsory traffic: the distinct rows of the table, an i32 number and a row of Y a token.
function embedding.gather(p)
    local token
    p, token = taken("embedding.gather", p, { distinct = kc.lib.parameters.optional })
    local rows = kc.read(kc.tensor("table", "v k", p.dtype, p.size), "[t] k", { size = p.size, distinct = p.distinct })
    return kc.kernel("embedding", { kc.write("Y", kc.map({ name = "gather", flops = 0 }, rows, token), p.dtype) })
end

-- dtable[token[t],k] += dY[t,k], for a gradient that is kept as the rows that occur.
-- Compulsory traffic: dY and an i32 number a token; a row of dtable a token, at most the table.
function embedding.backward(p)
    local token
    p, token = taken("embedding.backward", p)
    local rows = kc.map({ name = "scatter", flops = 0 }, kc.read(kc.tensor("dY", "t k", p.dtype, p.size)), token)
    return kc.kernel("embedding backward", {
        kc.write("dtable", rows, { dtype = p.dtype, dims = "v k", index = "[t] k", size = { v = p.vocab } }),
    })
end

return embedding
