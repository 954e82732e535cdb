#!/bin/sh
# What the objects of the libraries hold and call: nothing that changes, nothing that ends the process or speaks for it.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
[ -z "${VARIANT:-}" ] || exit 77

# In these sections lie variables; .data.rel.ro has tables of addresses, read-only once they are relocated.
# changing FOLDER...: some object below has bytes in them.
changing() {
    find "$@" -name '*.o' -exec size -A {} + | awk '
        /\.o / { file = $1 }
        /^\.t?(data|bss)/ && !/^\.data\.rel\.ro/ && $2 > 0 { print file, $1, $2, "bytes"; found = 1 }
        END { exit !found }'
}
echo 'int count; const char *name = "x";' | $CC -fPIC -x c -c - -o "$BUILD/changing.o"
fact "this tells variables" changing "$BUILD/changing.o"
rm -f "$BUILD/changing.o"
fact "no object has data that changes" not changing "$BUILD/vm/model" "$BUILD/vm/lua" "$BUILD/gen"
fact "objects were looked at" [ "$(find "$BUILD/vm/model" "$BUILD/vm/lua" -name '*.o' | wc -l)" -gt 100 ]

# calls FILE NAME...: it wants one of the names, as they are or in a fortified form, from the C library.
calls() {
    wanted=$BUILD/$1
    shift
    nm -D --undefined-only "$wanted" | sed 's/.* //; s/@.*//; s/^__\(.*\)_chk$/\1/; s/^_IO_//' >"$BUILD/symbols"
    for name in "$@"; do
        grep -x "$name" "$BUILD/symbols" && return 0
    done
    return 1
}
for file in libkcost.so.0 "libkcost-$ENGINE.so.0" kcost.so; do
    fact "$file ends no process" not calls "$file" exit _exit _Exit quick_exit abort __assert_fail raise kill
    fact "$file jumps nowhere" not calls "$file" longjmp siglongjmp _setjmp setjmp __sigsetjmp
    fact "$file prints nothing" not calls "$file" printf vprintf puts putchar putc fputs fputc fwrite fprintf vfprintf dprintf \
        write perror stdout stderr psignal syslog
    fact "$file sets no handler, locale or environment" not calls "$file" signal sigaction bsd_signal sigaltstack setlocale uselocale \
        setenv putenv srand srandom atexit on_exit chdir umask
    fact "$file starts no process" not calls "$file" fork vfork system popen execve execvp posix_spawn
done
fact "libkcost opens no file and reads no environment" not calls libkcost.so.0 fopen open openat fopen64 getenv secure_getenv
facts_end
