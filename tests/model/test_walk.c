/* test_walk.c: the walk itself against figures derived by hand; each comment is the derivation. */
#include "../unit.h"

#include "build.h"
#include "walk.h"

/* ---- a bench to build kernels on, without schedules or formulas ------------ */

typedef struct bench {
    kc_context *context;
    kc_tensor *written[8], *fused[8];
    size_t written_count, fused_count;
    void *held[128];
    size_t held_count;
    kci_graph graph;
    kci_tiling tiling;
    kci_walk_result walk;
} bench;

static void *keep(bench *b, void *handle)
{
    if (!handle)
        fail_msg("%s", kc_context_message(b->context));
    b->held[b->held_count++] = handle;
    return handle;
}

/* Allocations left before one fails; below 0: none fails.  How many bytes are out. */
static int left = -1;
static size_t allocated;

static void *counted(void *data, void *block, size_t old_size, size_t new_size)
{
    (void)data;
    if (new_size == 0) {
        allocated -= old_size;
        free(block);
        return NULL;
    }
    if (left == 0)
        return NULL;
    left -= left > 0;
    void *resized = realloc(block, new_size);
    if (resized)
        allocated += new_size - old_size;
    return resized;
}

static bench *setup(void)
{
    bench *b = calloc(1, sizeof *b);
    b->context = kc_context_new(counted, NULL);
    return b;
}

static void teardown(bench *b)
{
    kci_walk_free(&b->walk);
    kci_free(b->context, b->tiling.held, b->graph.tensor_count);
    kci_graph_free(&b->graph);
    for (size_t i = b->held_count; i-- > 0;)
        kc_release(b->held[i]);
    kc_context_free(b->context);
    free(b);
}

static kc_tensor *tensor(bench *b, const char *name, const char *dims, const char *dtype, const kc_size *sizes)
{
    size_t count = 0;
    while (sizes[count].dim)
        count++;
    kc_dtype *type = keep(b, kc_dtype_named(b->context, dtype));
    return keep(b, kc_tensor_new(b->context, name, dims, type, sizes, count));
}

static kc_value *read(bench *b, kc_tensor *t, const char *index) { return keep(b, kc_read(t, index, NULL, 0, 1, 0)); }

static kc_value *read_sized(bench *b, kc_tensor *t, const char *index, const kc_size *sizes)
{
    size_t count = 0;
    while (sizes[count].dim)
        count++;
    return keep(b, kc_read(t, index, sizes, count, 1, 0));
}

static kc_value *matmul(bench *b, kc_value *x, kc_value *y, const char *over)
{
    return keep(b, kc_matmul(x, y, over, NULL, NULL, NULL));
}

static kc_value *map(bench *b, const char *what, kc_value *x, kc_value *y)
{
    kc_value *inputs[2] = { x, y };
    return keep(b, kc_map(what, inputs, y ? 2 : 1, NULL));
}

static kc_value *reduce(bench *b, kc_value *x, const char *over)
{
    return keep(b, kc_reduce("sum", x, over, NULL, 0, NULL));
}

static kc_tensor *write(bench *b, const char *name, kc_value *value, const char *dtype)
{
    kc_dtype *type = keep(b, kc_dtype_named(b->context, dtype));
    kc_tensor *t = keep(b, kc_write(name, value, type, NULL, NULL, NULL, 0, 1));
    b->written[b->written_count++] = t;
    return t;
}

/* A tensor that is fused away: its reader gets the value. */
static kc_value *through(bench *b, const char *name, kc_value *value, const char *dtype, const char *index,
                         const kc_size *sizes)
{
    kc_tensor *t = write(b, name, value, dtype);
    b->written_count--;
    b->fused[b->fused_count++] = t;
    return sizes ? read_sized(b, t, index, sizes) : read(b, t, index);
}

static int loop_named(const bench *b, const char *name, size_t length)
{
    for (size_t l = 0; l < b->graph.loop_count; l++) {
        const char *known = kci_name(b->context, b->graph.loops[l].name);
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return (int)l;
    }
    fail_msg("no loop %.*s", (int)length, name);
    return -1;
}

static void build(bench *b)
{
    if (kci_build(b->context, &b->graph, "test", b->written, b->written_count, b->fused, b->fused_count) != KC_OK)
        fail_msg("%s", kc_context_message(b->context));
    for (size_t l = 0; l < KCI_MAX_LOOPS; l++) {
        b->tiling.tile[l] = 9007199254740992.0;
        b->tiling.split[l] = b->tiling.cluster[l] = 1;
    }
    b->tiling.held = kci_alloc(b->context, b->graph.tensor_count);
}

static void tile(bench *b, const char *dim, double size) { b->tiling.tile[loop_named(b, dim, strlen(dim))] = size; }

