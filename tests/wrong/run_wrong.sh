#!/bin/sh
# run_wrong.sh: every wrong script of this folder fails with its stated message, at its stated line.
#
# A script begins with "-- error: MESSAGE" and "-- line: N" (0: the message names no line),
# then perhaps "-- args: OPTIONS" for the command and "-- status: N", its exit status if it
# is not 1.  Message and line are compared exactly.  KCOST names the command to run (default
# build/kcost).  ACCEPT=1 writes the message that came into the script instead: read the diff.

set -u
here=$(cd "$(dirname "$0")" && pwd)
KCOST=${KCOST:-$here/../../build/kcost}
passed=0
failed=0

header() {
  sed -n "1,4s/^-- $2: //p" "$1"
}

fail() {
  failed=$((failed + 1))
  printf 'FAILED %s: %s\n' "$1" "$2"
}

# accept SCRIPT SAID: puts the message into the script's first line.
accept() {
  message=${2#*.lua:}
  case $message in
  [0-9]*:*) message=${message#*: } ;;
  *) message=$2 ;;
  esac
  {
    printf -- '-- error: %s\n' "$message"
    sed 1d "$1"
  } >"$1.new" && mv "$1.new" "$1"
}

for script in "$here"/*.lua; do
  name=$(basename "$script")
  message=$(header "$script" error)
  line=$(header "$script" line)
  args=$(header "$script" args)
  expected=$(header "$script" status)
  # Options hold no spaces of their own, so they may be split.
  # shellcheck disable=SC2086
  said=$(cd "$here" && "$KCOST" $args "$name" 2>&1 >/dev/null)
  status=$?
  said=${said#kcost: }
  if [ "$line" -gt 0 ]; then
    want="$name:$line: $message"
  else
    want=$message
  fi
  if [ "$status" -ne "${expected:-1}" ]; then
    fail "$name" "exit status $status, expected ${expected:-1}; it said: $said"
  elif [ "$said" = "$want" ]; then
    passed=$((passed + 1))
  elif [ -n "${ACCEPT:-}" ]; then
    accept "$script" "$said"
    printf 'accepted %s\n' "$name"
  else
    fail "$name" "message differs
  expected: $want
  got:      $said"
  fi
done

printf 'wrong scripts: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
