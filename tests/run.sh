#!/bin/sh
# run.sh: runs the tests in the configurations named, as many at once as there are cores, and adds everything up.
#
#     tests/run.sh lua5.4 luajit lua5.4-asan lua5.4-tsan lua5.4-clang luajit-clang lua5.4-valgrind lint
#
# A configuration is an engine and, after a dash, what is special about it; each is built first,
# in its own folder, and a build that fails is a failed test.  A test program prints, last, a line
# "N passed, N failed" with ", N skipped" where it skips, "NAME: " before it or not; a program that
# prints none counts as one test by its exit status, 77 being a skip.  tests/README.md says what
# is run.
# The last line is the total.  Exit status 1: something failed, or nothing ran.

cd "$(dirname "$0")/.." || exit 1
SHARED=$(cd "${SHARED:-../shared}" 2>/dev/null && pwd || echo /nowhere)
CC=${CC:-cc}
# A make above us shares the variables it was given, but not its jobs.
MAKEFLAGS=$(echo "${MAKEFLAGS:-}" | sed -E 's/ ?(-j[0-9]*|--jobserver-[a-z]+=[^ ]*)//g')
export SHARED CC MAKEFLAGS
unset KCOST_PATH LUA_INIT LUA_INIT_5_4 LUA_PATH_5_4 LUA_CPATH_5_4
ASAN_OPTIONS=abort_on_error=0:print_legend=0:${ASAN_OPTIONS:-}
UBSAN_OPTIONS=print_stacktrace=1:${UBSAN_OPTIONS:-}
export ASAN_OPTIONS UBSAN_OPTIONS

passed=0 failed=0 skipped=0
started=$(date +%s)

# count LABEL PASSED FAILED SKIPPED
count() {
    passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
    mark=ok
    [ "$4" = 0 ] || mark=skip
    [ "$3" = 0 ] || mark=FAIL
    printf '%-4s %-48s %5d passed' $mark "$1" "$2"
    [ "$3" = 0 ] || printf ', %d failed' "$3"
    [ "$4" = 0 ] || printf ', %d skipped' "$4"
    echo
}

# Tests of a configuration run side by side, as many as there are cores: each takes a token and gives it back.
tokens=$(mktemp -u) && mkfifo "$tokens" && exec 9<>"$tokens" && rm "$tokens" || exit 1
jobs=${KCOST_JOBS:-$(nproc)}
while [ "$jobs" -gt 0 ]; do
    echo >&9
    jobs=$((jobs - 1))
done

# attempt LOG COMMAND...: runs it; what it prints goes to LOG, and its status beside it.
attempt() {
    log=$1
    shift
    timeout "${KCOST_TIMEOUT:-900}" "$@" >"$log" 2>&1 </dev/null 9>&-
    echo $? >"$log.status"
}

log_of() {
    mkdir -p "$build/log"
    echo "$build/log/$(echo "$1" | tr '/ ' '--').log"
}

# judge LABEL LOG: counts what it says, shows what it printed if it failed.
judge() {
    label=$1 log=$2 status=$(cat "$2.status")
    # Ours, or busted's "12 successes / 0 failures / 0 errors / 0 pending".
    tally=$(sed -nE -e 's/^(.*: )?([0-9]+) passed, ([0-9]+) failed$/\2 \3 0/p' \
        -e 's/^(.*: )?([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\2 \3 \4/p' \
        -e 's/^([0-9]+) success(es)? \/ ([0-9]+) failures? \/ ([0-9]+) errors? \/ ([0-9]+) pending.*/\1 \3+\4 \5/p' \
        "$log" | tail -n 1)
    # shellcheck disable=SC2086  # three numbers
    set -- ${tally:-0 0 0}
    set -- "$1" $(($2)) "$3"
    case $status:$tally in
    0:?*) ;;
    0:) set -- 1 0 0 ;;
    77:) set -- 0 0 1 ;;
    124:*) set -- "$1" $(($2 + 1)) "$3" && echo "timed out" >>"$log" ;;
    *) [ "$2" != 0 ] || set -- "$1" 1 "$3" ;; # it failed without saying which test
    esac
    count "$label" "$@"
    [ "$2" = 0 ] || { tail -n "${KCOST_LINES:-40}" "$log" && echo "exit status $status; all of it in $log"; } |
        sed 's/^/    /'
}

# try LABEL COMMAND...: now, alone.
try() {
    label=$1
    shift
    attempt "$(log_of "$label")" "$@"
    judge "$label" "$(log_of "$label")"
}

# later LABEL COMMAND...: beside others, until `await`, which judges all of them in their order.
later() {
    label=$1
    shift
    read -r _ <&9
    (
        attempt "$(log_of "$label")" "$@"
        echo >&9
    ) &
    echo "$label" >>"$build/later"
}

