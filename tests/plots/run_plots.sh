#!/bin/sh
# run_plots.sh: every kind of plot: its points against what is kept here as NAME.csv, drawn as SVG, PNG and text.
# UPDATE=1 rewrites what is kept.
# shellcheck disable=SC2016  # the inner shell expands them

cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
unset KCOST_PATH COLUMNS
export KCOST LC_ALL=C.UTF-8
plots=tests/plots/plots.lua
check() { "${ENGINE:-lua5.4}" tests/plots/svg.lua "$@"; }

shell() { sh -c "$@"; }

# draws NAME OPTION...: of the plot of that name.
draws() {
    name=$1
    shift
    "$KCOST" --quiet "$@" "$plots" which="$name" >"$here/out"
}

same() {
    [ "${UPDATE:-}" != 1 ] || cp "$2" "$1"
    diff -u "$1" "$2"
}

says() {
    want=$1
    shift
    got=$("$@" 2>&1 >/dev/null)
    case $got in *"$want"*) ;; *) printf 'said:\n%s\n' "$got" && false ;; esac
}

# ---- without gnuplot ------------------------------------------------------------------

for name in roofline program devices bandwidth sawtooth tiles pareto ledger; do
    fact "--plot-data of $name" draws $name --plot-data "$here/$name.csv"
    fact "the points of $name" same tests/plots/$name.csv "$here/$name.csv"
done

# Each of several plots has a file; results are drawn as what fits them.
fact "--plot-data of results" draws fitting --plot-data "$here/fit.csv"
cat "$here"/fit.csv "$here"/fit-[2-9].csv | grep -c series, >"$here/count"
fact "a roofline, bandwidths, a ledger, a heat map, a front and a saw-tooth fit" [ "$(cat "$here/count")" = 6 ]
fact "results come under the same roofs as in kc.plot.roofline" \
    shell 'head -3 "$0" | cmp - "$1"' "$here/fit.csv" /dev/stdin <<EOF
$(head -3 tests/plots/roofline.csv)
EOF
fact "a saw-tooth fits sizes" cmp "$here/sawtooth.csv" "$here/fit-6.csv"
fact "a heat map fits tiles" cmp "$here/tiles.csv" "$here/fit-4.csv"
cat >"$here/tiles.lua" <<'EOF'
local kc = require "kcost"
return kc.sweep { kernel = kc.lib.gemm.plain { m = 512, n = 512, k = 512 }, device = "h100-sxm5",
                  tile = { m = { 32, 64, 128 }, n = { 32, 64, 256 }, k = 32 }, stages = { 2, 3 } }
EOF
merged() {
    for i in 1 2; do
        "$KCOST" --json --shard $i/2 "$here/tiles.lua" -o "$here/part-$i.json" || return
    done
    "$KCOST" merge --plot-data "$here/merged.csv" "$here"/part-?.json >"$here/merged.json" &&
        "$KCOST" --json --plot-data "$here/whole.csv" "$here/tiles.lua" >"$here/whole.json" &&
        cmp "$here/whole.csv" "$here/merged.csv" && cmp "$here/whole.json" "$here/merged.json"
}
fact "what merge joins is drawn as the whole is, beside the document" merged
fact "a returned plot is JSON in base units" \
    shell '"$0" --json "$1" which=ledger | grep -q "\"kind\":\"plot\".*\"name\":\"bytes\",.*\"unit\":\"byte\""' "$KCOST" "$plots"
fact "a returned plot is shown as a table" shell '"$0" "$1" which=ledger | grep -q "^S  unfused\|4.29 GB\|compulsory"' "$KCOST" "$plots"

fact "without gnuplot one message says what to do" says "gnuplot, which is not there: install it (Debian: gnuplot-nox)" \
    env PATH="$here" "$(command -v "$KCOST")" --plot "$here/none.svg" "$plots"
fact "and there is no file" [ ! -e "$here/none.svg" ]
fact "--plot wants a picture's name" says "--plot wants FILE.svg, FILE.png or -, not 'x.pdf'" "$KCOST" --plot x.pdf "$plots"
fact "what cannot be drawn is said" says "nothing that the script returned can be drawn" \
    "$KCOST" --plot-data "$here/x.csv" -e 'return 1'
asked_at_prompt() { script -qec "$KCOST --plot x.svg" /dev/null </dev/null | grep -q "a prompt has many"; }
if command -v script >/dev/null; then
    fact "a prompt is not drawn, and why" asked_at_prompt
