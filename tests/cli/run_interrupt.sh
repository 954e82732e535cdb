#!/bin/sh
# run_interrupt.sh: long calls are ended by Ctrl-C and keep what is done; how far they are is seen on a terminal.
# Each fact waits for what it looks at, not for a time.
# shellcheck disable=SC2016  # the inner shell expands them

cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
unset KCOST_PATH COLUMNS NO_COLOR
export KCOST LC_ALL=C TERM=xterm

cat >"$here/long.lua" <<'END'
local kc = require "kcost"
local C = kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }
local tiles = kc.range(16, 4096, 8)
local what = kc.param("what", "")
print("begun")
local function begun() if io then io.stderr:write("begun\n") end end -- at once; a sandbox has none
if what ~= "best" then begun() end
if what == "sweep" then
    local space = { kernel = C, device = "h100-sxm5", tile = { m = tiles, n = tiles, k = tiles }, keep = { top = 3 } }
    return kc.sweep(space), kc.sweep(space)
elseif what == "best" then -- a function of where is called at each point, so it takes long
    local calls = 0
    return kc.best(C, "h100-sxm5", { tile = { m = tiles, n = tiles, k = tiles },
        where = function()
            calls = calls + 1
            if calls == 2 then begun() end -- there is one that the search can give
            for _ = 1, calls > 1 and 1e6 or 0 do end
            return calls == 1
        end })
elseif what == "verify" then
    for _ = 1, 1000 do kc.verify(kc.tile(C, { m = 16, n = 16, k = 16 })) end
elseif what == "loop" then
    while true do pcall(function() while true do end end) end
elseif what == "coroutine" then
    coroutine.wrap(function() while true do end end)()
elseif what == "model" then
    while true do pcall(kc.count, C) end
end
END

# ended WHAT [OPTION...]: Ctrl-C comes to it and its children a moment after it began, and perhaps once more, where the
# machine is slow; output and errors stay in $here.
ended() {
    what=$1
    shift
    rm -f "$here/out"
    setsid env --default-signal=INT "$KCOST" "$@" "$here/long.lua" what="$what" >"$here/out" 2>"$here/said" &
    process=$!
    tries=0
    until grep -q begun "$here/said" || [ $tries = 100 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
    sleep 0.3
    tries=0
    while kill -0 $process 2>/dev/null; do
        [ $((tries % 150)) != 0 ] || kill -INT -$process
        [ $tries -lt 1500 ] || kill -KILL -$process
        sleep 0.02
        tries=$((tries + 1))
    done
    wait $process
    [ $? = 130 ]
}
out() { grep -qF -- "$1" "$here/out" || { cat "$here/out" "$here/said" && false; }; }
said() { grep -qF -- "$1" "$here/said" || { cat "$here/out" "$here/said" && false; }; }

fact "Ctrl-C ends a sweep and those behind it" ended sweep
fact "which say what was done by then" out "this is what was done by then"
fact "and keep it" out "tile.m"
fact "the second has done nothing" out "interrupted after 0 points"
fact "in JSON too" ended sweep --json
fact "it is marked" out '"interrupted":true'
fact "Ctrl-C ends a search" ended best
fact "which gives the best so far, and says so" out "partial: the search was interrupted after "
fact "in JSON too" ended best --json
fact "it is a note" out "partial: the search was interrupted after "
fact "Ctrl-C ends verify" ended verify
fact "which says how far it was" said "long.lua:21: kc.verify: interrupted after "
for what in loop coroutine model; do
    fact "Ctrl-C ends a $what" ended $what
    fact "the line is said" said "long.lua:"
    fact "what was printed stays" out begun
done
fact "also in a sandbox" ended loop --sandbox

# ---- how far it is --------------------------------------------------------------------------

# What a terminal of so many columns shows of a verify until it is ended, a line a picture.
shown() {
    cat >"$here/verify.lua" <<'END'
local kc = require "kcost"
kc.verify(kc.tile(kc.lib.gemm.plain { m = 2400, n = 2400, k = 2400 }, { m = 12, n = 12, k = 12 }))
return kc.best(kc.lib.gemm.plain { m = 512, n = 512, k = 512 }, "h100-sxm5",
    { tile = { m = kc.range(16, 512, 16), n = kc.range(16, 512, 16), k = kc.range(8, 512, 8) }, where = function(p) return p.tile.m > 0 end })
END
    script -qec "stty cols $1; $KCOST ${2:-} $here/verify.lua" /dev/null </dev/null | tr '\r' '\n' | grep '% *[,0-9]*.* left\|^gemm' >"$here/seen"
}
if [ "${ENGINE:-lua5.4}${VARIANT:-}" != lua5.4 ]; then
    facts_end # how it looks says nothing about engines, and takes seconds
    exit
fi
if command -v script >/dev/null; then
    fact "a terminal shows how far verify is, how fast and how long the rest takes" shown 80
    fact "with a bar" grep -qE '^\[=* *\] +[0-9]+ %, [0-9]+ s left, [0-9.]+ M of [0-9.]+ M, [0-9.]+ [kM]/s' "$here/seen"
    fact "a narrow one too" shown 40
    fact "with a shorter one" grep -qE '^\[=* *\] +[0-9]+ %, [0-9]+ s left' "$here/seen"
    fact "which is no longer than the line" not grep -qE '^.{44}' "$here/seen" # with the sequence that ends it
    fact "with --quiet not" shown 80 --quiet
    fact "a line" not grep -q left "$here/seen"
    TERM=dumb
    fact "nor on a dumb terminal" shown 80
    fact "any" not grep -q left "$here/seen"
else
    skip "terminals: there is no script(1)"
fi
facts_end
