#!/bin/sh
# The ABI of the libraries against the one that was accepted: functions, their types, structs, enumerators.
# What is added is no change; what is gone or different breaks programs that are linked already.
#
#     make abi ACCEPT=1     accepts it as it is; where it broke, the SONAME's number must grow
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
[ -z "$VARIANT" ] || exit 77

mkdir -p "$BUILD/abi"
# dump LIBRARY NAME: its public ABI to NAME.abi of the build: nothing of the machine, the engine or private types.
dump() {
    abidw --headers-dir vm/include --drop-private-types --exported-interfaces-only --no-show-locs --no-parameter-names \
        --no-corpus-path --no-comp-dir-path --no-elf-needed --no-architecture "$BUILD/$1.so.0" >"$BUILD/abi/whole" &&
        sed "s/ soname='[^']*'//" "$BUILD/abi/whole" >"$BUILD/abi/$2.abi"
}
accepted() { dump "$@" && cp "$BUILD/abi/$2.abi" tests/abi/; }
kept() { dump "$@" && abidiff --no-added-syms "tests/abi/$2.abi" "$BUILD/abi/$2.abi"; }

if ! command -v abidiff >/dev/null; then
    skip "the libraries keep their ABI: abidiff is missing (abigail-tools)"
elif [ "${ACCEPT:-}" ]; then
    fact "the ABI of the model is accepted" accepted libkcost model
    fact "the ABI of the VM is accepted" accepted "libkcost-$ENGINE" vm
else
    fact "the model keeps its ABI (make abi ACCEPT=1 accepts another)" kept libkcost model
    fact "the VM keeps its ABI (make abi ACCEPT=1 accepts another)" kept "libkcost-$ENGINE" vm
fi
facts_end
