#!/bin/sh
# fuzz.sh: runs fuzz targets under clang's libFuzzer, with AddressSanitizer and UndefinedBehaviorSanitizer.
#
#     tests/fuzz/fuzz.sh [SECONDS [TARGET...]]        LUA=luajit for the other engine
#
# Each target has SECONDS (60) on one core.  It starts from tests/fuzz/corpus/TARGET and what earlier runs found,
# in build/*-fuzz/corpus; a finding stays in build/*-fuzz/found, and its words are in build/*-fuzz/log.  The last
# line of a target says how many inputs ran, how much of the code they reach, and how many findings there are.
# Exit status 1: something was found.
cd "$(dirname "$0")/../.." || exit 1
seconds=${1:-60}
[ $# -eq 0 ] || shift
engine=${LUA:-lua5.4}
build=build/$engine-fuzz
command -v clang >/dev/null || { echo "fuzzing needs clang, with its libFuzzer: apt-get install clang libclang-rt-14-dev" >&2; exit 1; }

[ $# -gt 0 ] || set -- tests/fuzz/fuzz_*.c
programs='' names=''
for target in "$@"; do
    name=$(basename "${target%.c}") name=${name#fuzz_}
    names="$names $name" programs="$programs $build/tests/fuzz/fuzz_$name"
done
# shellcheck disable=SC2086  # a list of files
${MAKE:-make} -j"$(nproc)" --no-print-directory CC=clang LUA="$engine" VARIANT=fuzz \
    SANITIZE=fuzzer-no-link,address,undefined $programs >&2 || exit 1

status=0
for name in $names; do
    mkdir -p "$build/corpus/$name" "$build/found" "$build/log"
    dictionary=tests/fuzz/$name.dict
    set --
    [ ! -e "$dictionary" ] || set -- "-dict=$dictionary"
    # What only a hostile stack overflow needs, and what a slow machine would call a finding, are off.
    ASAN_OPTIONS=detect_stack_use_after_return=0:${ASAN_OPTIONS:-} \
        "$build/tests/fuzz/fuzz_$name" "$@" -max_total_time="$seconds" -timeout=30 -report_slow_units=60 -rss_limit_mb=2048 -max_len="${FUZZ_LENGTH:-4096}" \
        -print_final_stats=1 -artifact_prefix="$build/found/$name-" "$build/corpus/$name" "tests/fuzz/corpus/$name" \
        >"$build/log/fuzz-$name.log" 2>&1 || status=1
    log=$build/log/fuzz-$name.log
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    reached=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    findings=$(find "$build/found" -name "$name-*" | wc -l)
    echo "$name: $seconds s, ${runs:-?} inputs, ${reached:-?} edges, $((findings)) findings"
    [ "$findings" -eq 0 ] || grep -m1 -E '^found:|ERROR: |runtime error' "$log"
done
exit $status
