#!/bin/sh
# What the build promises of its outputs: who exports what, who links which engine, how they are hardened.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
[ -z "$VARIANT" ] || exit 77

exports() { nm -D --defined-only "$BUILD/$1" | awk '{ print $3 }'; }
# every FILE PATTERN: it exports something, and nothing but what matches.
every() { exports "$1" | grep -q . && ! exports "$1" | grep -vE "$2"; }
needs() { readelf -d "$BUILD/$1" | grep NEEDED | grep -q "$2"; }
soname() { readelf -d "$BUILD/$1" | grep -q "SONAME.*\[$1\]"; }
hardened() {
    readelf -d "$1" | grep -q 'FLAGS.*NOW' && readelf -lW "$1" | grep -q GNU_RELRO &&
        readelf -lW "$1" | grep -q 'GNU_STACK.*RW ' && nm -D "$1" | grep -q __stack_chk_fail &&
        nm -D "$1" | grep -qE '__(memcpy|snprintf|fprintf|vsnprintf)_chk'
}
# Where a function may be jumped to is marked: what a host links with libkcost.a can have branches protected.
marked() { [ "$(uname -m)" != x86_64 ] || readelf -nW "$BUILD/vm/model/index.o" | grep -q 'IBT, SHSTK'; }
# All of it, made from the same sources in another folder.
build_elsewhere() { cp -r Makefile vm devices stdlib "$work" && make -s -j"$(nproc)" -C "$work" LUA="$ENGINE" all; }
pie() { readelf -h "$1" | grep -q 'DYN (' && readelf -d "$1" | grep -q 'FLAGS_1.*PIE'; }

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
vm=libkcost-$ENGINE.so.0
fact "libkcost exports kc_* only" every libkcost.so.0 '^kc_'
fact "the VM's library exports kc_vm_* and luaopen_kcost only" every "$vm" '^(kc_vm_|luaopen_kcost)'
fact "the module exports luaopen_kcost only" every kcost.so '^luaopen_kcost'
fact "libkcost links no Lua" not needs libkcost.so.0 -i lua
fact "libkcost defines and wants no Lua" not sh -c "nm -D '$BUILD/libkcost.so.0' | grep -E ' lua(L|jit)?_'"
fact "the VM's library links libkcost" needs "$vm" 'libkcost\.so\.0'
fact "the VM's library links its engine" needs "$vm" "lib$ENGINE"
fact "the module links no Lua" not needs kcost.so lua
fact "the module links no libkcost" not needs kcost.so libkcost
fact "the command links no shared engine" not needs kcost 'lua'
fact "libkcost has its SONAME" soname libkcost.so.0
fact "the VM's library has its SONAME" soname "$vm"
for file in libkcost.so.0 "$vm" kcost.so kcost; do
    fact "$file is hardened" hardened "$BUILD/$file"
done
fact "branches are protected" marked
fact "the command is position independent" pie "$BUILD/kcost"

for file in libkcost.so.0 libkcost.a "$vm" kcost.so kcost; do
    fact "$file names no folder of this machine" not grep -qF "$PWD/" "$BUILD/$file"
done
fact "it builds in another folder" build_elsewhere
for file in libkcost.so.0 libkcost.a "$vm" kcost.so kcost; do
    fact "$file is the same there, byte for byte" cmp "$BUILD/$file" "$work/build/$ENGINE/$file"
done

host='print(type(require "kcost"))'
fact "a stock interpreter loads the module" \
    env "LUA_CPATH=$BUILD/?.so" LD_BIND_NOW=1 "$ENGINE" -e "$host"
fact "the module needs no file beside it" \
    sh -c "cd / && LUA_CPATH='$BUILD/?.so' '$ENGINE' -e 'require([[kcost]]).device([[h100-sxm5]])'"
fact "the command needs no file beside it" \
    sh -c "cd / && '$KCOST' -e 'return require([[kcost]]).device([[h100-sxm5]])'"
fact "nothing is left to make" \
    sh -c "make LUA='$ENGINE' V=1 all | { ! grep -E ' -c | -o '; }"
facts_end
