-- config.lua: what a model's config.json says of its shape, and an audit of each of its keys.
--
-- `config.read` gives the shape that transformer.lua builds from; sizes in elements:
--     family, hidden, vocab, layers, context     the last one the longest sequence that the file names, or nothing
--     tied, positions, norm, dtype, head         head: dtype of the last matmul's weights; positions: rows of a table
--                                                that is learned, or nothing; norm: "rms" or "layer"
--     activations                                what inputs of matmuls by low-bit weights are rounded to, or nothing
--     groups     layers that are alike, each { count =, norms =, post =, parallel =, attention =, mlp = }
--     attention  of heads: { kind = "heads", heads, kv_heads, head_dim, value_dim, window, qkv_bias, out_bias, qk_norm,
--                rope, gate, qkv, out }; latent (MLA): { kind = "latent", heads, q_rank, latent_dim, rope_dim, head_dim,
--                value_dim, qkv, kv_b, out }; a state-space layer (Mamba-2): { kind = "state", heads, head_dim, state, groups,
--                conv, conv_bias, proj_bias, chunk, qkv, out }; the last ones are dtypes of weights.  Nothing where a layer
--                has only an mlp, and mlp is nothing where it has none
--     mlp        { kind = "dense", inner, gated, act, bias, up, down }; { kind = "experts", experts, top_k, inner, gated,
--                act, bias, router_bias, up, down, shared, shared_gate, shared_up, shared_down }: shared is the inner
--                size of the expert that all tokens use, 0 without
--     audit      a list of { key =, status =, value =, note = }, status being "used", "defaulted", "ignored" (it changes no
--                cost) or "unknown"
-- A file of several parts (images and text) is read for its text_config.  What a family needs and the file lacks is an
-- error; so is a family that is not in the table below: none is guessed.
local kc = require "kcost"
local reader, weights_of = kc.lib.config_keys, kc.lib.config_weights.dtypes
local shown = reader.shown
local config = {}

-- ---- families -----------------------------------------------------------------------------------------------

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
    falcon = falcon, RefinedWebModel = falcon, RefinedWeb = falcon,
}

-- The text parts of files that have pictures too.
families.qwen2_vl_text, families.qwen2_5_vl_text = families.qwen2, families.qwen2
families.qwen3_vl_text, families.qwen3_vl_moe_text = families.qwen3, families.qwen3_moe

