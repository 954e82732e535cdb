#!/bin/sh
# run_engine.sh: a VM library tells when another Lua engine stands before its own.
. tests/facts.sh

case $ENGINE in
luajit) own='libluajit-5.1.so.2' other='liblua5.4.so.0' ;;
*) own='liblua5.4.so.0' other='libluajit-5.1.so.2' ;;
esac
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

cat >"$folder/host.c" <<'END'
#include "kcost.h"

int main(void)
{
    kc_vm *vm;
    kc_status status = kc_vm_new(0, &vm);
    if (status == KC_OK)
        status = kc_vm_run(vm, "return 1", 8, "host");
    kc_vm_free(vm);
    return (int)status;
}
END

# exits_with STATUS PRELOADED
exits_with() {
    LD_LIBRARY_PATH=$BUILD LD_PRELOAD=$2 "$folder/host"
    [ $? = "$1" ]
}

if [ -n "$VARIANT" ]; then
    skip "a VM library tells whose engine it found (only in plain builds)"
elif ! ${CC:-cc} -Ivm/include -o "$folder/host" "$folder/host.c" -L"$BUILD" "-lkcost-$ENGINE" -lkcost; then
    fact "a host links the VM library" false
else
    fact "a VM runs on its own engine" exits_with 0 ''
    fact "a VM runs where its own engine was there before" exits_with 0 "$own"
    if ldconfig -p | grep -q "$other"; then
        fact "another engine before its own is KC_EENGINE" exits_with 5 "$other"
    else
        skip "another engine before its own is KC_EENGINE ($other is not installed)"
    fi
    # Without a trick: a host of the other engine, as a plugin of an editor would be.
    if ${CC:-cc} -Ivm/include -o "$folder/guest" "$folder/host.c" -Wl,--no-as-needed "-l:$other" -L"$BUILD" \
        "-lkcost-$ENGINE" -lkcost 2>"$folder/log"; then
        fact "in a host of another engine it is KC_EENGINE too" env "LD_LIBRARY_PATH=$BUILD" sh -c "'$folder/guest'; [ \$? = 5 ]"
    else
        skip "in a host of another engine it is KC_EENGINE too ($other is not installed)"
    fi
fi
facts_end
