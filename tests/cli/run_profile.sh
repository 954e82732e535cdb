#!/bin/sh
# run_profile.sh: kcost profile: what a profiler exported, alone, against a device, beside predictions.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
unset KCOST_PATH
data=tests/data/profiles
gemm='gemm_bf16=gemm m=4096 n=4096 k=4096 dtype=bf16 tile.m=256 tile.n=128 tile.k=64'

one_line() { [ "$("$@" 2>&1 | wc -l)" = 1 ]; }

fact "a file alone is a table" has "nvprof trace, 2 launches of 1 kernel" "$KCOST" profile $data/nvprof_trace.csv
fact "several files follow each other" has "chrome trace, 2 launches of 2 kernels" "$KCOST" profile $data/plain.csv $data/pytorch.json
fact "with a device there are roofs" has "96.5 % of HBM" "$KCOST" profile $data/plain.csv --device a100-sxm4-40gb
fact "what is impossible is flagged" has "triad: impossible: 166.7 % of the HBM peak" \
    "$KCOST" profile $data/plain.csv --device v100-sxm2-16gb
fact "a kernel is put beside its prediction" has "beside gemm on h100-sxm5" "$KCOST" profile $data/ncu_gemm.csv --device h100 --kernel "$gemm"
fact "with the likely cause" has "dirty lines: " "$KCOST" profile $data/ncu_gemm.csv --device h100 --kernel "$gemm"
fact "as JSON" has '"kind":"match"' "$KCOST" --json profile $data/ncu_gemm.csv --device h100 --kernel "$gemm"
fact "as CSV" has "name,prediction,device,grid,launches,time,time_measured,residual.time" \
    "$KCOST" profile --csv $data/ncu_gemm.csv --device h100 --kernel "$gemm"
fact "a file alone as CSV" has "add(float*, float const *, int)" "$KCOST" profile --csv $data/nvprof_trace.csv
"$KCOST" profile $data/ncu_gemm.csv --device h100 --kernel "$gemm" --plot-data "$here/points.csv" >/dev/null
fact "its points are those of a roofline" grep -q "^measured,1,gemm," "$here/points.csv"
fact "no kernel with a prediction is nothing to draw" says "nothing that the script returned can be drawn" \
    "$KCOST" profile $data/plain.csv --plot-data "$here/none.csv"
fact "a file that is not there is said" says "kcost: profile: cannot read $here/none" "$KCOST" profile "$here/none"
fact "and fails" exits 1 "$KCOST" profile "$here/none"
: >"$here/empty.csv"
fact "what is wrong with a file is said in one line" one_line "$KCOST" profile "$here/empty.csv"
fact "with its name" says "$here/empty.csv: it is empty" "$KCOST" profile "$here/empty.csv"
fact "no file is wrong usage" exits 2 "$KCOST" profile
fact "--kernel wants a pattern and a kernel" exits 2 "$KCOST" profile $data/plain.csv --device h100 --kernel gemm
fact "--kernel needs a device" says "--kernel needs --device" "$KCOST" profile $data/plain.csv --kernel "$gemm"
fact "a wrong kernel is said" says "--kernel: gemm.plain: k, m, n: are missing" "$KCOST" profile $data/plain.csv --device h100 --kernel gemm=gemm
fact "a wrong parameter is said" says "--kernel: a kernel takes name=value, not 'm'" \
    "$KCOST" profile $data/plain.csv --device h100 --kernel "gemm=gemm m"
fact "--kernel is for profile" exits 2 "$KCOST" gemm m=4 n=4 k=4 --kernel a=b
fact "in a sandbox there are no files" says "this script may not read files" "$KCOST" --sandbox profile $data/plain.csv
facts_end
