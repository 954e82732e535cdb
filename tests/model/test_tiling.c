/* test_tiling.c: schedules: every default of the design's section 4, and every error. */
#include "workbench.h"

#include "schedule.h"
#include "tiling.h"

/* C[m n] = A[m k] B[k n] with batch dims as asked. */
static kc_tensor *product(const char *a, const char *b, const char *over)
{
    return write_of("C", matmul(read_of(tensor("A", a, "f16")), read_of(tensor("B", b, "f16")), over));
}

/* The tiles that are used: "m=32 n=16 k=16", in the order of the loops. */
static void tiles_are(const kc_kernel *k, const char *want)
{
    kci_text text = { .context = context };
    for (size_t i = 0; i < k->graph.loop_count; i++) {
        double tile = fmin(k->tiling->tile[i], k->graph.loops[i].size);
        kci_text_format(&text, "%s%s=%.0f", i ? " " : "", kci_name(context, k->graph.loops[i].name), tile);
    }
    assert_text(text.bytes, want);
    kci_text_free(&text);
}

/* Grid and order as names, "b h i | j d"; loops of one trip left out. */
static void nest_is(const kc_kernel *k, const char *want)
{
    kci_text text = { .context = context };
    kci_text_add(&text, "");
    for (int part = 0; part < 2; part++) {
        const int16_t *list = part ? k->tiling->order : k->tiling->grid_order;
        int count = part ? k->tiling->order_count : k->tiling->grid_count;
        bool first = true;
        kci_text_add(&text, part ? "|" : "");
        for (int i = 0; i < count; i++) {
            if (k->tiling->tile[list[i]] >= k->graph.loops[list[i]].size)
                continue;
            kci_text_format(&text, "%s%s", first ? "" : " ", kci_name(context, k->graph.loops[list[i]].name));
            first = false;
        }
    }
    assert_text(text.bytes, want);
    kci_text_free(&text);
}

/* ---- default tiles ------------------------------------------------------------------------ */

TEST(a_tile_larger_than_its_dim_is_the_whole_dim)
{
    kc_kernel *k = tiled(product("m=100 k=60", "k=60 n=70", NULL), "m=128 n=16 k=16", NULL, NULL);
    tiles_are(k, "m=100 k=16 n=16");
    assert_number(count_of(k)->ctas, 5);
}

TEST(batch_dims_of_a_matmul_are_one)
{
    tiles_are(tiled(product("b=4 h=8 m=100 k=60", "b=4 h=8 k=60 n=70", NULL), "m=32 n=16", NULL, NULL),
              "b=1 h=1 m=32 k=60 n=16");
}

TEST(a_free_dim_is_one_where_another_free_dim_of_its_operand_has_a_size)
{
    /* b h i are free in Q: a size for i makes b and h 1.  None is given for K: j and g stay whole. */
    kc_tensor *s = product("b=4 h=8 i=100 d=60", "g=3 j=70 d=60", "d");
    tiles_are(tiled(s, "i=32", NULL, NULL), "b=1 h=1 i=32 d=60 g=3 j=70");
    tiles_are(tiled(s, "j=7", NULL, NULL), "b=4 h=8 i=100 d=60 g=1 j=7");
    tiles_are(tiled(s, "d=20", NULL, NULL), "b=4 h=8 i=100 d=20 g=3 j=70"); /* d is no free dim */
    tiles_are(tiled(s, "b=2 i=32", NULL, NULL), "b=2 h=1 i=32 d=60 g=3 j=70");
}

TEST(without_a_matmul_what_every_reduction_keeps_is_one)
{
    kc_value *x = read_of(tensor("X", "b=4 t=10 c=64", "f16"));
    tiles_are(tiled(write_of("Y", softmax(x, "c", 0)), "c=16", NULL, NULL), "b=1 t=1 c=16");
    tiles_are(tiled(write_of("Z", reduce("sum", x, "t")), "", NULL, NULL), "b=1 t=10 c=1");
    kc_tensor *both = write_of("W", map2("add", reduce("sum", x, "t c"), reduce("max", x, "b c")));
    tiles_are(tiled(both, "", NULL, NULL), "b=4 t=10 c=64"); /* each is reduced by one of them */
}

