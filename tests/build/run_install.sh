#!/bin/sh
# Installs into a folder of its own, uses what is there as a stranger would, and takes it away again.
# Under luajit for both engines, as plain `make install` does; under lua5.4 for this one alone.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
[ -z "$VARIANT" ] || exit 77

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
at=$work/usr
abi=5.4 only=lua5.4
[ "$ENGINE" = luajit ] && abi=5.1 only=
# A make above us may have been asked for one engine.
unset LUA
MAKEFLAGS=$(echo "${MAKEFLAGS:-}" | sed -E 's/(^| )LUA=[^ ]*//g; s/^ *-- *$//')
export MAKEFLAGS

cat >"$work/model.c" <<'END'
#include <kcost.h>
#include <stdio.h>
int main(void)
{
    kc_context *context = kc_context_new(NULL, NULL);
    puts(kc_version());
    kc_context_free(context);
    return context == NULL;
}
END
cat >"$work/vm.c" <<'END'
#include <kcost.h>
#include <string.h>
int main(void)
{
    kc_vm *vm;
    kc_vm_options options = { 0 };
    const char *script = "return 1 + 1";
    if (kc_vm_new(&options, &vm) != KC_OK || kc_vm_run(vm, script, strlen(script), "sum") != KC_OK)
        return 1;
    int wrong = strcmp(kc_vm_json(vm), "2") != 0 && strcmp(kc_vm_json(vm), "2\n") != 0;
    kc_vm_free(vm);
    return wrong;
}
END

made() { "${MAKE:-make}" -j2 --no-print-directory ${only:+"LUA=$only"} "$@"; }
flags() { PKG_CONFIG_PATH=$at/lib/pkgconfig pkg-config "$@"; }
# compiles COMPILER STANDARD SOURCE PACKAGE
compiles() {
    # shellcheck disable=SC2046  # flags
    "$1" "-std=$2" -pthread -Wall -Wextra -Wpedantic -Werror "$3" $(flags --cflags --libs "$4") \
        "-Wl,-rpath,$at/lib" -o "$work/host"
}
host() { compiles "$@" && "$work/host"; }
static() { $CC -std=c99 "$work/model.c" "-I$at/include" "$at/lib/libkcost.a" -lm -pthread -o "$work/host" && "$work/host"; }
same_version() { [ "$(flags --modversion kcost)" = "$(host "$CC" c99 "$work/model.c" kcost)" ]; }
# rooted ROOT SOURCE PACKAGE: a host of what lies under a root that is not the machine's own, as a packager has it.
rooted() {
    # shellcheck disable=SC2046  # flags
    $CC -std=c99 "$2" $(PKG_CONFIG_SYSROOT_DIR=$1 PKG_CONFIG_LIBDIR=$1/usr/lib/pkgconfig \
        pkg-config --cflags --libs "$3") "-Wl,-rpath,$1/usr/lib" -o "$work/host" && "$work/host"
}
# searched ROOT: the module lies where the interpreter looks, were ROOT the root.
searched() {
    "$ENGINE" -e 'print((package.cpath:gsub(";", "\n")))' | sed -n 's/?/kcost/; /^\//p' | while read -r file; do
        [ ! -e "$1$file" ] || echo "$file"
    done | grep .
}
elsewhere() { (cd / && env -u KCOST_PATH "$@"); }
manual() { ! MANWIDTH=200 man --warnings -E UTF-8 -l "$at/share/man/man1/kcost.1" 2>&1 >"$work/manual" | grep .; }
# Every option of --help, with what it takes and is, stands in the manual.
told() {
    tr -s ' \n' ' ' <"$work/manual" >"$work/words"
    "$at/bin/kcost" --help | sed -n 's/^ *\(-.*\)/\1/p' | tr -s ' ' | while read -r option; do
        grep -qF -e "$option" "$work/words" || echo "$option"
    done | not grep .
}
no_file() { find "$1" ! -type d | not grep .; }

fact "make install succeeds" made PREFIX="$at" install
fact "a C99 host links the model" host "$CC" c99 "$work/model.c" kcost
fact "a C99 host links the model statically" static
fact "the .pc file says the library's version" same_version
fact "a C99 host links the VM" host "$CC" c99 "$work/vm.c" "kcost-$ENGINE"
if [ "$ENGINE" = luajit ]; then
    fact "a C99 host links the other engine's VM" host "$CC" c99 "$work/vm.c" kcost-lua5.4
fi
if command -v g++ >/dev/null; then
    cp "$work/model.c" "$work/model.cc"
    fact "a C++ host links the model" host g++ c++17 "$work/model.cc" kcost
else
    skip "a C++ host links the model: g++ is missing"
fi
for example in vm/examples/*.c; do
    [ -e "$example" ] || continue
    package=kcost
    grep -q 'kc_vm_new\|luaopen_kcost' "$example" && package=kcost-$ENGINE
    grep -q '<lua' "$example" && package="$package $ENGINE"
    fact "$example links $package" compiles "$CC" c11 "$example" "$package"
done
fact "a stock interpreter finds the module" \
    env "LUA_CPATH=$at/lib/lua/$abi/?.so" "$ENGINE" -e 'require "kcost"'
fact "the command runs in another folder" elsewhere "$at/bin/kcost" -e 'return require("kcost").device("h100-sxm5")'
fact "the command runs an installed script" elsewhere "$at/bin/kcost" "$at/share/kcost/scripts/flashattn.lua"
if command -v man >/dev/null; then
    fact "the manual has no faults" manual
    fact "the manual has every option" told
else
    skip "the manual has no faults: man is missing"
fi
fact "make uninstall succeeds" made PREFIX="$at" uninstall
fact "make uninstall leaves no file" no_file "$at"

fact "DESTDIR goes before PREFIX" made DESTDIR="$work/root" PREFIX=/usr install
fact "what DESTDIR got names the final place" \
    grep -q '^prefix=/usr$' "$work/root/usr/lib/pkgconfig/kcost.pc"
fact "a host links the model in DESTDIR" rooted "$work/root" "$work/model.c" kcost
fact "a host links the VM in DESTDIR" rooted "$work/root" "$work/vm.c" "kcost-$ENGINE"
fact "a stock interpreter looks for the module where it is under /usr" searched "$work/root"
fact "make uninstall succeeds in DESTDIR" made DESTDIR="$work/root" PREFIX=/usr uninstall
fact "make uninstall leaves no file in DESTDIR" no_file "$work/root"
fact "make install to /usr/local succeeds" made DESTDIR="$work/local" PREFIX=/usr/local install
fact "a stock interpreter looks for the module where it is under /usr/local" searched "$work/local"
facts_end
