#!/bin/sh
# slurm_array.sh: an array of four tasks, then the third of them alone, as after its node was lost.  Needs a Slurm.
set -eu
submit() {
    sbatch --cpus-per-task=1 -o "$PARTS/said-%a" "$@"
    while squeue -h | grep -q .; do sleep 0.2; done
    cat "$PARTS"/said-*
}
submit --array=1-4 scripts/cluster/slurm.sh "$@"
rm "$PARTS/part-3.json"
COUNT=4 submit --array=3 scripts/cluster/slurm.sh "$@"
