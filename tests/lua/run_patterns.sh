#!/bin/sh
# run_patterns.sh: our string functions do what Lua 5.4's do, on both engines.

cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT

same() {
    "$KCOST" tests/lua/patterns.lua >"$here/ours" && cmp "$here/stock" "$here/ours"
}

if command -v lua5.4 >/dev/null; then
    lua5.4 tests/lua/patterns.lua >"$here/stock"
    fact "30,000 answers are Lua 5.4's" same
else
    skip "there is no lua5.4"
fi
facts_end
