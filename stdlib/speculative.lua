-- speculative.lua: speculative decoding: a draft proposes tokens, the model checks them all at once.
--
-- With a the chance that a drafted token is accepted, g drafts a round and c the time of a draft over that of a
-- token of the model (Leviathan et al., arXiv 2211.17192, equation 1 and theorem 3.8):
--     tokens of a round = (1 - a^(g + 1)) / (1 - a)        speed-up = tokens / (g c + 1)
local kc = require "kcost"
local take, size, share, required = kc.lib.parameters.take, kc.lib.parameters.size, kc.lib.parameters.share,
    kc.lib.parameters.required

local speculative = {}

local function tokens(p)
    if p.acceptance == 1 then return p.drafts + 1 end
    return (1 - p.acceptance ^ (p.drafts + 1)) / (1 - p.acceptance)
end

-- Tokens that a round makes, on average.
--     acceptance    a, from 0 to 1, required
--     drafts        g, required
function speculative.tokens(p)
    return tokens(take("speculative.tokens", p, { acceptance = share, drafts = size }))
end

-- Speed-up where checking g + 1 tokens takes the time of one.
--     acceptance, drafts    as of `tokens`
--     cost                  c, from 0 to 1, required
function speculative.speedup(p)
    p = take("speculative.speedup", p, { acceptance = share, drafts = size, cost = share })
    return tokens(p) / (p.drafts * p.cost + 1)
end

-- The same with times of kernels or programs on a device.
--     acceptance, drafts    as of `tokens`
--     step      the model's step of one token, required
--     verify    its step of drafts + 1 tokens, required
--     draft     the draft's step of one token, required
--     device    required
--     options   of kc.evaluate: none
-- Gives { tokens, time, per_token, speedup }: tokens of a round, seconds of a round and of a token, and how
-- many times as fast as `step` alone.
function speculative.evaluate(p)
    p = take("speculative.evaluate", p, {
        acceptance = share, drafts = size, step = required, verify = required, draft = required, device = required,
        options = kc.lib.parameters.optional_table,
    })
    local function time(x) return kc.evaluate(x, p.device, p.options).time end
    local round = p.drafts * time(p.draft) + time(p.verify)
    local made = tokens(p)
    return { tokens = made, time = round, per_token = round / made, speedup = time(p.step) * made / round }
end

return speculative
