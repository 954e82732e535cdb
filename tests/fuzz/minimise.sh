#!/bin/sh
# minimise.sh: what fuzzing reached, in as few inputs as reach it: the new corpus of a target.
#
#     tests/fuzz/minimise.sh TARGET [MOST]      keeps the MOST (60) smallest
cd "$(dirname "$0")/../.." || exit 1
name=$1 most=${2:-60} build=build/${LUA:-lua5.4}-fuzz
merged=$(mktemp -d)
"$build/tests/fuzz/fuzz_$name" -merge=1 "$merged" "tests/fuzz/corpus/$name" "$build/corpus/$name" >/dev/null 2>&1 || exit 1
find "$merged" -type f -size -5k -printf '%s %f\n' | sort -n | head -n "$most" | while read -r _ file; do
    [ -e "tests/fuzz/corpus/$name/$file" ] || cp "$merged/$file" "tests/fuzz/corpus/$name/"
done
rm -rf "$merged"
