/* test_fuse_all.c: what kc_fuse_all joins, what it leaves apart and why; random programs, which must gain and stay.
 *
 * KCOST_RANDOM: how many random programs; KCOST_SEED: the first seed. */
#include "random_kernel.h"
#include "workbench.h"

enum { MOST_STEPS = 20 };

/* Kernels in launch order, each written in one call. */
typedef struct steps {
    kc_object *list[MOST_STEPS];
    size_t count;
} steps;

static kc_tensor *step(steps *s, kc_tensor *written)
{
    s->list[s->count++] = object(written);
    return written;
}

static kc_program *program_of(const steps *s)
{
    return keep(kc_program_new(context, "program", s->list, s->count));
}

static kc_device *h100(void)
{
    return keep(kc_device_named(context, "h100-sxm5"));
}

static kc_result *fused(void *program)
{
    return keep(kc_fuse_all(program, h100(), NULL, 0, NULL));
}

static double figure(const kc_result *r, kc_field field)
{
    double value = -1;
    assert_int_equal(kc_result_number(r, field, &value), KC_OK);
    return value;
}

/* "S, P, O: attention" of each fused group, or "a, b: why" of each that is not, a line each. */
static const char *said(const kc_result *r, bool refused)
{
    static char text[4000];
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < kc_result_fusions(r) && length < sizeof text; i++) {
        const char *why = kc_result_fusion_refused(r, i);
        if ((why != NULL) != refused)
            continue;
        for (size_t k = 0; k < kc_result_fusion_kernels(r, i) && length < sizeof text; k++)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", k ? ", " : "", kc_result_fusion_kernel(r, i, k));
        if (length < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length, ": %s\n", why ? why : kc_result_fusion_rule(r, i));
    }
    return text;
}

/* The figures of r beside the best schedules of what it was made from: no more bytes, no more time, the same matrix work. */
static void gains(kc_result *r, void *program)
{
    kc_result *before = keep(kc_best(program, h100(), NULL));
    assert_true(figure(r, KC_TIME) <= figure(before, KC_TIME));
    assert_true(figure(r, KC_BYTES) <= figure(before, KC_BYTES));
    assert_number(figure(r, KC_MATRIX_FLOPS), figure(before, KC_MATRIX_FLOPS));
    kc_result *again = fused(keep(kc_result_best(r)));
    assert_text(said(again, false), "");
    assert_number(figure(again, KC_TIME), figure(r, KC_TIME));
}



static kc_tensor *leaf(const char *name, const char *dims)
{
    return tensor(name, dims, "f16");
}

static kc_program *attention_apart(int online)
{
    steps s = { .count = 0 };
    kc_value *q = read_of(leaf("Q", "h=16 i=1024 d=64")), *k = read_of(leaf("K", "h=16 j=1024 d=64"));
    kc_tensor *S = step(&s, write_of("S", matmul(q, k, "d")));
    kc_tensor *P = step(&s, write_of("P", softmax(read_of(S), "j", online)));
    step(&s, write_of("O", matmul(read_of(P), read_of(leaf("V", "h=16 j=1024 e=64")), "j")));
    return program_of(&s);
}

/* S = X + R, Y = its norm, C = Y W, Z = C + S.  `as`: the norm reads S as a leaf of that name. */
static kc_program *norm(double rows, const char *sum, const char *as)
{
    char dims[64];
    snprintf(dims, sizeof dims, "t=%.0f k=4096", rows);
    steps s = { .count = 0 };
    kc_tensor *S = step(&s, write_as(sum, map2("add", read_of(leaf("X", dims)), read_of(leaf("R", dims))), "f16"));
    kc_value *x = read_of(as ? leaf(as, dims) : S);
    kc_value *root = map1("rsqrt", reduce("sum", map2("mul", x, x), "k"));
    kc_tensor *Y = step(&s, write_as("Y", map2("mul", x, root), "f16"));
    kc_tensor *C = step(&s, write_as("C", matmul(read_of(Y), read_of(leaf("W", "k=4096 n=4096")), "k"), "f16"));
    step(&s, write_as("Z", map2("add", read_of(C), read_at(S, "t n", NULL)), "f16"));
    return program_of(&s);
}

/* ---- what is fused ------------------------------------------------------------------------------------ */

