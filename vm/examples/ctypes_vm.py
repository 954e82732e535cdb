"""ctypes_vm.py: anybody's script from Python, in a VM with limits, by ctypes and nothing else.

    python3 ctypes_vm.py libkcost-lua5.4.so.0 matmul.lua

Prints what the script returned as `kcost --json` does, byte by byte.  Exit status: 0 it answered, 1 it failed, 3 a limit.
"""
import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p


class Options(ctypes.Structure):        # what is 0 is not asked for: a sandbox that prints nowhere
    _fields_ = [("resize", c_void_p), ("resize_data", c_void_p), ("print", c_void_p), ("print_data", c_void_p),
                ("trusted", c_int), ("path", c_char_p), ("memory_limit", c_size_t), ("time_limit", c_double),
                ("instruction_limit", c_uint64)]


kc = ctypes.CDLL(sys.argv[1])
for name, result, *arguments in [
    ("kc_vm_new", c_int, POINTER(Options), POINTER(c_void_p)),
    ("kc_vm_run_file", c_int, c_void_p, c_char_p),
    ("kc_vm_json", c_char_p, c_void_p),
    ("kc_vm_message", c_char_p, c_void_p),
    ("kc_vm_limit", c_int, c_void_p),
    ("kc_vm_free", None, c_void_p),
]:
    function = getattr(kc, name)
    function.restype, function.argtypes = result, arguments

vm = c_void_p()
if kc.kc_vm_new(byref(Options(memory_limit=64 << 20, time_limit=2, instruction_limit=10**9)), byref(vm)) != 0:
    sys.exit("no VM: not enough memory, or another Lua engine in this process")
status = kc.kc_vm_run_file(vm, sys.argv[2].encode())
print(kc.kc_vm_json(vm).decode() if status == 0 else kc.kc_vm_message(vm).decode())
limit = kc.kc_vm_limit(vm)
kc.kc_vm_free(vm)
sys.exit(0 if status == 0 else 3 if limit else 1)