TEST(without_matmul_and_reduction_dims_are_whole)
{
    kc_value *x = read_of(tensor("X", "b=4 t=10", "f16"));
    tiles_are(tiled(write_of("Y", map1("gelu", x)), "t=5", NULL, NULL), "b=4 t=5");
    tiles_are(tiled(write_of("Z", keep(kc_scan("cumsum", x, "t", NULL))), "", NULL, NULL),
              "b=4 t=10"); /* a scan is none */
}

TEST(a_map_that_is_called_matmul_is_none)
{
    kc_value *ab[2] = { read_of(tensor("A", "m=8 k=4", "f16")), read_of(tensor("B", "m=8 n=6", "f16")) };
    kc_kernel *k = tiled(write_of("C", keep(kc_map("matmul", ab, 2, &(kc_cost){ 1, 0 }))), "k=2", NULL, NULL);
    tiles_are(k, "m=8 k=2 n=6");
    assert_int_equal(count_of(k)->matmul_count, 0);
}

/* ---- default grid and order ----------------------------------------------------------------- */

TEST(the_grid_is_what_indexes_all_writes_and_is_reduced_by_nothing)
{
    nest_is(tiled(product("b=4 m=100 k=60", "b=4 k=60 n=70", NULL), "m=32 n=16 k=16", NULL, NULL), "b m n|k");
    /* in the first written tensor's order */
    kc_value *c = matmul(read_of(tensor("A", "m=100 k=60", "f16")), read_of(tensor("B", "k=60 n=70", "f16")), NULL);
    nest_is(tiled(keep(kc_write("T", c, NULL, "n m", NULL, NULL, 0, 1)), "m=32 n=16 k=16", NULL, NULL), "n m|k");
}

TEST(a_dim_that_one_of_the_writes_lacks_is_no_grid_dim)
{
    kc_value *x = map1("exp", read_of(tensor("X", "m=8 n=6", "f16")));
    kc_tensor *out[2] = { write_of("Y", x), write_of("R", reduce("sum", x, "n")) };
    kc_kernel *k = keep(kc_kernel_new(context, NULL, out, 2));
    nest_is(tiled(k, "m=2 n=2", NULL, NULL), "m|n");
}

TEST(a_dim_that_is_reduced_somewhere_is_no_grid_dim)
{
    kc_kernel *k = tiled(write_of("P", softmax(read_of(tensor("X", "m=8 n=6", "f16")), "n", 0)), "m=2 n=2", NULL, NULL);
    nest_is(k, "m|n");
    k = tiled(write_of("P", keep(kc_scan("cumsum", read_of(tensor("X", "m=8 n=6", "f16")), "n", NULL))), "m=2 n=2",
              NULL, NULL);
    nest_is(k, "m|n");
}

TEST(attention_runs_over_b_h_i_in_the_grid_and_j_in_a_loop)
{
    attention a = attention_of("b=2 h=3 i=64 d=16", "b=2 h=3 j=64 d=16", "b=2 h=3 j=64 e=16");
    kc_kernel *k = tiled(a.flash, "i=16 j=8", NULL, NULL);
    nest_is(k, "b h i|j");
    tiles_are(k, "b=1 h=1 i=16 j=8 d=16 e=16"); /* the read of P comes first, then what is behind it, then V */
}

TEST(what_is_not_named_in_the_order_comes_inside_unreduced_dims_first_then_those_of_later_ops)
{
    /* O[i e] = (Q K')[i j] V[j e]: d is reduced by the first matmul, j by the second */
    attention a = attention_of("i=64 d=16", "j=64 d=16", "j=64 e=16");
    kc_kernel *all = keep(fuse_of("f", NULL, a.s, write_of("O", matmul(read_of(a.s), read_of(a.v), "j")), NULL));
    nest_is(tiled(all, "i=16 j=8 d=4 e=4", "", NULL), "|i e j d");
    nest_is(tiled(all, "i=16 j=8 d=4 e=4", "", "d"), "|d i e j");
    nest_is(tiled(all, "i=16 j=8 d=4 e=4", "i", "j e"), "i|j e d");
    nest_is(tiled(all, "i=16 j=8 d=4 e=4", "i", ""), "i|e j d");
}