TEST(scores_softmax_and_values_become_one_attention)
{

    kc_program *p = attention_apart(1);
    kc_result *r = fused(p);
    assert_text(said(r, false), "S, P, O: attention\n");
    assert_text(said(r, true), "");
    assert_number(figure(r, KC_LAUNCHES), 1);
    gains(r, p);
}

TEST(the_softmax_of_an_attention_becomes_online)
{
    kc_program *three = attention_apart(0);
    kc_result *r = fused(three), *online = fused(attention_apart(1));
    assert_text(said(r, false), "S, P, O: attention\n");
    assert_number(figure(r, KC_TIME), figure(online, KC_TIME));
    assert_number(figure(r, KC_VECTOR_FLOPS), figure(online, KC_VECTOR_FLOPS));
    gains(r, three);
    kc_program *made = keep(kc_result_best(r));
    const kc_size smaller[] = { { "i j", 32 }, { "h", 1 } };
    kc_program *small = keep(kc_resized(object(made), smaller, 2));
    assert_int_equal(kc_verify(keep(kc_program_part(small, 0)), NULL), KC_OK);
    assert_number(figure(keep(kc_count(object(small), NULL)), KC_SPECIAL_OPS), 32 * 32 + 32);
}

TEST(a_residual_joins_the_norm_behind_it_and_stays_written_for_who_reads_it)
{
    kc_program *p = norm(8192, "S", NULL);
    kc_result *r = fused(p);
    assert_contains(said(r, false), "S, Y: norm\n");
    assert_contains(said(r, false), "C, Z: epilogue\n");
    gains(r, p);
    double written = 0;
    for (size_t t = 0; t < kc_result_tensors(r); t++)
        if (strcmp(kc_result_tensor_name(r, t), "S") == 0)
            written = kc_result_tensor_number(r, t, KC_TENSOR_WRITTEN);
    assert_number(written, 8192. * 4096 * 2);
}

TEST(a_gate_and_what_it_multiplies_are_computed_in_one_kernel)
{
    steps s = { .count = 0 };
    kc_value *x = read_of(leaf("X", "t=4096 k=4096"));
    kc_tensor *G = step(&s, write_as("G", matmul(x, read_of(leaf("Wg", "k=4096 f=8192")), "k"), "f16"));
    kc_tensor *U = step(&s, write_as("U", matmul(x, read_of(leaf("Wu", "k=4096 f=8192")), "k"), "f16"));
    step(&s, write_as("H", map2("mul", map1("silu", read_of(G)), read_of(U)), "f16"));
    kc_program *p = program_of(&s);
    kc_result *r = fused(p);
    assert_text(said(r, false), "G, U, H: epilogue\n");
    gains(r, p);
}

/* What a small batch spends is launches: each CTA of the matmul may as well make the norm of its rows again. */
TEST(what_pays_depends_on_the_size)
{
    kc_program *few = norm(16, "S", NULL), *many = norm(8192, "S", NULL);
    kc_result *r = fused(few);
    assert_number(figure(r, KC_LAUNCHES), 1);
    assert_number(figure(fused(many), KC_LAUNCHES), 2);
    gains(r, few);
}

TEST(repeated_parts_are_fused_within)
{
    kc_program *layers = keep(kc_times(object(norm(8192, "S", NULL)), 32));
    kc_object *list[] = { object(layers), object(attention_apart(1)) };
    kc_program *p = keep(kc_program_new(context, "model", list, 2));
    kc_result *r = fused(p), *one = fused(norm(8192, "S", NULL));
    double time = 0, apart = 0;
    assert_contains(said(r, false), "S, P, O: attention\n");
    assert_contains(said(r, false), "S, Y: norm\n");
    for (size_t i = 0; i < kc_result_fusions(r); i++)
        if (strcmp(kc_result_fusion_kernel(r, i, 1), "Y") == 0)
            assert_int_equal(kc_result_fusion_number(r, i, KC_TIME, &time, &apart), KC_OK);
    for (size_t i = 0; i < kc_result_fusions(one); i++)
        if (strcmp(kc_result_fusion_kernel(one, i, 1), "Y") == 0) {
            double single, single_apart;
            assert_int_equal(kc_result_fusion_number(one, i, KC_TIME, &single, &single_apart), KC_OK);
            assert_number(time, 32 * single);
            assert_number(apart, 32 * single_apart);
        }
    assert_text(kc_result_name(r), "model, fused");
    gains(r, p);
}

