#!/bin/sh
# run_cluster.sh: the scripts that sweep in parts give what the whole sweep gives: under the variables
# that Slurm sets, under Slurm itself on a node of our own, and under GNU parallel, where these are there.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
PARTS=$(mktemp -d) || exit 1
trap 'rm -rf "$PARTS"' EXIT
export KCOST PARTS

cat >"$PARTS/sweep.lua" <<'END'
local kc = require "kcost"
local matmul = kc.lib.gemm.plain { m = 512, n = kc.param("n", 512), k = 512 }
return kc.sweep { kernel = matmul, device = { "l4", "h100-sxm5" }, tile = { m = kc.pow2(16, 128), n = kc.pow2(16, 128) },
                  stages = { 1, 2, 3 }, keep = { pareto = { "time", "smem" } } }
END
"$KCOST" --json --set n=384 "$PARTS/sweep.lua" >"$PARTS/whole" || exit 1

# What Slurm does: each task with its number, on a node of its own.
slurm() {
    for task in 3 1 4 2; do
        env SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=4 SLURM_CPUS_PER_TASK=2 \
            scripts/cluster/slurm.sh "$PARTS/sweep.lua" n=384 || return
    done
    "$KCOST" merge "$PARTS"/part-*.json | cmp "$PARTS/whole" -
}
# One task again: its part is the same.
again() {
    cp "$PARTS/part-2.json" "$PARTS/before"
    env COUNT=4 SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=1 scripts/cluster/slurm.sh "$PARTS/sweep.lua" n=384 &&
        cmp "$PARTS/before" "$PARTS/part-2.json"
}
node_parts() {
    rm -f "$PARTS"/part-*
    tests/cluster/slurm_node.sh tests/cluster/slurm_array.sh "$PARTS/sweep.lua" n=384 || return
    "$KCOST" merge "$PARTS"/part-*.json | cmp "$PARTS/whole" -
}
parallel_parts() {
    rm -f "$PARTS"/part-*
    scripts/cluster/parallel.sh 3 "$PARTS/sweep.lua" n=384 >"$PARTS/joined" && cmp "$PARTS/whole" "$PARTS/joined"
}
# A script that fails is no result.
parallel_fails() { ! scripts/cluster/parallel.sh 2 "$PARTS/sweep.lua" m=384 >"$PARTS/joined" 2>"$PARTS/said" && [ ! -s "$PARTS/joined" ]; }

fact "a job array's parts join" slurm
fact "a task that is run again gives its part" again
# Once is enough: ten seconds, most of them Slurm's.
if [ "${ENGINE:-lua5.4}${VARIANT:-}" = lua5.4 ]; then
    status=0
    said=$(node_parts 2>&1) || status=$?
    if [ $status = 77 ]; then
        skip "Slurm: $(echo "$said" | tail -n 1)"
    else
        echo "$said"
        fact "Slurm's parts join, one of them run again" [ $status = 0 ]
    fi
fi
if command -v parallel >/dev/null && parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    fact "GNU parallel's parts join" parallel_parts
    fact "GNU parallel ends where a part fails" parallel_fails
else
    skip "GNU parallel is missing"
fi
facts_end
