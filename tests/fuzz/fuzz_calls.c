/* fuzz_calls.c: sequences of calls of the C API with any arguments but handles that are none: NULL handles, odd numbers
 * and texts, handles of another context, an allocator that refuses.  A call that fails has a sentence; nothing leaks. */
#include "bytes.h"

#include "kcost.h"

enum { MOST_HANDLES = 48, CALLS = 60, MOST_DROPPED = 8 };

typedef struct pool {
    bytes in;
    kc_context *contexts[2];
    kc_object *held[MOST_HANDLES];
    size_t count;
    kc_object *dropped[MOST_DROPPED];   /* by this call, which may still have them in hand */
    size_t dropped_count;
    char text[40];
    kc_size sizes[4];
    char names[4][40];
} pool;

static const char *const words[] = {
    "m", "n", "k", "m k", "k n", "m n", "i j", "", "2*m+n-1", "[m] k", "n m", "q", "f16", "f32", "i4g128", "sum", "max", "exp",
    "matrix", "vector", "ring", "tree", "allreduce", "allgather", "alltoall", "A", "B", "C", "kernel", "atomic", "none", "load",
    "tile.m", "size.m", "stages", "hbm.bandwidth", "order", "dtype.A", "time", "bytes", "time < 1", "tile.m >= 16 and fits",
    "h100", "mi300x", "l2", "launch", "cache", "convention", "measured", "warm", "graph", "pytorch", "threads", "smem",
};

static const char *a_text(pool *p)
{
    unsigned how = take(&p->in);
    if (how == 255)
        return NULL;
    return how > 230 ? raw_text(&p->in, p->text, sizeof p->text) : words[how % (sizeof words / sizeof *words)];
}

/* Any held handle of a kind, now and then NULL. */
static void *a(pool *p, kc_kind kind)
{
    size_t from = choose(&p->in, MOST_HANDLES + 1);
    for (size_t i = 0; i < p->count && from < MOST_HANDLES; i++) {
        kc_object *o = p->held[(from + i) % p->count];
        if (kc_object_kind(o) == kind)
            return o;
    }
    return NULL;
}

static kc_object *any(pool *p)
{
    size_t i = choose(&p->in, MOST_HANDLES + 1);
    return p->count == 0 || i == MOST_HANDLES ? NULL : p->held[i % p->count];
}

static kc_context *a_context(pool *p) { return p->contexts[take(&p->in) % 16 == 0]; }

/* Holds what a call made, in place of another where there is no room. */
static void hold(pool *p, void *made)
{
    if (made == NULL)
        return;
    kc_object_text(made);
    if (p->count < MOST_HANDLES) {
        p->held[p->count++] = made;
    } else {
        size_t i = choose(&p->in, MOST_HANDLES);
        p->dropped[p->dropped_count++] = p->held[i];
        p->held[i] = made;
    }
}

static void release_dropped(pool *p)
{
    while (p->dropped_count > 0)
        kc_release(p->dropped[--p->dropped_count]);
}

static const kc_size *some_sizes(pool *p, size_t *count)
{
    static const char *const dims[] = { "m", "n", "k", "m k", "i", "" };
    *count = choose(&p->in, 5);
    for (size_t i = 0; i < *count; i++) {
        snprintf(p->names[i], sizeof p->names[i], "%s", ONE_OF(&p->in, dims));
        p->sizes[i] = (kc_size){ p->names[i], odd_number(&p->in) };
    }
    return p->sizes;
}

/* m, n, k of small sizes: what most calls need to get anywhere. */
static const kc_size usual[] = { { "m", 24 }, { "n", 20 }, { "k", 16 } };

static size_t some_parts(pool *p, kc_object **parts)
{
    size_t count = choose(&p->in, 4);
    for (size_t i = 0; i < count; i++)
        parts[i] = any(p);
    return count;
}

