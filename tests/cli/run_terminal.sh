#!/bin/sh
# run_terminal.sh: every subcommand on terminals that are narrow, dumb or without colours, in a German locale, and where
# standard output is a pipe, is closed, is full or goes away.
# shellcheck disable=SC2016  # the inner shell expands them

cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
unset KCOST_PATH COLUMNS NO_COLOR
export KCOST TERM=xterm LC_ALL=C.UTF-8
escape=$(printf '\033')

cat >"$here/sweep.lua" <<'END'
local kc = require "kcost"
return kc.sweep { kernel = kc.lib.gemm.plain { m = 512, n = 512, k = 512 }, device = { "l4", "h100-sxm5" },
                  tile = { m = { 32, 64, 4096 }, n = { 32, 64 }, k = 32 }, stages = { 2, 3 } }
END
for part in 1/2 2/2; do "$KCOST" --json --shard $part "$here/sweep.lua" -o "$here/part-${part%/2}.json" || exit 1; done
for k in 512 1024; do "$KCOST" --json gemm m=512 n=512 k=$k --device h100 -o "$here/$k.json" || exit 1; done

# A line each: what is asked of the command.
cat >"$here/asked" <<END
--help
help
help tile
help attention.flash
help bytes
devices
devices b300
devices b300 --verbose
devices --check mi300x
gemm m=4096 n=4096 k=4096 --device h100
gemm m=4096 n=4096 k=4096 --device h100 --explain
gemm m=4096 n=4096 k=4096 --device h100 --explain=bytes
gemm m=4096 n=4096 k=4096 --device h100 --best --verbose --measured 612us
attention seq=4096 head_dim=128 heads=32 --device h100,a100 --verbose
scripts/flashattn.lua
scripts/mla.lua
-e 'return require("kcost").lib.gemm.plain { m = 512, n = 512, k = 512 }'
-e 'return ("word "):rep(100), { 1, true }, require("kcost").occupancy("h100", { threads = 1024 })'
$here/sweep.lua
$here/sweep.lua --verbose
diff $here/512.json $here/1024.json
END

# each FACT COMMAND...: true where it is for every line; $line is what is asked.
each() {
    while IFS= read -r line; do
        "$@" >"$here/why" 2>&1 || { echo "kcost $line" && cat "$here/why" && return 1; }
    done <"$here/asked"
}
# On a terminal, whose line ends are "\r\n"; errors too.
on_terminal() { script -qec "stty cols $1; $KCOST $line" /dev/null </dev/null | tr -d '\r'; }
in_pipe() { eval "\$KCOST $line" 2>"$here/errors"; }

# ---- as wide as the terminal ---------------------------------------------------------------------

plain() { sed "s/$escape\[[0-9;]*m//g"; }
# No line is longer, but a word that has none of its own length to break at.
fits() {
    on_terminal "$1" | plain >"$here/seen"
    ! grep -E "^.{$(($1 + 1)),}" "$here/seen" | grep -vE '^ *[^ ]+$'
}
# In a pipe or a file there is no limit, but where COLUMNS says one.
counts_columns() {
    COLUMNS=$1 in_pipe >"$here/said"
    ! grep -E "^.{$(($1 + 1)),}" "$here/said" | grep -vE '^ *[^ ]+$'
}
is_broken() { # TEXT COMMAND...
    is "$1" env COLUMNS=40 "$KCOST" "$2" "$3"
}
fact "COLUMNS says the width in a pipe too" each counts_columns 40
fact "without it a pipe has none" has "$(printf '%0500d' 0 | sed 's/0/x /g; s/ $//')" "$KCOST" -e 'return ("x "):rep(500)'
fact "COLUMNS changes no document" is "$("$KCOST" --json gemm m=64 n=64 k=64)" env COLUMNS=40 "$KCOST" --json gemm m=64 n=64 k=64
fact "nor a file of CSV" is "$("$KCOST" --csv gemm m=64 n=64 k=64)" env COLUMNS=40 "$KCOST" --csv gemm m=64 n=64 k=64
fact "what follows the first line of a sentence stands to its right" is_broken "one two three four five six seven eight
  nine ten" -e 'return "one two three four five six seven eight nine ten"'
fact "what follows a gap stands below what is behind it" is_broken "  a, b    sizes of something that is not
          small" -e 'return "  a, b    sizes of something that is not small"'
fact "a gap at the right begins a line" is_broken "  a name that is very long
      sizes of something that is small" -e 'return "  a name that is very long    sizes of something that is small"'
fact "a row of a table breaks between cells" is_broken "unfused           4.295 GB      9.127 GB
           0 B" -e 'return "unfused           4.295 GB      9.127 GB           0 B"'
fact "a number keeps its unit" is_broken "what it has to move across the bus is
  101 MB" -e 'return "what it has to move across the bus is 101 MB"'
fact "a long word breaks behind a comma" is_broken "[256,257,258,259,260,261,262,263,264,
  265]" -e 'return "[256,257,258,259,260,261,262,263,264,265]"'
fact "a path does not break" is_broken "in
  /a/path/that/is/longer/than/the/terminal/is/wide" -e 'return "in /a/path/that/is/longer/than/the/terminal/is/wide"'
fact "letters of several bytes are one column" is_broken "ééééééééé ééééééééé ééééééééé ééééééééé" -e 'return "ééééééééé ééééééééé ééééééééé ééééééééé"'
fact "errors fit too" says "kcost: command line:1: kc.device:
  unknown device" env COLUMNS=40 "$KCOST" -e 'local d = require("kcost").device("none of these") return d'
fact "and what a script prints" has "one two three four five six seven eight
  nine" env COLUMNS=40 "$KCOST" -e 'print("one two three four five six seven eight nine")'
if command -v script >/dev/null; then
    for width in 40 60 80 100; do
        fact "nothing is wider than a terminal of $width columns" each fits $width
    done
else
    skip "terminals: there is no script(1)"
fi
facts_end
