#!/bin/sh
# run_fuzz.sh: replays the corpora: every input that fuzzing kept, and every finding since mended.
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
for target in tests/fuzz/fuzz_*.c; do
    name=$(basename "${target%.c}") name=${name#fuzz_}
    log=$(mktemp)
    if "$BUILD/tests/fuzz/fuzz_$name" "tests/fuzz/corpus/$name" >"$log" 2>&1; then
        passed=$((passed + $(sed -n 's/^\([0-9]*\) passed, 0 failed$/\1/p' "$log")))
    else
        failed=$((failed + 1))
        echo "$name: the last input that is named did it"
        tail -n 20 "$log"
    fi
    rm -f "$log"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
