#!/bin/sh
# Completion for bash, its function called as bash would.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
command -v bash >/dev/null || exit 77

# offered WORD...: what is offered for the last word of the line, one a line; "=" is a word of its own.
offered() {
    # shellcheck disable=SC2016  # for bash
    bash -c '. vm/cli/kcost.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        word=${COMP_WORDS[COMP_CWORD]}
        [ "$word" = "=" ] && word=
        _kcost "$1" "$word" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\n" "${COMPREPLY[@]}"' bash kcost "$@"
}
# offers "WORD..." WORD...: just these.
offers() {
    expected=$1
    shift
    [ "$(offered "$@" | sort | tr '\n' ' ')" = "$expected " ]
}
options() { "$KCOST" --help | cut -c1-28 | grep -oE -- '--[a-z]+(-[a-z]+)*'; }
devices() { "$KCOST" devices --json | grep -oE '"id":"[^"]+"' | cut -d'"' -f4; }
# all LISTED WORD...: just what the command lists.
all() {
    "$1" | sort >"$work/listed"
    shift
    [ -s "$work/listed" ] && offered "$@" | sort | diff "$work/listed" -
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fact "every option of --help is offered" all options script.lua --
fact "every device is offered" all devices --device ""
fact "an option is completed" offers --device --dev
fact "a device is completed behind --device" offers h100-sxm5 --device h100-s
fact "a device is completed behind --device=" offers h100-sxm5 --device = h100-s
fact "a device is completed behind device= of a script" offers h100-sxm5 scripts/flashattn.lua device = h100-s
fact "a device is completed behind devices" offers "a100-pcie-80gb" devices a100-p
fact "several devices are completed one by one" offers a100-sxm4-80gb,h100-sxm5 --device a100-sxm4-80gb,h100-s
fact "a subcommand is completed" offers merge mer
fact "a kernel is completed" offers gemm gem
fact "a kernel of a family is completed" offers "norm.rms norm.rms_backward" norm.r
fact "a script is completed" offers "scripts/flashattn.lua scripts/flashattn_tiles.lua" scripts/flash
fact "a script is completed behind options" offers "scripts/backward.lua" --json --device h100-sxm5 scripts/back
fact "a folder on the way to a script is completed" offers "scripts" scri
fact "a file is completed behind -o" offers LICENSE -o LIC
fact "a file is completed behind merge" offers LICENSE merge LIC
fact "an option is completed behind a kernel" offers --best gemm --be
fact "nothing is offered for a number" offers "" --threads ""
fact "nothing is offered for a value" offers "" script.lua n = ""
fact "nothing is offered for a parameter" offers "" gemm ""
facts_end
