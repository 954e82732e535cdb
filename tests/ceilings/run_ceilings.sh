#!/bin/sh
# run_ceilings.sh: scripts/ceilings compiles for every architecture, its loops keep what they measure, and what it
# prints counts FLOP and bytes right: under a CUDA runtime without a GPU, by which every kernel takes 10 ms.
. tests/facts.sh

short() { for file in scripts/ceilings/*; do [ "$(wc -l <"$file")" -lt 100 ] || return 1; done; }
fact "each file has less than 100 lines" short
fact "without nvcc it says so" not env NVCC=/nowhere/nvcc sh scripts/ceilings/measure.sh

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
# Once is enough: nothing of kcost is in it.
if [ "$ENGINE$VARIANT" != lua5.4 ] || [ ! -x "$nvcc" ]; then
    skip "nvcc compiles the programs, by the plain build of Lua 5.4, where it is there"
    facts_end
    exit
fi

here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
${CC:-cc} -c -o "$here/runtime.o" tests/ceilings/runtime.c || exit 1
# nvcc, with our runtime; the PTX is kept.
mkdir "$here/ptx"
cat >"$here/nvcc" <<END
#!/bin/sh
exec "$nvcc" --keep --keep-dir "$here/ptx" -Werror all-warnings -cudart none "\$@" "$here/runtime.o"
END
chmod +x "$here/nvcc"

measured() { NVCC=$here/nvcc ARCH=all-major sh scripts/ceilings/measure.sh >"$here/times.csv"; }
fact "every program compiles for all architectures and runs" measured

row() { # name, FLOP, bytes
    grep -qxF "$1,0.01,$2,$3" "$here/times.csv" || { cat "$here/times.csv" && false; }
}
fact "one header stands on top" is 1:name,time,flops,bytes grep -n name, "$here/times.csv"
fact "there are 32 rows" [ "$(wc -l <"$here/times.csv")" = 33 ]
# 256 * 2^20 B, read and written.
fact "a copy moves its array twice" row "hbm: copy of 256 MiB" 0 536870912
# 256 * 2^20 / 4 elements: 2 FLOP and 3 * 4 B each.
fact "a triad moves three arrays" row "hbm: triad of 256 MiB" 134217728 805306368
# 512 passes * 4 loads * 16 B * 512 threads * 4 CTAs * 100 cores; 16 MiB is less than half of 40.
fact "reads of L2 count each load" row "l2: read of 16384 KiB" 0 6710886400
# 4096 passes * 4 loads * 16 B * 512 threads * 2 CTAs * 100 cores.
fact "reads of shared memory count each load" row "smem: read in 4096 passes" 0 26843545600
# 2 * 16^3 FLOP * 8 accumulators * 8 warps * 2 CTAs * 100 cores * 2048 steps.
fact "products of matrices are 2 m n k" row "matrix: mma.sync f16 in 2048 steps" 214748364800 0
fact "bf16 takes as many" row "matrix: mma.sync bf16 in 2048 steps" 214748364800 0
# 4096 steps * 8 chains * 512 threads * 2 CTAs * 100 cores.
fact "an exp is one special op" row "special: exp in 4096 steps" 3355443200 0
fact "an empty kernel does nothing" row "launch: empty with 1 warp" 0 0

# loops PROGRAM INSTRUCTION: how many such stand between a label and a jump back to it, in the PTX of its loops.
loops() {
    cat "$here"/ptx/"$1"*.ptx | awk -v wanted="$2" '
        /^\$L.*:/ { at[substr($1, 1, length($1) - 1)] = count }
        index($0, wanted) { count++ }
        /bra/ { to = $NF; sub(";", "", to); if (to in at && count > at[to]) inside += count - at[to] }
        /^}/ { split("", at) }
        END { print inside + 0 }'
}
keeps() { # program, instruction, how many at least in its loops
    found=$(loops "$1" "$2")
    [ "$found" -ge "$3" ] || { echo "$found times $2 in the loops of $1" && false; }
}
fact "the loop of the copy keeps its loads" keeps copy ld.global.v4 1
fact "the loop of the copy keeps its stores" keeps copy st.global.v4 1
fact "the loop of the triad keeps its loads" keeps triad ld.global.v4 2
fact "the loop of the triad keeps its multiply-adds" keeps triad fma.rn.f32 4
fact "the loop of reads of L2 keeps them" keeps l2 ld.global.cg.v4 4
fact "the loop of reads of shared memory keeps them" keeps smem ld.shared.v4 4
fact "the loop of products in f16 keeps them" keeps matrix wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 8
fact "the loop of products in bf16 keeps them" keeps matrix wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16 8
fact "the loop of exps keeps them" keeps exp ex2.approx 8
facts_end