/* Loops across CTAs, then loops in order; others come inside. */
static void nest(bench *b, const char *grid, const char *order)
{
    kci_set named = 0;
    for (const char *at = grid; *at; at += *at == ' ') {
        size_t length = strcspn(at, " ");
        int l = loop_named(b, at, length);
        named |= KCI_BIT(l);
        b->tiling.grid |= KCI_BIT(l);
        b->tiling.grid_order[b->tiling.grid_count++] = (int16_t)l;
        at += length;
    }
    for (const char *at = order; *at; at += *at == ' ') {
        size_t length = strcspn(at, " ");
        int l = loop_named(b, at, length);
        named |= KCI_BIT(l);
        b->tiling.order[b->tiling.order_count++] = (int16_t)l;
        at += length;
    }
    for (size_t l = 0; l < b->graph.loop_count; l++)
        if (!(named & KCI_BIT(l)))
            b->tiling.order[b->tiling.order_count++] = (int16_t)l;
}

static void walk(bench *b)
{
    if (kci_walk(&b->graph, &b->tiling, NULL, NULL, 1e7, &b->walk) != KC_OK)
        fail_msg("%s", kc_context_message(b->context));
}

static const kci_row *row(const bench *b, const char *name)
{
    for (size_t t = 0; t < b->graph.tensor_count; t++)
        if (strcmp(b->graph.tensors[t].name, name) == 0)
            return &b->walk.rows[t];
    fail_msg("no tensor %s", name);
    return NULL;
}

static double sum_of(const double *figures, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += figures[i];
    return sum;
}

static double executed_matrix(const bench *b) { return sum_of(b->walk.executed_matrix, KCI_FORMATS); }
static double useful_matrix(const bench *b) { return sum_of(b->walk.useful_matrix, KCI_FORMATS); }
static double executed_vector(const bench *b) { return sum_of(b->walk.executed_vector, 2); }
static double useful_vector(const bench *b) { return sum_of(b->walk.useful_vector, 2); }

/* ---- matmuls ----------------------------------------------------------------- */

static bench *gemm(double m, double n, double k, const char *grid, const char *order)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 100 }, { "n", 70 }, { "k", 60 }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
    write(b, "C", matmul(b, A, B, NULL), "f16");
    build(b);
    tile(b, "m", m);
    tile(b, "n", n);
    tile(b, "k", k);
    nest(b, grid, order);
    walk(b);
    return b;
}

/* Example 1 of the design: 4 x 5 CTAs, 4 trips over k.  A is read by each of the 5
 * column tiles, 5*100*60*2 B; B by each of the 4 row tiles, 4*70*60*2 B. */
TEST(a_grid_of_tiles_reads_each_operand_once_per_tile_of_the_other_dim)
{
    bench *b = gemm(32, 16, 16, "m n", "k");
    assert_number(b->walk.ctas, 20);
    assert_number(row(b, "A")->read, 60000);
    assert_number(row(b, "A")->loads, 80);
    assert_number(row(b, "A")->compulsory, 12000);
    assert_number(row(b, "A")->reload, 48000);
    assert_number(row(b, "B")->read, 33600);
    assert_number(row(b, "C")->written, 14000);
    assert_number(executed_matrix(b), 2 * 655360.0);
    assert_number(useful_matrix(b), 2 * 420000.0);
    assert_number(b->walk.passes, 1);
    teardown(b);
}

/* Example 2: A at k m once; B inside n by m; C is left after each of 4 trips over k
 * but the last: 3*7000 elements of 4 bytes out and in. */
TEST(an_accumulator_that_is_left_unfinished_goes_out_and_comes_back)
{
    bench *b = gemm(32, 16, 16, "", "k m n");
    assert_number(row(b, "A")->read, 12000);
    assert_number(row(b, "B")->read, 33600);
    assert_number(row(b, "C")->written, 84000 + 14000);
    assert_number(row(b, "C")->read, 84000);
    assert_number(row(b, "C")->spill, 168000);
    teardown(b);
}

/* k inside m but outside n: the tile of C changes with n at each trip over k. */
TEST(one_enclosed_index_loop_is_enough_to_spill)
{
    bench *b = gemm(32, 16, 16, "", "m k n");
    assert_number(row(b, "C")->spill, 168000);
    assert_number(row(b, "A")->read, 12000);
    assert_number(row(b, "B")->read, 33600);
    teardown(b);
}

TEST(an_accumulator_inside_its_index_loops_stays)
{
    bench *b = gemm(32, 16, 16, "", "m n k");
    assert_number(row(b, "C")->spill, 0);
    assert_number(row(b, "A")->read, 60000);
    teardown(b);
}

