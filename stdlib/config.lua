-- config.lua: what a model's config.json says of its shape, and an audit of each of its keys.
--
-- `config.read` gives the shape that transformer.lua builds from; sizes in elements:
--     family, hidden, vocab, layers, context     the last one the longest sequence that the file names, or nothing
--     tied, positions, norm, dtype, head         head: dtype of the last matmul's weights; positions: rows of a table
--                                                that is learned, or nothing; norm: "rms" or "layer"
--     activations                                what inputs of matmuls by low-bit weights are rounded to, or nothing
--     groups     layers that are alike, each { count =, norms =, post =, parallel =, attention =, mlp = }
--     attention  of heads: { kind = "heads", heads, kv_heads, head_dim, value_dim, window, chunk, qkv_bias, out_bias, qk_norm,
--                rope, gate, qkv, out }; latent (MLA): { kind = "latent", heads, q_rank, latent_dim, rope_dim, head_dim,
--                value_dim, qkv, kv_b, out }; a state-space layer (Mamba-2): { kind = "state", heads, head_dim, state, groups,
--                conv, conv_bias, proj_bias, chunk, qkv, out }, (Mamba): { kind = "selective", inner, state, rank, norms, conv,
--                conv_bias, proj_bias, qkv, out }; a gated delta rule: { kind = "delta", heads, key_heads, key_dim, value_dim,
--                conv, chunk, qkv, out }; the last ones are dtypes of weights.  chunk of heads: keys before the start of a query's
--                chunk are not seen.  Nothing where a layer has only an mlp, and mlp is nothing where it has none
--     mlp        { kind = "dense", inner, gated, act, bias, up, down }; { kind = "experts", experts, top_k, inner, gated,
--                act, bias, router_bias, up, down, shared, shared_gate, shared_up, shared_down }: shared is the inner
--                size of the expert that all tokens use, 0 without
--     audit      a list of { key =, status =, value =, note = }, status being "used", "defaulted", "ignored" (it changes no
--                cost) or "unknown"
-- A file of several parts (images and text) is read for its text_config.  What a family needs and the file lacks is an
-- error; so is a family that is not in config_families.lua: none is guessed.
local kc = require "kcost"
local reader, known = require "kcost.internal.config_keys", require "kcost.internal.config_families"
local weights_of = require("kcost.internal.config_weights").dtypes
local shown = reader.shown
local config = {}

