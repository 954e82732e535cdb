#!/bin/sh
# cover.sh: which lines and branches of vm/ the tests run, by folder.
#
#     tests/cover.sh lua5.4          runs every test first (make cover; minutes)
#     tests/cover.sh -n lua5.4       only reads what earlier runs left in build/lua5.4-cover
#
# Prints a row a folder, then the files with the fewest branches taken; a header counts with its folder.  A branch
# is a way that a condition can go.  All of it, by line, is build/lua5.4-cover/lines.info (lcov; genhtml shows it).
# Exit status 1: a test failed, or vm/model or vm/lua has less than the lines and branches that `least` asks of it.
least_lines=95 least_branches=88

cd "$(dirname "$0")/.." || exit 1
command -v lcov >/dev/null || { echo "make cover needs lcov: apt-get install lcov" >&2; exit 1; }
again=
[ "$1" != -n ] || { again=1 && shift; }
engine=${1:-lua5.4} build=build/${1:-lua5.4}-cover status=0

# Counts of earlier runs would add up with these.
if [ -z "$again" ]; then
    [ ! -d "$build" ] || find "$build" -name '*.gcda' -delete
    # The README's commands call build/kcost, which a plain build makes.
    [ -e build/kcost ] || { mkdir -p build && ln -sfn "$engine-cover/kcost" build/kcost; }
    tests/run.sh "$engine-cover" || status=1
fi
lcov --quiet --capture --directory "$build" --include '*/vm/*' --rc lcov_branch_coverage=1 \
    --output-file "$build/lines.info" 2>"$build/lcov.log" || { cat "$build/lcov.log" >&2; exit 1; }

# lines.info has a record a source, SF:/.../vm/model/base.c, and one for each that includes a header: what ran in any of
# them ran.  DA:LINE,COUNT is a line, BRDA:LINE,BLOCK,WAY,COUNT a way of a branch, - where the branch itself never ran.
awk -F '[:,]' -v least_lines=$least_lines -v least_branches=$least_branches '
    function share(some, all) { return all ? 100 * some / all : 100 }
    function row(name) {
        return sprintf("%-24s %6.1f %% of %6d %6.1f %% of %6d", name, share(ran[name], lines[name]), lines[name],
                       share(taken[name], branches[name]), branches[name])
    }
    function count(key, hit, all, some) {
        if (!(key in seen)) { all[file]++; all[folder]++ }
        if (hit > 0 && seen[key] == 0) { some[file]++; some[folder]++ }
        seen[key] += hit
    }
    $1 == "SF" { file = $2; sub(/.*\/vm\//, "vm/", file); folder = file; sub(/\/[^\/]*$/, "", folder) }
    $1 == "DA" { count(file " " $2, $3, lines, ran) }
    $1 == "BRDA" { count(file " " $2 " " $3 " " $4, $5, branches, taken) }
    END {
        printf "\n%-24s %18s %18s\n", "", "lines", "branches"
        split("vm/model vm/lua vm/cli", folders, " ")
        for (i = 1; i <= 3; i++) print row(folders[i])
        printf "\nfewest branches taken:\n"
        for (file in lines)
            if (file ~ /^vm\/(model|lua)\/.*\.[ch]$/)
                printf "%.3f %s\n", share(taken[file], branches[file]), row(file) | lowest
        close(lowest)
        print ""
        for (i = 1; i <= 2; i++) {
            folder = folders[i]
            if (share(ran[folder], lines[folder]) >= least_lines && share(taken[folder], branches[folder]) >= least_branches)
                continue
            printf "%s: at least %d %% of the lines and %d %% of the branches are wanted\n", folder, least_lines, least_branches
            low = 1
        }
        exit low
    }' lowest='sort -n | head -n 12 | cut -d " " -f 2-' "$build/lines.info" || status=1
exit $status