/* 2 shares of the 4 trips over k: 40 CTAs, the same loads; two parts of 7000
 * elements of 4 bytes are written, and read by the kernel that adds them. */
TEST(a_split_writes_and_reads_one_part_per_share)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 100 }, { "n", 70 }, { "k", 60 }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
    kc_value *bias = read(b, tensor(b, "D", "n", "f16", sizes), NULL);
    write(b, "C", map(b, "add", matmul(b, A, B, NULL), bias), "f16");
    build(b);
    tile(b, "m", 32);
    tile(b, "n", 16);
    tile(b, "k", 16);
    nest(b, "m n", "k");
    b->tiling.split[loop_named(b, "k", 1)] = 2;
    walk(b);
    assert_number(b->walk.ctas, 40);
    assert_number(b->walk.launches, 2);
    assert_number(row(b, "A")->read, 60000);
    assert_number(row(b, "C")->split, 4 * 7000 * 4.0);
    assert_number(row(b, "C")->written, 2 * 28000 + 14000);
    assert_number(row(b, "D")->read, 140);      /* once, by the kernel that combines */
    assert_number(row(b, "D")->loads, 1);
    assert_number(executed_vector(b), 7000);
    teardown(b);
}

/* Atomic: a zero fill, and one read-modify-write for each of 4 CTAs along k. */
TEST(atomic_combining_fills_and_then_adds_in_place)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 100 }, { "n", 70 }, { "k", 60 }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
    write(b, "C", matmul(b, A, B, NULL), "f32");
    build(b);
    tile(b, "m", 32);
    tile(b, "n", 16);
    tile(b, "k", 16);
    nest(b, "m n k", "");
    b->tiling.atomic = true;
    walk(b);
    assert_number(row(b, "C")->written, 5 * 28000);
    assert_number(row(b, "C")->read, 4 * 28000);
    assert_number(row(b, "C")->compulsory, 28000);
    assert_number(row(b, "C")->split, 8 * 28000);
    assert_number(b->walk.launches, 1);
    teardown(b);
}

/* The primer: a 16 x 16 tile with k = 64 loads 2*16*64 elements for 16*16*64 points:
 * 8 FLOP a byte; 64 x 64 loads 4 times as many for 16 times the points: 32. */
TEST(the_primers_tiles_give_8_and_32_flop_a_byte)
{
    for (double t = 16; t <= 64; t *= 4) {
        bench *b = setup();
        const kc_size sizes[] = { { "m", 128 }, { "n", 128 }, { "k", 128 }, { NULL, 0 } };
        kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
        kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
        write(b, "C", matmul(b, A, B, NULL), "f16");
        build(b);
        tile(b, "m", t);
        tile(b, "n", t);
        tile(b, "k", 64);
        nest(b, "m n", "k");
        walk(b);
        assert_number(executed_matrix(b) / (row(b, "A")->read + row(b, "B")->read), t / 2);
        teardown(b);
    }
}

/* Order k m n: bias has only n.  It is needed when k has ended, so it is walked
 * again behind k: m does not index it, so it sits at m n, 3*2 loads of n's tiles. */
TEST(an_epilogue_behind_a_reduction_costs_no_pass)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 6 }, { "n", 4 }, { "k", 8 }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
    kc_value *bias = read(b, tensor(b, "D", "n", "f16", sizes), NULL);
    write(b, "C", map(b, "add", matmul(b, A, B, NULL), bias), "f16");
    build(b);
    tile(b, "m", 2);
    tile(b, "n", 2);
    tile(b, "k", 2);
    nest(b, "", "k m n");
    walk(b);
    assert_number(b->walk.passes, 1);
    assert_number(row(b, "D")->loads, 6);
    assert_number(row(b, "D")->read, 6 * 2 * 2);
    assert_number(executed_vector(b), 24);      /* once per element of C */
    assert_number(row(b, "C")->spill, 2 * 3 * 24 * 4.0);
    teardown(b);
}

/* ---- softmax ------------------------------------------------------------------ */

static bench *softmax_rows(int online, double tile_j)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 3 }, { "j", 32 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i j", "f32", sizes), NULL);
    write(b, "Y", keep(b, kc_softmax(X, "j", online)), "f32");
    build(b);
    tile(b, "i", 1);
    tile(b, "j", tile_j);
    nest(b, "i", "j");
    walk(b);
    return b;
}