TEST(a_leaf_of_the_name_sizes_and_dtype_is_what_was_written)
{
    kc_program *p = norm(8192, "stream", "stream");
    kc_result *r = fused(p);
    assert_contains(said(r, false), "stream, Y: norm\n");
    gains(r, p);
}

TEST(what_save_names_stays_written)
{
    kc_program *p = attention_apart(1);
    const char *const save[] = { "S" };
    kc_result *r = keep(kc_fuse_all(object(p), h100(), save, 1, NULL));
    double written = 0;
    for (size_t t = 0; t < kc_result_tensors(r); t++)
        if (strcmp(kc_result_tensor_name(r, t), "S") == 0)
            written = kc_result_tensor_number(r, t, KC_TENSOR_WRITTEN);
    assert_true(written > 0);
}

TEST(a_kernel_that_is_not_fused_keeps_its_schedule)
{
    kc_tensor *C = write_of("C", matmul(read_of(leaf("A", "m=4096 k=4096")), read_of(leaf("B", "k=4096 n=4096")), "k"));
    kc_kernel *own = tiled(C, "m=64 n=64 k=32", NULL, NULL);
    kc_object *list[] = { object(own) };
    kc_program *p = keep(kc_program_new(context, "own", list, 1));
    kc_result *r = fused(p);
    assert_number(figure(r, KC_TIME), figure(keep(kc_evaluate(object(p), h100(), NULL)), KC_TIME));
    assert_text(kc_result_name(r), "own");
}

/* ---- what is left apart ------------------------------------------------------------------------------- */

TEST(two_matmuls_are_joined_around_a_softmax_only)
{
    steps s = { .count = 0 };
    kc_tensor *C = step(&s, write_of("C", matmul(read_of(leaf("A", "m=64 k=64")), read_of(leaf("B", "k=64 n=64")), "k")));
    step(&s, write_of("D", matmul(read_of(C), read_of(leaf("E", "n=64 p=64")), "n")));
    assert_text(said(fused(program_of(&s)), true), "C, D: both have matmuls, which no rule joins but around a softmax\n");
}

TEST(the_same_bytes_in_another_shape_are_not_fused)
{
    steps s = { .count = 0 };
    step(&s, write_as("Q", map1("relu", read_of(leaf("X", "t=64 n=4096"))), "f16"));
    step(&s, write_as("Y", map1("relu", read_of(leaf("Q", "t=64 h=32 d=128"))), "f16"));
    assert_text(said(fused(program_of(&s)), true), "Q, Y: Y reads Q as f16 [t h d], and it is written as f16 [t n]\n");
}

TEST(a_part_of_what_was_written_is_not_fused)
{
    steps s = { .count = 0 };
    step(&s, write_as("Q", map1("relu", read_of(leaf("X", "t=64 n=4096"))), "f16"));
    step(&s, write_as("Y", map1("relu", read_of(leaf("Q: K", "t=64 n=1024"))), "f16"));
    step(&s, write_as("cache: new", map1("relu", read_of(leaf("N", "t=64 n=1024"))), "f16"));
    step(&s, write_as("Z", map1("relu", read_of(leaf("cache", "j=4096 n=1024"))), "f16"));
    assert_text(said(fused(program_of(&s)), true),
                "Q, Y: Y reads Q: K, and what is written is Q as a whole\n"
                "cache: new, Z: Z reads cache, and what is written is a part of it, cache: new\n");
}