TEST(dims_that_one_op_reduces_keep_their_order)
{
    kc_value *x = read_of(tensor("X", "n=4 c=6 r=3 s=3", "f16"));
    nest_is(tiled(write_of("Y", matmul(x, read_of(tensor("W", "k=4 c=6 r=3 s=3", "f16")), "s c r")),
                  "n=2 k=2 c=2 r=1 s=1", "n k", NULL),
            "n k|c r s"); /* by first appearance */
}

TEST(a_dim_in_the_order_is_taken_out_of_the_default_grid)
{
    nest_is(tiled(product("m=100 k=60", "k=60 n=70", NULL), "m=32 n=16 k=16", NULL, "m"), "n|m k");
}

TEST(an_empty_grid_is_one_cta)
{
    kc_kernel *k = tiled(product("m=100 k=60", "k=60 n=70", NULL), "m=32 n=16 k=16", "", NULL);
    nest_is(k, "|m n k");
    assert_number(count_of(k)->ctas, 1);
}

/* ---- the other defaults ------------------------------------------------------------------- */

TEST(the_other_options_have_the_defaults_of_the_design)
{
    const kci_tiling *t = tiled(product("m=100 k=60", "k=60 n=70", NULL), "m=32", NULL, NULL)->tiling;
    assert_number(t->stages, 2);
    assert_number(t->warps, 0); /* by the registers, on a device */
    assert_false(t->atomic);
    assert_false(t->persistent);
    assert_false(t->stream);
    assert_int_equal(t->overlap, KCI_OVERLAP_LOAD);
    assert_int_equal(t->raster_count, 0);
    assert_null(t->path);
    for (int i = 0; i < 3; i++) {
        assert_number(t->split[i], 1);
        assert_number(t->cluster[i], 1);
        assert_number(t->tensor_stages[i], 0);
        assert_false(t->held[i] || t->in_registers[i]);
    }
}

TEST(each_option_reaches_the_tiling)
{
    kc_schedule *s = schedule_of("m=32 n=16 k=16", NULL, NULL);
    assert_int_equal(kc_schedule_stages(s, NULL, 4), KC_OK);
    assert_int_equal(kc_schedule_stages(s, "B", 3), KC_OK);
    assert_int_equal(kc_schedule_warps(s, 8), KC_OK);
    assert_int_equal(kc_schedule_split(s, "k", 2), KC_OK);
    assert_int_equal(kc_schedule_combine(s, "atomic"), KC_OK);
    assert_int_equal(kc_schedule_hold(s, "A"), KC_OK);
    assert_int_equal(kc_schedule_place(s, "B", "registers"), KC_OK);
    assert_int_equal(kc_schedule_raster(s, "n m", 8), KC_OK);
    assert_int_equal(kc_schedule_cluster(s, "n", 2), KC_OK);
    assert_int_equal(kc_schedule_persistent(s, 1), KC_OK);
    assert_int_equal(kc_schedule_vector(s, 8), KC_OK);
    assert_int_equal(kc_schedule_threads(s, 256), KC_OK);
    assert_int_equal(kc_schedule_path(s, "wgmma"), KC_OK);
    assert_int_equal(kc_schedule_overlap(s, "all"), KC_OK);
    kc_kernel *k = keep(kc_tile(object(product("m=100 k=60", "k=60 n=70", NULL)), s));
    const kci_tiling *t = k->tiling;
    int m = loop_named(k, "m"), n = loop_named(k, "n");
    assert_number(t->stages, 4);
    assert_number(t->tensor_stages[1], 3);
    assert_number(t->warps, 8);
    assert_number(t->split[loop_named(k, "k")], 2);
    assert_true(t->atomic && t->persistent && t->held[0] && t->in_registers[1]);
    assert_true(t->raster[0] == n && t->raster[1] == m && t->raster_group == 8);
    assert_number(t->cluster[n], 2);
    assert_true(t->vector == 8 && t->threads == 256);
    assert_text(t->path, "wgmma");
    assert_int_equal(t->overlap, KCI_OVERLAP_ALL);
}