/* Example 4, with rows of 32: max; exp and sum; exp again and divide. */
TEST(a_safe_softmax_reads_its_rows_three_times)
{
    bench *b = softmax_rows(0, 4);
    assert_number(b->walk.passes, 3);
    assert_number(row(b, "X")->read, 3 * 3 * 32 * 4);
    assert_number(row(b, "X")->pass, 2 * 3 * 32 * 4);
    assert_number(row(b, "X")->reload, 0);
    assert_number(row(b, "Y")->written, 3 * 32 * 4);
    /* useful: 4 vector FLOP and 1 special an element, 1 special a row */
    assert_number(useful_vector(b), 4 * 96);
    assert_number(b->walk.useful_special, 96 + 3);
    /* executed: the exponential twice */
    assert_number(executed_vector(b), 5 * 96);
    assert_number(b->walk.executed_special, 2 * 96 + 3);
    teardown(b);
}

TEST(an_online_softmax_reads_its_rows_twice)
{
    bench *b = softmax_rows(1, 4);
    assert_number(b->walk.passes, 2);
    assert_number(row(b, "X")->read, 2 * 3 * 32 * 4);
    teardown(b);
}

TEST(a_softmax_whose_row_fits_reads_it_once)
{
    for (int online = 0; online < 2; online++) {
        bench *b = softmax_rows(online, 32);
        assert_number(b->walk.passes, 1);
        assert_number(row(b, "X")->read, 3 * 32 * 4);
        assert_number(executed_vector(b), useful_vector(b));
        teardown(b);
    }
}

/* Attention with h = 2 heads, 8 x 8 scores, d = e = 4; tiles of 2 rows, 4 columns. */
static bench *attention(const char *grid, const char *order, int causal)
{
    bench *b = setup();
    const kc_size sizes[] = { { "h", 2 }, { "i", 8 }, { "j", 8 }, { "d", 4 }, { "e", 4 }, { NULL, 0 } };
    kc_value *Q = read(b, tensor(b, "Q", "h i d", "f16", sizes), NULL);
    kc_value *K = read(b, tensor(b, "K", "h j d", "f16", sizes), NULL);
    kc_value *V = read(b, tensor(b, "V", "h j e", "f16", sizes), NULL);
    kc_value *S = through(b, "S", matmul(b, Q, K, NULL), "f16", NULL, NULL);
    if (causal)
        S = keep(b, kc_causal(S, "i", "j"));
    kc_value *P = through(b, "P", keep(b, kc_softmax(S, "j", 1)), "f16", NULL, NULL);
    write(b, "O", matmul(b, P, V, NULL), "f16");
    build(b);
    tile(b, "h", 1);
    tile(b, "i", 2);
    tile(b, "j", 4);
    nest(b, grid, order);
    walk(b);
    return b;
}

/* Example 3: per head Q and O once, K and V once for each of the 4 row tiles. */
TEST(flash_attention_2_reads_keys_once_per_row_tile)
{
    bench *b = attention("h i", "j", 0);
    assert_number(b->walk.passes, 1);
    assert_number(row(b, "Q")->read, 2 * 32 * 2);
    assert_number(row(b, "K")->read, 2 * 4 * 32 * 2);
    assert_number(row(b, "V")->read, 2 * 4 * 32 * 2);
    assert_number(row(b, "O")->written, 2 * 32 * 2);
    assert_number(row(b, "P.max")->written, 0);
    assert_number(executed_matrix(b), 2 * 2 * 2 * 64 * 4.0);
    /* 128 scores: max, subtract, sum (3 FLOP), exp; 64 outputs divided; 16 rows inverted;
     * executed only: each of the 2 trips over j rescales 64 outputs and makes 16 factors */
    assert_number(useful_vector(b), 3 * 128 + 64);
    assert_number(executed_vector(b), 3 * 128 + 64 + 2 * 64);
    assert_number(b->walk.useful_special, 128 + 16);
    assert_number(b->walk.executed_special, 128 + 16 + 2 * 16);
    teardown(b);
}

/* Order j i: K and V once, Q once per trip over j; O (64 elements) and the 16 rows of
 * each statistic are left once and come back once, in 4 bytes. */
TEST(flash_attention_1_spills_outputs_and_statistics)
{
    bench *b = attention("h", "j i", 0);
    assert_number(row(b, "Q")->read, 2 * 2 * 32 * 2);
    assert_number(row(b, "K")->read, 2 * 32 * 2);
    assert_number(row(b, "V")->read, 2 * 32 * 2);
    assert_number(row(b, "O")->spill, 2 * 64 * 4);
    assert_number(row(b, "O")->written, 64 * 4 + 64 * 2);
    assert_number(row(b, "P.max")->spill, 2 * 16 * 4);
    assert_number(row(b, "P.sum")->read, 16 * 4);
    teardown(b);
}

/* Causal: of 4 x 2 tile pairs of 2 x 4, rows 0-1 and 2-3 need only columns 0-3:
 * 6 of 8 are live; 36 of 64 points are. */
