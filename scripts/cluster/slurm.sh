#!/bin/sh
#SBATCH --job-name=kcost
#SBATCH --array=1-16
#SBATCH --cpus-per-task=8
# slurm.sh: a sweep as a Slurm job array: a task a part, on all cores that it is given.
#
#     sbatch --array=1-64 scripts/cluster/slurm.sh sweep.lua n=4096
#     kcost merge part-*.json >whole.json             # when all tasks are done
#
# What follows the script is the command's: options, and name=value.  KCOST names the command, PARTS the folder for the
# parts (where you are).  A task that failed is run again alone: COUNT=64 sbatch --array=7 … , COUNT being the number
# of parts, which else is that of the tasks.
set -eu
part=$SLURM_ARRAY_TASK_ID
exec "${KCOST:-kcost}" --json --threads "${SLURM_CPUS_PER_TASK:-1}" --shard "$part/${COUNT:-$SLURM_ARRAY_TASK_COUNT}" \
    -o "${PARTS:-.}/part-$part.json" "$@"
