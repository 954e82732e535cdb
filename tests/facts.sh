# shellcheck shell=sh
# facts.sh: for tests that are shell scripts. Each fact is a sentence and a command that succeeds where it is true.
#
#     . tests/facts.sh
#     fact "the command prints its version" "$KCOST" --version
#     facts_end

passed=0 failed=0 skipped=0

fact() {
    sentence=$1
    shift
    if output=$("$@" 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAIL %s\n%s\n' "$sentence" "$output"
    fi
}

# skip SENTENCE: a fact that cannot be looked at here.
skip() {
    skipped=$((skipped + 1))
    printf 'skipped: %s\n' "$1"
}

not() { ! "$@"; }

# is WANT COMMAND...: its standard output.
is() {
    want=$1
    shift
    got=$("$@" 2>/dev/null)
    [ "$got" = "$want" ] || { printf 'got:\n%s\n' "$got" && false; }
}

# says WANT COMMAND...: a part of its standard error.
says() {
    want=$1
    shift
    got=$("$@" 2>&1 >/dev/null)
    case $got in *"$want"*) ;; *) printf 'said:\n%s\n' "$got" && false ;; esac
}

# has WANT COMMAND...: a part of its standard output.
has() {
    want=$1
    shift
    got=$("$@" 2>/dev/null)
    case $got in *"$want"*) ;; *) printf 'got:\n%s\n' "$got" && false ;; esac
}

# exits STATUS COMMAND...
exits() {
    want=$1
    shift
    "$@" >/dev/null 2>&1 </dev/null
    got=$?
    [ "$got" = "$want" ] || { echo "exit status $got" && false; }
}

# shell CODE: by a shell of its own.
shell() { sh -c "$@"; }

# The line that tests/run.sh adds up, and the exit status.
facts_end() {
    printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
    [ $failed = 0 ]
}
