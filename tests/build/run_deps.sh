#!/bin/sh
# .ci/deps on machines that lack everything, played by a PATH with nothing but a fake apt-get.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
for tool in sh env id cat grep; do
    ln -s "$(command -v $tool)" "$work/bin/$tool"
done
cat >"$work/bin/apt-get" <<END
#!/bin/sh
echo "\$*" >>"$work/calls"
case "\$*" in
update*) : >"$work/updated" ;;
*) [ -e "$work/updated" ] || exit 100 ;;
esac
END
chmod +x "$work/bin/apt-get"
user() { printf '#!/bin/sh\necho %s\n' "$1" >"$work/bin/uid" && chmod +x "$work/bin/uid" && ln -sf uid "$work/bin/id"; }

# deps [VARIABLE=VALUE]: what it prints goes to $work/said, what it called to $work/calls.
deps() {
    rm -f "$work/calls" "$work/updated"
    : >"$work/calls"
    env -i "PATH=$work/bin" "$@" .ci/deps build check >"$work/said" 2>&1 </dev/null
}
says() { grep -qE "$1" "$work/said"; }
calls() { grep -qE "$1" "$work/calls"; }
silent() { [ ! -s "$work/said" ] && [ ! -s "$work/calls" ]; }
line() { [ "$(grep -c '^apt-get install ' "$work/said")" = 1 ] && head -n 1 "$work/said" | grep -q '^apt-get install '; }

user 0
fact "root without a terminal succeeds" deps
fact "it prints the one apt-get line first" line
fact "the line names the compiler and both engines" says 'gcc.*liblua5.4-dev.*libluajit-5.1-dev'
fact "it installs" calls '^install .*libcmocka-dev'
fact "it fetches the package lists where installing failed" calls '^update'

user 1000
fact "another user without a terminal succeeds" deps
fact "the line is printed all the same" line
fact "nothing is installed" not calls .

user 0
fact "DEPS=no succeeds" deps DEPS=no
fact "DEPS=no says and does nothing" silent

rm "$work/bin/apt-get"
fact "a system without apt-get succeeds" deps
fact "the packages are named there too" says "missing.*libcmocka-dev"

# On this machine, with an apt-get that does nothing.
mkdir "$work/first" && ln -s "$(command -v true)" "$work/first/apt-get"
if [ -z "$(PATH=$work/first:$PATH DEPS='' .ci/deps build check 2>&1 </dev/null)" ]; then
    fact "a machine that has everything is told nothing" true
else
    skip "a machine that has everything is told nothing: this one lacks something"
fi
facts_end
