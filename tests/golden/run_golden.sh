#!/bin/sh
# Runs every script, as text and as JSON, and every example of the READMEs, and compares what they print
# with what is kept: scripts/NAME.lua with NAME.txt and NAME.json here, a README's ```lua block with the
# ```text block behind it.  The same files serve both engines: KCOST names the command to run.
# UPDATE=1 rewrites what is kept; read the difference before you keep it.
set -u
cd "$(dirname "$0")/../.." || exit 1
kcost=${KCOST:-build/kcost}
golden=tests/golden
passed=0
failed=0
unset COLUMNS
export NO_COLOR=1 LC_ALL=C.UTF-8

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# check NAME WANT GOT: counts, and shows where they differ.
check() {
    if cmp -s "$2" "$3"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $1"
        diff -u "$2" "$3" | head -n 40
    fi
}

# run LABEL OUT ARGS…: the command's output in OUT; its failure is a failure here.
run() {
    label=$1
    out=$2
    shift 2
    if ! "$kcost" "$@" >"$out" 2>"$work/err"; then
        failed=$((failed + 1))
        echo "FAIL $label: kcost $*"
        head -n 20 "$work/err"
        return 1
    fi
}

for script in scripts/*.lua; do
    name=$(basename "$script" .lua)
    for form in txt json; do
        set -- "$script"
        if [ "$form" = json ]; then set -- --json "$script"; fi
        run "$name.$form" "$work/out" "$@" || continue
        if [ "${UPDATE:-}" = 1 ]; then cp "$work/out" "$golden/$name.$form"; fi
        check "$name.$form" "$golden/$name.$form" "$work/out"
    done
done

for readme in README.md */README.md; do
    [ -f "$readme" ] || continue
    dir=$work/$(echo "$readme" | tr / _)
    mkdir "$dir"
    awk -v dir="$dir" -f "$golden/readme.awk" "$readme"
    n=1
    while [ -f "$dir/$n.lua" ]; do
        if run "$readme, example $n" "$dir/$n.got" "$dir/$n.lua"; then
            if [ -f "$dir/$n.want" ] && [ "${UPDATE:-}" != 1 ]; then
                check "$readme, example $n" "$dir/$n.want" "$dir/$n.got"
            else
                passed=$((passed + 1))
            fi
        fi
        n=$((n + 1))
    done
    if [ "${UPDATE:-}" = 1 ] && [ "$n" -gt 1 ]; then
        awk -v dir="$dir" -v update=1 -f "$golden/readme.awk" "$readme" >"$work/readme" &&
            cp "$work/readme" "$readme"
    fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