/* What a kernel adds to under another name is still there for it. */
TEST(bytes_that_are_read_under_another_name_stay_written)
{
    steps s = { .count = 0 };
    step(&s, write_as("stream", map1("relu", read_of(leaf("X", "t=64 k=4096"))), "f16"));
    step(&s, write_as("Y", map1("relu", read_of(leaf("stream", "t=64 k=4096"))), "f16"));
    kc_value *product = matmul(read_of(leaf("A", "t=64 m=64")), read_of(leaf("B", "m=64 k=4096")), "m");
    step(&s, write_as("Z", map2("add", product, read_of(leaf("stream: before", "t=64 k=4096"))), "f16"));
    kc_result *r = fused(program_of(&s));
    assert_text(said(r, false), "stream, Y: epilogue\n");
    assert_contains(said(r, true), "stream + Y, Z: Z reads stream: before, and what is written is stream as a whole\n");
    bool moved = false;
    for (size_t t = 0; t < kc_result_tensors(r); t++)
        moved = moved || (strcmp(kc_result_tensor_name(r, t), "stream") == 0 && kc_result_tensor_number(r, t, KC_TENSOR_WRITTEN) > 0);
    assert_true(moved);
}

TEST(a_collective_a_group_and_what_runs_beside_stay_as_they_are)
{
    steps s = { .count = 0 };
    kc_tensor *Y = step(&s, write_as("Y", map1("relu", read_of(leaf("X", "t=64 k=4096"))), "f16"));
    kc_tensor *all = step(&s, keep(kc_comm("allreduce", Y, 8, NULL, NULL, NULL)));
    kc_tensor *Z = step(&s, write_as("Z", map1("relu", read_of(all)), "f16"));
    kc_tensor *U = write_as("U", map1("relu", read_of(Z)), "f16"), *V = write_as("V", map1("exp", read_of(Z)), "f16");
    kc_object *parts[] = { object(U), object(V) };
    s.list[s.count++] = object(keep(kc_group(context, "both", parts, 2)));
    kc_tensor *W = write_as("W", map1("relu", read_of(U)), "f16");
    kc_object *beside[] = { object(W), object(write_as("T", map1("relu", read_of(V)), "f16")) };
    s.list[s.count++] = object(keep(kc_beside(context, "beside", beside, 2)));
    assert_text(said(fused(program_of(&s)), true),
                "Y, Y.allreduce: Y.allreduce is the allreduce between devices\n"
                "Y.allreduce, Z: Y.allreduce is the allreduce between devices\n"
                "Z, both: both is a group of kernels in one launch\n"
                "both, beside: both is a group of kernels in one launch\n");
}

/* A is read by B, which is read by C: A and C together would stand before B and behind it. */
TEST(what_stands_between_keeps_kernels_apart)
{
    steps s = { .count = 0 };
    kc_tensor *A = step(&s, write_as("A", map1("relu", read_of(leaf("X", "t=64 k=64"))), "f16"));
    kc_tensor *B = write_as("B", map1("relu", read_of(A)), "f16");
    s.list[s.count++] = object(keep(kc_times(object(B), 2)));
    step(&s, write_as("C", map2("add", read_of(A), read_of(B)), "f16"));
    assert_text(said(fused(program_of(&s)), true),
                "A, B: B runs 2 times\nA, C: 'A + C' would need itself: B, made outside it, reads A and is needed inside; take that "
                "kernel in too, or leave one out\nB, C: B runs 2 times\n");
    steps named = { .count = 0 };
    step(&named, A);
    B = write_as("B", map1("relu", read_of(leaf("A", "t=64 k=64"))), "f16");
    named.list[named.count++] = object(keep(kc_times(object(B), 2)));
    step(&named, write_as("C", map2("add", read_of(A), reduce("sum", read_of(leaf("B", "r=4 s=16 k=64")), "r s")), "f16"));
    assert_contains(said(fused(program_of(&named)), true), "A, C: B stands between them, and reads or writes A\n");
}

/* The rows that Y takes may be those that R chose. */
TEST(nothing_moves_past_what_goes_by_data_or_joins_it_from_before)
{
    steps s = { .count = 0 };
    step(&s, write_as("R", softmax(read_of(leaf("X", "t=64 x=8")), "x", 0), "f16"));
    kc_value *rows = read_at(leaf("W", "x=8 k=64"), "[t] k", "t=64");
    step(&s, write_as("Y", map2("mul", rows, read_at(leaf("N", "t=64 k=64"), NULL, NULL)), "f16"));
    step(&s, write_as("Z", map2("add", reduce("sum", read_of(leaf("R", "t=64 x=8")), "x"), read_of(leaf("V", "t=64"))), "f16"));
    step(&s, write_as("U", read_at(leaf("M", "x=8 k=64"), "[t] k", "t=64"), "f16"));
    const char *why = said(fused(program_of(&s)), true);
    assert_text(why, "R, Z: Y stands between them, and which rows are read may depend on what is launched before\n");
}

