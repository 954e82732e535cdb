-- config_families.lua: what layers the families of models have, beyond the keys that all files share.
--
-- families    by model_type:
--     norm, gated, act, rope, tied       "rms" or "layer"; an MLP of three matrices; its function; positions turned into Q and K;
--                                        words tied where the file says nothing
--     qkv_bias, out_bias, mlp_bias       true, or the key that says so ("key = true": true without it)
--     qk_norm                            true of each head, "all" of all heads, "use_qk_norm" without weights if that key says so
--     post, post_only                    norms behind branches, too or alone; norms: before them, where it is not one each
--     parallel, sinks, gate, latent, falcon    the key for parallel branches; a sink of each head; a sigmoid times what comes out
--                                        of each head; MLA; the keys of Falcon
--     inner, inner_key, head_dim         the MLP's inner size and the size of a head, where they are not as in other files
--     positions, offset                  a learned table, and rows that it has more
--     window(r, s)                       a function of the layer (from 0): its window or nothing, its chunk or nothing, and false
--                                        where positions are not turned in it; kinds: words that its layer_types may have
--     layers(r, s)                       a function of the layer: its mixer (attention, state, selective, delta, or nothing), and
--                                        whether it has an MLP
--     experts                            { count =, inner = keys, sparse = how `sparse` below finds their layers, bias, shared_gate,
--                                        shared = true: an expert of the same size that all tokens use }
-- sparse      which layers have experts
-- Sources: the modelling code of each family in Hugging Face's transformers.
local kc = require "kcost"
local config_families = {}

local function whole_window(r)
    local window = r:take("sliding_window", "count", false, "all layers")
    return function() return window end
end

local function qwen_window(r)
    local slides = r:flag("use_sliding_window", false)
    local window, from = r:take("sliding_window", "count", false), r:take("max_window_layers", "count", slides and 28 or false)
    return function(layer) return slides and layer >= from and window or nil end
end

-- Every `every`-th layer sees all keys, the others a window.
local function pattern(every, default)
    return function(r)
        local window = r:take("sliding_window", "count", default)
        local period = every > 2 and r:take("sliding_window_pattern", "size", every) or every
        return function(layer) return (layer + 1) % period ~= 0 and window or nil end
    end
end

