#!/bin/sh
# run_command.sh: the command: its options, what goes to which stream, exit statuses, tables in narrow places.
# shellcheck disable=SC2016  # the inner shell expands them

cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
unset KCOST_PATH COLUMNS
LC_ALL=C
export LC_ALL

cat >"$here/copy.lua" <<'EOF'
local kc = require "kcost"
local A = kc.tensor("A", "n", "f16", { n = kc.param("n", 1000000) })
local B = kc.write("B", kc.map("relu", kc.read(A)))
local C = kc.write("C", kc.map("relu", kc.read(B)))
print("made")
return kc.compare({ kc.program("two", { B, C }), kc.fuse("one", { B, C }) }, { kc.param("device", "h100-sxm5") })
EOF
echo 'error("boom")' >"$here/boom.lua"

# ---- usage --------------------------------------------------------------------

fact "--version prints the version" is "kcost 0.1.0" "$KCOST" --version
fact "--help names every option" has "--csv[=tensors]" "$KCOST" --help
fact "--help is good" exits 0 "$KCOST" --help
fact "nothing to do is wrong usage" exits 2 "$KCOST"
fact "an unknown option is wrong usage" exits 2 "$KCOST" --bogus
fact "a --set without a value is wrong usage" exits 2 "$KCOST" --set n -e 'return 1'
fact "a --set that no script asked for is wrong usage" exits 2 "$KCOST" --set m=1 "$here/copy.lua"
fact "it names the param" says "'m'" "$KCOST" --set m=1 "$here/copy.lua"
fact "a script that is not there is wrong usage" exits 2 "$KCOST" "$here/none.lua"
fact "it names the script" says "none.lua" "$KCOST" "$here/none.lua"
fact "--csv takes only tensors" exits 2 "$KCOST" --csv=rows -e 'return 1'
fact "--check belongs to devices" exits 2 "$KCOST" --check -e 'return 1'
fact "a word after a script that is no name=value is wrong usage" exits 2 "$KCOST" "$here/copy.lua" fast

# ---- scripts ---------------------------------------------------------------------

fact "a script runs" exits 0 "$KCOST" "$here/copy.lua"
fact "-e runs code" is 3 "$KCOST" -e 'return 1 + 2'
fact "- runs standard input" is 42 shell 'echo "return 42" | "$KCOST" -'
fact "a string prints as it is" is "a	b" "$KCOST" -e 'return "a\tb"'
fact "several values are one a line" is "1
x
true" "$KCOST" -e 'return 1, "x", true'
fact "nothing returned prints nothing" is "" "$KCOST" -e ''
fact "--set gives a param" is 5 "$KCOST" --set n=5 -e 'return require("kcost").param("n", 1)'
fact "name=value after the script does too" is 5 "$KCOST" -e 'return require("kcost").param("n", 1)' n=5
fact "the last --set of a name counts" is 6 "$KCOST" --set n=5 --set n=6 -e 'return require("kcost").param("n", 1)'
fact "a value may hold an equals sign" is "a=b" "$KCOST" --set s=a=b -e 'return require("kcost").param("s", "")'
fact "--device is the param device" has "on a100-sxm4-40gb" "$KCOST" --device a100-sxm4-40gb "$here/copy.lua"
fact "options may follow the script" has '"kind":"comparison"' "$KCOST" "$here/copy.lua" --json

fact "a table that kcost made prints a line a figure" is "allowed.ctas: 32
allowed.warps: 2
cta_warps: 32
ctas: 2
limit: warps
max.registers: 64
max.smem: 232448
max.stage: 232448
share: 1
smem: 0
warps: 64" "$KCOST" -e 'return require("kcost").occupancy("h100", { threads = 1024 })'
fact "in JSON it is an object" is '[{"ctas":1,"x":{"\"":"a\nb","t":{}}},1]' "$KCOST" --json -e 'local o = require("kcost").occupancy("h100", { threads = 1024 })
    for key in pairs(o) do o[key] = nil end
    o.ctas, o.x = 1, { ["\""] = "a\nb", t = {} }
    return o, 1'
fact "what it holds must be shown too" says "the script returned a function" "$KCOST" -e 'local o = require("kcost").occupancy("h100", { threads = 1024 })
    o.f = print
    return o'