static void tensors_and_values(pool *p, unsigned call)
{
    size_t count;
    kc_value *inputs[3] = { a(p, KC_VALUE), a(p, KC_VALUE), a(p, KC_VALUE) };
    const kc_cost cost = { odd_number(&p->in), odd_number(&p->in) };
    const kc_size *sizes = some_sizes(p, &count);
    switch (call % 16) {
    case 0: hold(p, kc_dtype_named(a_context(p), a_text(p))); break;
    case 1: hold(p, kc_tensor_new(a_context(p), a_text(p), a_text(p), a(p, KC_DTYPE), usual, 3)); break;
    case 2: hold(p, kc_tensor_new(a_context(p), "T", a_text(p), a(p, KC_DTYPE), sizes, count)); break;
    case 3: hold(p, kc_read(a(p, KC_TENSOR), NULL, NULL, 0, 1, 0)); break;
    case 4: hold(p, kc_read(a(p, KC_TENSOR), a_text(p), sizes, count, odd_number(&p->in), odd_number(&p->in))); break;
    case 5: hold(p, kc_write(a_text(p), inputs[0], a(p, KC_DTYPE), NULL, NULL, NULL, 0, 1)); break;
    case 6: hold(p, kc_write(a_text(p), inputs[0], NULL, a_text(p), a_text(p), sizes, count, odd_number(&p->in))); break;
    case 7: hold(p, kc_matmul(inputs[0], inputs[1], a_text(p), a_text(p), a_text(p), inputs[2])); break;
    case 8: hold(p, kc_matmul(inputs[0], inputs[1], "k", NULL, NULL, NULL)); break;
    case 9: hold(p, kc_map(a_text(p), inputs, choose(&p->in, 4), take(&p->in) % 2 ? NULL : &cost)); break;
    case 10: hold(p, kc_reduce(a_text(p), inputs[0], a_text(p), sizes, count, take(&p->in) % 2 ? NULL : &cost)); break;
    case 11: hold(p, kc_scan(a_text(p), inputs[0], a_text(p), NULL)); break;
    case 12: hold(p, kc_softmax(inputs[0], a_text(p), take(&p->in) % 2)); break;
    case 13: hold(p, kc_mask(inputs[0], a_text(p), a_text(p), odd_number(&p->in), odd_number(&p->in))); break;
    case 14: hold(p, kc_lse(inputs[0])); break;
    default:
        hold(p, kc_causal(inputs[0], "m", a_text(p)));
        hold(p, kc_cast(inputs[1], a(p, KC_DTYPE)));
        hold(p, kc_comm(a_text(p), a(p, KC_TENSOR), odd_number(&p->in), a_text(p), a_text(p), NULL));
    }
}

static void kernels(pool *p, unsigned call)
{
    kc_object *parts[4];
    size_t count, given = some_parts(p, parts);
    const char *save[2] = { "C", "P" };
    const kc_size *sizes = some_sizes(p, &count);
    switch (call % 8) {
    case 0: {
        kc_tensor *list[3] = { a(p, KC_TENSOR), a(p, KC_TENSOR), a(p, KC_TENSOR) };
        hold(p, kc_kernel_new(a_context(p), NULL, list, choose(&p->in, 4)));
        break;
    }
    case 1: hold(p, kc_fuse(a_context(p), a_text(p), parts, given, save, choose(&p->in, 3))); break;
    case 2: hold(p, kc_tile(any(p), a(p, KC_SCHEDULE))); break;
    case 3: hold(p, kc_group(a_context(p), "g", parts, given)); break;
    case 4: hold(p, kc_program_new(a_context(p), "p", parts, given)); break;
    case 5: hold(p, kc_times(any(p), odd_number(&p->in))); break;
    case 6: hold(p, kc_beside(a_context(p), "b", parts, given)); break;
    default: {
        const char *from[] = { a_text(p) }, *to[] = { "q" };
        hold(p, kc_resized(any(p), sizes, count));
        hold(p, kc_renamed(any(p), from, to, 1));
    }
    }
}

