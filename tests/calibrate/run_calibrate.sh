#!/bin/sh
# run_calibrate.sh: kcost calibrate: from a file of times to the file of a device.
. tests/facts.sh
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT

# Of a made-up run: 40 launches on a device with 0.7 of the A100's 2.039 TB/s, 2.5 us each with the kernel's own 0.9.
awk 'BEGIN {
    print "name,time,flops,bytes"
    for (i = 1; i <= 40; i++) {
        bytes = i % 2 ? 1e5 * i : 4e7 * i
        printf "copy %d,%.9g,0,%d\n", i, bytes / (0.7 * 2.039e12) + 2.5e-6, bytes
    }
}' >"$here/times.csv"
times=$here/times.csv

calibrates() { "$KCOST" calibrate "$times" --device a100 -o "$here/mine.lua" >"$here/said"; }
fact "it writes a device" calibrates
fact "whose file is a device's" has "A100 SXM4 80GB: good" "$KCOST" devices --check "$here/mine.lua"
fact "with the share of HBM that the rows have" grep -q "hbm = 0.7[, ]" "$here/mine.lua"
fact "and their launch, less 0.9 us" grep -q "stream = 1.6e-6" "$here/mine.lua"
fact "and their source" grep -q "\"launch.stream fitted.hbm\"\] = \"fitted to $times: 30 rows" "$here/mine.lua"
fact "it says how that came about" grep -q "^median error of the rows held out: 12.4 % before, below 0.01 % after" "$here/said"
fact "and why a constant was left" grep -q "^matrix is left as it is: " "$here/said"
fact "without -o the file goes to standard output, with that above it" has "-- matrix is left as it is" "$KCOST" calibrate "$times" --device a100
fact "--json says it as one document" has '"launch":{"after":1.6e-6,"before":1.73e-6,' "$KCOST" --json calibrate "$times" --device a100

mkdir "$here/devices" && cp "$here/mine.lua" "$here/devices/mine.lua"
mine() { KCOST_PATH=$here has "bandwidth 1.43 TB/s" "$KCOST" -e 'local kc = require "kcost"
    local r = kc.evaluate(kc.lib.stream.copy { n = 2^28 }, "mine")
    return string.format("bandwidth %.2f TB/s", r.bytes / r.times.hbm / 1e12)'; }
fact "on KCOST_PATH it is a device by its file's name" mine

fact "options of kc.calibrate are name=value" has "launch = graph" "$KCOST" calibrate "$times" --device a100 launch=graph
fact "one that there is not is said" says "kcost: calibrate: regime: no such parameter" "$KCOST" calibrate "$times" --device a100 regime=graph
fact "a device is wanted" exits 2 "$KCOST" calibrate "$times"
fact "and a file" exits 2 "$KCOST" calibrate --device a100
fact "and one alone" says "calibrate takes one file" "$KCOST" calibrate "$times" "$times" --device a100
fact "a file that is not there is said" says "cannot read $here/no.csv" "$KCOST" calibrate "$here/no.csv" --device a100
head -n 6 "$times" >"$here/few.csv"
fewer() { "$KCOST" calibrate "$here/few.csv" --device a100 -o "$here/few.lua"; }
fact "too few rows are refused" says "5 of 5 rows have a time and a prediction, and 8 are wanted at least" fewer
fact "and no file is written" [ ! -e "$here/few.lua" ]
fact "--csv has a row a constant" has "hbm,fitted.hbm,0.8,0.7," "$KCOST" --csv calibrate "$times" --device a100

# The export of a profiler: 12 kernels that HBM bounds, at 0.75 of 2.039 TB/s, with 0.9 us to start and end.
awk 'BEGIN {
    print "\"ID\",\"Kernel Name\",\"Grid Size\",\"Block Size\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\""
    print "\"\",\"\",\"\",\"\",\"us\",\"Mbyte\",\"Mbyte\""
    for (i = 1; i <= 12; i++)
        printf "\"%d\",\"copy_%d\",\"(%d, 1, 1)\",\"(256, 1, 1)\",\"%.6f\",\"%d\",\"%d\"\n", i, i, i, 200 * i / 0.75 / 2.039 + 0.9, 100 * i, 100 * i
}' >"$here/ncu.csv"
profiled() { "$KCOST" calibrate "$here/ncu.csv" --device a100 -o "$here/profiled.lua" >"$here/profile"; }
fact "a profile serves too, by its DRAM bytes" profiled
fact "without gaps between launches" grep -q '"fitted to .*ncu.csv: 9 rows, launch = none' "$here/profiled.lua"
fact "and gives the share of HBM" grep -q "fitted = { matrix = 0.77, hbm = 0.75, " "$here/profiled.lua"

# Matmuls that take as long as on a device with 0.5 of the peak; one row that no pattern names.
matmuls() {
    echo name,time
    for i in 1 2 3 4 5 6 7 8 9 10; do
        echo "gemm_$i,$("$KCOST" --json -e "local kc = require 'kcost' local d = kc.device('a100'):with { fitted = { matrix = 0.5 } }
            return kc.best(kc.lib.gemm.plain { m = $i * 512, n = 4096, k = 4096 }, d).time")"
    done
    echo "softmax,1e-3"
}
matmuls >"$here/matmuls.csv"
set -- --device a100 -o "$here/matmuls.lua"
for i in 1 2 3 4 5 6 7 8 9 10; do set -- "$@" --kernel "gemm_$i$=gemm m=$((i * 512)) n=4096 k=4096"; done
joined() { "$KCOST" calibrate "$here/matmuls.csv" "$@" >"$here/joined"; }
fact "--kernel joins rows to kernels" joined "$@"
fact "which are predicted by the model" grep -q "fitted = { matrix = 0.5, " "$here/matmuls.lua"
fact "what no pattern names is said" grep -q "^1 of 11 kernels left out (softmax): no pattern names them" "$here/joined"
fact "a kernel without its sizes is said" says "kcost: calibrate: --kernel: gemm.plain: k, m, n: are missing" \
    "$KCOST" calibrate "$here/matmuls.csv" --device a100 --kernel gemm=gemm

# What scripts/ceilings prints, as its own test checks it; times of a device with 0.8, 0.9 and 2 us less 0.9.
awk 'BEGIN {
    print "name,time,flops,bytes"
    for (i = 1; i <= 8; i++) {
        printf "hbm: copy of %d MiB,%.9g,0,%.0f\n", i, 1e9 * i / (0.9 * 2.039e12) + 2e-6, 1e9 * i
        printf "matrix: mma.sync f16 in %d steps,%.9g,%.0f,0\n", i, 1e11 * i / (0.8 / 0.9 * 312e12) + 2e-6, 1e11 * i
        printf "launch: empty with %d threads a core,2e-6,0,0\n", i
        printf "l2: read of %d KiB,1e-3,0,4e9\n", i
    }
}' >"$here/ceilings.csv"
ceilings() { "$KCOST" calibrate "$here/ceilings.csv" --device a100 -o "$here/all.lua" >"$here/all"; }
fact "the ceilings of a device determine it" ceilings
fact "its matrix share is nine tenths of what a loop of mma.sync reaches" grep -q "fitted = { matrix = 0.8, hbm = 0.9, " "$here/all.lua"
fact "ceilings that are none of the three are said" grep -q "^l2: 4.000 TB/s at best of 8 rows" "$here/all"
facts_end