/* Fused, the matmul would read one tensor only, of 8 bits, and be done in those. */
TEST(a_fusion_that_would_change_a_matmuls_math_is_refused)
{
    steps s = { .count = 0 };
    kc_tensor *Y = step(&s, write_as("Y", map1("relu", read_of(leaf("X", "t=16 k=4096"))), "f16"));
    kc_value *w = read_of(tensor("W", "k=4096 n=4096", "f8"));
    step(&s, write_as("C", matmul(read_of(Y), w, "k"), "f16"));
    assert_contains(said(fused(program_of(&s)), true), "Y, C: as one kernel a matmul would be done in f8e4m3");
}

TEST(every_group_that_is_left_apart_says_why_in_a_note)
{
    kc_result *r = fused(norm(8192, "S", NULL));
    size_t refused = 0, notes = 0;
    for (size_t i = 0; i < kc_result_fusions(r); i++)
        refused += kc_result_fusion_refused(r, i) != NULL;
    for (size_t i = 0; i < kc_result_notes(r); i++)
        notes += strncmp(kc_result_note(r, i), "left apart: ", 12) == 0;
    assert_true(refused > 0);
    assert_int_equal(notes, refused);
    assert_true(kc_result_is_fused(r));
    assert_false(kc_result_is_fused(keep(kc_count(object(attention_apart(1)), NULL))));
}

/* ---- what is refused as a whole -------------------------------------------------------------------------- */

TEST(a_kernel_is_no_program_and_a_device_is_needed)
{
    kc_program *p = attention_apart(1);
    kc_tensor *Y = write_of("Y", map1("relu", read_of(leaf("X", "t=16"))));
    refuses(kc_fuse_all(object(Y), h100(), NULL, 0, NULL), "fuse_all: x must be a program: kc.program makes one of kernels");
    refuses(kc_fuse_all(object(p), NULL, NULL, 0, NULL), "fuse_all: no device");
}

TEST(a_save_that_nothing_makes_and_options_of_one_tensor_are_refused)
{
    kc_program *p = attention_apart(1);
    const char *const save[] = { "SS" };
    refuses(kc_fuse_all(object(p), h100(), save, 1, NULL), "fuse_all: save: no kernel of 'program' makes 'SS'; did you mean 'S'?");
    kc_options *options = keep(kc_options_new(context));
    kc_options_set_text(options, "cache.K", "warm");
    refuses(kc_fuse_all(object(p), h100(), NULL, 0, options), "fuse_all: option 'cache' is \"cold\" or \"warm\" here");
    kc_options *measured = keep(kc_options_new(context));
    kc_options_set(measured, "measured", 1);
    refuses(kc_fuse_all(object(p), h100(), NULL, 0, measured), "fuse_all: option 'measured'");
}

/* ---- random programs ----------------------------------------------------------------------------------------- */

/* The tensors that a random kernel makes, one kernel each, in the order in which they were made. */
static kc_program *program_of_parts(const kc_kernel *kernel)
{
    kc_tensor *made[64];
    size_t count = 0;
    for (size_t t = 0; t < kernel->tensor_count + kernel->fused_count && count < 64; t++) {
        kc_tensor *tensor = t < kernel->tensor_count ? kernel->tensors[t] : kernel->fused[t - kernel->tensor_count];
        size_t at = count;
        bool known = false;
        for (size_t i = 0; i < count; i++)
            known = known || made[i] == tensor; /* saved: it is in both lists */
        for (; !known && at > 0 && made[at - 1]->sequence > tensor->sequence; at--)
            made[at] = made[at - 1];
        if (!known) {
            made[at] = tensor;
            count++;
        }
    }
    return kc_program_new(context, "random", (kc_object *const *)(void *)made, count);
}

/* Beside the unfused program at its best.  Of a tensor that is read in part, only that part is computed once it is fused:
 * no more matrix work. */