fact "in itself it has no end" says "nested too deeply" "$KCOST" -e 'local o = require("kcost").occupancy("h100", { threads = 1024 })
    o.o = o
    return o'
cat >"$here/tiles.lua" <<'EOF'
local kc = require "kcost"
local A, B = kc.tensor("A", "m k", "f16", { m = 512, k = 512 }), kc.tensor("B", "k n", "f16", { k = 512, n = 512 })
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local one, other = kc.tile(C, { m = 64, n = 64, k = 32 }), kc.tile(C, { m = 32, n = 64, k = 32 })
if kc.param("list", false) then
    return { kc.evaluate(one, "h100"), kc.evaluate(other, "h100", { measured = 1e-5 }) }
end
return kc.compare({ one, other }, { "h100", "a100" })
EOF
fact "two tiles of one kernel have names of their own" has "
C m=64 " "$KCOST" "$here/tiles.lua"
fact "also in a list" has "
C m=32 " "$KCOST" "$here/tiles.lua" list=true
sweep='return kc.sweep { kernel = kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }, device = "h100",
    tile = { m = { 16, 32, 64, 128 }, n = { 16, 32, 64, 128, 256 }, k = { 16, 32, 64 } } }'
fact "of a long sweep the best row is told" has "the best: device=h100-sxm5 tile.m=128 tile.k=64 tile.n=256, time 257" "$KCOST" -e "$sweep"
fact "a measured time is in the table" has "measured  measured x" "$KCOST" "$here/tiles.lua" list=true
fact "and nowhere else" not has measured "$KCOST" "$here/tiles.lua"

# ---- failures ----------------------------------------------------------------------

fact "a script that fails is status 1" exits 1 "$KCOST" "$here/boom.lua"
fact "the message has file and line" says "boom.lua:1: boom" "$KCOST" "$here/boom.lua"
fact "without --verbose there is no traceback" not says traceback "$KCOST" "$here/boom.lua"
fact "with --verbose there is one" says traceback "$KCOST" --verbose "$here/boom.lua"
fact "a syntax error is status 1" exits 1 "$KCOST" -e 'x ='
fact "a failing script prints no result" is "" "$KCOST" "$here/boom.lua"
fact "a failing script leaves no file" shell '"$KCOST" -o "$1/no.txt" "$1/boom.lua" 2>/dev/null; [ ! -e "$1/no.txt" ]' \
    sh "$here"

# ---- streams -------------------------------------------------------------------------

fact "print goes with the tables" has made "$KCOST" "$here/copy.lua"
fact "print goes to standard error with --json" says made "$KCOST" --json "$here/copy.lua"
fact "print is not in the document" not has made "$KCOST" --json "$here/copy.lua"
fact "print is not in the CSV" not has made "$KCOST" --csv "$here/copy.lua"
fact "-o writes the results and nothing else" shell \
    '"$KCOST" --csv -o "$1/out.csv" "$1/copy.lua" >/dev/null 2>&1 && head -c 12 "$1/out.csv" | grep -qx "program,name"' \
    sh "$here"
fact "an -o that cannot be written is status 1" exits 1 "$KCOST" -o "$here/no/where" -e 'return 1'
fact "a closed standard output is status 1" exits 1 shell '"$KCOST" -e "return 1" >&-'
fact "it is said once" shell \
    '[ "$("$KCOST" -e "return 1" 2>&1 >&- | grep -c "cannot write standard output")" = 1 ]'
fact "a closed standard output does not matter where nothing is printed" exits 0 shell '"$KCOST" -e "" >&-'
fact "closed standard streams do no harm to an -o" shell \
    '"$KCOST" -o "$1/closed.txt" -e "return 7" <&- >&- 2>&- && grep -qx 7 "$1/closed.txt"' sh "$here"
fact "a reader that goes away is not an error message" shell \
    '[ -z "$({ "$KCOST" --json -e "local t = {} for i = 1, 60000 do t[i] = i end return t" 2>&1 >&3 | cat; } 3>&1 >/dev/null | head -c 1 >/dev/null)" ]'
if [ -w /dev/full ]; then
    fact "a full disk is status 1" exits 1 shell '"$KCOST" -e "return 1" >/dev/full'
    fact "it is said" says "No space left" shell '"$KCOST" -e "return 1" >/dev/full'