static void schedules(pool *p)
{
    kc_schedule *s = kc_schedule_new(a_context(p));
    static const char *const dims[] = { "m", "n", "k", "i", "q" };
    for (size_t i = choose(&p->in, 6); i > 0; i--)
        switch (take(&p->in) % 12) {
        case 0: kc_schedule_grid(s, a_text(p)); break;
        case 1: kc_schedule_order(s, a_text(p)); break;
        case 2: kc_schedule_stages(s, NULL, odd_number(&p->in)); break;
        case 3: kc_schedule_split(s, ONE_OF(&p->in, dims), odd_number(&p->in)); break;
        case 4: kc_schedule_combine(s, a_text(p)); break;
        case 5: kc_schedule_hold(s, a_text(p)); break;
        case 6: kc_schedule_place(s, a_text(p), "registers"); break;
        case 7: kc_schedule_raster(s, a_text(p), odd_number(&p->in)); break;
        case 8: kc_schedule_cluster(s, ONE_OF(&p->in, dims), odd_number(&p->in)); break;
        case 9: kc_schedule_overlap(s, a_text(p)); break;
        case 10: kc_schedule_warps(s, odd_number(&p->in)); break;
        default: kc_schedule_tile(s, ONE_OF(&p->in, dims), odd_number(&p->in));
        }
    hold(p, s);
}

static void questions(pool *p, unsigned call)
{
    kc_object *x = any(p), *others[4];
    size_t count = some_parts(p, others);
    kc_device *device = a(p, KC_DEVICE);
    kc_options *options = take(&p->in) % 4 ? NULL : a(p, KC_OPTIONS);
    double value, steps;
    switch (call % 8) {
    case 0: hold(p, kc_count(x, options)); break;
    case 1: hold(p, kc_evaluate(x, device, options)); break;
    case 2: hold(p, kc_compare(a_context(p), others, count, &device, take(&p->in) % 2, options)); break;
    case 3: hold(p, kc_best(x, device, options)), hold(p, kc_fuse_all(x, device, NULL, 0, options)); break;
    case 4: kc_verify(x, &steps); break;
    case 5: {
        kc_options *o = kc_options_new(a_context(p));
        kc_options_set(o, a_text(p), odd_number(&p->in));
        kc_options_set_text(o, a_text(p), a_text(p));
        hold(p, o);
        break;
    }
    case 6: hold(p, kc_device_named(a_context(p), a_text(p))); break;
    default: {
        kc_result *r = a(p, KC_RESULT);
        for (int f = 0; f < KC_FIELD_COUNT; f++)
            if (kc_result_number(r, (kc_field)f, &value) == KC_OK && !(fabs(value) < HUGE_VAL))
                found(kc_field_name((kc_field)f));
        kc_result_explain(r), kc_result_formula(r, a_text(p)), kc_result_expect(r, a_text(p));
        kc_result_sensitivity(r, a_text(p), &value);
        hold(p, kc_result_best(r)), hold(p, kc_result_kernel(r, choose(&p->in, 4))), hold(p, kc_result_on(r));
        hold(p, kc_comparison_result(a(p, KC_COMPARISON), choose(&p->in, 4)));
        if (x != NULL)
            kc_json(x), kc_csv(x, take(&p->in) % 2);
    }
    }
}