TEST(a_schedule_that_changes_later_leaves_the_kernel_as_it_was)
{
    kc_schedule *s = schedule_of("m=32 n=16 k=16", NULL, NULL);
    kc_kernel *k = keep(kc_tile(object(product("m=100 k=60", "k=60 n=70", NULL)), s));
    double before = count_of(k)->ctas;
    assert_int_equal(kc_schedule_tile(s, "m", 1), KC_OK);
    assert_number(count_of(k)->ctas, before);
    kc_schedule *own = keep(kc_kernel_schedule(k));
    assert_ptr_not_equal(own, s);
    kc_kernel *again = keep(kc_tile(object(k), s)); /* a schedule replaces one */
    assert_number(count_of(again)->ctas, 100 * 5);
}

TEST(stream_k_is_a_split_of_zero)
{
    kc_schedule *s = schedule_of("m=32 n=16 k=16", NULL, NULL);
    assert_int_equal(kc_schedule_split(s, "k", 0), KC_OK);
    assert_true(((kc_kernel *)keep(kc_tile(object(product("m=100 k=60", "k=60 n=70", NULL)), s)))->tiling->stream);
}

TEST(naming_a_dim_again_replaces_its_number)
{
    kc_schedule *s = schedule_of("m=32 m=16", NULL, NULL);
    assert_int_equal(kc_schedule_grid(s, "m"), KC_OK);
    assert_int_equal(kc_schedule_grid(s, "n"), KC_OK);
    kc_kernel *k = keep(kc_tile(object(product("m=100 k=60", "k=60 n=70", NULL)), s));
    assert_number(k->tiling->tile[loop_named(k, "m")], 16);
    assert_int_equal(k->tiling->grid_count, 1);
}

/* ---- errors of the setters ------------------------------------------------------------------ */

TEST(a_setter_refuses_what_makes_no_sense)
{
    kc_schedule *s = schedule_of("m=32", NULL, NULL);
    refuses_status(kc_schedule_tile(s, "m", 0), "tile: the tile of 'm' must be a whole number of at least 1, not 0");
    refuses_status(kc_schedule_tile(s, "m", 127.5), "not 127.5");
    refuses_status(kc_schedule_tile(s, "m", -4), "not -4");
    refuses_status(kc_schedule_tile(s, "m", NAN), "must be a whole number of at least 1, not nan");
    refuses_status(kc_schedule_tile(s, "", 4), "tile: sizes: a name is missing");
    refuses_status(kc_schedule_tile(s, NULL, 4), "tile: sizes: a name is missing");
    refuses_status(kc_schedule_grid(s, "m m"), "tile: grid 'm m' names 'm' twice");
    refuses_status(kc_schedule_order(s, "2*m"), "tile: order '2*m' must be names of dims");
    refuses_status(kc_schedule_stages(s, NULL, 0), "tile: stages must be a whole number of at least 1, not 0");
    refuses_status(kc_schedule_stages(s, "K", 2.5),
                   "tile: stages of 'K' must be a whole number of at least 1, not 2.5");
    refuses_status(kc_schedule_warps(s, 0), "tile: warps must be a whole number");
    refuses_status(kc_schedule_split(s, "k", 1.5), "tile: split of 'k' must be a whole number");
    refuses_status(kc_schedule_split(s, NULL, 2), "tile: split: a name is missing");
    refuses_status(kc_schedule_combine(s, "sum"), "tile: combine must be \"kernel\" or \"atomic\", not 'sum'");
    refuses_status(kc_schedule_combine(s, NULL), "tile: combine must be");
    refuses_status(kc_schedule_hold(s, ""), "tile: hold: a name is missing");
    refuses_status(kc_schedule_place(s, "Q", "l2"), "tile: place of 'Q' must be \"registers\" or \"smem\", not 'l2'");
    refuses_status(kc_schedule_raster(s, "n m", 1.5), "tile: the raster's group must be a whole number");
    refuses_status(kc_schedule_cluster(s, "n", 0), "tile: cluster of 'n' must be a whole number");
    refuses_status(kc_schedule_vector(s, 0), "tile: vector must be a whole number");
    refuses_status(kc_schedule_threads(s, -1), "tile: threads must be a whole number");
    refuses_status(kc_schedule_path(s, "wgmm"),
                   "tile: path must be \"mma\", \"wgmma\", \"tcgen05\" or \"mfma\", not 'wgmm'; did you mean 'wgmma'");
    refuses_status(kc_schedule_overlap(s, "some"), "tile: overlap must be \"none\", \"load\" or \"all\", not 'some'");
    assert_text(kc_object_text(object(s)), "schedule m = 32"); /* a failed call changes nothing */
}