else
    skip "a full disk: there is no /dev/full"
fi

# ---- documents ------------------------------------------------------------------------

fact "one thing is an object" is 1 "$KCOST" --json -e 'return 1'
fact "several are an array" is '[1,"x",true]' "$KCOST" --json -e 'return 1, "x", true'
fact "--csv=tensors is the ledger" has "tensor,bytes_read,bytes_written" "$KCOST" --csv=tensors "$here/copy.lua"
fact "CSV has a row a kernel and a total" shell '[ "$("$KCOST" --csv "$1/copy.lua" 2>/dev/null | wc -l)" = 5 ]' sh "$here"
fact "the document ends with a line end" shell '[ -z "$("$KCOST" --json "$1/copy.lua" 2>/dev/null | tail -c 1 | tr -d "\n")" ]' \
    sh "$here"

# ---- tables ---------------------------------------------------------------------------------

fact "a table states its conventions in one line" has \
    "multiply-add = 2 FLOP; dense peaks; causal exact; GB = 10^9" "$KCOST" "$here/copy.lua"
fact "--quiet leaves that line out" not has multiply-add "$KCOST" --quiet "$here/copy.lua"
fact "--explain says where the time goes behind each table" has "Where the time goes" "$KCOST" --explain "$here/copy.lua"
fact "--explain is not for documents" exits 2 "$KCOST" --explain --json "$here/copy.lua"
fact "--verbose adds the ledger and the notes" has compulsory "$KCOST" --verbose "$here/copy.lua"
fact "--verbose numbers the kernels of a program" has "2  C" "$KCOST" --verbose "$here/copy.lua"
fact "a kernel that is returned is counted" has "8.00 MB" "$KCOST" -e 'local kc = require "kcost"
    return kc.write("B", kc.map("relu", kc.read(kc.tensor("A", "n", "f16", { n = 2000000 }))))'
fact "no line ends with blanks" shell '! "$KCOST" --verbose "$1/copy.lua" 2>/dev/null | grep -q " $"' sh "$here"
if command -v script >/dev/null; then
    for width in 40 60 80 132; do
        fact "on a terminal of $width columns no line of a table is longer" shell \
            '! COLUMNS=$2 TERM=dumb script -qec "\"$KCOST\" --quiet \"$1/copy.lua\"" /dev/null |
                tr -d "\r" | grep -q "^.\{$(($2 + 1))\}"' sh "$here" "$width"
    done
else
    skip "terminals: there is no script(1)"
fi

# ---- devices ----------------------------------------------------------------------------------

fact "devices lists what is shipped" has h100-sxm5 "$KCOST" devices
fact "devices lists products" has "NVIDIA H100 SXM5 80GB" "$KCOST" devices
fact "devices NAME shows what it leaves to exceptions" has "exception: ratio.i8" "$KCOST" devices b300
fact "devices --check says its exceptions" has "GeForce halves f16" "$KCOST" devices --check rtx-4090
fact "a misspelt alias is answered" says "did you mean 'trillium'" "$KCOST" devices trillum
fact "devices NAME shows figures and sources" has hbm.bandwidth "$KCOST" devices h100-sxm5
fact "devices NAME shows the ridge" has "ridge, FLOP/byte" "$KCOST" devices h100-sxm5
fact "devices --json is an array" has '[{"kind":"device","id":' "$KCOST" devices --json
fact "devices --check passes" exits 0 "$KCOST" devices --check
fact "an unknown device is wrong usage" exits 2 "$KCOST" devices h1000
fact "a device's own file is checked" exits 0 "$KCOST" devices --check devices/h100-sxm5.lua
sed 's/cores = 132/cores = 142/' devices/h100-sxm5.lua >"$here/mine.lua"
fact "a wrong figure in it is found" exits 1 "$KCOST" devices --check "$here/mine.lua"
fact "and named" has matrix "$KCOST" devices --check "$here/mine.lua"
echo 'return { name = }' >"$here/broken.lua"
fact "a file with a syntax error is said with its line" says "broken.lua:1:" "$KCOST" devices --check "$here/broken.lua"

# ---- KCOST_PATH ------------------------------------------------------------------------------------