-- Layers that turn by position see their chunk, the others all keys.
local function chunks(r, s)
    local listed = r:take("no_rope_layers", "table", false) or {}
    local every = r:take("no_rope_layer_interval", "size", #listed == 0 and 4 or false)
    if #listed > 0 and #listed < s.layers then
        r:refuse("no_rope_layers", "has " .. kc.str(#listed) .. " entries for " .. kc.str(s.layers) .. " layers")
    end
    local chunk = r:take("attention_chunk_size", "size", 8192)
    return function(layer)
        local turned = (layer + 1) % (every or 1) ~= 0
        if #listed > 0 then turned = listed[layer + 1] ~= 0 end
        return nil, turned and chunk or nil, turned
    end
end

-- The layers of one kind come once in `period`, from `offset` on: a function that says whether a layer is one.
local function once_in(r, what, period, offset)
    local every, first = r:take(what .. "_period", "size", period), r:take(what .. "_offset", "count", offset)
    if first >= every then r:refuse(what .. "_offset", kc.str(first) .. " is not below the period, " .. kc.str(every)) end
    return function(layer) return layer % every == first end
end

local function rms(more)
    local family = { norm = "rms", gated = true, act = "silu", rope = true, tied = false }
    for key, value in pairs(more or {}) do family[key] = value end
    return family
end

local function layered(more)
    local family = rms { norm = "layer", gated = false, act = "gelu", qkv_bias = true, out_bias = true, mlp_bias = true }
    for key, value in pairs(more or {}) do family[key] = value end
    return family
end

local function four_hidden(s) return 4 * s.hidden end

local falcon = layered {
    tied = true, inner = four_hidden, qkv_bias = "bias", out_bias = "bias", mlp_bias = "bias", falcon = true,
}

local families = {
    llama = rms { qkv_bias = "attention_bias", out_bias = "attention_bias", mlp_bias = "mlp_bias" },
    mistral = rms { window = whole_window },
    mixtral = rms { window = whole_window, experts = { count = "num_local_experts", inner = "intermediate_size" } },
    qwen2 = rms { qkv_bias = true, window = qwen_window },
    qwen2_moe = rms { qkv_bias = true, window = qwen_window, experts = { sparse = "step", shared_gate = true } },
    qwen3 = rms { qkv_bias = "attention_bias", out_bias = "attention_bias", qk_norm = true, window = qwen_window },
    qwen3_moe = rms {
        qkv_bias = "attention_bias", out_bias = "attention_bias", qk_norm = true, window = qwen_window,
        experts = { sparse = "step" },
    },
    gemma = rms { act = "gelu", tied = true, head_dim = 256 },
    gemma2 = rms { act = "gelu", tied = true, head_dim = 256, post = true, window = pattern(2, 4096) },
    gemma3_text = rms { act = "gelu", tied = true, head_dim = 256, post = true, qk_norm = true, window = pattern(6, 4096) },
    phi3 = rms { window = whole_window },
    olmo2 = rms { qk_norm = "all", post_only = true, qkv_bias = "attention_bias", out_bias = "attention_bias" },
    gpt_oss = rms {
        qkv_bias = "attention_bias", out_bias = "attention_bias", sinks = true, window = pattern(2, 128),
        experts = { count = "num_local_experts", inner = "intermediate_size", bias = true },
    },
    deepseek_v2 = rms { latent = true, experts = { count = "n_routed_experts", sparse = "first" } },
    deepseek_v3 = rms { latent = true, experts = { count = "n_routed_experts", sparse = "first" } },
    kimi_k2 = rms { latent = true, experts = { count = "n_routed_experts", sparse = "first" } },
    gpt2 = layered { tied = true, rope = false, positions = true, inner = four_hidden },
    gpt_neox = layered { parallel = "use_parallel_residual", norms = 2 },
    opt = layered { tied = true, act = "relu", rope = false, positions = true, offset = 2 },
    starcoder2 = layered {
        tied = true, window = whole_window, qkv_bias = "use_bias = true", out_bias = "use_bias = true",
        mlp_bias = "use_bias = true",
    },
    mamba2 = rms { state = true, layers = function() return function() return "state", false end end },
    bamba = rms { state = true, layers = function(r)
        local attends = {}
        for _, layer in ipairs(r:take("attn_layer_indices", "table")) do attends[layer] = true end
        return function(layer) return attends[layer] and "attention" or "state", true end
    end },
    nemotron_h = rms {
        state = true, rope = false, gated = false, act = "relu2", qkv_bias = "attention_bias", out_bias = "attention_bias",
        mlp_bias = "mlp_bias", layers = function(r, s)
            local letters = r:take("hybrid_override_pattern", "text")
            if #letters ~= s.layers or letters:find("[^M*-]") then
                r:refuse("hybrid_override_pattern", "expected an M, * or - for each of the " .. kc.str(s.layers) .. " layers")
            end
            local mixers = { M = "state", ["*"] = "attention" }
            return function(layer)
                local letter = letters:sub(layer + 1, layer + 1)
                return mixers[letter], letter == "-"
            end
        end,
    },
    qwen3_next = rms {
        qkv_bias = "attention_bias", out_bias = "attention_bias", qk_norm = true, gate = true, head_dim = 256,
        experts = { sparse = "step", shared_gate = true }, kinds = { "full_attention", "linear_attention" },
        layers = function(r)
            local types, every = r:take("layer_types", "table", false), r:take("full_attention_interval", "size", 4)
            r:take("use_sliding_window", "flag", false, "no layer slides")
            return function(layer)
                local full = (layer + 1) % every == 0
                if types then full = types[layer + 1] == "full_attention" end
                return full and "attention" or "delta", true
            end
        end,
    },
    llama4_text = rms {
        qkv_bias = "attention_bias", out_bias = "attention_bias", qk_norm = "use_qk_norm", inner_key = "intermediate_size_mlp",
        window = chunks, kinds = { "full_attention", "chunked_attention" },
        experts = { count = "num_local_experts", inner = "intermediate_size", sparse = "interleaved", shared = true },
    },
    jamba = rms { rope = false, experts = { inner = "intermediate_size", sparse = "period" }, layers = function(r)
        local attends = once_in(r, "attn_layer", 8, 4)
        return function(layer) return attends(layer) and "attention" or "selective", true end
    end },
    falcon = falcon, RefinedWebModel = falcon, RefinedWeb = falcon,
}

-- The text parts of files that have pictures too.
families.qwen2_vl_text, families.qwen2_5_vl_text = families.qwen2, families.qwen2
families.qwen3_vl_text, families.qwen3_vl_moe_text = families.qwen3, families.qwen3_moe

-- Which layers have experts: a function of the layer, or nothing.
function config_families.sparse(r, how)
    if how.sparse == "first" then
        local first, step = r:take("first_k_dense_replace", "count", 0), r:take("moe_layer_freq", "size", 1)
        return function(layer) return layer >= first and layer % step == 0 end
    elseif how.sparse == "step" then
        local step, dense = r:take("decoder_sparse_step", "size", 1), {}
        for _, layer in ipairs(r:take("mlp_only_layers", "table", false) or {}) do dense[layer] = true end
        return function(layer) return (layer + 1) % step == 0 and not dense[layer] end
    elseif how.sparse == "interleaved" then
        local listed, sparse = r:take("moe_layers", "table", false), {}
        local step = r:take("interleave_moe_layer_step", "size", not listed and 1 or false)
        for _, layer in ipairs(listed or {}) do sparse[layer] = true end
        return function(layer) return listed and sparse[layer] or not listed and (layer + 1) % step == 0 end
    elseif how.sparse == "period" then
        return once_in(r, "expert_layer", 2, 1)
    end
    return function() return true end
end

config_families.families = families

return config_families