TEST(a_causal_mask_skips_dead_tiles)
{
    bench *b = attention("h i", "j", 1);
    assert_number(row(b, "K")->loads, 2 * 6);
    assert_number(row(b, "K")->read, 2 * 6 * 16 * 2);
    assert_number(row(b, "Q")->loads, 2 * 4);
    assert_number(useful_matrix(b), 2 * 2 * (36 * 4 + 36 * 4.0));
    assert_number(executed_matrix(b), 2 * 2 * (6 * 8 * 4 + 6 * 8 * 4.0));
    teardown(b);
}

/* Order j i: rows 0-3 are live for the first tile of j only, rows 4-7 for both:
 * half of O is left once. */
TEST(a_masked_accumulator_spills_in_its_live_trips_only)
{
    bench *b = attention("h", "j i", 1);
    assert_number(row(b, "Q")->loads, 2 * 6);
    assert_number(row(b, "O")->spill, 2 * 2 * 16 * 4);
    assert_number(row(b, "P.sum")->spill, 2 * 2 * 4 * 4);
    teardown(b);
}

/* ---- passes ------------------------------------------------------------------- */

/* y = x / sum(x), rows of 12 in tiles of 4: two passes over x in HBM. */
TEST(a_norm_reads_its_rows_in_two_passes)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 2 }, { "k", 12 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i k", "f16", sizes), NULL);
    kc_value *W = read(b, tensor(b, "W", "k", "f16", sizes), NULL);
    write(b, "Y", map(b, "mul", map(b, "mul", X, reduce(b, X, "k")), W), "f16");
    build(b);
    tile(b, "i", 1);
    tile(b, "k", 4);
    nest(b, "i", "k");
    walk(b);
    assert_number(b->walk.passes, 2);
    assert_number(row(b, "X")->read, 2 * 24 * 2);
    assert_number(row(b, "X")->pass, 24 * 2);
    assert_number(row(b, "W")->loads, 2 * 3);   /* in the second pass only */
    assert_number(row(b, "W")->reload, 12 * 2);
    teardown(b);
}

/* The same with rows in the loop i outside: passes share i. */
TEST(passes_share_the_loops_outside_the_reduced_one)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 4 }, { "k", 12 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i k", "f16", sizes), NULL);
    kc_value *R = read(b, tensor(b, "R", "i", "f16", sizes), NULL);
    kc_value *scaled = map(b, "mul", X, R);
    write(b, "Y", map(b, "mul", scaled, reduce(b, scaled, "k")), "f16");
    build(b);
    tile(b, "i", 2);
    tile(b, "k", 4);
    nest(b, "", "i k");
    walk(b);
    assert_number(b->walk.passes, 2);
    assert_number(row(b, "R")->loads, 2);       /* at i, for both passes */
    assert_number(row(b, "X")->loads, 2 * 6);
    assert_number(executed_vector(b), 4 * 48);  /* scale twice, sum, multiply */
    teardown(b);
}

/* S reduces d, which is one tile: pass 2 computes it again; where d has trips it is held. */
TEST(a_score_is_computed_again_unless_it_reduces_over_a_loop)
{
    for (int looped = 0; looped < 2; looped++) {
        bench *b = setup();
        const kc_size sizes[] = { { "i", 4 }, { "j", 4 }, { "d", 2 }, { NULL, 0 } };
        kc_value *Q = read(b, tensor(b, "Q", "i d", "f16", sizes), NULL);
        kc_value *K = read(b, tensor(b, "K", "j d", "f16", sizes), NULL);
        kc_value *S = matmul(b, Q, K, NULL);
        write(b, "Y", map(b, "mul", S, reduce(b, S, "j")), "f16");
        build(b);
        tile(b, "i", 4);
        tile(b, "j", 2);
        tile(b, "d", looped ? 1 : 2);
        nest(b, "", "i j d");
        walk(b);
        assert_number(b->walk.passes, 2);
        assert_number(executed_matrix(b), looped ? 64 : 128);
        assert_number(row(b, "K")->loads, 4);
        teardown(b);
    }
}

/* ---- affine indices ------------------------------------------------------------ */

/* x at p-1, p and p+1, 8 points in tiles of 3: boxes [-1,3] [2,6] [5,8] clipped to
 * 0..7: 4 + 5 + 3 elements, one load each. */
TEST(a_stencil_is_one_box)
{
    bench *b = setup();
    const kc_size sizes[] = { { "p", 8 }, { NULL, 0 } };
    kc_tensor *X = tensor(b, "X", "p", "f32", sizes);
    kc_value *around = map(b, "add", read(b, X, "p-1"), read(b, X, "p+1"));
    write(b, "Y", map(b, "add", around, read(b, X, NULL)), "f32");
    build(b);
    tile(b, "p", 3);
    nest(b, "p", "");
    walk(b);
    assert_number(row(b, "X")->loads, 3);
    assert_number(row(b, "X")->read, 12 * 4);
    assert_number(row(b, "X")->compulsory, 8 * 4);
    /* the first add lives at p = 1 .. 6 only, so does the second */
    assert_number(useful_vector(b), 12);
    assert_number(executed_vector(b), 2 * 9);
    teardown(b);
}

