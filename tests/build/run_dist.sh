#!/bin/sh
# What make dist packs: the files that git tracks, in the same bytes each time; what is unpacked builds.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
[ -z "$VARIANT" ] && git rev-parse HEAD >/dev/null 2>&1 || exit 77

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
pack() { make -s dist >"$work/name" && cp "$(cat "$work/name")" "$work/$1"; }
fact "it packs" pack one
fact "it packs again" pack two
fact "the same bytes" cmp "$work/one" "$work/two"
fact "it unpacks" tar -xzf "$work/one" -C "$work"
fact "all that git tracks is in it" \
    sh -c "git ls-tree -r --name-only HEAD | sort >'$work/tracked' && cd '$work'/kcost-* && find . -type f | sed 's|^./||' | sort | cmp - '$work/tracked'"
fact "what is unpacked builds" sh -c "make -s -C '$work'/kcost-* LUA='$ENGINE' build/'$ENGINE'/vm/model/index.o"
facts_end
