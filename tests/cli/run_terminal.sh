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
! command -v gnuplot >/dev/null || cat >>"$here/asked" <<'END'
--plot - gemm m=4096 n=4096 k=4096 --device h100
END
# These are for programs, or for shells.
cat >"$here/documents" <<END
merge $here/part-1.json $here/part-2.json
merge --csv $here/part-1.json $here/part-2.json
--json gemm m=512 n=512 k=512 --device h100
--csv=tensors gemm m=512 n=512 k=512 --device h100
devices --json
complete -- --de
--version
END

# each COMMAND...: true where it is for every line that is asked, in $line; any: of documents too.
each() {
    while IFS= read -r line; do
        "$@" >"$here/why" 2>&1 || { echo "kcost $line" && cat "$here/why" && return 1; }
    done <"$here/${list:-asked}"
}
any() { each "$@" && list=documents each "$@"; }
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
unbroken() { in_pipe >"$here/free" && COLUMNS=40 in_pipe | cmp - "$here/free"; }
list=documents
fact "COLUMNS changes no document" each unbroken
list=
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

# ---- colours -------------------------------------------------------------------------------------

coloured() { grep -q "$escape\[3[0-9;]*m" "$1"; }
marked() { grep -q "$escape" "$1"; }
# seen_with [NAME=VALUE...]: what a terminal shows of a table and of an error.
seen_with() {
    env "$@" script -qec "$KCOST gemm m=4096 n=4096 k=4096 --device h100; $KCOST -e 'error(1)'" /dev/null </dev/null >"$here/seen"
    [ -s "$here/seen" ]
}
bare() { ! marked "$here/seen"; }
plain_pipe() {
    in_pipe >"$here/said"
    ! marked "$here/said" && ! marked "$here/errors"
}
always() { eval "\$KCOST --color=always $line" 2>/dev/null | plain >"$here/bare" && in_pipe | cmp - "$here/bare"; }
fact "nothing is marked in a pipe" any plain_pipe
fact "but with --color=always the roof that binds is" shell '"$KCOST" --color=always gemm m=4096 n=4096 k=4096 --device h100 | grep -q "\[35mmatrix"'
fact "one of memory otherwise" shell '"$KCOST" --color=always gemm m=8 n=4096 k=4096 --device h100 | grep -q "\[36mhbm"'
fact "and nothing else is changed by it, nor a document" any always
fact "--color wants one of three words" says "--color wants auto, always or never, not 'red'" "$KCOST" --color=red devices
if command -v script >/dev/null; then
    fact "a terminal has colours" seen_with A=
    fact "for the roof that binds, and for errors" shell 'grep -q "\[35mmatrix" "$1" && grep -q "\[1;31mkcost:" "$1"' sh "$here/seen"
    fact "a terminal with NO_COLOR" seen_with NO_COLOR=1
    fact "has none" bare
    fact "a dumb terminal" seen_with TERM=dumb
    fact "has none either" bare
    fact "nor one that says nothing of itself" seen_with TERM=
    fact "at all" bare
    fact "an empty NO_COLOR is none" seen_with NO_COLOR=
    fact "so there are colours" coloured "$here/seen"
fi

# ---- bytes of scripts ----------------------------------------------------------------------------------

cat >"$here/orders.lua" <<'END'
local kc = require "kcost"
local orders = "\27]0;t\7\194\155\255é"
if kc.param("fails", false) then error(orders .. "\n\tline\27[31m " .. ("long "):rep(300)) end
print(orders .. "\27[31mred\27[m")
local B = kc.write("B\27]0;", kc.map("relu", kc.read(kc.tensor("A", "n", "f16", { n = 2000000 }))))
return orders, kc.program("P\27]0;", { B })
END
shown='\x1b]0;t\x07\xc2\x9b\xffé'
fact "an error message is no order to a terminal" is "kcost: $here/orders.lua:3: $shown
	line\x1b[31m $(printf '%0300d' 0 | sed 's/0/long /g')" shell '"$KCOST" "$1/orders.lua" fails=true 2>&1 || true' - "$here"
fact "nor without letters of several bytes" says "$shown" env LC_ALL=C "$KCOST" "$here/orders.lua" fails=true
fact "what a script prints stays as it is in a pipe" shell \
    '"$KCOST" --sandbox "$1/orders.lua" | head -1 | grep -q "$2\[31mred$2\[m"' - "$here" "$escape"
if command -v script >/dev/null; then
    # shown_by OPTION...: what a terminal gets, without the colours.
    shown_by() { script -qec "stty cols 60; $KCOST $* $here/orders.lua --verbose --explain" /dev/null </dev/null | tr -d '\r' | plain; }
    fact "on a terminal too" shell 'grep -q "^$1]0;t"' - "$escape" <<END
$(shown_by)
END
    shown_by --sandbox >"$here/seen"
    fact "but for one that is not trusted" grep -qxF "${shown}red" "$here/seen"
    fact "whose results are shown so too" grep -qxF '\x1b]0;t\x07\xc2\x9b�é' "$here/seen"
    fact "and its names, wherever they stand" [ "$(grep -c '^ *[PB1]\?.*\\x1b\]0;' "$here/seen")" -ge 7 ]
    fact "there is no order in all of it" shell '! grep -q "$1" "$2"' - "$escape" "$here/seen"
    at_prompt() { printf 'error("\\27]0;t")\n' | script -qec "$KCOST --quiet" /dev/null | grep -qF "\\x1b]0;t"; }
    fact "an error at a prompt is no order either" at_prompt
fi

# ---- locales, and where output goes ------------------------------------------------------------------

# Numbers have points, whatever the locale; the encoding only decides on the letter of micro.
german() {
    in_pipe >"$here/english"
    LOCPATH=$here LC_ALL=de_DE.UTF-8 in_pipe | cmp - "$here/english"
}
bytes_only() {
    in_pipe | sed 's/µ/u/g; s/…/.../g' >"$here/letters"
    LC_ALL=C in_pipe | sed 's/µ/u/g; s/…/.../g' | cmp - "$here/letters"
}
if localedef -i de_DE -f UTF-8 "$here/de_DE.UTF-8" 2>/dev/null &&
    [ "$(LOCPATH=$here LC_ALL=de_DE.UTF-8 locale decimal_point 2>/dev/null)" = , ]; then
    fact "a German locale changes nothing" any german
else
    skip "a German locale, which cannot be made: localedef or its sources are missing"
fi
fact "nor does one without letters of several bytes, but for micro" any bytes_only

# What goes wrong is said once, and is no success.
fails_on() {
    eval "\$KCOST $line" >"$1" 2>"$here/errors"
    [ $? = 1 ] && [ "$(grep -c "cannot write standard output" "$here/errors")" = 1 ]
}
closed() {
    eval "\$KCOST $line" >&- 2>"$here/errors"
    [ $? = 1 ] && [ "$(grep -c "cannot write standard output" "$here/errors")" = 1 ]
}
# A reader that goes away ends it without a word.
gone() {
    { eval "\$KCOST $line" 2>"$here/errors"; } | head -c 1 >/dev/null
    ! grep -q "cannot write\|terminate\|Broken" "$here/errors"
}
fact "a closed standard output is an error that is said" any closed
if [ -w /dev/full ]; then
    fact "a full one too" any fails_on /dev/full
else
    skip "a full disk: there is no /dev/full"
fi
fact "a reader that goes away is none" any gone
facts_end