/* A convolution of stride 2, 3 taps, padding 1, on 7 points: outputs 0..3; tiles of 2:
 * boxes [-1,3] and [3,7] clipped to 0..6: 4 + 4 elements.  2 of 12 taps are padding. */
TEST(a_convolution_loads_halos_and_no_padding)
{
    bench *b = setup();
    const kc_size sizes[] = { { "x", 7 }, { "r", 3 }, { NULL, 0 } }, out[] = { { "p", 4 }, { "r", 3 }, { NULL, 0 } };
    kc_value *X = read_sized(b, tensor(b, "X", "x", "f16", sizes), "2*p+r-1", out);
    kc_value *W = read(b, tensor(b, "W", "r", "f16", sizes), NULL);
    write(b, "Y", matmul(b, X, W, "r"), "f16");
    build(b);
    tile(b, "p", 2);
    nest(b, "p", "");
    walk(b);
    assert_number(row(b, "X")->read, 8 * 2);
    assert_number(row(b, "X")->compulsory, 7 * 2);
    assert_number(row(b, "W")->read, 2 * 3 * 2);
    assert_number(useful_matrix(b), 2 * 10);
    assert_number(executed_matrix(b), 2 * 12);
    teardown(b);
}

/* Two of them, 3 taps, no stride: 4 outputs in tiles of 2; the first one computes a
 * box of 4 for each of the 2 tiles, and 6 distinct values are useful. */
TEST(a_fused_convolution_computes_its_halo_again)
{
    bench *b = setup();
    const kc_size sizes[] = { { "x", 8 }, { "s", 3 }, { "r", 3 }, { NULL, 0 } };
    const kc_size first[] = { { "y", 6 }, { "s", 3 }, { NULL, 0 } }, second[] = { { "p", 4 }, { "r", 3 }, { NULL, 0 } };
    kc_value *X = read_sized(b, tensor(b, "X", "x", "f16", sizes), "y+s", first);
    kc_value *W1 = read(b, tensor(b, "U", "s", "f16", sizes), NULL);
    kc_value *Y = through(b, "Y", matmul(b, X, W1, "s"), "f16", "p+r", second);
    kc_value *W2 = read(b, tensor(b, "W", "r", "f16", sizes), NULL);
    write(b, "Z", matmul(b, Y, W2, "r"), "f16");
    build(b);
    tile(b, "p", 2);
    nest(b, "p", "");
    walk(b);
    assert_number(row(b, "X")->read, 2 * 6 * 2);
    assert_number(row(b, "X")->compulsory, 8 * 2);
    assert_number(useful_matrix(b), 2 * (6 * 3 + 4 * 3));
    assert_number(executed_matrix(b), 2 * (2 * 4 * 3 + 4 * 3));
    teardown(b);
}

/* 10 rows chosen by data from a table of 4, in tiles of 3: 3 + 3 + 3 + 1 rows are
 * fetched; at least, all 4 rows. */
TEST(a_gather_fetches_a_row_a_point_and_needs_no_more_than_the_table)
{
    bench *b = setup();
    const kc_size sizes[] = { { "v", 4 }, { "k", 5 }, { NULL, 0 } }, points[] = { { "m", 10 }, { NULL, 0 } };
    kc_value *T = read_sized(b, tensor(b, "T", "v k", "f16", sizes), "[m] k", points);
    write(b, "Y", map(b, "relu", T, NULL), "f16");
    build(b);
    tile(b, "m", 3);
    nest(b, "m", "");
    walk(b);
    assert_number(row(b, "T")->read, 10 * 5 * 2);
    assert_number(row(b, "T")->compulsory, 4 * 5 * 2);
    teardown(b);
}

/* ---- holding, refusing ---------------------------------------------------------- */

TEST(a_held_output_does_not_spill_and_a_held_read_is_loaded_once)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 6 }, { "n", 4 }, { "k", 8 }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
    write(b, "C", matmul(b, A, B, NULL), "f16");
    build(b);
    tile(b, "m", 2);
    tile(b, "n", 2);
    tile(b, "k", 2);
    nest(b, "", "k m n");
    b->tiling.held[1] = b->tiling.held[2] = true;
    walk(b);
    assert_number(row(b, "C")->spill, 0);
    assert_number(row(b, "B")->loads, 1);
    assert_number(row(b, "B")->read, 32 * 2);
    assert_number(row(b, "A")->read, 48 * 2);
    teardown(b);
}