-- The names of the families that are known, sorted.
function config.families()
    local names = {}
    for name in pairs(families) do names[#names + 1] = name end
    table.sort(names)
    return names
end

local acts = {
    silu = "silu", swish = "silu", gelu = "gelu", gelu_new = "gelu", gelu_fast = "gelu", gelu_pytorch_tanh = "gelu",
    quick_gelu = "gelu", relu = "relu", relu2 = { name = "relu2", flops = 2 },
}

-- true, false, or what the key of that name says, false without it; "name = true": true without it.
local function flag(r, declared)
    if type(declared) ~= "string" then return declared or false end
    local name, default = declared:match("^(%S+) = (true)$")
    return r:flag(name or declared, default == "true")
end

local function kv_heads(r, family, heads)
    if not family.falcon then return r:take("num_key_value_heads num_kv_heads n_head_kv", "size", heads) end
    if r:flag("new_decoder_architecture", false) then
        return r:take("num_kv_heads n_head_kv", "size", heads, "multi_query says nothing of the new decoder")
    end
    return r:take("multi_query", "flag", true, "one head of K and V") and 1 or heads
end

local function of_heads(r, s, family)
    local heads = r:take("num_attention_heads n_head n_heads", "size")
    local kv = kv_heads(r, family, heads)
    if heads % kv ~= 0 then
        r:refuse("num_key_value_heads", kc.str(kv) .. " do not divide the " .. kc.str(heads) .. " query heads")
    end
    local head_dim = r:take("head_dim", "size", family.head_dim or false)
    if not head_dim then
        head_dim = s.hidden / heads
        if head_dim ~= math.floor(head_dim) then
            r:refuse("hidden_size", kc.str(s.hidden) .. " is no multiple of the " .. kc.str(heads)
                .. " heads, and there is no head_dim")
        end
        r:note("head_dim", "defaulted", head_dim, "hidden size over heads")
    end
    return {
        kind = "heads", heads = heads, kv_heads = kv, head_dim = head_dim, value_dim = head_dim,
        rope = family.rope and not (family.falcon and r:flag("alibi", false)),
        qkv_bias = flag(r, family.qkv_bias), out_bias = flag(r, family.out_bias), qk_norm = family.qk_norm or false,
        sinks = family.sinks or false,
    }
end

local function of_latent(r)
    r:take("num_key_value_heads", "size", false, "all heads share the latent")
    if r:flag("attention_bias", false) then r:refuse("attention_bias", "biases of latents are not known here") end
    return {
        kind = "latent", heads = r:take("num_attention_heads", "size"), q_rank = r:take("q_lora_rank", "size", false),
        latent_dim = r:take("kv_lora_rank", "size"), rope_dim = r:take("qk_rope_head_dim", "size"),
        head_dim = r:take("qk_nope_head_dim", "size"), value_dim = r:take("v_head_dim", "size"),
    }
end

local function of_state(r, s)
    local heads = r:take("mamba_n_heads mamba_num_heads num_heads", "size")
    local dim = r.given.mamba_d_head ~= "auto" and r:take("mamba_d_head mamba_head_dim head_dim", "size", false)
    if not dim then
        dim = r:take("mamba_expand expand", "size", 2) * s.hidden / heads
        if dim ~= math.floor(dim) then r:refuse("mamba_n_heads", kc.str(heads) .. " do not divide the inner size") end
        r:note("mamba_d_head", "defaulted", dim, "inner size over heads")
    else
        r:take("mamba_expand expand", "size", false, "heads and their size say it")
    end
    return {
        kind = "state", heads = heads, head_dim = dim, state = r:take("mamba_d_state ssm_state_size state_size", "size"),
        groups = r:take("mamba_n_groups n_groups", "size", 1), conv = r:take("mamba_d_conv conv_kernel", "size", 4),
        conv_bias = r:take("mamba_conv_bias use_conv_bias", "flag", true),
        proj_bias = r:take("mamba_proj_bias use_bias", "flag", false),
        chunk = r:take("mamba_chunk_size chunk_size", "size", 256),
    }
end

-- Which layers have experts: a function of the layer, or nothing.
local function sparse_layers(r, how)
    if how.sparse == "first" then
        local first, step = r:take("first_k_dense_replace", "count", 0), r:take("moe_layer_freq", "size", 1)
        return function(layer) return layer >= first and layer % step == 0 end
    elseif how.sparse == "step" then
        local step, dense = r:take("decoder_sparse_step", "size", 1), {}
        for _, layer in ipairs(r:take("mlp_only_layers", "table", false) or {}) do dense[layer] = true end
        return function(layer) return (layer + 1) % step == 0 and not dense[layer] end
    end
    return function() return true end
end

local function of_experts(r, family, dense)
    local how = family.experts
    local e = {
        kind = "experts", experts = r:take(how.count or "num_experts", "size"),
        top_k = r:take("num_experts_per_tok num_experts_per_token", "size"),
        inner = r:take(how.inner or "moe_intermediate_size", "size"), gated = true, act = dense.act,
        bias = how.bias or false, router_bias = how.bias or false, shared_gate = how.shared_gate or false,
    }
    if e.top_k > e.experts then
        r:refuse("num_experts_per_tok", kc.str(e.top_k) .. " is more than the " .. kc.str(e.experts) .. " experts")
    end
    local shared = r:take("n_shared_experts", "count", false)
    e.shared = shared and shared * e.inner or r:take("shared_expert_intermediate_size", "count", false) or 0
    return e
end

-- ---- the whole ------------------------------------------------------------------------------------------------

local dtypes = { float32 = "f32", float16 = "f16", bfloat16 = "bf16", f32 = "f32", f16 = "f16", bf16 = "bf16" }

-- What each layer sees: nothing for all keys, or the window.
local function windows(r, s, family)
    local by_rule = family.window and family.window(r) or function() end
    local types = r:take("layer_types", "table", false)
    if not types then return by_rule end
    if #types ~= s.layers then
        r:refuse("layer_types", "has " .. kc.str(#types) .. " entries for " .. kc.str(s.layers) .. " layers")
    end
    local window = r:take("sliding_window", "count", false)
    for i, kind in ipairs(types) do
        if kind ~= "full_attention" and kind ~= "sliding_attention" then
            r:refuse("layer_types", "entry " .. i .. " is " .. shown(kind) .. ", and there are full_attention and sliding_attention")
        elseif kind == "sliding_attention" and not window then
            r:refuse("sliding_window", "is missing, and a layer slides")
        end
    end
    return function(layer) return types[layer + 1] == "sliding_attention" and window or nil end
end

local function copied(t, more)
    local all = {}
    for key, value in pairs(t) do all[key] = value end
    for key, value in pairs(more) do all[key] = value end
    return all
end

local function name_of(dtype) return type(dtype) == "string" and dtype or dtype.name end

-- Layers that are alike, in the order of their first; `rules` say of each layer what it has.
local function groups_of(s, rules, mixers, dense, experts)
    local weights = rules.weights
    local groups, by = {}, {}
    for layer = 0, s.layers - 1 do
        local path = "model.layers." .. kc.str(layer) .. "."
        local mixer, has_mlp = rules.mixer_of(layer)
        local sparse, window = experts and rules.is_sparse(layer), rules.window_of(layer)
        local inside = sparse and "mlp.experts.0." or "mlp."
        local a = { window = window ~= 0 and window or nil, qkv = weights(path .. "self_attn.q_proj"),
            out = weights(path .. "self_attn.o_proj"), kv_b = weights(path .. "self_attn.kv_b_proj") }
        local m = { up = weights(path .. inside .. "up_proj"), down = weights(path .. inside .. "down_proj"),
            shared_up = weights(path .. "mlp.shared_experts.up_proj"),
            shared_down = weights(path .. "mlp.shared_experts.down_proj") }
        local key = table.concat({ tostring(mixer), tostring(has_mlp), tostring(sparse), kc.str(a.window or 0),
            name_of(a.qkv), name_of(a.out), name_of(a.kv_b), name_of(m.up), name_of(m.down), name_of(m.shared_up) }, " ")
        if not by[key] then
            by[key] = {
                count = 0, norms = mixer and has_mlp and s.norms or 1, post = s.post, parallel = s.parallel, pre = s.pre,
                attention = mixer and copied(mixers[mixer], a) or nil,
                mlp = has_mlp and copied(sparse and experts or dense, m) or nil,
            }
            groups[#groups + 1] = by[key]
        end
        by[key].count = by[key].count + 1
    end
    return groups
end

-- The text part of a file that has several; its dtype and tie may stand outside.
local function text_part(r)
    local inner = r.given.text_config
    if type(inner) ~= "table" then return r end
    r:note("text_config", "used", inner, "its keys follow")
    local merged = copied({
        torch_dtype = r.given.torch_dtype, dtype = r.given.dtype, tie_word_embeddings = r.given.tie_word_embeddings,
        quantization_config = r.given.quantization_config,
    }, inner)
    for name in pairs { torch_dtype = 1, dtype = 1, tie_word_embeddings = 1, quantization_config = 1, model_type = 1 } do
        r.seen[name] = true
    end
    for name, value in pairs(r.given) do
        if not r.seen[name] and type(value) == "table" and tostring(name):find("_config$") then
            r:note(name, "ignored", value, "another part of the model")
        end
    end
    r:finish()
    return reader.new(r.call, merged, "text_config.", r.audit)
end

-- The shape of a model, out of the table that its config.json is; errors name `call`.
function config.read(call, given)
    if type(given) ~= "table" then error(call .. ": config: expected a table, as kc.load_json gives, got a " .. type(given)) end
    local r = text_part(reader.new(call, given, "", {}))
    local name = r:take("model_type", "text")
    local family = families[name]
    if not family then
        r:refuse("model_type", shown(name) .. " is no family that is known here: its layers would be a guess; there are "
            .. table.concat(config.families(), ", "))
    end
    local s = {
        family = name, layers = r:take("num_hidden_layers n_layer n_layers num_layers", "layers"),
        hidden = r:take("hidden_size n_embd d_model", "size"), vocab = r:take("vocab_size", "size"), norm = family.norm,
        norms = family.norms or 2, post = family.post or false, pre = not family.post_only, parallel = false,
    }
    if family.falcon then
        s.parallel = r:take("parallel_attn", "flag", true)
        s.norms = s.parallel and not r.given.new_decoder_architecture and 1 or 2
    elseif family.parallel then
        s.parallel = r:take(family.parallel, "flag", true)
    end
    s.post = s.post or family.post_only or false
    local dtype = r:take("torch_dtype dtype", "text", "bfloat16")
    s.dtype = dtypes[dtype]
        or r:refuse("torch_dtype", "there is no " .. shown(dtype) .. "; there are bfloat16, float16, float32")
    s.tied = r:take("tie_word_embeddings", "flag", family.tied)
    s.context = r:take("max_position_embeddings n_positions", "size", false, "the longest sequence") or nil
    if family.positions then
        s.positions = r:take("n_positions max_position_embeddings", "size") + (family.offset or 0)
    end
    local mixer_of = family.layers and family.layers(r, s) or function() return "attention", true end
    local has = {}
    for layer = 0, s.layers - 1 do
        local mixer, mlp = mixer_of(layer)
        has[mixer or "none"], has.mlp = true, has.mlp or mlp
    end
    local mixers = {
        attention = has.attention and (family.latent and of_latent(r) or of_heads(r, s, family)) or nil,
        state = has.state and of_state(r, s) or nil,
    }
    local act = r:take("hidden_act activation_function hidden_activation mlp_hidden_act", "text", family.act)
    local dense = {
        kind = "dense", gated = family.gated, bias = flag(r, family.mlp_bias),
        act = acts[act] or r:refuse("hidden_act", "there is no " .. shown(act) .. " here; there are gelu, relu and silu"),
    }
    local how = family.experts
    local experts, is_sparse = how and of_experts(r, family, dense), how and sparse_layers(r, how)
    local needs_dense = not how and has.mlp
    for layer = 0, how and s.layers - 1 or -1 do needs_dense = needs_dense or not is_sparse(layer) end
    if needs_dense then
        dense.inner = r:take("intermediate_size n_inner ffn_dim ffn_hidden_size", "size", family.inner and family.inner(s))
    elseif not r.seen.intermediate_size and r.given.intermediate_size ~= nil then
        r:note("intermediate_size", "ignored", r.given.intermediate_size, "no layer is dense")
    end
    local weights
    weights, s.activations = weights_of(r, s.dtype)
    s.head = weights("lm_head")
    local rules = { is_sparse = is_sparse, window_of = windows(r, s, family), weights = weights, mixer_of = mixer_of }
    s.groups = groups_of(s, rules, mixers, dense, experts)
    r:take("num_nextn_predict_layers", "count", false, "draft layers are not counted")
    r:finish()
    s.audit = r.audit
    return s
end

return config