fi
fact "devices are not drawn" says "kcost devices gives no points" "$KCOST" --plot x.svg devices
odd() { says "$1" "$KCOST" --plot-data "$here/x.csv" -e "return { kind = 'plot', $2 }"; }
fact "a plot without axes is refused" odd "x and y, its axes, are missing" "title = 'a'"
axes="x = { name = 'x', scale = 'linear' }, y = { name = 'y', scale = 'linear' }"
fact "an unknown mark is refused" odd "mark is none that plots have" "$axes, series = { { mark = 'blob', points = {} } }"
fact "a point without y is refused" odd "lacks its x or y" "$axes, series = { { mark = 'dot', points = { { x = 1 } } } }"
fact "a word for a number is refused" odd "are numbers" "$axes, series = { { mark = 'dot', points = { { x = 'a', y = 1 } } } }"
fact "a scale that there is not is refused" odd "scale is linear, log or names" "x = { name = 'x', scale = 'cubic' }, y = { name = 'y', scale = 'log', from = 1 }"
titles() { "$KCOST" --quiet "$@" tests/plots/titles.lua >"$here/titles"; }
is_utf8() { iconv -f UTF-8 -t UTF-8 "$@" >/dev/null; }
fact "odd titles have points" titles --plot-data "$here/title.csv"
fact "which are UTF-8" is_utf8 "$here/titles" "$here"/title*.csv
fact "and whole" shell '[ "$(grep -c "^\(xxx😀\{300\} \)\?xxx😀\{300\},1\?[123]\?,xxx😀\{300\}," "$1/title-13.csv")" = 4 ]' - "$here"

# ---- with it ---------------------------------------------------------------------------

if ! command -v gnuplot >/dev/null; then
    skip "pictures of plots: gnuplot is missing"
    facts_end
    exit
fi

# drawn NAME CLASS=COUNT...
drawn() {
    name=$1
    shift
    draws "$name" --plot "$here/$name.svg" && check "$here/$name.svg" "$@"
}

fact "a roofline has a dot a kernel, and one for each level inside" drawn roofline dot=2 level=3
fact "a program's kernels are dots" drawn program dot=3
fact "two devices stand in one picture" drawn devices dot=4
fact "kernels with no FLOP are bars" drawn bandwidth bar=2
fact "a saw-tooth has a point a size" drawn sawtooth step=11
fact "a heat map has a cell a tile, and hatches what does not fit" drawn tiles cell=10 hatch=6
fact "a front has its points" drawn pareto dot=5 level=15
fact "a ledger has a bar a tensor and cause" drawn ledger bar=10
fact "names from scripts reach gnuplot and the reader as they are" \
    shell '"$0" --quiet --plot "$1/h.svg" "$2" which=hostile >/dev/null && grep -qF "touch hostile" "$1/h.svg"' "$KCOST" "$here" "$plots"
fact "and do nothing there" [ ! -e hostile ]
fact "the picture of odd names is XML" check "$here/h.svg" dot=1
fact "odd titles are drawn, and in a report" titles --plot "$here/title.svg" --html "$here/title.html"
fact "as UTF-8" is_utf8 "$here"/title*.svg "$here/title.html"
if command -v python3 >/dev/null; then
    fact "their pictures are XML" python3 -c 'import sys, xml.etree.ElementTree
for path in sys.argv[1:]: xml.etree.ElementTree.parse(path)' "$here"/title*.svg
else
    skip "pictures of odd titles read as XML: python3 is missing"
fi
fact "what XML may not hold stands as U+FFFD" grep -q "<title>��</title>" "$here/title-2.svg"
fact "a control character is a blank" grep -q "<title> *</title>" "$here/title-3.svg"
fact "a title that is too long ends with dots" grep -q "xxx😀\{104\}…" "$here/title-13.svg"
fact "letters of a terminal are whole too" shell \
    '"$KCOST" --quiet --plot - tests/plots/titles.lua >"$1/text" && iconv -f UTF-8 -t UTF-8 "$1/text" >/dev/null && ! grep -q "[[:cntrl:]]" "$1/text"' - "$here"
fact "a dot tells its figures" grep -q '<title>flash attention, HBM: intensity 5.* FLOP/B, throughput .* TFLOP/s, time .*, bound by ' "$here/roofline.svg"
fact "the ridge has its value" grep -q '>ridge 295<' "$here/roofline.svg"
fact "a linear axis has its unit" grep -q '> 80 MB<\|>80 MB<' "$here/ledger.svg"
fact "a log axis has whole decades" grep -q '> 100 GFLOP/s<\|>100 GFLOP/s<' "$here/roofline.svg"
fact "no layer of gnuplot's is a hover text" shell '! grep -q "<title>gnuplot" "$0"' "$here/roofline.svg"
fact "a PNG is one" shell '"$0" --quiet --plot "$1/r.png" "$2" which=tiles >/dev/null && head -c 4 "$1/r.png" | grep -q PNG' \
    "$KCOST" "$here" "$plots"
fact "--plot - draws with letters" shell '"$0" --quiet --plot - "$1" which=sawtooth | grep -q "^ 150 TFLOP/s +|.*#"' "$KCOST" "$plots"
fact "a kernel without a script is drawn too" shell \
    '"$0" --quiet gemm m=4096 n=4096 k=4096 --device h100 --measured 612us --plot "$1/k.svg" >/dev/null' "$KCOST" "$here"
fact "and what it took" check "$here/k.svg" dot=1 ring=1

facts_end
