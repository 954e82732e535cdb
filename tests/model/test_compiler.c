/* test_compiler.c: what compilers got wrong, held against the flags that we compile with. */
#include "unit.h"

#include <stdbool.h>

typedef struct pair {
    double number[64];
    bool given[64];
} pair;

/* gcc 12 and 13 take this for a function without effect: called like below at -O1, else also at -O2. */
__attribute__((noinline)) static void set_ones(pair *p, uint64_t which)
{
    for (int i = 0; which; i++, which >>= 1)
        if ((which & 1) && !p->given[i])
            p->number[i] = 1;
}

TEST(a_loop_over_two_arrays_of_a_struct_keeps_its_stores)
{
    pair p = { { 0 }, { false } };
    set_ones(&p, 6);
    assert_number(p.number[0], 0);
    assert_number(p.number[1], 1);
    assert_number(p.number[2], 1);
    assert_number(p.number[3], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_over_two_arrays_of_a_struct_keeps_its_stores),
    };
    return run(tests);
}
