#!/bin/sh
# measure.sh: compiles and runs the programs of this folder on the GPU of this machine: one CSV on standard output.
#
#     sh scripts/ceilings/measure.sh >times.csv
#
# NVCC=nvcc    ARCH=native: of this GPU; sm_90, all-major and the like where nvcc should not ask it
here=$(dirname "$0")
made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
for name in copy triad l2 smem matrix exp empty; do
    "${NVCC:-nvcc}" -O3 -std=c++17 -arch="${ARCH:-native}" -o "$made/$name" "$here/$name.cu" || exit 1
done
for name in copy triad l2 smem matrix exp empty; do
    "$made/$name" >"$made/$name.csv" || exit 1
done
# One header for all.
awk 'NR == 1 || FNR > 1' "$made"/*.csv
