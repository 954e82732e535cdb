#!/bin/sh
# run_prompt.sh: the prompt as somebody at a terminal meets it.  dialogue.txt is a session: what stands behind "> " and
# ">> " is typed, each line when the prompt is there, and the whole must come out again.  UPDATE=1 rewrites it.
# shellcheck disable=SC2059  # keys are formats of printf

cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
command -v script >/dev/null || { echo "there is no script(1)" && exit 77; }
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
unset KCOST_PATH COLUMNS NO_COLOR
seen=$here/seen
export KCOST XDG_STATE_HOME="$here/state" HOME="$here" SHELL=/bin/sh
export TERM=xterm LC_ALL=C.UTF-8
mkfifo "$here/keys"

# begin COLUMNS [WHAT FOLLOWS THE COMMAND]: a terminal with a prompt; its keys are descriptor 3.
begin() {
    : >"$seen"
    before=0
    script -qefc "stty cols $1 rows 24; exec \"\$KCOST\" --quiet ${2:-}" "$seen" <"$here/keys" >/dev/null 2>&1 &
    exec 3>"$here/keys"
    wait_for "> "
}

# Until what was seen since the last keys ends with a text.
wait_for() {
    tries=0
    until [ "$(wc -c <"$seen")" -gt "$before" ] && [ "$(tail -c ${#1} "$seen")" = "$1" ]; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || return 1
        sleep 0.01
    done
}

# keys FORMAT [ARGUMENT]: types them.
keys() {
    before=$(wc -c <"$seen")
    printf "$@" >&3
}

# type FORMAT [ARGUMENT]: the same, until the prompt is there again.
type() {
    keys "$@"
    wait_for "> "
}

# Control-D.  Leaves in $seen what was seen, without what moves the cursor and without the last prompt, and the exit
# status in $status.
end() {
    keys '\004'
    exec 3>&-
    wait $!
    status=$?
    sed -e '/^Script /d' -e 's/\r//g; s/\x1b\[[0-9;]*[A-Za-z]//g; s/\^D\x08*//g' "$seen" |
        awk '/^(> )?$/ { held = held $0 "\n"; next } { printf "%s", held; held = ""; print }' >"$here/text"
    mv "$here/text" "$seen"
}

saw() { grep -qF -- "$1" "$seen" || { cat "$seen" && false; }; }

# ---- the dialogue ---------------------------------------------------------------------------------------

dialogue() {
    begin "$1"
    while IFS= read -r line; do type '%s\n' "$line"; done <"$here/lines"
    end
    [ "${UPDATE:-}" != 1 ] || cp "$seen" tests/prompt/dialogue.txt
    diff -u tests/prompt/dialogue.txt "$seen" && [ $status = 0 ]
}

sed -n 's/^>\{1,2\} //p' tests/prompt/dialogue.txt >"$here/lines"
TERM=dumb LC_ALL=de_DE.UTF-8
export NO_COLOR=1
fact "the dialogue goes as it is recorded, on a dumb terminal in Germany" dialogue 80
TERM=xterm LC_ALL=C.UTF-8
unset NO_COLOR
fact "and on a terminal that can do more" dialogue 80

# ---- keys -------------------------------------------------------------------------------------------------

# Control-C, as a hand would: not in the moment between a prompt and the reading of its line.
interrupt() {
    sleep 0.1
    type '\003'
}

interrupted() {
    begin 80
    keys 'abc'
    wait_for 'abc'
    interrupt
    type 'first = 1 +\n'
    interrupt
    keys 'print("begun") while true do pcall(function() while true do end end) end\n'
    tries=0
    until grep -q '^begun' "$seen" || [ $tries = 3000 ]; do tries=$((tries + 1)) && sleep 0.01; done
    interrupt
    type '"still", rawget(_G, "first") == nil\n'
    end
    saw still && saw true && saw interrupted && [ $status = 0 ]
}
fact "Control-C ends a line, a chunk that is begun and one that runs, and not the prompt" interrupted
TERM=dumb
fact "also on a dumb terminal" interrupted
TERM=xterm

edited() {
    begin 80
    type 'kc.vers\t == kc.version, "by tab"\n'
    keys 'kc.re\t'
    wait_for '> kc.re'
    type 'ad\n'
    type 'kc.device("h100-s\t").id\n'
    type 'A = tensor("A", "i", "f16", { i = 5 })\n'
    type 'A.dt\t\n'
    type 'tile(A, {}, { pers\t }) --\n'
    end
    saw "by tab" && saw "read    reduce  rename  resize" && saw "h100-sxm5" && saw "f16" && saw "persistent"
}
recalled() {
    begin 80
    type '"remem" .. "bered"\n'
    end
    begin 80
    type '\033[A\n'
    end
    saw remembered && [ "$(stat -c %a "$here/state/kcost")" = 700 ]
}
if pkg-config --exists libedit; then
    fact "Tab completes calls, devices, fields and options" edited
    fact "the lines of a session are there in the next" recalled
else
    skip "completion and history: there is no libedit"
fi

# ---- narrow terminals, and where output goes ---------------------------------------------------------------

narrow() {
    begin 40
    type 'A = tensor("A", "i", "f16", { i=5e8 })\n'
    type 'B = write("B", map("gelu", read(A)))\n'
    type 'D = { "h100-sxm5", "a100-sxm4-80gb" }\n'
    type 'compare({ B, B }, D)\n'
    end
    saw h100-sxm5 && ! grep -q '^.\{41\}' "$seen"
}
TERM=dumb
fact "on 40 columns no line of a table is longer" narrow

to_a_file() {
    begin 80 ">$here/out"
    type '1 + 1\n'
    type 'x\n'
    type 'error("boom")\n'
    end
    saw boom && ! grep -q '^2' "$seen" && [ "$(cat "$here/out")" = 2 ]
}
fact "results go to standard output, prompts and errors to the terminal" to_a_file

closed() {
    begin 80 ">&-"
    keys '1 + 1\n'
    exec 3>&-
    wait $!
    [ $? = 1 ] && saw "cannot write standard output"
}
fact "it ends where results cannot be written" closed

as_json() {
    begin 80 --json
    type '{ 1, "a" }\n'
    end
    saw '[1,"a"]'
}
fact "--json prints each answer as JSON" as_json

no_terminal() {
    "$KCOST" </dev/null >"$seen" 2>&1
    [ $? = 2 ] && saw "no script"
}
fact "without a terminal a script is wanted" no_terminal
facts_end
