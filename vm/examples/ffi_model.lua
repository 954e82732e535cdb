-- ffi_model.lua: the model from LuaJIT through its ffi: the header's own block declares everything.
--
--     luajit ffi_model.lua [path of libkcost.so.0]
--
-- `require "kcost"` is the usual way in a stock interpreter (stock.lua); this one needs no module, and shows how any
-- language whose ffi reads C declarations gets them: from kc_ffi().
local ffi = require "ffi"

local lib = ffi.load(arg[1] or "libkcost.so.0")
ffi.cdef "const char *kc_ffi(void);"
ffi.cdef(ffi.string(lib.kc_ffi()))

local context = ffi.gc(lib.kc_context_new(nil, nil), lib.kc_context_free)

-- A handle that the collector releases, in any order; NULL is a failure.
local function take(handle)
    if handle == nil then error(ffi.string(lib.kc_context_message(context)), 2) end
    return ffi.gc(handle, lib.kc_release)
end

local f16 = take(lib.kc_dtype_named(context, "f16"))
local size = ffi.new("kc_size[3]", { { "m", 4096 }, { "n", 4096 }, { "k", 4096 } })
local function read(tensor) return take(lib.kc_read(tensor, nil, nil, 0, 1, 0)) end

local A = take(lib.kc_tensor_new(context, "A", "m k", f16, size, 3))
local B = take(lib.kc_tensor_new(context, "B", "k n", f16, size, 3))
local C = take(lib.kc_write("C", take(lib.kc_matmul(read(A), read(B), nil, nil, nil, nil)), nil, nil, nil, nil, 0, 1))
local h100 = take(lib.kc_device_named(context, "h100-sxm5"))
local best = take(lib.kc_best(ffi.cast("kc_object *", C), h100, nil))

local time = ffi.new "double[1]"
assert(lib.kc_result_number(best, lib.KC_TIME, time) == lib.KC_OK)
print(string.format("%s on %s: %.1f us, %s binds", ffi.string(lib.kc_result_name(best)),
    ffi.string(lib.kc_result_device(best)), 1e6 * time[0], ffi.string(lib.kc_result_bound(best))))
