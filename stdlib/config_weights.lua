-- config_weights.lua: weights of fewer bits: which modules have them, and how many bits.
--
-- Methods, by quant_method: fp8 (blocks with an f32 scale), mxfp4 (experts only), gptq and awq
-- (groups with 16-bit scales and, where not symmetric, zero points), bitsandbytes.  Modules of an exclusion list, heads and
-- routers keep the model's dtype.
local kc = require "kcost"
local reader = require "kcost.internal.config_keys"

-- Does the text match a pattern whose * stand for anything?  Linear in its length for each *.
local function glob(pattern, text)
    local p, s, star, from = 1, 1, nil, 1
    while s <= #text do
        local c = pattern:sub(p, p)
        if c == "*" then
            star, from, p = p, s, p + 1
        elseif c == text:sub(s, s) then
            p, s = p + 1, s + 1
        elseif star then
            from = from + 1
            p, s = star + 1, from
        else
            return false
        end
    end
    return pattern:sub(p):find("^%**$") ~= nil
end

-- An entry of an exclusion list names a module, by its path or the end of it, and all that is inside.
local function excludes(entry, module)
    local plain = entry:gsub("^re:", ""):gsub("%.%*", "*"):gsub("[\\^$]", "")
    return glob(plain, module) or glob(plain .. ".*", module) or glob("*." .. plain, module)
        or glob("*." .. plain .. ".*", module)
end

local function dtype_of(bits, block, scale_bits, zero_bits, math)
    return kc.dtype {
        name = "w" .. kc.str(bits) .. " of " .. kc.str(block), bits = bits, block = block, scale_bits = scale_bits,
        zero_bits = zero_bits, math = math,
    }
end

local function grouped(q)
    local bits, block = q:take("bits", "size"), q:take("group_size", "size", 128)
    if bits > 8 then q:refuse("bits", "expected at most 8, got " .. reader.shown(bits)) end
    local symmetric = q:take("sym", "flag", false)
    return dtype_of(bits, block, 16, symmetric and 0 or bits, "f16")
end

-- By quant_method: the dtype of the weights that it covers, and whether these are the experts' only.
local methods = {
    fp8 = function(q)
        local block = q:take("weight_block_size", "table", false)
        if not block then return "f8" end
        if not reader.kinds.size(block[1]) or not reader.kinds.size(block[2]) then
            q:refuse("weight_block_size", "expected two sizes")
        end
        return dtype_of(8, block[1] * block[2], 32, 0, "f8")
    end,
    mxfp4 = function() return "mxf4", true end,
    gptq = grouped, awq = grouped,
    bitsandbytes = function(q)
        if q:take("load_in_4bit", "flag", false) then return dtype_of(4, 64, 32, 0, "f16") end
        q:take("load_in_8bit", "flag")
        return "i8"
    end,
}

local weights = {}

-- The dtype of a module's weights, a function of its path, and what inputs are rounded to, or nothing: what
-- quantization_config of the file says, read by `r`; `plain` is the model's dtype.
function weights.dtypes(r, plain)
    local given = r:take("quantization_config", "table", false)
    if not given then return function() return plain end end
    local q = reader.new(r.call, given, r.prefix .. "quantization_config.", r.audit)
    local name = q:take("quant_method", "text")
    if not methods[name] then
        q:refuse("quant_method", "there is no " .. reader.shown(name) .. " here; there are awq, bitsandbytes, fp8, gptq, mxfp4")
    end
    local low, experts_only = methods[name](q)
    local list = q:take("modules_to_not_convert ignored_layers ignore llm_int8_skip_modules", "table", false) or {}
    for i, entry in ipairs(list) do
        if type(entry) ~= "string" or #entry > 200 then q:refuse("modules_to_not_convert", "entry " .. i .. " is no name") end
    end
    local activations = q:take("activation_scheme", "text", false) and "f8" or nil
    q:finish()
    return function(module)
        -- heads and routers keep the model's own dtype in every one of these methods, unless a file says so
        if module == "lm_head" or module:find("%.router$") then return plain end
        if experts_only and not module:find("experts", 1, true) then return plain end
        for _, entry in ipairs(list) do
            if excludes(entry, module) then return plain end
        end
        return low
    end, activations
end

return weights
