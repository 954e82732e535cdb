-- price_ffi.lua: the model alone from LuaJIT, through the declarations that the library itself has.
local ffi = require "ffi"
ffi.cdef "const char *kc_ffi(void);"
local lib = ffi.load("libkcost.so.0")
ffi.cdef(ffi.string(lib.kc_ffi()))

local context = lib.kc_context_new(nil, nil)
local function tensor(name, dims, a, b)
    local sizes = ffi.new("kc_size[2]", { { a, 4096 }, { b, 4096 } })
    return lib.kc_tensor_new(context, name, dims, lib.kc_dtype_named(context, "f16"), sizes, 2)
end
local function read(t) return lib.kc_read(t, nil, nil, 0, 1, 0) end
local product = lib.kc_matmul(read(tensor("A", "m k", "m", "k")), read(tensor("B", "k n", "k", "n")), nil, nil, nil, nil)
local C = lib.kc_write("C", product, nil, nil, nil, nil, 0, 1)
local r = lib.kc_evaluate(ffi.cast("kc_object *", C), lib.kc_device_named(context, "h100"), nil)
print(ffi.string(lib.kc_json(ffi.cast("kc_object *", r))))
lib.kc_context_free(context)
