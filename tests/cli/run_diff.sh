#!/bin/sh
# run_diff.sh: kcost diff: a build that fails when a predicted cost grows.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
unset KCOST_PATH
LC_ALL=C
export LC_ALL
for k in 4096 4100 8192; do
    "$KCOST" --json gemm m=4096 n=4096 k=$k --device h100 >"$here/$k.json" || exit 1
done

fact "a document and itself: no difference" is "no difference" "$KCOST" diff "$here/4096.json" "$here/4096.json"
fact "what grew is said" has "gemm on h100-sxm5: bytes 100.7 MB -> 167.8 MB (+66.7 %): A compulsory +33.55 MB, B compulsory +33.55 MB" \
    "$KCOST" diff "$here/4096.json" "$here/8192.json"
fact "and fails" exits 1 "$KCOST" diff "$here/4096.json" "$here/8192.json"
fact "with how many figures are worse" says "figures are worse by more than 1%" "$KCOST" diff "$here/4096.json" "$here/8192.json" --tolerance 1%
fact "what shrank is said and does not fail" exits 0 "$KCOST" diff "$here/8192.json" "$here/4096.json"
fact "a tolerance is a share in percent" exits 0 "$KCOST" diff "$here/4096.json" "$here/4100.json" --tolerance 1%
fact "or as a number" exits 0 "$KCOST" diff "$here/4096.json" "$here/4100.json" --tolerance 0.01
fact "below it any difference fails" exits 1 "$KCOST" diff "$here/4096.json" "$here/4100.json"
fact "a wrong tolerance is said" says "--tolerance wants a share, as 1% or 0.01, not 'x'" \
    "$KCOST" diff "$here/4096.json" "$here/4100.json" --tolerance x
fact "a file that is not there is said" says "cannot read $here/none" "$KCOST" diff "$here/4096.json" "$here/none"
echo '{"kind":' >"$here/broken.json"
echo '{}' >"$here/empty.json"
fact "a file that is broken is named" says "$here/broken.json, line 2, column 1: it ends too early" "$KCOST" diff "$here/4096.json" "$here/broken.json"
fact "a document without results is none" says "$here/empty.json has no results of kcost" "$KCOST" diff "$here/empty.json" "$here/4096.json"
fact "one file is wrong usage" exits 2 "$KCOST" diff "$here/4096.json"
fact "--tolerance is for diff" exits 2 "$KCOST" --tolerance 1% -e 'return 1'
"$KCOST" --json -e 'local kc = require "kcost"; return kc.sweep { kernel = kc.lib.gemm.plain { m = 64, n = 64, k = 64 }, tile = { m = { 16, 32 } } }' >"$here/sweep.json"
fact "a sweep is refused" says "diff compares results, and not sweeps" "$KCOST" diff "$here/sweep.json" "$here/sweep.json"
facts_end
