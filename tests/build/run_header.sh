#!/bin/sh
# kcost.h in every language that takes it: C99, C11, C++, and LuaJIT's ffi.cdef, which gets the block between the marks.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
[ -z "${VARIANT:-}" ] || exit 77

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
header=vm/include/kcost.h
sed '/ffi: begin/,/ffi: end/!d; /ffi: /d' $header >"$work/block"

cat >"$work/include.c" <<'END'
#include <kcost.h>
#include <kcost.h>
int main(void) { return kc_version() == 0; }
END
# compiles COMPILER LANGUAGE STANDARD
compiles() {
    "$1" -x "$2" "-std=$3" -Wall -Wextra -Wpedantic -pedantic-errors -Werror -Ivm/include -fsyntax-only "$work/include.c"
}
# The C standard that each declaration is promised in, by whichever compilers there are.
for compiler in gcc clang; do
    for standard in c99 c11; do
        if command -v $compiler >/dev/null; then
            fact "$compiler takes the header as $standard" compiles $compiler c $standard
        else
            skip "$compiler takes the header as $standard: it is missing"
        fi
    done
    if command -v $compiler++ >/dev/null || { [ $compiler = gcc ] && command -v g++ >/dev/null; }; then
        fact "$compiler takes the header as C++" compiles $compiler c++ c++11
    else
        skip "$compiler takes the header as C++: it is missing"
    fi
done

fact "no line between the marks is for a preprocessor" not grep -q '^ *#' "$work/block"
fact "all declarations stand between the marks" \
    [ "$(grep -c '^[a-z].*kc_.*(' $header)" = "$(grep -c '^[a-z].*kc_.*(' "$work/block")" ]

cat >"$work/cdef.lua" <<'END'
local ffi = require "ffi"
local lib = ffi.load(arg[1])
local block = assert(io.open(arg[2])):read("*a")
ffi.cdef(block)
assert(ffi.string(lib.kc_ffi()) == block, "kc_ffi() is another text")
assert(lib.KC_EVALUATOR == 12 and lib.KC_PROFILE == 13 and ffi.sizeof("kc_size") == 16)
for name in block:gmatch("\n[%w_ ]-%*?(kc_[%w_]+)%(") do
    assert(name:match("^kc_vm_") or lib[name], name)
end
END
fact "ffi.cdef takes the block as it is, kc_ffi returns it, and libkcost has what it names" \
    luajit "$work/cdef.lua" "$BUILD/libkcost.so.0" "$work/block"
facts_end