TEST(a_value_that_is_needed_before_the_grid_combined_it_is_refused)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 2 }, { "k", 12 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i k", "f16", sizes), NULL);
    write(b, "Y", map(b, "mul", X, reduce(b, X, "k")), "f16");
    build(b);
    tile(b, "k", 4);
    nest(b, "k", "");
    assert_int_equal(kci_walk(&b->graph, &b->tiling, NULL, NULL, 1e7, &b->walk), KC_EARGUMENT);
    assert_contains(kc_context_message(b->context), "before it is combined");
    teardown(b);
}

/* scale = f(sum over k) has only m; order k m.  It comes after the end of k, so both
 * passes are served by one computation, 3 tiles of 2; so is the read that it alone uses. */
TEST(what_comes_after_a_loop_is_done_once_for_the_passes_that_follow)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 6 }, { "k", 8 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "m k", "f16", sizes), NULL);
    kc_value *R = read(b, tensor(b, "R", "m", "f16", sizes), NULL);
    kc_value *factor = map(b, "mul", reduce(b, X, "k"), R);
    write(b, "F", factor, "f16");
    write(b, "Y", map(b, "mul", X, factor), "f16");
    build(b);
    tile(b, "m", 2);
    tile(b, "k", 4);
    nest(b, "", "k m");
    walk(b);
    assert_number(b->walk.passes, 2);
    assert_number(row(b, "R")->loads, 3);
    assert_number(row(b, "R")->read, 12);
    assert_number(executed_vector(b), 48 + 6 + 48);
    teardown(b);
}

/* Two bands on one pair, 0 <= j - i <= 1 and 1 <= j - i <= 3: only j = i + 1 is in both. */
TEST(masks_on_one_pair_hold_together)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 6 }, { "j", 6 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i j", "f16", sizes), NULL);
    X = keep(b, kc_mask(X, "i", "j", 0, 1));
    X = keep(b, kc_mask(X, "i", "j", 1, 3));
    write(b, "Y", map(b, "relu", X, NULL), "f16");
    build(b);
    tile(b, "i", 1);
    tile(b, "j", 1);
    nest(b, "i j", "");
    walk(b);
    assert_number(row(b, "X")->loads, 5);       /* j = i + 1 */
    assert_number(useful_vector(b), 5);
    teardown(b);
}

/* 3 trips over k for 2 CTAs: two for one, one for the other.  R, which lacks k, is
 * loaded by both; each writes a part of the 4 sums, and the parts are read. */
TEST(shares_of_a_split_are_walked_by_their_own_ctas)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 4 }, { "k", 6 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "m k", "f16", sizes), NULL);
    kc_value *R = read(b, tensor(b, "R", "m", "f16", sizes), NULL);
    write(b, "Y", reduce(b, map(b, "mul", X, R), "k"), "f16");
    build(b);
    tile(b, "m", 2);
    tile(b, "k", 2);
    nest(b, "", "m k");
    b->tiling.split[loop_named(b, "k", 1)] = 2;
    walk(b);
    assert_number(b->walk.ctas, 2);
    assert_number(row(b, "X")->loads, 6);
    assert_number(row(b, "R")->loads, 4);       /* by each CTA */
    assert_number(row(b, "Y")->split, 4 * 4 * 4);
    teardown(b);
}

TEST(a_walk_that_runs_out_of_memory_says_so_and_gives_everything_back)
{
    bench *b = attention("h", "j i", 1);
    kci_walk_free(&b->walk);
    size_t before = allocated;
    kc_status status = KC_ENOMEM;
    for (int n = 0; status != KC_OK && n < 1000; n++) {
        left = n;
        status = kci_walk(&b->graph, &b->tiling, NULL, NULL, 1e7, &b->walk);
        left = -1;
        if (status == KC_OK)
            break;
        assert_int_equal(status, KC_ENOMEM);
        assert_null(b->walk.rows);
        assert_true(allocated == before);
    }
    assert_int_equal(status, KC_OK);
    teardown(b);
}

/* ---- the public call -------------------------------------------------------------- */

