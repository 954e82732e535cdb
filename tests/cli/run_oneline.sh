#!/bin/sh
# run_oneline.sh: a kernel of the stdlib without a script: kcost NAME k=v …
# shellcheck disable=SC2016  # the inner shell expands them
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
unset KCOST_PATH COLUMNS
LC_ALL=C
export LC_ALL
cube="m=4096 n=4096 k=4096"

# What a script that spells it out prints.
spelt() {
    "$KCOST" --json -e "local kc = require 'kcost'; return $1" >"$here/spelt" || return
    shift
    "$KCOST" --json "$@" | cmp "$here/spelt" -
}

# shellcheck disable=SC2086  # three words
{
    fact "a kernel by its family is counted" spelt "kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }" gemm $cube
    fact "matmul is gemm" spelt "kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }" matmul $cube
    fact "a device gives a time, by any of its names" \
        spelt "kc.evaluate(kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }, 'h100')" gemm $cube --device h100
    fact "several devices are several rows" \
        spelt "{ kc.evaluate(kc.lib.norm.rms { m = 64, k = 512 }, 'a100'), kc.evaluate(kc.lib.norm.rms { m = 64, k = 512 }, 'l4') }" \
        norm.rms m=64 k=512 --device a100,l4
    fact "tiles and the rest of a schedule follow the kernel's parameters" \
        spelt "kc.evaluate(kc.tile(kc.lib.gemm.plain { m = 512, n = 512, k = 512 }, { m = 64, n = 64, k = 32 }, { stages = 3, split = { k = 2 } }), 'l4')" \
        gemm m=512 n=512 k=512 tile.m=64 tile.n=64 tile.k=32 stages=3 split.k=2 --device l4
    fact "true and words are values too" \
        spelt "kc.count(kc.lib.attention.standard { i = 128, d = 64, causal = true, dtype = 'bf16' }, { convention = 'pytorch' })" \
        attention.standard i=128 d=64 causal=true dtype=bf16 --as pytorch
    fact "the fastest schedule stands behind the kernel" \
        spelt "(function() local x = kc.lib.gemm.plain { m = 512, n = 512, k = 512 }; return { kc.evaluate(x, 'l4'), kc.best(x, 'l4') } end)()" \
        gemm m=512 n=512 k=512 --device l4 --best
    fact "a measured time stands beside the roofs" has \
        "gemm on h100-sxm5: measured 612 us is 3.19 times the estimate and 23 % of the compute roof" \
        "$KCOST" gemm $cube --device h100 --measured 612us
    for time in 0.612ms 0.000612s 612000ns "612 us"; do
        fact "a time has any unit: $time" has "measured 612 us is" "$KCOST" gemm $cube --device h100 --measured "$time"
    done
    fact "--explain follows" has "It is compute-bound: the matrix units bind." "$KCOST" gemm $cube --device h100 --explain

    for words in "--explain bytes gemm $cube" "gemm $cube --explain bytes" "gemm $cube --explain=bytes"; do
        fact "a figure is its formula: $words" has "A: m 4096 x k 4096 x 2 B compulsory = 33554432" "$KCOST" $words
    done
    fact "also as another tool counts" has "matmul over k: 1 x m 4096 x k 4096 x n 4096 = 68719476736" \
        "$KCOST" gemm $cube --as fvcore --explain flops
    fact "a wrong field is wrong usage" says "--explain wants a field of a result, such as bytes, flops or time, not 'byts'" \
        "$KCOST" gemm $cube --explain=byts
    fact "a field that a count lacks fails" exits 1 "$KCOST" gemm $cube --explain time
    fact "a field that a count lacks is said" says "explain: gemm has no time" "$KCOST" gemm $cube --explain time

    fact "a missing parameter is named" says "kcost: gemm: k: is missing" "$KCOST" gemm m=1 n=1
    fact "of several missing ones all are named, and the kernel once" says "kcost: norm.rms: k, m: are missing" "$KCOST" norm.rms
    fact "what gives no kernel is said" says "kcost: conv.gemm: it gives a table, and the command prices kernels" \
        "$KCOST" conv.gemm image="8 8" filter=3 channels=4 filters=4
    for device in "" ","; do
        fact "no device is none: '$device'" says "--device wants a device, such as h100" "$KCOST" gemm $cube --device "$device"
    done
    mkdir "$here/devices" && printf "return {\n+" >"$here/devices/own.lua"
    fact "an error in a file of one's own has its place" says "kcost: gemm: $here/devices/own.lua:2: " \
        env KCOST_PATH="$here" "$KCOST" gemm $cube --device own
    fact "a convention that resembles none is told which there are" says "there is no convention 'mine'; there are 'kcost', " \
        "$KCOST" gemm $cube --as mine
    fact "a size beyond all is told the limit" says "m: expected a whole number below 2^53, got 1e30" "$KCOST" gemm m=1e30 n=1 k=1
    fact "figures beyond all prefixes have an exponent" has " 1.46e30 EFLOP " \
        "$KCOST" gemm m=9007199254740991 n=9007199254740991 k=9007199254740991
    fact "a wrong kernel is told the nearest" says "kcost: gem: there is no kernel 'gem'; did you mean 'gemm'?" "$KCOST" gem m=1
    fact "or which there are" says "kcost: filter: there is no kernel 'filter'; there are attention, conv, decode, " "$KCOST" filter m=1
    fact "a wrong member is told which there are" says "norm has no kernel 'foo'; there are layer, layer_backward, rms, rms_backward" "$KCOST" norm.foo m=1
    fact "a wrong family is said" says "there is no kernel family 'foo'" "$KCOST" foo.bar m=1
    fact "a wrong dim of a tile is said" says "has no dim 'q'; it has m k" "$KCOST" norm.rms m=4 k=4 tile.q=2
    fact "a wrong device is said" says "unknown device 'h10'" "$KCOST" gemm $cube --device h10
    fact "a wrong convention is said" says "there is no convention 'pytorhc'; did you mean 'pytorch'?" "$KCOST" gemm $cube --as pytorhc
    fact "two conventions at once are refused" says "'pytorch' and 'fma1' are both conventions" "$KCOST" gemm $cube --as pytorch,fma1
    for time in 12 us 1e9999s -4us nan; do
        fact "a wrong time is said: $time" says "--measured wants a time with its unit" \
            "$KCOST" gemm $cube --device h100 "--measured=$time"
    done
    fact "a measured time needs a device" says "--measured needs --device" "$KCOST" gemm $cube --measured 12us
    fact "a search needs a device" says "--best needs --device" "$KCOST" gemm $cube --best
    fact "a number that is no parameter is wrong usage" exits 2 "$KCOST" gemm 4096 4096 4096
    fact "and said once, with what would be right" is "kcost: a kernel takes name=value, such as m=4096, not '4096'
Try 'kcost --help'." shell '"$KCOST" gemm 4096 4096 4096 2>&1 || true'
    fact "a script behind a word is told where it goes" says "kcost: a script comes first, as in: kcost scripts/flashattn.lua" \
        "$KCOST" run scripts/flashattn.lua
    fact "a name without a value is true" spelt "kc.count(kc.lib.attention.standard { i = 128, d = 64, causal = true })" \
        attention.standard i,j=128 d=64 causal
    fact "a function goes by its name" spelt "kc.count(kc.lib.stream.triad { n = 1024 })" triad n=1024
    fact "unless several have it" says "kcost: backward: there are several: embedding.backward, softmax.backward" "$KCOST" backward m=1
    fact "a device is no kernel" says "kcost: h100: it is a device: 'kcost devices h100' shows it" "$KCOST" h100
    fact "nor a parameter" says "kcost: gemm: h100 is a device: --device h100" "$KCOST" gemm $cube h100
    fact "several names take one value" \
        spelt "kc.count(kc.tile(kc.lib.gemm.plain { m = 512, n = 512, k = 512 }, { m = 64, n = 64 }))" \
        gemm m,n,k=512 tile.m,tile.n=64
    fact "a convention may be changed" \
        spelt "kc.count(kc.lib.attention.standard { i = 128, d = 64, causal = true }, { convention = { as = 'palm', causal = 'half' } })" \
        attention.standard i=128 d=64 causal --as palm,causal=half
    fact "a switch alone changes kcost's own" \
        spelt "kc.count(kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }, { convention = { multiply_add = 1 } })" gemm $cube --as multiply_add=1
    fact "a wrong switch is told which there are" says "there is no switch 'mad'; there are multiply_add, " "$KCOST" gemm $cube --as mad=1
    fact "occupancy is asked without a kernel" \
        spelt "kc.occupancy('h100', { threads = 256, registers = 128, stage = 32768, stages = 2, keep = 2 })" \
        occupancy threads=256 registers=128 stage=32K stages=2 keep=2 --device h100
    fact "sizes are binary there" spelt "kc.occupancy('h100', { threads = 256, smem = 49152 })" occupancy threads=256 smem=48KiB --device h100
    fact "occupancy needs a device" says "kcost: occupancy: it needs --device, such as h100" "$KCOST" occupancy threads=256
    fact "a wrong parameter fails" exits 1 "$KCOST" gemm m=x n=1 k=1
    fact "--best is for kernels" says "--best belongs to a kernel" "$KCOST" --best -e 'return 1'
    fact "so is --as, and profile has none" says "--as belongs to a kernel" "$KCOST" profile times.csv --as pytorch
    fact "and occupancy has none" says "occupancy: --as is of a kernel" "$KCOST" occupancy threads=256 --device h100 --as pytorch
    fact "quotes, brackets and line ends are text" says "m: expected a whole number of at least 1, got" "$KCOST" gemm "$(printf 'm="]]\n\\"x')" n=1 k=1
}
cp scripts/roofline101.lua "$here/gemm"
fact "a file of that name is a script" shell 'cd "$1" && "$KCOST" gemm >/dev/null' - "$here"

