#!/bin/sh
# Installs into a folder of its own, uses what is there as a stranger would, and takes it away again.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
[ -z "$VARIANT" ] || exit 77

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
at=$work/usr
PKG_CONFIG_PATH=$at/lib/pkgconfig
export PKG_CONFIG_PATH
lua=5.4
[ "$ENGINE" = luajit ] && lua=5.1

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

# host COMPILER STANDARD SOURCE PACKAGE: compiles, links and runs it.
host() {
    # shellcheck disable=SC2046  # flags
    "$1" "-std=$2" -Wall -Wextra -Wpedantic -Werror "$3" $(pkg-config --cflags --libs "$4") \
        "-Wl,-rpath,$at/lib" -o "$work/host" && "$work/host"
}
static() { $CC -std=c99 "$work/model.c" "-I$at/include" "$at/lib/libkcost.a" -lm -pthread -o "$work/host" && "$work/host"; }
same_version() {
    [ "$(pkg-config --modversion kcost)" = "$(host "$CC" c99 "$work/model.c" kcost)" ]
}

fact "make install succeeds" make LUA="$ENGINE" PREFIX="$at" install
fact "a C99 host links the model" host "$CC" c99 "$work/model.c" kcost
fact "a C99 host links the model statically" static
fact "the .pc file says the library's version" same_version
fact "a C99 host links the VM" host "$CC" c99 "$work/vm.c" "kcost-$ENGINE"
if command -v g++ >/dev/null; then
    cp "$work/model.c" "$work/model.cc"
    fact "a C++ host links the model" host g++ c++17 "$work/model.cc" kcost
else
    skip "a C++ host links the model: g++ is missing"
fi
fact "a stock interpreter finds the module" \
    env "LUA_CPATH=$at/lib/lua/$lua/?.so" "$ENGINE" -e 'require "kcost"'
fact "the command runs" "$at/bin/kcost" --version
fact "the command runs an installed script" "$at/bin/kcost" "$at/share/kcost/scripts/flashattn.lua"

fact "DESTDIR goes before PREFIX" make LUA="$ENGINE" DESTDIR="$work/root" PREFIX=/opt/kcost install
fact "what DESTDIR got names the final place" \
    grep -q '^prefix=/opt/kcost$' "$work/root/opt/kcost/lib/pkgconfig/kcost.pc"
fact "make uninstall succeeds" make LUA="$ENGINE" PREFIX="$at" uninstall
fact "make uninstall leaves no file" not sh -c "find '$at' ! -type d | grep ."
facts_end