static bool check_random(uint64_t seed, kc_device *device, size_t *groups, size_t *same)
{
    kc_kernel *kernel = random_kernel(context, seed);
    kc_program *p = kernel ? program_of_parts(kernel) : NULL;
    kc_result *apart = p ? kc_best(object(p), device, NULL) : NULL;
    kc_result *r = apart ? kc_fuse_all(object(p), device, NULL, 0, NULL) : NULL;
    kc_object *made = kc_result_best(r);
    kc_result *again = made ? kc_fuse_all(made, device, NULL, 0, NULL) : NULL;
    bool good = !apart || (r && again);
    size_t refused = 0;
    for (size_t i = 0; i < kc_result_fusions(r); i++)
        refused += kc_result_fusion_refused(r, i) != NULL;
    for (size_t i = 0; i < kc_result_fusions(again); i++)
        good = good && kc_result_fusion_refused(again, i);
    if (apart && r && again) {
        good = good && figure(r, KC_TIME) <= figure(apart, KC_TIME) * (1 + 1e-12);
        good = good && figure(r, KC_BYTES) <= figure(apart, KC_BYTES) * (1 + 1e-12);
        good = good && figure(r, KC_MATRIX_FLOPS) <= figure(apart, KC_MATRIX_FLOPS);
        good = good && figure(again, KC_TIME) == figure(r, KC_TIME) && kc_result_fusions(again) == refused;
        *groups += kc_result_fusions(r) - refused;
        *same += figure(r, KC_MATRIX_FLOPS) == figure(apart, KC_MATRIX_FLOPS);
    }
    if (!good) {
        print_error("seed %llu: %s\n", (unsigned long long)seed, kc_context_message(context));
        print_error("%s\n", p ? kc_object_text(object(p)) : "");
        if (r && apart)
            print_error("apart %g s, %g B, %g FLOP; fused %g s, %g B, %g FLOP\n%s%s", figure(apart, KC_TIME), figure(apart, KC_BYTES),
                        figure(apart, KC_MATRIX_FLOPS), figure(r, KC_TIME), figure(r, KC_BYTES), figure(r, KC_MATRIX_FLOPS),
                        said(r, false), said(r, true));
    }
    void *const all[] = { kernel, p, apart, r, made, again };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        kc_release(all[i]);
    return good;
}

TEST(random_programs_move_no_more_take_no_longer_and_fuse_once)
{
    double most = environment_number("KCOST_RANDOM", 20000) / 20;
    uint64_t seed = (uint64_t)environment_number("KCOST_SEED", 1);
    kc_device *device = h100();
    size_t groups = 0, failed = 0, same = 0;
    for (double i = 0; i < most; i++)
        failed += !check_random(seed++, device, &groups, &same);
    assert_int_equal(failed, 0);
    assert_true(most < 100 || (groups > 0 && (double)same > 0.5 * most));
    print_message("%zu groups; %zu programs\n", groups, same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(scores_softmax_and_values_become_one_attention),
        fact(the_softmax_of_an_attention_becomes_online),
        fact(a_residual_joins_the_norm_behind_it_and_stays_written_for_who_reads_it),
        fact(a_gate_and_what_it_multiplies_are_computed_in_one_kernel),
        fact(what_pays_depends_on_the_size),
        fact(repeated_parts_are_fused_within),
        fact(a_leaf_of_the_name_sizes_and_dtype_is_what_was_written),
        fact(what_save_names_stays_written),
        fact(a_kernel_that_is_not_fused_keeps_its_schedule),
        fact(two_matmuls_are_joined_around_a_softmax_only),
        fact(the_same_bytes_in_another_shape_are_not_fused),
        fact(a_part_of_what_was_written_is_not_fused),
        fact(bytes_that_are_read_under_another_name_stay_written),
        fact(a_collective_a_group_and_what_runs_beside_stay_as_they_are),
        fact(what_stands_between_keeps_kernels_apart),
        fact(nothing_moves_past_what_goes_by_data_or_joins_it_from_before),
        fact(a_fusion_that_would_change_a_matmuls_math_is_refused),
        fact(every_group_that_is_left_apart_says_why_in_a_note),
        fact(a_kernel_is_no_program_and_a_device_is_needed),
        fact(a_save_that_nothing_makes_and_options_of_one_tensor_are_refused),
        fact(random_programs_move_no_more_take_no_longer_and_fuse_once),
    };
    return run(tests);
}
