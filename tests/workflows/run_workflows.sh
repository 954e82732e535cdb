#!/bin/sh
# run_workflows.sh: ten things that people come for, as sessions of somebody who has read the README.
#
# In NN-name.txt a line "## ..." is prose; what stands behind "$ " is typed, in a folder that holds a copy of this one; then
# stands what comes of it, and "[status N]" where that is not 0.  The whole must come out again.  UPDATE=1 records anew;
# read the difference before you keep it.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
top=$PWD
unset KCOST_PATH COLUMNS
export NO_COLOR=1 LC_ALL=C.UTF-8 CC="${CC:-cc}" CPATH="$top/vm/include" LIBRARY_PATH="$BUILD" LD_LIBRARY_PATH="$BUILD" \
    LUA_CPATH="$BUILD/?.so;;"
mkdir "$work/bin"
ln -s "$(command -v "$KCOST")" "$work/bin/kcost"
PATH=$work/bin:$PATH

# play SESSION: it, as it goes now.
play() {
    while IFS= read -r line; do
        case $line in
        '## '*) printf '%s\n\n' "$line" ;;
        '$ '*)
            printf '%s\n' "$line"
            (cd "$work/here" && sh -c "${line#??}" </dev/null) 2>&1
            status=$?
            [ $status = 0 ] || printf '[status %s]\n' $status
            echo
            ;;
        esac
    done <"$1"
}

# goes SESSION: as it is recorded.
goes() {
    rm -rf "$work/here"
    mkdir "$work/here"
    cp tests/workflows/*.lua tests/workflows/*.c vm/examples/ctypes_vm.py tests/data/models/*.json tests/data/profiles/* "$work/here"
    play "$1" >"$work/now"
    [ "${UPDATE:-}" != 1 ] || cp "$work/now" "$1"
    diff -u "$1" "$work/now"
}

for session in tests/workflows/*.txt; do
    case $session in
    */10-*)
        if [ -n "${VARIANT:-}" ] && [ "$VARIANT" != founder ] || ! command -v python3 >/dev/null || ! command -v luajit >/dev/null; then
            skip "${session##*/}: hosts need a plain build, python3 and luajit"
            continue
        fi
        ;;
    esac
    fact "${session##*/} goes as it is recorded" goes "$session"
done
facts_end
