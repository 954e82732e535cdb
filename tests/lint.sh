#!/bin/sh
# lint.sh: what can be said of the sources without running them; one test a tool.
# shellcheck disable=SC2046,SC2086  # lists of words

cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0 skipped=0

# tool NAME COMMAND...: silent where it is content; skipped where it is missing.
tool() {
    name=$1
    shift
    if ! command -v "$1" >/dev/null; then
        echo "skipped: $1 is missing"
        skipped=$((skipped + 1))
    elif output=$("$@" 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s:\n%s\n' "$name" "$output"
    fi
}

list() { find "$@" | LC_ALL=C sort; }
lua=$(list stdlib scripts devices -name '*.lua')
c=$(list vm -name '*.c')
sh=$(grep -lE '^#!/bin/(sh|bash)' .ci/* $(list tests scripts -name '*.sh'))

for engine in lua5.4 luajit; do
    tool "$engine parses stdlib, scripts and devices" "$engine" tests/parse.lua $lua
done
# Attacks are wrong on purpose.
tool luacheck luacheck --quiet --codes --no-color --exclude-files 'tests/attacks/*' -- stdlib scripts devices tests
tool shellcheck shellcheck -x $sh vm/cli/kcost.bash
# uninitvar: takes a pointer through void * for a value.
tool cppcheck cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
    --enable=warning,performance,portability --suppress=missingIncludeSystem --suppress=uninitvar \
    --suppress=duplicateAssignExpression \
    -Ivm/include -Ivm/model vm
# Without the checks that are matters of taste, or mistake our idioms for faults.
tool clang-tidy clang-tidy --quiet --warnings-as-errors='*' \
    --checks="-*,bugprone-*,misc-redundant-expression,misc-unused-parameters,\
readability-misleading-indentation,readability-duplicate-include,\
-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,-bugprone-sizeof-expression,\
-bugprone-macro-parentheses,-bugprone-reserved-identifier,-bugprone-not-null-terminated-result" \
    $c -- -std=c11 -Ivm/include -iquote vm/model -iquote vm/lua $(pkg-config --cflags lua5.4 smartcols) \
    $(pkg-config --exists libedit && echo -DKCOST_LIBEDIT)
# A build of its own.  Not what gcc 12 takes for a leak or for a value that nobody wrote: AddressSanitizer and valgrind
# see those, without guessing.
tool "gcc -fanalyzer" make -s -j"$(nproc)" CC=gcc WERROR=1 VARIANT=analyzed \
    CFLAGS="-fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-use-of-uninitialized-value" all

total="$passed passed, $failed failed"
[ "$skipped" = 0 ] || total="$total, $skipped skipped"
echo "$total"
[ "$failed" = 0 ]
