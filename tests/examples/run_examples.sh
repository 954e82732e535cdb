#!/bin/sh
# Every host of vm/examples, compiled as a stranger would and run on this engine; all must price the same matmul alike.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
[ -z "${VARIANT:-}" ] || exit 77

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
at=vm/examples script=vm/examples/matmul.lua
vm=libkcost-$ENGINE.so.0
LD_LIBRARY_PATH=$BUILD
export LD_LIBRARY_PATH

# compile NAME LIBRARY...: a C99 host, to $work/NAME.
compile() {
    name=$1
    shift
    # shellcheck disable=SC2046  # flags
    $CC -std=c99 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -pthread -Ivm/include $(pkg-config --cflags "$ENGINE") \
        $at/"$name".c -o "$work/$name" -L"$BUILD" "$@"
}
# says COMMAND...: it succeeds, and prints the matmul's line and no other.
says() { [ "$("$@")" = "$line" ]; }
# has PATTERN COMMAND...: it succeeds, and a line of what it prints is the pattern.
has() {
    pattern=$1
    shift
    "$@" >"$work/out" && grep -qx "$pattern" "$work/out"
}
# ends STATUS COMMAND...
ends() {
    wanted=$1
    shift
    "$@" >"$work/out" 2>"$work/err"
    [ $? = "$wanted" ]
}

same_answer() {
    python3 $at/ctypes_vm.py "$BUILD/$vm" $script >"$work/vm" && "$KCOST" --json $script | cmp - "$work/vm"
}

# named FILE...: the page names each of them.
named() {
    for file in "$@"; do
        grep -q "^|.*\`${file##*/}\`.*|" $at/README.md || { echo "$file" && return 1; }
    done
}
fact "the page of the examples names each" named $at/*.[cl]* $at/*.py

line=$(LUA_CPATH="$BUILD/?.so" "$ENGINE" $at/stock.lua)
fact "a stock interpreter prices the matmul" expr "$line" : 'C on h100-sxm5: [0-9.]* us, [a-z0-9]* binds$'

fact "model.c compiles" compile model -lkcost
fact "model.c counts three kernels" has 'in three kernels: 17716740096 bytes' "$work/model"
fact "model.c counts the fused one" has 'fused: 536870912 bytes' "$work/model"
fact "model.c finds its tiles" has 'fused on h100-sxm5: [0-9.]* us in tiles of .*' "$work/model"

fact "threads.c compiles" compile threads "-lkcost-$ENGINE" -lkcost
fact "threads.c runs" has 'm = 4096: .*' "$work/threads" $script
fact "each of its threads answers" [ "$(grep -c '^m = ' "$work/out")" = 8 ]
fact "the last one prices the same matmul" \
    [ "$(sed -n 's/^m = 4096: //p' "$work/out")" = "$(echo "$line" | sed 's/^.*: \(.* us\),.*$/\1/')" ]
cp "$work/out" "$work/first" && "$work/threads" $script >"$work/second"
fact "threads make no difference" cmp "$work/first" "$work/second"

fact "untrusted.c compiles" compile untrusted "-lkcost-$ENGINE" -lkcost
fact "untrusted.c prices the matmul" says "$work/untrusted" $script
echo 'while true do pcall(string.rep, "x", 1e8) end' >"$work/bomb.lua"
fact "a script that goes for a limit hits it" ends 3 "$work/untrusted" "$work/bomb.lua"
fact "in words" grep -q 'limit of .* was hit' "$work/out"
echo 'error "mine"' >"$work/error.lua"
fact "a script's error is one" ends 1 "$work/untrusted" "$work/error.lua"

# shellcheck disable=SC2046
fact "own_state.c compiles" compile own_state "-lkcost-$ENGINE" -lkcost $(pkg-config --libs "$ENGINE")
fact "own_state.c prices the matmul" says "$work/own_state" $at/stock.lua

if command -v "${CXX:-c++}" >/dev/null; then
    fact "cplusplus.cc compiles" "${CXX:-c++}" -std=c++17 -Wall -Wextra -Wpedantic -Werror -Ivm/include $at/cplusplus.cc \
        -o "$work/cplusplus" -L"$BUILD" -lkcost
    fact "cplusplus.cc prices the matmul" has "$line" "$work/cplusplus"
    fact "an exception of a callback comes back" grep -qx 'a search ended by .*: enough of it' "$work/out"
    fact "a failure is an exception" grep -q "^a failure is an exception: unknown device 'h100-sxm6'" "$work/out"
else
    skip "cplusplus.cc: there is no C++ compiler"
fi

if command -v python3 >/dev/null; then
    fact "ctypes_model.py prices the matmul" says python3 $at/ctypes_model.py "$BUILD/libkcost.so.0"
    fact "ctypes_vm.py answers what the command does" same_answer
    fact "a limit ends it" ends 3 python3 $at/ctypes_vm.py "$BUILD/$vm" "$work/bomb.lua"
else
    skip "ctypes_model.py, ctypes_vm.py: python3 is missing"
fi

fact "ffi_model.lua prices the matmul" says luajit $at/ffi_model.lua "$BUILD/libkcost.so.0"
if [ "$ENGINE" = luajit ]; then
    fact "ffi_vm.lua prices the matmul" says luajit $at/ffi_vm.lua "$BUILD/libkcost.so.0" "$BUILD/$vm" $script
else
    fact "in LuaJIT a VM of Lua 5.4 is KC_EENGINE" ends 5 luajit $at/ffi_vm.lua "$BUILD/libkcost.so.0" "$BUILD/$vm" $script
    fact "in words" grep -q 'another Lua engine' "$work/out"
fi
facts_end
