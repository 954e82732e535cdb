"""ctypes_model.py: the model from Python, by ctypes and nothing else.

    python3 ctypes_model.py [path of libkcost.so.0]
"""
import ctypes
import json
import sys
from ctypes import c_char_p, c_double, c_int, c_size_t, c_void_p


class Size(ctypes.Structure):
    _fields_ = [("dim", c_char_p), ("size", c_double)]


kc = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libkcost.so.0")
HANDLE, TEXT = c_void_p, c_char_p
for name, result, *arguments in [
    ("kc_context_new", HANDLE, c_void_p, c_void_p),
    ("kc_context_free", None, HANDLE),
    ("kc_context_message", TEXT, HANDLE),
    ("kc_dtype_named", HANDLE, HANDLE, TEXT),
    ("kc_tensor_new", HANDLE, HANDLE, TEXT, TEXT, HANDLE, ctypes.POINTER(Size), c_size_t),
    ("kc_read", HANDLE, HANDLE, TEXT, ctypes.POINTER(Size), c_size_t, c_double, c_double),
    ("kc_matmul", HANDLE, HANDLE, HANDLE, TEXT, TEXT, TEXT, HANDLE),
    ("kc_write", HANDLE, TEXT, HANDLE, HANDLE, TEXT, TEXT, ctypes.POINTER(Size), c_size_t, c_double),
    ("kc_device_named", HANDLE, HANDLE, TEXT),
    ("kc_best", HANDLE, HANDLE, HANDLE, HANDLE),
    ("kc_field_named", c_int, TEXT),
    ("kc_result_number", c_int, HANDLE, c_int, ctypes.POINTER(c_double)),
    ("kc_json", TEXT, HANDLE),
    ("kc_release", None, HANDLE),
]:
    function = getattr(kc, name)
    function.restype, function.argtypes = result, arguments

context = kc.kc_context_new(None, None)
made = []


def keep(handle):
    """What a call made, to be released at the end; None is a failure, whose sentence the context has."""
    if not handle:
        raise RuntimeError(kc.kc_context_message(context).decode())
    made.append(handle)
    return handle


def number(result, field):
    """A field of a result by its name, "times.hbm"; None where it does not apply."""
    value = c_double()
    status = kc.kc_result_number(result, kc.kc_field_named(field.encode()), ctypes.byref(value))
    return value.value if status == 0 else None


def tensor(name, dims, **sizes):
    list_of = (Size * len(sizes))(*[Size(dim.encode(), size) for dim, size in sizes.items()])
    f16 = keep(kc.kc_dtype_named(context, b"f16"))
    return keep(kc.kc_tensor_new(context, name.encode(), dims.encode(), f16, list_of, len(sizes)))


def read(source):
    return keep(kc.kc_read(source, None, None, 0, 1, 0))


A, B = tensor("A", "m k", m=4096, k=4096), tensor("B", "k n", k=4096, n=4096)
AB = keep(kc.kc_matmul(read(A), read(B), None, None, None, None))
C = keep(kc.kc_write(b"C", AB, None, None, None, None, 0, 1))
best = keep(kc.kc_best(C, keep(kc.kc_device_named(context, b"h100-sxm5")), None))

whole = json.loads(kc.kc_json(best))
print(f"{whole['name']} on {whole['device']}: {1e6 * number(best, 'time'):.1f} us, {whole['bound']} binds")

for handle in reversed(made):
    kc.kc_release(handle)
kc.kc_context_free(context)
