-- config_keys.lua: the keys of a model's file, each checked and noted as it is taken.
--
-- A reader has `call` (whose errors they are), `given` (the table), `prefix` (of nested keys, "text_config."), `audit` (the
-- list of notes, shared by the readers of one file) and `seen` (keys that have a note).
local kc = require "kcost"

local function shown(value)
    if type(value) == "number" then return kc.str(value) end
    if type(value) == "string" then return '"' .. (#value > 40 and value:sub(1, 40) .. "…" or value) .. '"' end
    return type(value) == "boolean" and tostring(value) or type(value) == "table" and "a table" or "a " .. type(value)
end

local most = 2^31 - 1

local kinds = {
    size = function(x) return type(x) == "number" and x >= 1 and x <= most and x == math.floor(x) end,
    count = function(x) return type(x) == "number" and x >= 0 and x <= most and x == math.floor(x) end,
    layers = function(x) return type(x) == "number" and x >= 1 and x <= 10000 and x == math.floor(x) end,
    flag = function(x) return type(x) == "boolean" end,
    text = function(x) return type(x) == "string" end,
    table = function(x) return type(x) == "table" end,
}
local wanted = {
    size = "a whole number from 1 to 2147483647", count = "a whole number from 0 to 2147483647",
    layers = "a whole number from 1 to 10000", flag = "true or false", text = "a text", table = "a list or an object",
}

local reader = { kinds = kinds, shown = shown }
reader.__index = reader

-- A reader of the table `given`, inside `outer` or on its own.
function reader.new(call, given, prefix, audit)
    return setmetatable({ call = call, given = given, prefix = prefix, audit = audit, seen = {} }, reader)
end

function reader:refuse(key, text)
    error(self.call .. ": config." .. self.prefix .. key .. ": " .. text)
end

function reader:note(key, status, value, note)
    self.seen[key] = true
    self.audit[#self.audit + 1] = { key = self.prefix .. key, status = status, value = shown(value), note = note }
end

-- The value of the first of `names` (a text of words) that the file has, else `default`; without one it is an error.
-- false as a default: nothing, silently.
-- Other names of it are ignored.
function reader:take(names, kind, default, note)
    local first, found = names:match("%S+"), nil
    for name in names:gmatch("%S+") do
        local value = self.given[name]
        if value ~= nil and found then
            if not self.seen[name] then self:note(name, "ignored", value, "in favour of " .. found) end
        elseif value ~= nil then
            if not kinds[kind](value) then self:refuse(name, "expected " .. wanted[kind] .. ", got " .. shown(value)) end
            if not self.seen[name] then self:note(name, "used", value, note) end
            found = name
        end
    end
    if found then return self.given[found] end
    if default == nil then
        self:refuse(first, "is missing" .. (names ~= first and " (it may be named " .. names:gsub(" ", ", ") .. ")" or ""))
    end
    if default ~= false and not self.seen[first] then self:note(first, "defaulted", default, note) end
    return default
end

-- true or false; what a file lacks is noted as a default.
function reader:flag(name, default)
    if self.given[name] ~= nil then return self:take(name, "flag") end
    if not self.seen[name] then self:note(name, "defaulted", default) end
    return default
end

-- Keys that say nothing of a forward pass's cost.
local idle = {}
for word in ([[architectures auto_map transformers_version _name_or_path use_cache pretraining_tp initializer_range
    bos_token_id eos_token_id pad_token_id unk_token_id rms_norm_eps layer_norm_eps layer_norm_epsilon norm_eps
    norm_epsilon rope_theta rope_scaling rope_parameters rope_local_base_freq partial_rotary_factor rotary_pct
    rotary_emb_base rotary attention_dropout hidden_dropout attn_pdrop embd_pdrop resid_pdrop residual_dropout
    embedding_dropout attn_config classifier_dropout output_router_logits router_aux_loss_coef router_jitter_noise
    router_z_loss_coef norm_topk_prob scoring_func topk_method topk_group n_group routed_scaling_factor ep_size
    aux_loss_alpha seq_aux attention_multiplier residual_multiplier logits_scaling embedding_multiplier swiglu_limit
    summary_activation summary_first_dropout summary_proj_to_labels summary_type summary_use_proj task_specific_params
    return_dict output_hidden_states output_attentions torchscript use_bfloat16 tf_legacy_loss pruned_heads
    chunk_size_feed_forward is_encoder_decoder is_decoder cross_attention_hidden_size add_cross_attention
    tie_encoder_decoder max_length min_length do_sample early_stopping num_beams id2label label2id
    apply_residual_connection_post_layernorm final_logit_softcapping attn_logit_softcapping query_pre_attn_scalar
    attn_temperature_tuning floor_scale attn_scale for_llm_compressor attention_chunk_size
    scale_attn_by_inverse_layer_idx reorder_and_upcast_attn scale_attn_weights n_ctx
    initial_context_length original_max_position_embeddings layerdrop activation_dropout dropout init_std
    do_layer_norm_before experts_per_token use_mem_efficient_attention model_max_length
    cache_implementation time_step_limit time_step_min time_step_max time_step_floor time_step_rank
    rescale_prenorm_residual residual_in_fp32 norm_before_gate num_logits_to_keep attn_rotary_emb
    use_mamba_kernels mamba_ssm_cache_dtype mamba_hidden_act fmt desc_act version zero_point]]):gmatch("%S+") do
    idle[word] = true
end

-- Notes what kc.load_json read as absent: NaN and infinities, which are no JSON.
function reader:absent(file)
    local meta = getmetatable(file)
    local list = type(meta) == "table" and meta.absent
    for _, was in ipairs(type(list) == "table" and list or {}) do
        self.audit[#self.audit + 1] = {
            key = was.key, status = "absent", value = was.value, note = "line " .. kc.str(was.line) .. ": no number, so as if not there",
        }
    end
end

-- Notes what is left: keys that change no cost, and those that nobody here knows.
function reader:finish()
    local rest = {}
    for name in pairs(self.given) do
        if not self.seen[name] then rest[#rest + 1] = tostring(name) end
    end
    table.sort(rest)
    for _, status in ipairs { "ignored", "unknown" } do
        for _, name in ipairs(rest) do
            if (idle[name] and "ignored" or "unknown") == status then self:note(name, status, self.given[name]) end
        end
    end
end

return reader