static kc_kernel *tiled_gemm(bench *b, double n)
{
    const kc_size sizes[] = { { "m", n }, { "n", n }, { "k", n }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
    kc_tensor *C = write(b, "C", matmul(b, A, B, NULL), "f16");
    kc_schedule *s = keep(b, kc_schedule_new(b->context));
    assert_int_equal(kc_schedule_tile(s, "m", 32), KC_OK);
    assert_int_equal(kc_schedule_tile(s, "n", 16), KC_OK);
    assert_int_equal(kc_schedule_tile(s, "k", 16), KC_OK);
    return keep(b, kc_tile((kc_object *)C, s));
}

TEST(verify_walks_a_kernel_and_agrees_with_its_count)
{
    bench *b = setup();
    double steps = 0;
    assert_int_equal(kc_verify((kc_object *)tiled_gemm(b, 100), &steps), KC_OK);
    assert_true(steps > 4 * 7 * 7);
    teardown(b);
}

TEST(verify_takes_an_untiled_kernel)
{
    bench *b = setup();
    double steps = 0;
    tiled_gemm(b, 60);
    assert_int_equal(kc_verify((kc_object *)b->written[0], &steps), KC_OK);
    teardown(b);
}

TEST(verify_refuses_more_steps_than_it_may_take)
{
    bench *b = setup();
    assert_int_equal(kc_verify((kc_object *)tiled_gemm(b, 1e6), NULL), KC_ELIMIT);
    assert_contains(kc_context_message(b->context), "steps");
    teardown(b);
}

TEST(verify_refuses_what_is_no_kernel)
{
    bench *b = setup();
    assert_int_equal(kc_verify(NULL, NULL), KC_EARGUMENT);
    kc_dtype *type = keep(b, kc_dtype_named(b->context, "f16"));
    assert_int_equal(kc_verify((kc_object *)type, NULL), KC_EARGUMENT);
    teardown(b);
}

TEST(a_walk_above_its_steps_is_refused_before_it_starts)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 1e12 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i", "f16", sizes), NULL);
    write(b, "Y", map(b, "relu", X, NULL), "f16");
    build(b);
    tile(b, "i", 1);
    nest(b, "i", "");
    assert_int_equal(kci_walk(&b->graph, &b->tiling, NULL, NULL, 1e8, &b->walk), KC_ELIMIT);
    teardown(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_of_tiles_reads_each_operand_once_per_tile_of_the_other_dim),
        cmocka_unit_test(an_accumulator_that_is_left_unfinished_goes_out_and_comes_back),
        cmocka_unit_test(one_enclosed_index_loop_is_enough_to_spill),
        cmocka_unit_test(an_accumulator_inside_its_index_loops_stays),
        cmocka_unit_test(a_split_writes_and_reads_one_part_per_share),
        cmocka_unit_test(atomic_combining_fills_and_then_adds_in_place),
        cmocka_unit_test(the_primers_tiles_give_8_and_32_flop_a_byte),
        cmocka_unit_test(an_epilogue_behind_a_reduction_costs_no_pass),
        cmocka_unit_test(a_safe_softmax_reads_its_rows_three_times),
        cmocka_unit_test(an_online_softmax_reads_its_rows_twice),
        cmocka_unit_test(a_softmax_whose_row_fits_reads_it_once),
        cmocka_unit_test(flash_attention_2_reads_keys_once_per_row_tile),
        cmocka_unit_test(flash_attention_1_spills_outputs_and_statistics),
        cmocka_unit_test(a_causal_mask_skips_dead_tiles),
        cmocka_unit_test(a_masked_accumulator_spills_in_its_live_trips_only),
        cmocka_unit_test(a_norm_reads_its_rows_in_two_passes),
        cmocka_unit_test(passes_share_the_loops_outside_the_reduced_one),
        cmocka_unit_test(a_score_is_computed_again_unless_it_reduces_over_a_loop),
        cmocka_unit_test(a_stencil_is_one_box),
        cmocka_unit_test(a_convolution_loads_halos_and_no_padding),
        cmocka_unit_test(a_fused_convolution_computes_its_halo_again),
        cmocka_unit_test(a_gather_fetches_a_row_a_point_and_needs_no_more_than_the_table),
        cmocka_unit_test(a_held_output_does_not_spill_and_a_held_read_is_loaded_once),
        cmocka_unit_test(a_value_that_is_needed_before_the_grid_combined_it_is_refused),
        cmocka_unit_test(a_walk_above_its_steps_is_refused_before_it_starts),
        cmocka_unit_test(what_comes_after_a_loop_is_done_once_for_the_passes_that_follow),
        cmocka_unit_test(masks_on_one_pair_hold_together),
        cmocka_unit_test(shares_of_a_split_are_walked_by_their_own_ctas),
        cmocka_unit_test(a_walk_that_runs_out_of_memory_says_so_and_gives_everything_back),
        cmocka_unit_test(verify_walks_a_kernel_and_agrees_with_its_count),
        cmocka_unit_test(verify_takes_an_untiled_kernel),
        cmocka_unit_test(verify_refuses_more_steps_than_it_may_take),
        cmocka_unit_test(verify_refuses_what_is_no_kernel),
    };
    return run(tests);
}
