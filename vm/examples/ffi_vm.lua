-- ffi_vm.lua: a VM from LuaJIT through its ffi: a sandbox within the interpreter, for scripts that it does not trust.
--
--     luajit ffi_vm.lua libkcost.so.0 libkcost-luajit.so.0 matmul.lua
--
-- One process holds one Lua engine: here that is LuaJIT's, and libkcost-lua5.4 would answer KC_EENGINE.
local ffi = require "ffi"

local model = ffi.load(arg[1], true)
ffi.cdef "const char *kc_ffi(void);"
ffi.cdef(ffi.string(model.kc_ffi()))
local lib = ffi.load(arg[2])

local slot = ffi.new "kc_vm *[1]"
local status = lib.kc_vm_new(nil, slot)
if status ~= model.KC_OK then
    print(ffi.string(model.kc_status_text(status)))
    os.exit(tonumber(status))
end
local vm = ffi.gc(slot[0], lib.kc_vm_free)
if lib.kc_vm_run_file(vm, arg[3]) ~= model.KC_OK then error(ffi.string(lib.kc_vm_message(vm)), 0) end

local best, time = ffi.cast("kc_result *", lib.kc_vm_answer(vm, 0)), ffi.new "double[1]"
assert(model.kc_result_number(best, model.KC_TIME, time) == model.KC_OK)
print(string.format("%s on %s: %.1f us, %s binds", ffi.string(model.kc_result_name(best)),
    ffi.string(model.kc_result_device(best)), 1e6 * time[0], ffi.string(model.kc_result_bound(best))))