TEST(a_setter_without_memory_changes_nothing)
{
    kc_schedule *s = schedule_of("m=32", "m n", "k");
    assert_int_equal(kc_schedule_path(s, "mma"), KC_OK);
    kci_intern(context, "a", 1), kci_intern(context, "b", 1);
    for (size_t ahead = 1; ahead < 100; ahead++) {
        heap.fail_at = heap.requests + ahead;
        kc_status status = kc_schedule_grid(s, "a b m n k c d e f g");
        heap.fail_at = 0;
        if (status == KC_OK)
            break;
        assert_int_equal(status, KC_ENOMEM);
        assert_int_equal(s->grid.count, 2);
        assert_text(kci_name(context, s->grid.items[0].name), "m");
    }
    heap.refuse_all = 1;
    assert_int_equal(kc_schedule_path(s, "wgmma"), KC_ENOMEM);
    assert_int_equal(kc_schedule_hold(s, "O"), KC_ENOMEM);
    heap.refuse_all = 0;
    assert_text(s->path, "mma");
    assert_false(s->hold.given);
    assert_int_equal(s->hold.count, 0);
}

TEST(a_setter_without_a_schedule_refuses)
{
    assert_int_equal(kc_schedule_tile(NULL, "m", 4), KC_EARGUMENT);
    assert_int_equal(kc_schedule_grid(NULL, "m"), KC_EARGUMENT);
    assert_int_equal(kc_schedule_overlap(NULL, "all"), KC_EARGUMENT);
    assert_null(kc_schedule_new(NULL));
    assert_null(kc_tile(object(product("m=4 k=3", "k=3 n=2", NULL)), NULL));
    assert_null(kc_tile(NULL, schedule_of("m=2", NULL, NULL)));
}

/* ---- errors of the kernel ------------------------------------------------------------------- */

/* A matmul refuses the schedule after `change`. */
#define tile_refuses(change, part)                                                                 \
    do {                                                                                           \
        kc_schedule *s = schedule_of("m=32 n=16 k=16", NULL, NULL);                                \
        assert_int_equal(change, KC_OK);                                                           \
        refuses(kc_tile(object(product("m=100 k=60", "k=60 n=70", NULL)), s), part);               \
    } while (0)

TEST(a_schedule_that_does_not_fit_its_kernel_is_refused)
{
    tile_refuses(kc_schedule_tile(s, "j", 4), "tile: sizes: kernel 'C' has no dim 'j'; it has m k n");
    tile_refuses(kc_schedule_grid(s, "m j"), "tile: grid: kernel 'C' has no dim 'j'; it has m k n");
    tile_refuses(kc_schedule_order(s, "j"), "tile: order: kernel 'C' has no dim 'j'");
    tile_refuses(kc_schedule_split(s, "j", 2), "tile: split: kernel 'C' has no dim 'j'");
    tile_refuses(kc_schedule_split(s, "m", 2), "tile: split: 'm' is in the grid already; split a reduced dim");
    tile_refuses(kc_schedule_stages(s, "X", 2), "tile: stages: kernel 'C' moves no tensor 'X'");
    tile_refuses(kc_schedule_hold(s, "X"), "tile: hold: kernel 'C' moves no tensor 'X'");
    tile_refuses(kc_schedule_place(s, "X", "registers"), "tile: place: kernel 'C' moves no tensor 'X'");
    tile_refuses(kc_schedule_place(s, "C", "registers"), "tile: place: kernel 'C' does not read C");
    tile_refuses(kc_schedule_raster(s, "m k", 0), "tile: raster: 'k' is not in the grid");
    tile_refuses(kc_schedule_raster(s, "j", 0), "tile: raster: kernel 'C' has no dim 'j'");
    tile_refuses(kc_schedule_cluster(s, "k", 2), "tile: cluster: 'k' is not in the grid");
}

TEST(a_dim_in_grid_and_order_is_refused)
{
    refuses(kc_tile(object(product("m=100 k=60", "k=60 n=70", NULL)), schedule_of("m=32", "m", "m")),
            "tile: 'm' stands in grid and in order; a dim runs across CTAs or in a loop");
}