static void spaces(pool *p, unsigned call)
{
    double numbers[4] = { odd_number(&p->in), odd_number(&p->in), odd_number(&p->in), 16 };
    kc_space *space = a(p, KC_SPACE);
    if (call % 3 == 0) {
        hold(p, kc_space_new(any(p)));
        return;
    }
    for (size_t i = choose(&p->in, 5); i > 0; i--)
        switch (take(&p->in) % 9) {
        case 0: kc_space_numbers(space, a_text(p), numbers, choose(&p->in, 5)); break;
        case 1: kc_space_numbers(space, "tile.m", numbers, choose(&p->in, 5)); break;
        case 2: kc_space_device(space, a(p, KC_DEVICE)); break;
        case 3: kc_space_where(space, a_text(p)); break;
        case 4: kc_space_top(space, odd_number(&p->in), a_text(p)); break;
        case 5: kc_space_best_per(space, a_text(p), "time"); break;
        case 6: kc_space_field(space, a_text(p)); break;
        case 7: kc_space_shard(space, take(&p->in), take(&p->in)); break;
        default: kc_space_dtype(space, "A", a(p, KC_DTYPE));
        }
    if (call % 3 == 2 && kc_space_points(space) < 100) {
        kc_sweep *sweep = kc_space_sweep(space, 1 + take(&p->in) % 2, NULL, NULL);
        size_t row;
        double value;
        kc_device *device = NULL;
        kc_sweep_best(sweep, &row);
        for (size_t r = 0; r < kc_sweep_rows(sweep); r++)
            for (size_t c = 0; c < kc_sweep_columns(sweep); c++)
                if (kc_sweep_number(sweep, r, c, &value) == KC_OK && value != value)
                    found("a cell that is no number");
        hold(p, kc_sweep_object(sweep, odd_number(&p->in), &device));
        hold(p, device), hold(p, sweep);
        hold(p, kc_space_best(space, NULL, NULL));
    }
    if (take(&p->in) % 8 == 0) {
        const char *axes[2] = { "tile.m", a_text(p) };
        const kc_field wanted[2] = { KC_TIME, KC_BYTES };
        kc_evaluator *e = kc_evaluator_new(any(p), a(p, KC_DEVICE), NULL, axes, choose(&p->in, 3), wanted, choose(&p->in, 3));
        double out[2][4];
        const double *in[2] = { numbers, numbers };
        double *columns[2] = { out[0], out[1] };
        kc_status statuses[4];
        kc_evaluator_run(e, 4, in, columns, statuses);
        kc_evaluator_reason(e);
        hold(p, e);
    }
}

/* Where there is nothing yet: A [m k] times B [k n], and a device. */
static void begin(pool *p)
{
    kc_context *context = p->contexts[0];
    kc_dtype *f16 = kc_dtype_named(context, "f16");
    kc_tensor *x = kc_tensor_new(context, "A", "m k", f16, usual, 3), *y = kc_tensor_new(context, "B", "k n", f16, usual, 3);
    kc_value *v = kc_read(x, NULL, NULL, 0, 1, 0), *w = kc_read(y, NULL, NULL, 0, 1, 0);
    kc_value *vw = kc_matmul(v, w, "k", NULL, NULL, NULL);
    hold(p, kc_write("C", vw, NULL, NULL, NULL, NULL, 0, 1));
    hold(p, f16), hold(p, x), hold(p, y), hold(p, v), hold(p, w), hold(p, vw);
    hold(p, kc_device_named(context, "h100-sxm5"));
}

/* Ends what walks and searches too long. */
static int soon(void *data, double done, double points)
{
    (void)done, (void)points;
    return ++*(int *)data > 20;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    account h = { .limit = 64 << 20 };
    pool p = { .in = { data, size } };
    int looks = 0;
    for (int i = 0; i < 2; i++) {
        p.contexts[i] = kc_context_new(account_resize, &h);
        kc_context_watch(p.contexts[i], soon, &looks);
    }
    begin(&p);
    unsigned refuses = take(&p.in);
    if (refuses >= 128) {
        h.refuse = h.asked + 1 + (take(&p.in) | (size_t)take(&p.in) << 8) % 4000;
        h.for_ever = refuses % 2;
    }
    for (int i = 0; i < CALLS && p.in.left > 0; i++) {
        unsigned call = take(&p.in);
        looks = 0;
        switch (call >> 5) {
        case 0: case 1: case 2: tensors_and_values(&p, call); break;
        case 3: case 4: kernels(&p, call); break;
        case 5: schedules(&p); break;
        case 6: questions(&p, call); break;
        default: spaces(&p, call);
        }
        release_dropped(&p);
        for (int c = 0; c < 2; c++)
            if (kc_context_status(p.contexts[c]) != KC_OK && kc_context_message(p.contexts[c])[0] == '\0')
                found("a failure without a sentence");
    }
    while (p.count > 0)
        kc_release(p.held[--p.count]);
    kc_context_free(p.contexts[0]), kc_context_free(p.contexts[1]);
    if (h.bytes != 0 || h.blocks != 0)
        found("a leak");
    return 0;
}