mkdir -p "$here/share/stdlib" "$here/share/devices"
echo 'return { plain = function() return "replaced" end, fail = function() error("gemm.fail: no") end }' >"$here/share/stdlib/gemm.lua"
echo 'return "brand new"' >"$here/share/stdlib/fresh.lua"
echo 'return "a neighbour"' >"$here/share/friend.lua"
sed 's/cores = 132/cores = 99/' devices/h100-sxm5.lua >"$here/share/devices/h100-sxm5.lua"
sed 's/cores = 132/cores = 77/' devices/h100-sxm5.lua >"$here/share/devices/half-h100.lua"
echo 'return 5' >"$here/share/devices/five.lua"
on_path() { KCOST_PATH="$here/share" "$@"; }
lib='local kc = require "kcost" return'
device='local d = require("kcost").device(require("kcost").param("device", "")) return d.id .. " " .. require("kcost").str(d.cores)'

fact "KCOST_PATH replaces a file of the stdlib" is replaced on_path "$KCOST" -e "$lib kc.lib.gemm.plain()"
fact "also for require" is replaced on_path "$KCOST" -e 'return require("kcost.gemm").plain()'
fact "and adds one" is "brand new" on_path "$KCOST" -e "$lib kc.lib.fresh"
fact "the others are those that are compiled in" is function on_path "$KCOST" -e "$lib type(kc.lib.norm.rms)"
fact "its errors are at the script's line" says "command line:1: gemm.fail: no" on_path "$KCOST" \
    -e 'local x = require("kcost").lib.gemm.fail() return x'
fact "require finds modules on it" is "a neighbour" on_path "$KCOST" -e 'return require("friend")'
fact "a folder of it may be a template" is replaced env "KCOST_PATH=/none;$here/share/?.lua" "$KCOST" -e "$lib kc.lib.gemm.plain()"
cp "$here/share/devices/h100-sxm5.lua" "$here/mine.lua"
fact "a device's file stands for its name" is "mine 99" "$KCOST" --device "$here/mine.lua" -e "$device"
fact "also where devices are shown" has "mine: " "$KCOST" devices "$here/mine.lua"
echo 'return { name = "x", hbm = { bandwith = 1 } }' >"$here/bad.lua"
fact "what is wrong in it is said of it" is "kcost: $here/bad.lua: unknown figure 'hbm.bandwith'; did you mean 'hbm.bandwidth'?" \
    shell '"$1" devices "$2" 2>&1 || true' - "$KCOST" "$here/bad.lua"
fact "a sandbox reads none" says "this script may not read files" "$KCOST" --sandbox --device "$here/mine.lua" -e "$device"
fact "KCOST_PATH replaces a device" is "h100-sxm5 99" on_path "$KCOST" --device h100-sxm5 -e "$device"
fact "also under its alias" is "h100-sxm5 99" on_path "$KCOST" --device h100 -e "$device"
fact "and adds one, whose id is the file's name" is "half-h100 77" on_path "$KCOST" --device half-h100 -e "$device"
fact "the others are as shipped" is "a100-sxm4-80gb 108" on_path "$KCOST" --device a100 -e "$device"
fact "a file that is no device is named" says "five.lua: it returns 5, and a device's table is wanted" on_path "$KCOST" --device five -e "$device"
fact "a name with a slash is none of a file" says "unknown device" on_path "$KCOST" --device ../devices/five -e "$device"
fact "kcost devices shows it" has half-h100 on_path "$KCOST" devices half-h100
fact "kcost devices says what it does not find" says "unknown device 'h1000'" on_path "$KCOST" devices h1000
fact "kcost devices --check finds what is off in it" exits 1 on_path "$KCOST" devices --check half-h100
if [ -n "${VARIANT:-}" ]; then
    skip "the module in a stock interpreter takes KCOST_PATH too (only in plain builds)"
else
    fact "the module in a stock interpreter takes it too" is "replaced	99" on_path env "LUA_CPATH=$BUILD/?.so" "$ENGINE" \
        -e 'local kc = require "kcost" print(require("kcost.gemm").plain(), kc.str(kc.device("h100").cores))'
fi
fact "without KCOST_PATH all is as shipped" is "h100-sxm5 132" "$KCOST" --device h100 -e "$device"

