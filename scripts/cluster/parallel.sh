#!/bin/sh
# parallel.sh: a sweep in parts, by GNU parallel.
#
#     scripts/cluster/parallel.sh 16 sweep.lua n=4096 >whole.json
#
# The first word is the number of parts; what follows the script is the command's: options, and name=value.  KCOST names
# the command, PARTS the folder for the parts, which stays (else a temporary one).  One part is one thread: as many run
# at once as there are cores.
set -eu
count=$1
shift
kcost=${KCOST:-kcost}
parts=${PARTS:-}
if [ -z "$parts" ]; then
    parts=$(mktemp -d)
    trap 'rm -rf "$parts"' EXIT
fi
seq "$count" | parallel --quote --halt soon,fail=1 \
    "$kcost" --json --threads 1 --shard "{}/$count" -o "$parts/part-{}.json" "$@"
"$kcost" merge "$parts"/part-*.json
