-- embedding.lua: rows of a table, by number.  tokens t, vocabulary v, features k; sizes in elements.
local kc = require "kcost"
local take, size, optional = kc.lib.parameters.take, kc.lib.parameters.size, kc.lib.parameters.optional

local embedding = {}

-- Y[t,k] = table[token[t],k], an untiled kernel without a FLOP: a table is no matrix that tokens are multiplied by.
--     tokens, vocab, hidden    sizes, required
--     distinct                 rows that are different, at most; may be an expected value: the fewer of tokens
--                              and vocab
--     dtype                    of the table and of Y: "f16"
-- Compulsory traffic: the distinct rows of the table, an i32 number and a row of Y a token.
function embedding.gather(p)
    p = take("embedding.gather", p, {
        tokens = size, vocab = size, hidden = size, distinct = optional, dtype = "f16",
    })
    local sizes = { t = p.tokens, v = p.vocab, k = p.hidden }
    local rows = kc.read(kc.tensor("table", "v k", p.dtype, sizes), "[t] k", { size = sizes, distinct = p.distinct })
    local numbers = kc.read(kc.tensor("token", "t", "i32", sizes))
    return kc.kernel("embedding", { kc.write("Y", kc.map({ name = "gather", flops = 0 }, rows, numbers), p.dtype) })
end

return embedding
