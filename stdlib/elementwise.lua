-- elementwise.lua: one op on every element; memory-bound on any device.
local kc = require "kcost"
local take, required = kc.lib.parameters.take, kc.lib.parameters.required

local elementwise = {}

-- Y = what(X), an untiled kernel.
--     what     a named map ("gelu", "silu", "relu", …) or a cost { flops =, special = }, required
--     n        elements, required without `input`
--     dtype    of X and Y: "f16"
--     input    a tensor to read as X, of any dims: a new one with the dim n
--     output   the name of Y: "Y"
-- Useful work: the map's cost per element; compulsory traffic: X read and Y written once.
function elementwise.apply(p)
    p = take("elementwise.apply", p, {
        what = required, n = false, dtype = "f16", input = false, output = "Y",
    })
    if not p.input and not p.n then error("elementwise.apply: n: is missing, and there is no input", 2) end
    local X = p.input or kc.tensor("X", "n", p.dtype, { n = p.n })
    local y = kc.map(p.what, kc.read(X))
    return kc.kernel(type(p.what) == "string" and p.what or "elementwise",
        { kc.write(p.output, y, X.dtype) })
end

return elementwise
