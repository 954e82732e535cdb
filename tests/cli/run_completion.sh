#!/bin/sh
# Completion for bash, zsh and fish, each asked by the real shell: the same words in all.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset KCOST_PATH COLUMNS
export HOME="$work" LC_ALL=C.UTF-8

# offered SHELL: of the lines that come in, what it offers, a line each; of files the last part of the name.
offered() {
    case $1 in
    bash) bash tests/cli/offered.bash vm/cli/kcost.bash ;;
    zsh) timeout 60 zsh -f tests/cli/offered.zsh "$PWD/vm/cli" ;;
    fish)
        # shellcheck disable=SC2016  # fish expands it
        fish --no-config -c 'source vm/cli/kcost.fish
            while read -l line; complete -C $line | cut -f1 | sort -u | tr "\n" " "; echo; end'
        ;;
    esac | sed 's|[^ ]*/\([^ ]\)|\1|g; s|/ | |g; s| *$||'
}

# What is asked: a sentence, the line so far, what is offered: by itself, or "..." and some of it.
cat >"$work/asked" <<'END'
an option is completed|kcost --dev|--device
an option is completed behind a kernel|kcost gemm --be|--best
an option is completed behind a script|kcost scripts/mla.lua --jso|--json
a device is completed behind --device|kcost --device h100-s|h100-sxm5
a device is completed behind --device=|kcost --device=h100-s|--device=h100-sxm5
a device is completed behind device= of a kernel|kcost gemm device=h100-s|device=h100-sxm5
a device is completed behind device= of a script|kcost scripts/mla.lua device=h100-s|device=h100-sxm5
a device is completed behind devices|kcost devices a100-p|a100-pcie-80gb
several devices are completed one by one|kcost --device a100-sxm4-80gb,h100-s|a100-sxm4-80gb,h100-sxm5
a subcommand is completed|kcost mer|merge
a kernel is completed|kcost rms|rmsnorm
a kernel of a family is completed|kcost norm.r|norm.rms norm.rms_backward
the parameters of a kernel are completed|kcost gemm bi|bias=
a convention is completed behind --as|kcost gemm --as p|palm ptflops pytorch
a convention is completed behind --as=|kcost gemm --as=llm|--as=llm-viewer
a field is completed behind --explain=|kcost gemm --explain=bytes_r|--explain=bytes_read
a field is completed behind --explain|kcost gemm --explain bytes_r|bytes_read
what help knows is completed|kcost help tile.c|tile.cluster tile.combine
a kernel of the stdlib is, of help|kcost help attention.fl|attention.flash attention.flash_backward
when colours are used is completed|kcost --color=a|--color=always --color=auto
the ledger is completed behind --csv=|kcost --csv=|--csv=tensors
a script is completed|kcost scripts/flash|flashattn.lua flashattn_tiles.lua
a script is completed behind options|kcost --json --device h100-sxm5 scripts/back|backward.lua
a folder on the way to a script is completed|kcost scri|scripts
a file is completed behind -o|kcost -o LIC|LICENSE
a file is completed behind merge|kcost merge LIC|LICENSE
a file is completed behind diff|kcost diff README.md LIC|LICENSE
a file is completed behind profile|kcost profile LIC|LICENSE
a file is completed behind calibrate|kcost calibrate LIC|LICENSE
a device is completed behind its option|kcost calibrate times.csv --device h100-s|h100-sxm5
nothing is offered for a number|kcost --threads |
nothing is offered for a value|kcost gemm m=|
nothing is offered behind code|kcost -e return.1 |
END
cut -d'|' -f2 "$work/asked" >"$work/lines"

# In bash what is offered is what follows a "=", since that is where a word begins.
expected() {
    case $1 in
    bash) cut -d'|' -f3 "$work/asked" | sed -E 's/(-?-?[a-z]+)=([a-z])/\2/g' ;;
    *) cut -d'|' -f3 "$work/asked" ;;
    esac
}

all() { # SHELL LINE COMMAND...: every word that the command lists
    shell=$1 line=$2
    shift 2
    "$@" | sort -u >"$work/listed"
    [ -s "$work/listed" ] && echo "$line" | offered "$shell" | tr ' ' '\n' | sort -u | diff "$work/listed" -
}
options() { "$KCOST" --help | cut -c1-28 | grep -oE -- '--[a-z]+(-[a-z]+)*'; }
devices() { "$KCOST" devices --json | grep -oE '"id":"[^"]+"' | cut -d'"' -f4; }

shells="bash zsh fish"
[ "${ENGINE:-lua5.4}${VARIANT:-}" = lua5.4 ] || shells=bash # the others take seconds, and say nothing about engines
for shell in $shells; do
    if ! command -v "$shell" >/dev/null; then
        skip "completion in $shell, which is missing"
        continue
    fi
    offered "$shell" <"$work/lines" >"$work/$shell"
    expected "$shell" >"$work/expected"
    while IFS='|' read -r sentence _; do
        number=$((${number:-0} + 1))
        fact "$shell: $sentence" [ "$(sed -n ${number}p "$work/$shell")" = "$(sed -n ${number}p "$work/expected")" ]
    done <"$work/asked"
    number=0
    fact "$shell: every option is offered" all "$shell" "kcost gemm --" options
    fact "$shell: every device is offered" all "$shell" "kcost --device " devices
done
fact "without a word to complete nothing is wrong" "$KCOST" complete -- ""
facts_end
