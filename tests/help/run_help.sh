#!/bin/sh
# run_help.sh: kcost help: what the command says of a name.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
unset KCOST_PATH
work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT

# says STATUS TEXT COMMAND...
says() {
    want=$1 text=$2
    shift 2
    "$@" >"$work" 2>&1
    got=$?
    cat "$work"
    [ $got = "$want" ] && grep -qF -- "$text" "$work"
}

fact "help lists the calls" says 0 "  tile         A schedule" "$KCOST" help
fact "help NAME says what a call takes" says 0 "kc.tile(kernel, sizes [, opts]) -> kernel" "$KCOST" help tile
fact "and its options" says 0 "  stages       buffers of each streamed read" "$KCOST" help tile
fact "an option has its call" says 0 "\`stages\` of kc.tile: buffers" "$KCOST" help stages
fact "a field has its unit" says 0 "\`bytes_min\` of a result, in byte: compulsory" "$KCOST" help bytes_min
fact "a kernel of the stdlib has its parameters" says 0 "    m, n, k " "$KCOST" help gemm.plain
fact "functions without a comment are a file's own" not has transformer.prefill "$KCOST" help transformer
fact "a name that there is not has a nearest one" says 1 "kcost: there is nothing of the name 'tyle'; did you mean 'tile'?" \
    "$KCOST" help tyle
fact "two names are wrong usage" says 2 "one thing at a time" "$KCOST" help tile read
facts_end