-- The names of the families that are known, sorted.
function config.families()
    local names = {}
    for name in pairs(known.families) do names[#names + 1] = name end
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
        qkv_bias = flag(r, family.qkv_bias), out_bias = flag(r, family.out_bias), sinks = family.sinks or false,
        qk_norm = family.qk_norm == "use_qk_norm" and (r:flag("use_qk_norm", true) and "plain") or family.qk_norm or false,
        gate = family.gate or false,
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

local function of_selective(r, s)
    local rank = r.given.mamba_dt_rank ~= "auto" and r:take("mamba_dt_rank", "size", false)
    if not rank then
        rank = math.ceil(s.hidden / 16)
        r:note("mamba_dt_rank", "defaulted", rank, "a sixteenth of the hidden size")
    end
    return {
        kind = "selective", inner = r:take("mamba_expand", "size", 2) * s.hidden, state = r:take("mamba_d_state", "size", 16),
        rank = rank, norms = true, conv = r:take("mamba_d_conv", "size", 4), conv_bias = r:flag("mamba_conv_bias", true),
        proj_bias = r:flag("mamba_proj_bias", false),
    }
end

local function of_delta(r)
    local a = {
        kind = "delta", heads = r:take("linear_num_value_heads", "size"), key_heads = r:take("linear_num_key_heads", "size"),
        key_dim = r:take("linear_key_head_dim", "size"), value_dim = r:take("linear_value_head_dim", "size"),
        conv = r:take("linear_conv_kernel_dim", "size", 4), chunk = 64,         -- tokens that a kernel takes at once
    }
    if a.heads % a.key_heads ~= 0 then
        r:refuse("linear_num_key_heads", kc.str(a.key_heads) .. " do not divide the " .. kc.str(a.heads) .. " heads of values")
    end
    return a
end

local with_states = { { "state", of_state }, { "selective", of_selective }, { "delta", of_delta } }

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
    e.shared = how.shared and e.inner or shared and shared * e.inner or r:take("shared_expert_intermediate_size", "count", false) or 0
    return e
end

-- ---- the whole ------------------------------------------------------------------------------------------------

local dtypes = { float32 = "f32", float16 = "f16", bfloat16 = "bf16", f32 = "f32", f16 = "f16", bf16 = "bf16" }

-- What each layer sees: nothing for all keys, or the window.
local function windows(r, s, family)
    local by_rule = family.window and family.window(r, s) or function() end
    local types = r:take("layer_types", "table", false)
    if not types then return by_rule end
    if #types ~= s.layers then
        r:refuse("layer_types", "has " .. kc.str(#types) .. " entries for " .. kc.str(s.layers) .. " layers")
    end
    local window = r:take("sliding_window", "count", false)
    local kinds, named = family.kinds or { "full_attention", "sliding_attention" }, {}
    for _, kind in ipairs(kinds) do named[kind] = true end
    for i, kind in ipairs(types) do
        if not named[kind] then
            r:refuse("layer_types", "entry " .. i .. " is " .. shown(kind) .. ", and there are " .. table.concat(kinds, " and "))
        elseif kind == "sliding_attention" and not window then
            r:refuse("sliding_window", "is missing, and a layer slides")
        end
    end
    return function(layer)
        local kind, _, chunk, turned = types[layer + 1], by_rule(layer)
        return kind == "sliding_attention" and window or nil, kind == "chunked_attention" and chunk or nil, turned
    end
end

local function copied(t, more)
    local all = {}
    for key, value in pairs(t) do all[key] = value end
    for key, value in pairs(more) do all[key] = value end
    return all
end

local function name_of(dtype) return type(dtype) == "string" and dtype or dtype.name end

-- What goes into a layer's mixer and what comes out of it, as files name these modules.
local modules = {
    attention = { "self_attn.q_proj", "self_attn.o_proj" }, delta = { "linear_attn.in_proj_qkvz", "linear_attn.out_proj" },
    selective = { "mamba.in_proj", "mamba.out_proj" }, state = { "mamba.in_proj", "mamba.out_proj" },
}

-- Layers that are alike, in the order of their first; `rules` say of each layer what it has.
local function groups_of(s, rules, mixers, dense, experts)
    local weights = rules.weights
    local groups, by = {}, {}
    for layer = 0, s.layers - 1 do
        local path = "model.layers." .. kc.str(layer) .. "."
        local mixer, has_mlp = rules.mixer_of(layer)
        local sparse, window, chunk, turned = experts and rules.is_sparse(layer), rules.window_of(layer)
        local inside = sparse and "mlp.experts.0." or "mlp."
        local module = modules[mixer] or modules.attention
        local a = { window = window ~= 0 and window or nil, chunk = mixer == "attention" and chunk or nil,
            qkv = weights(path .. module[1]), out = weights(path .. module[2]), kv_b = weights(path .. "self_attn.kv_b_proj") }
        if turned == false then a.rope, a.qk_norm = false, false end
        local m = { up = weights(path .. inside .. "up_proj"), down = weights(path .. inside .. "down_proj"),
            shared_up = weights(path .. "mlp.shared_experts.up_proj"),
            shared_down = weights(path .. "mlp.shared_experts.down_proj") }
        local key = table.concat({ tostring(mixer), tostring(has_mlp), tostring(sparse), kc.str(a.window or 0),
            kc.str(a.chunk or 0), tostring(turned), name_of(a.qkv), name_of(a.out), name_of(a.kv_b), name_of(m.up),
            name_of(m.down), name_of(m.shared_up) }, " ")
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
    local family = known.families[name]
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
    local mixers = { attention = has.attention and (family.latent and of_latent(r) or of_heads(r, s, family)) or nil }
    for _, kind in ipairs(with_states) do mixers[kind[1]] = has[kind[1]] and kind[2](r, s) or nil end
    local act = r:take("hidden_act activation_function hidden_activation mlp_hidden_act", "text", family.act)
    local dense = {
        kind = "dense", gated = family.gated, bias = flag(r, family.mlp_bias),
        act = acts[act] or r:refuse("hidden_act", "there is no " .. shown(act) .. " here; there are gelu, relu and silu"),
    }
    local how = family.experts
    local experts, is_sparse = how and of_experts(r, family, dense), how and known.sparse(r, how)
    local needs_dense = not how and has.mlp
    for layer = 0, how and s.layers - 1 or -1 do needs_dense = needs_dense or not is_sparse(layer) end
    if needs_dense then
        local names = family.inner_key or "intermediate_size n_inner ffn_dim ffn_hidden_size"
        dense.inner = r:take(names, "size", family.inner and family.inner(s))
    else
        local key = family.inner_key or "intermediate_size"
        if not r.seen[key] and r.given[key] ~= nil then r:note(key, "ignored", r.given[key], "no layer is dense") end
    end
    local weights
    weights, s.activations = weights_of(r, s.dtype)
    s.head = weights("lm_head")
    local rules = { is_sparse = is_sparse, window_of = windows(r, s, family), weights = weights, mixer_of = mixer_of }
    s.groups = groups_of(s, rules, mixers, dense, experts)
    r:take("num_nextn_predict_layers", "count", false, "draft layers are not counted")
    r:finish()
    r:absent(given)
    s.audit = r.audit
    return s
end

return config
