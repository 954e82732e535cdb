/* test_print.c: what print() shows: kernels as loop nests, and everything else in a line; design, section 2.1. */
#include "workbench.h"

#define shows(x, want) assert_text(kc_object_text(object(x)), (want))

static kc_value *of(const char *name, const char *dims, const char *dtype)
{
    return read_of(tensor(name, dims, dtype));
}

/* C = A B + bias */
static kc_tensor *product(void)
{
    kc_value *c = matmul(of("A", "m=100 k=60", "f16"), of("B", "k=60 n=70", "f16"), NULL);
    return write_of("C", map2("add", c, of("bias", "n=70", "f16")));
}

/* ---- kernels ------------------------------------------------------------------------------ */

TEST(an_untiled_kernel_is_its_ops_in_order)
{
    shows(kernel_of(product()), "kernel C[m=100 k=60 n=70] untiled\n"
                                "  load A[m k]\n"
                                "  load B[k n]\n"
                                "  matmul[m k n] over k\n"
                                "  load bias[n]\n"
                                "  add[m n]\n"
                                "  store C[m n]");
}

TEST(a_tiled_kernel_is_its_loop_nest)
{
    shows(tiled(product(), "m=32 n=16 k=16", NULL, NULL), "kernel C[m=100 k=60 n=70]\n"
                                                          "  grid m: 4 x 32, n: 5 x 16\n"
                                                          "    for k: 4 x 16\n"
                                                          "      load A[m k]\n"
                                                          "      load B[k n]\n"
                                                          "      matmul[m k n] over k\n"
                                                          "    load bias[n]\n"
                                                          "    add[m n]\n"
                                                          "    store C[m n]");
}

TEST(what_walks_inner_loops_again_says_so)
{
    shows(tiled(product(), "m=32 n=16 k=16", "", "k m n"), "kernel C[m=100 k=60 n=70]\n"
                                                           "  grid of one CTA\n"
                                                           "    for k: 4 x 16\n"
                                                           "      for m: 4 x 32\n"
                                                           "        load A[m k]\n"
                                                           "        for n: 5 x 16\n"
                                                           "          load B[k n]\n"
                                                           "          matmul[m k n] over k\n"
                                                           "    load bias[n] for each tile of m n\n"
                                                           "    add[m n] for each tile of m n\n"
                                                           "    store C[m n] for each tile of m n");
}

TEST(flash_attention_is_one_loop_over_j)
{
    attention a = attention_of("b=2 i=64 d=16", "b=2 j=64 d=16", "b=2 j=64 e=16");
    shows(tiled(a.flash, "i=16 j=8", NULL, NULL), "kernel flash[b=2 i=64 j=64 d=16 e=16]\n"
                                                  "  grid b: 2 x 1, i: 4 x 16\n"
                                                  "    load Q[b i d]\n"
                                                  "    for j: 8 x 8\n"
                                                  "      load K[b j d]\n"
                                                  "      matmul[b i d j] over d\n"
                                                  "      S[b i j]\n"
                                                  "      softmax.max[b i j] over j\n"
                                                  "      softmax.exp[b i j]\n"
                                                  "      softmax.sum[b i j] over j\n"
                                                  "      P[b i j]\n"
                                                  "      load V[b j e]\n"
                                                  "      matmul[b i j e] over j\n"
                                                  "      softmax.alpha[b i]\n"
                                                  "      softmax.rescale[b i e]\n"
                                                  "    softmax.inv[b i]\n"
                                                  "    softmax.div[b i e]\n"
                                                  "    store O[b i e]");
}

TEST(several_passes_are_numbered)
{
    kc_tensor *p = write_of("P", softmax(of("X", "m=8 n=64", "f16"), "n", 1));
    shows(tiled(p, "m=2 n=16", "m", "n"), "kernel P[m=8 n=64]\n"
                                          "  grid m: 4 x 2\n"
                                          "  pass 1\n"
                                          "    for n: 4 x 16\n"
                                          "      load X[m n]\n"
                                          "      softmax.max[m n] over n\n"
                                          "      softmax.exp[m n]\n"
                                          "      softmax.sum[m n] over n\n"
                                          "  pass 2\n"
                                          "    softmax.inv[m]\n"
                                          "    for n: 4 x 16\n"
                                          "      load X[m n]\n"
                                          "      softmax.exp[m n]\n"
                                          "      softmax.div[m n]\n"
                                          "      store P[m n]");
}