# ---- sweeps --------------------------------------------------------------------

cat >"$here/sweep.lua" <<'EOF'
local kc = require "kcost"
local size = { m = 512, n = 512, k = 512 }
local A, B = kc.tensor("A", "m k", "f16", size), kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local most = kc.param("most", 64)
return kc.sweep { kernel = C, device = { "l4", "h100-sxm5" }, tile = { m = kc.range(16, most, 16), n = kc.range(16, most, 16), k = 32 },
                  stages = { 2, 3 }, keep = { top = 5 } }
EOF
part() { "$KCOST" "--$1" --shard "$2" "$here/sweep.lua" -o "$here/part-${2%/*}.$1"; }
# joined FORM: three parts joined are the whole, byte by byte.
joined() {
    for i in 1/3 2/3 3/3; do part "$1" $i || return; done
    "$KCOST" "--$1" "$here/sweep.lua" >"$here/whole"
    "$KCOST" merge "$here"/part-[123]."$1" >"$here/joined" && cmp "$here/whole" "$here/joined"
}
same_in_threads() {
    "$KCOST" --json --threads 1 "$here/sweep.lua" >"$here/one"
    "$KCOST" --json --threads 5 "$here/sweep.lua" >"$here/five" && cmp "$here/one" "$here/five"
}
# A sweep of hours is ended by Ctrl-C; what was done is printed.  Where the machine is so slow that it has not
# begun by then, later.
interrupted() {
    for seconds in 1 4 16; do
        env --default-signal=INT timeout --foreground --preserve-status -s INT $seconds \
            "$KCOST" --json --set most=320000 "$here/sweep.lua" >"$here/some" 2>"$here/said"
        status=$?
        [ $status = 130 ] && grep -q '"interrupted":true' "$here/some" && [ ! -s "$here/said" ] && return
    done
    return 1
}
fact "a sweep is a table of its points" has "64 points of C; 64 fit; kept: top 5 by time" "$KCOST" "$here/sweep.lua"
fact "--quiet leaves the rows" not has "points of C" "$KCOST" -q "$here/sweep.lua"
fact "a sweep is the same in any number of threads" same_in_threads
fact "--threads wants a number" says "--threads wants a whole number from 1, not 'many'" "$KCOST" --threads many "$here/sweep.lua"
fact "--shard wants I/N" says "--shard wants I/N, part I of N parts, as in 3/16, not '4/3'" "$KCOST" --shard 4/3 "$here/sweep.lua"
fact "--shard sweeps a part" has "part 2 of 3: 21" "$KCOST" --shard 2/3 "$here/sweep.lua"
fact "parts as JSON join" joined json
fact "parts as CSV join" joined csv
fact "merge changes the form" is "$("$KCOST" --csv "$here/sweep.lua")" \
    "$KCOST" merge --csv "$here/part-1.json" "$here/part-2.json" "$here/part-3.json"
fact "merge misses a part" says "part 2 of 3 is missing" "$KCOST" merge "$here/part-1.json" "$here/part-3.json"
fact "merge refuses a part that is there twice" exits 1 \
    "$KCOST" merge "$here/part-1.json" "$here/part-1.json" "$here/part-2.json"
"$KCOST" --json "$here/sweep.lua" >"$here/whole"
fact "merge refuses a whole" says "is a whole sweep, no part of one" "$KCOST" merge "$here/part-1.csv" "$here/whole"
fact "merge says which file is none" says "copy.lua: merge: this is no part of a sweep" "$KCOST" merge "$here/copy.lua"
fact "merge says which file is not there" says "none: No such file" "$KCOST" merge "$here/none"
fact "merge wants files" exits 2 "$KCOST" merge
fact "a part of several sweeps has no CSV" says "stands alone" "$KCOST" --csv --shard 1/2 -e 'local kc = require "kcost"
    local B = kc.write("B", kc.map("relu", kc.read(kc.tensor("A", "n", "f16", { n = 10 }))))
    return kc.sweep { kernel = B }, kc.sweep { kernel = B }'
fact "Ctrl-C ends a sweep, which keeps what is done" interrupted
fact "progress is drawn on a terminal only" is "" shell '"$KCOST" --set most=1024 "$0/sweep.lua" 2>&1 >/dev/null' "$here"

facts_end
