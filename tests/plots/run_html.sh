#!/bin/sh
# run_html.sh: the report: one file that needs nothing else; opened in headless Chromium, where there is one.
# shellcheck disable=SC2016  # the inner shell expands them

cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
unset KCOST_PATH COLUMNS
export LC_ALL=C.UTF-8

cat >"$here/report.lua" <<'EOF'
local kc = require "kcost"
local function kernel(name, n)
    local X = kc.tensor("X <b>&\"", "n", "f16", { n = n })
    return kc.kernel(name, { kc.write("Y", kc.map("gelu", kc.read(X))) })
end
local kernels = { kernel("two & more", 1e7), kernel("three", 6e8), kernel("one <b>bold</b>", 1e8) }
return { kc.compare(kernels, { "h100-sxm5" }), "a <b>text</b> & more" }
EOF

fact "--html writes a report beside the table" "$KCOST" --html "$here/report.html" "$here/report.lua"
fact "it refers to nothing outside" sh -c '! grep -oE "(src|href)=.[a-z/][^ >]*|url\(" "$0" | grep -v "xmlns"' "$here/report.html"
fact "texts are escaped" grep -qF 'one &lt;b&gt;bold&lt;/b&gt;' "$here/report.html"
fact "no text of a script is an element" sh -c '! grep -qF "<b>" "$0"' "$here/report.html"
fact "without gnuplot the rest is there, and it says so" \
    sh -c 'PATH=$1 "$0" --html "$1/bare.html" "$2" >/dev/null && grep -q "install it" "$1/bare.html" && grep -q "Where the time goes" "$1/bare.html"' \
    "$(realpath "$(command -v "$KCOST")")" "$here" "$here/report.lua"
fact "a file that cannot be written fails" sh -c '! "$0" --html /nowhere/report.html "$1"' "$KCOST" "$here/report.lua"

# Opening it takes seconds, and says nothing about engines.
if [ "${ENGINE:-lua5.4}${VARIANT:-}" = lua5.4 ]; then
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
    if [ -z "$browser" ] || ! command -v gnuplot >/dev/null; then
        skip "the report in a browser: chromium or gnuplot is missing"
        facts_end
        exit
    fi
    # srcdoc wants & and " escaped; the errors of the page are counted from its first line on.
    sed -e 's#<head>#<head><script>var testErrors = []; onerror = console.error = console.warn = function (m) { testErrors.push(m); };</script>#' \
        -e 's/&/\&amp;/g; s/"/\&quot;/g' "$here/report.html" >"$here/escaped"
    awk -v page="$here/escaped" '{ at = index($0, "REPORT\"") }
        at { printf "%s", substr($0, 1, at - 1); while ((getline line < page) > 0) print line; print substr($0, at + 6); next }
        { print }' tests/plots/probe.html >"$here/probe.html"
    HOME=$here timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$here/profile" --dump-dom \
        "file://$here/probe.html" 2>/dev/null | sed -n '/^width /,/^errors /p' >"$here/found"
    found() { grep -qx "$1" "$here/found" || { cat "$here/found" && false; }; }
    fact "on a phone it is as wide as the phone" found "width 3[0-9][0-9]"
    fact "and nothing scrolls sideways but tables and pictures" found "overflow false"
    fact "the dots are there" found "dots 3"
    fact "each tells its kernel" found "hover .*, HBM"
    fact "the plot is there" found "plots 1"
    fact "the explanations are there" found "explained true"
    fact "no name became an element" found "bold 0"
    # by what it is, not by its letters: 825 µs before 153 µs before 15.4 µs
    fact "a column sorts, the greatest first" sh -c 'sed -n "s/^first \(.*\)|\(.*\)|\(.*\)/descending \2|\3|\1/p" "$0" | grep -qxFf - "$0"' "$here/found"
    fact "and the other way" sh -c 'sed -n "s/^first \(.*\)|\(.*\)|\(.*\)/ascending \1|\3|\2/p" "$0" | grep -qxFf - "$0"' "$here/found"
    fact "which the column's title shows" found "marked ascending"
    fact "names sort as names" found "names one <b>bold</b>|three|two & more\|names one &lt;b&gt;bold&lt;/b&gt;|three|two &amp; more"
    fact "the console stays empty" found "errors 0"
fi
facts_end
