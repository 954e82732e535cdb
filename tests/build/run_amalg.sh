#!/bin/sh
# The model as one file: it compiles without a warning, and says what the library says, byte for byte.
# It knows no engine: in luajit's turn clang compiles it, without optimizing.
cd "$(dirname "$0")/../.." || exit 1
. tests/facts.sh
[ -z "$VARIANT" ] || exit 77
level=-O1
if [ "$ENGINE" = luajit ]; then
    command -v clang >/dev/null || exit 77
    CC=clang level=-O0
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/host.c" <<'END'
#include "kcost.h"
#include <stdio.h>
int main(void)
{
    kc_context *kc = kc_context_new(NULL, NULL);
    const kc_size size[] = { { "i", 2048 }, { "j", 2048 }, { "d", 64 }, { "e", 64 } };
    kc_dtype *f16 = kc_dtype_named(kc, "f16");
    kc_tensor *q = kc_tensor_new(kc, "Q", "i d", f16, size, 4);
    kc_tensor *k = kc_tensor_new(kc, "K", "j d", f16, size, 4);
    kc_tensor *v = kc_tensor_new(kc, "V", "j e", f16, size, 4);
    kc_value *read[] = { kc_read(q, NULL, NULL, 0, 1, 0), kc_read(k, NULL, NULL, 0, 1, 0), kc_read(v, NULL, NULL, 0, 1, 0) };
    kc_value *scores = kc_causal(kc_matmul(read[0], read[1], "d", NULL, NULL, NULL), "i", "j");
    kc_value *output = kc_matmul(kc_softmax(scores, "j", 1), read[2], "j", NULL, NULL, NULL);
    kc_tensor *o = kc_write("O", output, NULL, NULL, NULL, NULL, 0, 1);
    kc_result *best = kc_best((kc_object *)o, kc_device_named(kc, "h100-sxm5"), NULL);
    const char *json = best ? kc_json((kc_object *)best) : NULL;
    puts(json ? json : kc_context_message(kc));
    return json == NULL;
}
END

amalgamated() {
    $CC -std=c11 $level -Wall -Wextra -Werror -pthread -Ibuild/amalg "$work/host.c" build/amalg/kcost.c -lm -o "$work/one"
}
linked() { $CC -std=c11 -Ivm/include "$work/host.c" "$BUILD/libkcost.a" -lm -pthread -o "$work/many"; }
same() { "$work/one" >"$work/one.json" && "$work/many" >"$work/many.json" && cmp "$work/one.json" "$work/many.json"; }

fact "make amalg succeeds" make -s LUA="$ENGINE" amalg
fact "kcost.c compiles without a warning" amalgamated
fact "a host links the library" linked
fact "both find the same schedule, and the same figures of it" same
facts_end