TEST(a_split_loop_says_how_many_share_it_and_what_combines_them)
{
    kc_schedule *s = schedule_of("m=32 n=16 k=16", NULL, NULL);
    assert_int_equal(kc_schedule_split(s, "k", 2), KC_OK);
    shows(keep(kc_tile(object(product()), s)), "kernel C[m=100 k=60 n=70]\n"
                                               "  grid m: 4 x 32, n: 5 x 16\n"
                                               "    for k: 4 x 16, shared by 2 CTAs\n"
                                               "      load A[m k]\n"
                                               "      load B[k n]\n"
                                               "      matmul[m k n] over k\n"
                                               "  then one small kernel combines the partials\n"
                                               "    load bias[n]\n"
                                               "    add[m n]\n"
                                               "    store C[m n]");
}

TEST(a_split_of_every_trip_is_part_of_the_grid)
{
    kc_schedule *s = schedule_of("m=100 n=16 k=16", NULL, NULL);
    assert_int_equal(kc_schedule_split(s, "k", 9), KC_OK);
    assert_contains(kc_object_text(object(keep(kc_tile(object(product()), s)))),
                    "\n  grid n: 5 x 16, k: 4 x 16\n    load A[m k]\n");
}

TEST(a_grid_that_is_only_a_split_says_so)
{
    kc_schedule *s = schedule_of("m=100 n=70 k=16", NULL, NULL);
    assert_int_equal(kc_schedule_split(s, "k", 2), KC_OK);
    assert_contains(kc_object_text(object(keep(kc_tile(object(product()), s)))),
                    "\n  grid of 2 CTAs along k\n    for k: 4 x 16, shared by 2 CTAs\n");
    assert_int_equal(kc_schedule_split(s, "k", 0), KC_OK);
    assert_contains(kc_object_text(object(keep(kc_tile(object(product()), s)))),
                    "\n  grid of one tile\n    for k: 4 x 16, all cores in equal shares\n");
}

TEST(clusters_persistence_and_path_stand_behind_the_grid)
{
    kc_schedule *s = schedule_of("m=32 n=16 k=16", NULL, NULL);
    kc_schedule_cluster(s, "n", 2);
    kc_schedule_persistent(s, 1);
    kc_schedule_path(s, "wgmma");
    assert_contains(kc_object_text(object(keep(kc_tile(object(product()), s)))),
                    "\n  grid m: 4 x 32, n: 5 x 16; clusters of 2 along n; persistent; path wgmma\n");
}

TEST(indices_are_shown_as_they_were_written)
{
    kc_value *x = read_at(tensor("X", "c=4 x=129", "f16"), "c 2*p+r-1", "p=64 r=3");
    kc_tensor *y = write_of("Y", matmul(x, of("W", "q=16 c=4 r=3", "f16"), "c r"));
    shows(tiled(y, "p=8", NULL, NULL), "kernel Y[c=4 p=64 r=3 q=16]\n"
                                       "  grid p: 8 x 8\n"
                                       "    load X[c 2*p+r-1]\n"
                                       "    load W[q c r]\n"
                                       "    matmul[c p r q] over c r\n"
                                       "    store Y[p q]");
    kc_value *rows = map2("add", read_at(tensor("E", "e=100", "f16"), "[m n]", "m=5 n=4"),
                          read_at(tensor("Z", "z=20", "f16"), "#n*m+n", "m=5 n=4"));
    kc_tensor *g = keep(kc_write("G", keep(kc_scan("cumsum", rows, "n", NULL)), NULL, "g", "-m-n+7", NULL, 0, 1));
    shows(kernel_of(g), "kernel G[m=5 n=4] untiled\n"
                        "  load E[[m n]]\n"
                        "  load Z[#n*m+n]\n"
                        "  add[m n]\n"
                        "  cumsum[m n] along n\n"
                        "  store G[-m-n+7]");
}