TEST(a_scan_keeps_its_dim_out_of_the_grid_and_of_a_split)
{
    kc_tensor *y = write_of("Y", keep(kc_scan("cumsum", read_of(tensor("X", "m=8 n=6", "f16")), "n", NULL)));
    refuses(kc_tile(object(y), schedule_of("n=2", "n", NULL)),
            "tile: grid: a scan runs along 'n', so its CTAs would need each other");
    kc_schedule *s = schedule_of("n=2", NULL, NULL);
    assert_int_equal(kc_schedule_split(s, "n", 2), KC_OK);
    refuses(kc_tile(object(y), s), "tile: split: 'n' is scanned");
}

TEST(a_split_needs_a_reduced_dim)
{
    kc_schedule *s = schedule_of("m=2", "", NULL);
    assert_int_equal(kc_schedule_split(s, "m", 2), KC_OK);
    refuses(kc_tile(object(product("m=100 k=60", "k=60 n=70", NULL)), s), "tile: split: 'm' is reduced by no op");
}

TEST(only_a_kernel_or_a_written_tensor_is_tiled)
{
    kc_schedule *s = schedule_of("m=2", NULL, NULL);
    kc_tensor *c = product("m=4 k=3", "k=3 n=2", NULL);
    refuses(kc_tile(object(keep(kc_times(object(c), 2))), s),
            "tile: the first argument must be a kernel or a written tensor");
    refuses(kc_tile(object(tensor("X", "m=4", "f16")), s), "tile: X is not written by any op");
}

TEST(a_value_reduced_over_the_grid_is_refused_where_it_is_needed_in_the_kernel)
{
    kc_value *x = read_of(tensor("X", "m=8 n=6", "f16"));
    kc_kernel *k = tiled(write_of("P", softmax(x, "n", 0)), "m=2 n=2", "n", NULL);
    assert_null(counted(k, plan_of(k)));
    assert_int_equal(kc_context_status(context), KC_EARGUMENT);
    assert_contains(kc_context_message(context),
                    "softmax.exp needs softmax.max complete, but it is reduced over 'n', which runs across CTAs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(a_tile_larger_than_its_dim_is_the_whole_dim),
        fact(batch_dims_of_a_matmul_are_one),
        fact(a_free_dim_is_one_where_another_free_dim_of_its_operand_has_a_size),
        fact(without_a_matmul_what_every_reduction_keeps_is_one),
        fact(without_matmul_and_reduction_dims_are_whole),
        fact(a_map_that_is_called_matmul_is_none),
        fact(the_grid_is_what_indexes_all_writes_and_is_reduced_by_nothing),
        fact(a_dim_that_one_of_the_writes_lacks_is_no_grid_dim),
        fact(a_dim_that_is_reduced_somewhere_is_no_grid_dim),
        fact(attention_runs_over_b_h_i_in_the_grid_and_j_in_a_loop),
        fact(what_is_not_named_in_the_order_comes_inside_unreduced_dims_first_then_those_of_later_ops),
        fact(dims_that_one_op_reduces_keep_their_order),
        fact(a_dim_in_the_order_is_taken_out_of_the_default_grid),
        fact(an_empty_grid_is_one_cta),
        fact(the_other_options_have_the_defaults_of_the_design),
        fact(each_option_reaches_the_tiling),
        fact(a_schedule_that_changes_later_leaves_the_kernel_as_it_was),
        fact(stream_k_is_a_split_of_zero),
        fact(naming_a_dim_again_replaces_its_number),
        fact(a_setter_refuses_what_makes_no_sense),
        fact(a_setter_without_memory_changes_nothing),
        fact(a_setter_without_a_schedule_refuses),
        fact(a_schedule_that_does_not_fit_its_kernel_is_refused),
        fact(a_dim_in_grid_and_order_is_refused),
        fact(a_scan_keeps_its_dim_out_of_the_grid_and_of_a_split),
        fact(a_split_needs_a_reduced_dim),
        fact(only_a_kernel_or_a_written_tensor_is_tiled),
        fact(a_value_reduced_over_the_grid_is_refused_where_it_is_needed_in_the_kernel),
    };
    return run(tests);
}
