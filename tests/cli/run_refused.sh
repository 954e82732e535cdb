#!/bin/bash
# run_refused.sh: the command, and a host of the model, with the n-th request of its process for memory refused (refuse.c): it
# does what it would have done, or says why not and exits with 1, 2 or 3. A few n, or with KCOST_REFUSALS=all 300 of each.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
case ${VARIANT:-} in
asan | tsan | cover) echo "skipped: what the compiler adds has needs of its own" && exit 77 ;;
esac
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
${CC:-cc} -shared -fPIC -O1 -o "$here/refuse.so" tests/cli/refuse.c || exit 1
${CC:-cc} -std=c99 -Ivm/include vm/examples/model.c -o "$here/model" -L"$BUILD" -lkcost || exit 1
LC_ALL=C LD_LIBRARY_PATH=$BUILD
export LC_ALL LD_LIBRARY_PATH
RANDOM=${KCOST_SEED:-1}
[ "${KCOST_REFUSALS:-}" = all ] && count=300 || count=12

# refused N COMMAND...: a run with that request refused; odd ones once, even ones from then on.
refused() {
    n=$1
    shift
    on=
    [ $((n % 2)) = 1 ] || on=REFUSE_ON=1
    env ${on:+"$on"} REFUSE="$n" LD_PRELOAD="$here/refuse.so" "$@" >"$here/out" 2>"$here/said" </dev/null
    status=$?
    case $status in
    0) cmp -s "$here/out" "$here/whole" || { echo "request $n: it exits with 0, and prints something else" && false; } ;;
    1 | 2 | 3) [ -s "$here/said" ] || { echo "request $n: status $status without a word" && false; } ;;
    *) echo "request $n: status $status" && cat "$here/said" && false ;;
    esac
}

# all_refused COMMAND...: the first requests, where a process begins, and others of the rest.
all_refused() {
    env REFUSE_TELL="$here/asked" LD_PRELOAD="$here/refuse.so" "$@" >"$here/whole" 2>/dev/null </dev/null
    requests=$(cat "$here/asked") bad=0
    for ((i = 1; i <= count; i++)); do
        n=$i
        [ $i -le $((count / 3)) ] || n=$((1 + (RANDOM * 32768 + RANDOM) % requests))
        refused $n "$@" || bad=$((bad + 1))
    done
    [ $bad = 0 ]
}

fact "a script" all_refused "$KCOST" scripts/flashattn.lua
fact "a kernel, as JSON" all_refused "$KCOST" --json gemm m=512 n=512 k=512 --device h100
fact "a kernel, explained" all_refused "$KCOST" --explain gemm m=512 n=512 k=512 --device h100
fact "devices" all_refused "$KCOST" devices h100
fact "a profile" all_refused "$KCOST" profile tests/data/profiles/plain.csv
fact "a page with a plot" all_refused "$KCOST" -o /dev/null --html /dev/stdout gemm m=512 n=512 k=512 --device h100
fact "a plot in the terminal" all_refused "$KCOST" --plot - gemm m=512 n=512 k=512 --device h100
fact "points of a plot" all_refused "$KCOST" -o /dev/null --plot-data /dev/stdout gemm m=512 n=512 k=512 --device h100
fact "a row" all_refused "$KCOST" --csv gemm m=512 n=512 k=512 --device h100
fact "a sweep" all_refused "$KCOST" scripts/tile_sweep.lua
fact "help" all_refused "$KCOST" help tile.cluster
fact "a host without Lua" all_refused "$here/model"
echo "$((12 * count)) requests refused"
facts_end
