#!/bin/sh
# run_sandbox.sh: every attack through kcost --sandbox: exit status 0 finished, 1 the script's error, 3 a limit.
# Two at a time.  Where a sanitizer makes everything slow, a tenth of them.

cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT

vm=lua54
[ "$ENGINE" = luajit ] && vm=luajit
every=1
[ -n "$VARIANT" ] && every=10
for script in tests/attacks/*.lua; do
    case $(sed -n 's/^-- vm: //p' "$script") in any | "$vm") echo "$script" ;; esac
done | awk "NR % $every == 0" >"$here/scripts"

# Nothing is written but what a script prints and returns, and why it failed.
# shellcheck disable=SC2016  # the inner shell expands them
xargs -P 2 -n 1 sh -c '
    "$KCOST" --sandbox --memory-limit 16M --time-limit 0.2 "$1" >"$0/out" 2>"$0/$(basename "$1").err"
    echo "$1 $?" >>"$0/statuses"' "$here" <"$here/scripts"

# ends SCRIPT STATUS: as its first line says.
ends() {
    expect=$(sed -n 's/^-- expect: //p' "$1")
    case $expect:$2 in
    finishes*:0 | 'nil global:0') ;;
    'finishes or error':[13] | error:[13]) ;;
    error,*budget*:3 | error,*memory*:3 | error,*script*:1) ;;
    *:3) [ -n "$VARIANT" ] ;; # a sanitizer makes it slow
    *) echo "expected: $expect; exit status $2" && cat "$here/$(basename "$1").err" && false ;;
    esac && not grep -q ESCAPE "$here/$(basename "$1").err"
}

while read -r script status; do
    # The machine may have been busy.
    for _ in 1 2 3; do
        ends "$script" "$status" >/dev/null && break
        "$KCOST" --sandbox --memory-limit 16M --time-limit 0.2 "$script" >/dev/null 2>"$here/$(basename "$script").err"
        status=$?
    done
    fact "$script ends as its first line says" ends "$script" "$status"
done <"$here/statuses"
fact "all of them ran" [ "$(wc -l <"$here/statuses")" = "$(wc -l <"$here/scripts")" ]

# ---- the wall itself ------------------------------------------------------------------------

kcost_says() {
    want=$1
    shift
    said=$("$KCOST" "$@" 2>&1 >/dev/null)
    case $said in *"$want"*) ;; *) echo "$said" && false ;; esac
}

exits() {
    want=$1
    shift
    "$KCOST" "$@" >/dev/null 2>&1 </dev/null
    [ $? = "$want" ]
}

echo 'print(1) return 2' >"$here/good.lua"
fact "a sandboxed script prints and returns" [ "$("$KCOST" --sandbox "$here/good.lua")" = "1
2" ]
fact "it requires no neighbours" kcost_says "there is no module 'good'" --sandbox -e 'require "good"'
fact "limits hold without a sandbox" exits 3 --time-limit 0.05 -e 'while true do end'
fact "a limit of memory" exits 3 --memory-limit 1M -e 'local t = {} while true do t[#t + 1] = {} end'
fact "a limit of instructions" exits 3 --instruction-limit 1e4 -e 'while true do end'
fact "what was hit is said" kcost_says "the limit of 10000 instructions was hit" --instruction-limit 1e4 -e 'while true do end'
fact "a wrong size is wrong usage" exits 2 --memory-limit 1T -e 'return 1'
fact "so is no time" exits 2 --time-limit 0 -e 'return 1'
fact "a file that is not there" exits 2 --sandbox "$here/none.lua"
fact "a pipe that closes ends it quietly" [ -z "$("$KCOST" --sandbox -e 'for i = 1, 1e5 do print(i) end' 2>&1 >/dev/null | head -c 0)" ]

facts_end