# ---- a model by its file ----------------------------------------------------------------------------------

hybrid=tests/data/models/hybrid.json
model="kc.lib.transformer(kc.load_json('$hybrid'))"
same_steps() {
    "$KCOST" --json -e "local m = $model return { kc.evaluate(m:prefill { seq = 64 }, 'h100'), kc.evaluate(m:decode { cached = 100, batch = 4 }, 'h100') }" |
        sed 's/^\[//; s/\]$//' >"$here/steps"
    "$KCOST" --json "$hybrid" seq=64 cached=100 batch=4 --device h100 >"$here/model"
    grep -qF -- "$(cat "$here/steps")" "$here/model"
}
fact "a model's file is priced as a prefill and a decode" same_steps
fact "it says its size" has "parameters, " "$KCOST" "$hybrid"
fact "what fits on a device" has "of 2048 tokens fits beside the weights" "$KCOST" "$hybrid" --device h100
fact "and what became of each key" has "line 9: no number, so as if not there" "$KCOST" "$hybrid"
fact "options of the model are taken" shell '"$KCOST" "$1" kv_dtype=f8 >"$2" && ! "$KCOST" "$1" | cmp -s - "$2"' - "$hybrid" "$here/f8"
fact "a wrong one is told which there are" says "sec: no such parameter; there are batch, cached, seq, activations, " "$KCOST" "$hybrid" sec=1
fact "a file that is not there is said" says "kcost: nowhere.json: it cannot be read" "$KCOST" nowhere.json
echo '{"model_type":' >"$here/broken.json"
fact "a broken one has its place" says "broken.json: line 2, column 1: it ends too early" "$KCOST" "$here/broken.json"
fact "a search of it needs a device too" says "--best needs --device" "$KCOST" "$hybrid" --best
fact "a measured time is of a kernel" says "--measured is of a kernel" "$KCOST" "$hybrid" --device h100 --measured 1ms
facts_end