TEST(a_kernel_that_cannot_run_says_why)
{
    kc_tensor *p = write_of("P", softmax(of("X", "m=8 n=64", "f16"), "n", 0));
    assert_contains(kc_object_text(object(tiled(p, "m=2 n=16", "n", NULL))),
                    "kernel P[m=8 n=64]\n  softmax.exp needs softmax.max complete");
}

TEST(a_group_shows_its_kernels)
{
    kc_object *parts[2] = { object(write_of("A", of("X", "m=4", "f16"))),
                            object(write_of("B", of("X", "m=9", "f16"))) };
    shows(keep(kc_group(context, "ragged", parts, 2)), "group ragged\n"
                                                       "kernel A[m=4] untiled\n"
                                                       "  load X[m]\n"
                                                       "  store A[m]\n"
                                                       "kernel B[m=9] untiled\n"
                                                       "  load X[m]\n"
                                                       "  store B[m]");
}

/* ---- everything else ------------------------------------------------------------------------ */

TEST(tensors_and_values_are_shown_with_their_sizes)
{
    kc_tensor *a = tensor("A", "m=100 k=60", "bf16");
    shows(a, "tensor A[m=100 k=60] bf16");
    shows(read_at(a, "i k", "i=7"), "read A[i=7 k=60] bf16");
    shows(reduce("sum", read_of(a), "m k"), "value sum[] bf16");
}

TEST(a_schedule_shows_all_that_was_given)
{
    shows(keep(kc_schedule_new(context)), "schedule");
    kc_schedule *s = schedule_of("m=32 n=16", "m n", "");
    shows(s, "schedule m = 32, n = 16, grid \"m n\", order \"\"");
    assert_int_equal(kc_schedule_stages(s, NULL, 3), KC_OK);
    assert_int_equal(kc_schedule_stages(s, "A", 4), KC_OK);
    assert_int_equal(kc_schedule_stages(s, "B", 2), KC_OK);
    assert_int_equal(kc_schedule_warps(s, 8), KC_OK);
    assert_int_equal(kc_schedule_split(s, "k", 0), KC_OK);
    assert_int_equal(kc_schedule_combine(s, "atomic"), KC_OK);
    assert_int_equal(kc_schedule_hold(s, "C"), KC_OK);
    assert_int_equal(kc_schedule_place(s, "A", "registers"), KC_OK);
    assert_int_equal(kc_schedule_raster(s, "n m", 8), KC_OK);
    assert_int_equal(kc_schedule_cluster(s, "n", 2), KC_OK);
    assert_int_equal(kc_schedule_persistent(s, 1), KC_OK);
    assert_int_equal(kc_schedule_vector(s, 16), KC_OK);
    assert_int_equal(kc_schedule_threads(s, 256), KC_OK);
    assert_int_equal(kc_schedule_path(s, "wgmma"), KC_OK);
    assert_int_equal(kc_schedule_overlap(s, "all"), KC_OK);
    shows(s,
          "schedule m = 32, n = 16, grid \"m n\", order \"\", stages 3, stages A = 4, B = 2, warps 8, split k = stream, "
             "combine atomic, hold \"C\", place A = registers, raster \"n m\", group 8, cluster n = 2, persistent, vector 16, "
             "threads 256, path wgmma, overlap all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(an_untiled_kernel_is_its_ops_in_order),
        fact(a_tiled_kernel_is_its_loop_nest),
        fact(what_walks_inner_loops_again_says_so),
        fact(flash_attention_is_one_loop_over_j),
        fact(several_passes_are_numbered),
        fact(a_split_loop_says_how_many_share_it_and_what_combines_them),
        fact(a_split_of_every_trip_is_part_of_the_grid),
        fact(a_grid_that_is_only_a_split_says_so),
        fact(clusters_persistence_and_path_stand_behind_the_grid),
        fact(indices_are_shown_as_they_were_written),
        fact(a_kernel_that_cannot_run_says_why),
        fact(a_group_shows_its_kernels),
        fact(tensors_and_values_are_shown_with_their_sizes),
        fact(a_schedule_shows_all_that_was_given),
    };
    return run(tests);
}
