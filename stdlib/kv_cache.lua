-- kv_cache.lua: what attention keeps of each token: bytes, out of named parts.
--
-- A part is { name =, width =, dtype = }: elements of a token in one layer, stored as `dtype`, scales included
-- where it has any (kc.dtype { name = "f8 with f32 scales", bits = 8, block = 128, scale_bits = 32, … }).
local kc = require "kcost"
local take, size = kc.lib.parameters.take, kc.lib.parameters.size

local kv_cache = {}

-- The parts of heads: K and V.
--     kv_heads     heads that are kept, required
--     head_dim     of K, required: a model's file says it, and hidden size over heads is another number
--     value_dim    of V: head_dim
--     dtype        of both: "bf16"
function kv_cache.heads(p)
    p = take("kv_cache.heads", p, { kv_heads = size, head_dim = size, value_dim = { "head_dim" }, dtype = "bf16" })
    return {
        { name = "K", width = p.kv_heads * p.head_dim, dtype = p.dtype },
        { name = "V", width = p.kv_heads * p.value_dim, dtype = p.dtype },
    }
end

-- The parts of a latent (MLA): one vector for K and V of all heads, and the key that carries the position.
--     latent_dim   512
--     rope_dim     64
--     dtype        of the latent: "bf16"
--     rope_dtype   "bf16"
function kv_cache.latent(p)
    p = take("kv_cache.latent", p or {}, { latent_dim = 512, rope_dim = 64, dtype = "bf16", rope_dtype = "bf16" })
    return {
        { name = "latent", width = p.latent_dim, dtype = p.dtype },
        { name = "rope", width = p.rope_dim, dtype = p.rope_dtype },
    }
end

-- Bytes of a cache: those of its parts, for every layer, sequence and slot.
--     parts     a list of parts, required
--     layers    that have these parts: 1
--     tokens    of a sequence: 1
--     batch     sequences: 1
--     page      slots of a page; tokens are rounded up to whole pages: 1
--     window    tokens that a sliding window keeps, at most: all
function kv_cache.bytes(p)
    p = take("kv_cache.bytes", p, {
        parts = kc.lib.parameters.required, layers = 1, tokens = 1, batch = 1, page = 1,
        window = kc.lib.parameters.optional_size,
    })
    if type(p.parts) ~= "table" or #p.parts == 0 then
        error("kv_cache.bytes: parts: expected a list such as { { name = \"K\", width = 1024, dtype = \"bf16\" } }")
    end
    local tokens = p.window and math.min(p.tokens, p.window) or p.tokens
    local slots, bytes = math.ceil(tokens / p.page) * p.page, 0
    for n, part in ipairs(p.parts) do
        if type(part) ~= "table" or type(part.width) ~= "number" then
            error("kv_cache.bytes: parts[" .. n .. "]: expected { name =, width =, dtype = }")
        end
        local token = kc.tensor(part.name or "part " .. n, "w", part.dtype, { w = part.width })
        bytes = bytes + kc.count(kc.write("cache", kc.read(token), part.dtype)).bytes_written
    end
    return bytes * slots * p.layers * p.batch
end

return kv_cache