await() {
    wait
    while read -r label; do
        judge "$label" "$(log_of "$label")"
    done <"$build/later"
    : >"$build/later"
}

# run_c [WRAPPER...]: the cmocka programs, or those alone whose source has a word of `only`.
run_c() {
    for program in "$build"/tests/*/test_*; do
        case $program in
        *.o | *.d | *'*') continue ;;
        esac
        source=${program#"$build"/}.c
        [ -e "$source" ] && grep -qE "${only:-.}" "$source" &&
            later "$config ${program#"$build"/tests/}" "$@" "$program"
    done
}

# run_lua: the specs, and the checks that are scripts.
run_lua() {
    for file in tests/lua/*_spec.lua; do
        [ -e "$file" ] || continue
        if command -v busted >/dev/null; then
            later "$config ${file#tests/}" \
                env "$preload" "$quiet" "LUA_PATH=tests/lua/?.lua;;" "LUA_CPATH=$build/?.so;;" \
                busted --lua="$(command -v "$engine")" -o plainTerminal "$file"
        else
            count "$config ${file#tests/}: busted is missing" 0 0 1
        fi
    done
    find tests -name 'run_*.sh' -o -name 'check_*.lua' | LC_ALL=C sort >"$build/scripts"
    while read -r file; do
        case $file in
        tests/build/* | tests/abi/*) ;;
        *.sh) later "$config ${file#tests/}" "$file" ;;
        *.lua)
            later "$config ${file#tests/}" env "$preload" "$quiet" \
                "LUA_PATH=$(dirname "$file")/?.lua;;" "LUA_CPATH=$build/?.so;;" "$engine" "$file"
            ;;
        esac
    done <"$build/scripts"
    await
    # These build and install, in one folder for all.
    grep -E '^tests/(build|abi)/' "$build/scripts" >"$build/builders"
    while read -r file; do
        try "$config ${file#tests/}" "$file"
    done <"$build/builders"
}

# make_it [VARIABLE=VALUE...]
make_it() {
    before=$failed
    try "$config builds" "${MAKE:-make}" -j"$(nproc)" --no-print-directory \
        "LUA=$engine" "VARIANT=$variant" "$@" all tests
    [ "$failed" = "$before" ]
}

one() {
    engine=${config%%-*} variant=
    preload=CHECK=1 quiet=CHECK=1 # nothing, where env wants a word
    case $config in *-*) variant=${config#*-} ;; esac
    [ "$variant" = valgrind ] && variant=
    build=$PWD/build/$engine${variant:+-$variant}
    BUILD=$build ENGINE=$engine KCOST=$build/kcost VARIANT=$variant KCOST_RANDOM=$random
    export BUILD ENGINE KCOST VARIANT KCOST_RANDOM
    PATH=$build:$path
    mkdir -p "$build"
    : >"$build/later"
    case $config in
    *-asan)
        # A stock interpreter that loads our module needs the sanitizer before everything else,
        # and what it keeps itself is no leak of ours.
        preload=LD_PRELOAD=$($CC -print-file-name=libasan.so)
        quiet=ASAN_OPTIONS=detect_leaks=0:$ASAN_OPTIONS
        KCOST_RANDOM=${random:-4000}
        make_it SANITIZE=address,undefined && run_c && run_lua
        ;;
    *-tsan)
        KCOST_RANDOM=${random:-200}
        only='pthread|_sweep\('
        make_it SANITIZE=thread && run_c
        only=
        ;;
    *-clang)
        if command -v clang >/dev/null; then
            make_it CC=clang && run_c
        else
            count "$config: clang is missing" 0 0 1
        fi
        ;;
    *-valgrind)
        if command -v valgrind >/dev/null; then
            KCOST_RANDOM=${random:-500}
            make_it && run_c valgrind -q --error-exitcode=99 --leak-check=full \
                --errors-for-leak-kinds=definite,possible
        else
            count "$config: valgrind is missing" 0 0 1
        fi
        ;;
    *-cover) make_it CFLAGS="--coverage -O0" LDFLAGS=--coverage && run_c && run_lua ;;
    lint) try lint tests/lint.sh ;;
    *) make_it && run_c && run_lua ;;
    esac
    await
}

only=
unset COLUMNS NO_COLOR # what is printed is for no terminal of so many columns
path=$PATH random=${KCOST_RANDOM:-}
for config in "$@"; do
    one
done

echo
echo "$(($(date +%s) - started)) seconds"
total="$passed passed, $failed failed"
[ "$skipped" = 0 ] || total="$total, $skipped skipped"
echo "$total"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
