/* test_device_facts.c: each figure of the shipped devices against the table of facts, its kind and confidence too. */
#include "unit.h"

#include "device.h"
#include "kcost.h"

static kc_context *context;

/* ---- the table ---------------------------------------------------------------------------- */

enum { ROWS = 4000, COLUMNS = 7 };
enum { DEVICE, FIELD, VALUE, UNIT, KIND, SOURCE, NOTE };

typedef struct fact {
    char *line;
    const char *column[COLUMNS];
} fact;

static fact facts[ROWS];
static size_t fact_count;

/* Cuts a line at its commas; a quoted field holds commas, and no quote here is doubled. */
static bool cut(fact *f)
{
    char *at = f->line;
    for (int i = 0; i < COLUMNS; i++) {
        char stop = *at == '"' ? '"' : ',';
        at += stop == '"';
        f->column[i] = at;
        at += strcspn(at, stop == '"' ? "\"\n" : ",\n");
        bool last = *at == '\n' || *at == '\0';
        if (*at)
            *at++ = '\0';
        if (stop == '"' && *at == ',')
            at++;
        if (last && i < COLUMNS - 1)
            return false;
    }
    return true;
}

static bool load(void)
{
    FILE *file = open_shared("facts/devices.csv");
    char line[1024];
    while (file && fact_count < ROWS && fgets(line, sizeof line, file)) {
        fact *f = &facts[fact_count];
        f->line = malloc(strlen(line) + 1);
        assert_non_null(f->line);
        strcpy(f->line, line);
        if (cut(f) && strcmp(f->column[KIND], "kind") != 0)
            fact_count++;
        else
            free(f->line);
    }
    if (file)
        fclose(file);
    return fact_count > 0;
}

static const fact *fact_of(const char *device, const char *field)
{
    for (size_t i = 0; i < fact_count; i++)
        if (strcmp(facts[i].column[DEVICE], device) == 0 && strcmp(facts[i].column[FIELD], field) == 0)
            return &facts[i];
    return NULL;
}

static double value_of(const char *device, const char *field)
{
    const fact *f = fact_of(device, field);
    return f ? strtod(f->column[VALUE], NULL) : NAN;
}

static bool starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* ---- which figure a row is ------------------------------------------------------------------- */

static const struct { const char *field, *path; double factor; } numbers[] = {
    { "sm_count", "cores", 1 }, { "clk_spec_mma", "matrix_clock", 1e6 },
    { "mem_bw", "hbm.bandwidth", 1e9 }, { "mem_bus", "hbm.bus", 1 }, { "mem_data_rate", "hbm.data_rate", 1e9 },
    { "l2_capacity", "l2.capacity", 1048576 }, { "llc_capacity", "llc.capacity", 1048576 },
    { "meas_l2_bw", "l2.bandwidth", 1e9 }, { "meas_llc_bw", "llc.bandwidth", 1e9 },
    { "smem_per_sm", "smem.per_core", 1024 }, { "smem_per_block_optin", "smem.per_cta", 1024 },
    { "regfile_per_sm", "registers.per_core", 256 }, { "max_regs_thread", "registers.per_thread", 1 },
    { "max_warps_sm", "max_warps", 1 }, { "max_blocks_sm", "max_ctas", 1 }, { "max_threads_block", "max_threads", 1 },
    { "warp_size", "warp", 1 }, { "smem_rate", "smem.bandwidth", 1 }, { "sfu_rate", "special", 1 },
    { "tmem_per_sm", "tmem.per_core", 1024 }, { "tdp", "tdp", 1 }, { "link_count", "link.count", 1 },
};

static const struct { const char *theirs, *ours; } formats[] = {
    { "fp64", "f64" }, { "fp32", "f32" }, { "tf32", "tf32" }, { "fp16", "f16" }, { "bf16", "bf16" },
    { "fp8", "f8" }, { "fp6", "f6" }, { "fp4", "f4" }, { "int8", "i8" }, { "int4", "i4" },
};

enum { PATH = 48 };

/* "peak_fp16_mma" -> "matrix.f16", 1e12; "rate_fp32_vec" -> "rate.vector.f32", 1. */
static bool peak_path(const char *field, char path[PATH], double *factor)
{
    bool rate = starts(field, "rate_");
    if (!rate && !starts(field, "peak_"))
        return false;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        for (int matrix = 0; matrix < 2; matrix++) {
            char name[32];
            snprintf(name, sizeof name, "%s%s_%s", rate ? "rate_" : "peak_", formats[i].theirs, matrix ? "mma" : "vec");
            if (strcmp(name, field) != 0)
                continue;
            snprintf(path, PATH, "%s%s.%s", rate ? "rate." : "", matrix ? "matrix" : "vector", formats[i].ours);
            *factor = rate ? 1 : 1e12;
            return true;
        }
    return false;
}

/* The clock behind the vector peaks: a CPU's base, what gives the printed peaks, the boost. */
static bool is_clock(const fact *f)
{
    const char *device = f->column[DEVICE], *field = f->column[FIELD];
    const fact *cores = fact_of(device, "sm_count");
    if (cores && strcmp(cores->column[UNIT], "core") == 0)
        return strcmp(field, "clk_base") == 0;
    return strcmp(field, fact_of(device, "clk_spec") ? "clk_spec" : "clk_boost") == 0;
}

/* Rows of these say what one link carries; ours is the sum. */
static bool is_per_link(const char *device)
{
    return starts(device, "TPU") || strcmp(device, "MI210") == 0 || strcmp(device, "Max 1550") == 0;
}

/* Which figure a row is, and its value in base units; false: none of ours. */
static bool figure_of(const fact *f, char path[PATH], double *want)
{
    const char *field = f->column[FIELD];
    double factor = 1, value = strtod(f->column[VALUE], NULL);
    const char *plain = NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(numbers[i].field, field) == 0) {
            plain = numbers[i].path;
            factor = numbers[i].factor;
        }
    if (is_clock(f)) {
        plain = "clock";
        factor = 1e6;
    } else if (strcmp(field, "mem_capacity") == 0) {
        plain = "hbm.capacity";
        factor = strcmp(f->column[UNIT], "GiB") == 0 ? 1073741824.0 : 1e9;
    } else if (strcmp(field, "link_bw_dir") == 0) {
        plain = "link.bandwidth";
        factor = 1e9 * (is_per_link(f->column[DEVICE]) ? value_of(f->column[DEVICE], "link_count") : 1);
    }
    if (plain)
        snprintf(path, PATH, "%s", plain);
    else if (!peak_path(field, path, &factor))
        return false;
    *want = value * factor;
    return true;
}

/* ---- figures that are not those of the table, and why ------------------------------------------ */

static const struct { const char *device, *paths, *why; } departures[] = {
    { "Gaudi3", "clock matrix vector", "the decision: roofs at the 1.6 GHz that devices report, not at 1.75" },
    { "B200", "l2.bandwidth", "across the dies, which is what a kernel on all SMs sees" },
    { "M1 Max", "rate.matrix.f32 matrix_tile", "matrix instructions run on the ALUs: no matrix roof" },
    { "M2 Ultra", "rate.matrix.f32 matrix_tile", "the same" },
    { "M3 Max", "rate.matrix.f32 matrix_tile", "the same" },
    { "M4 Max", "rate.matrix.f32 matrix_tile", "the same" },
    { "H20", "matrix_tile.f64", "no f64 matrix peak" },
};

static bool departs(const char *device, const char *path)
{
    for (size_t i = 0; i < sizeof departures / sizeof departures[0]; i++)
        if (strcmp(departures[i].device, device) == 0 && kci_device_listed(departures[i].paths, path))
            return true;
    return false;
}

/* ---- the tests ---------------------------------------------------------------------------------- */

static double figure(const kc_device *device, const char *path)
{
    double value = NAN;
    kc_device_get(device, path, &value);
    return value;
}

/* Devices by the table's names, each made once. */
static kc_device *of_fact(const char *name)
{
    static kc_device *last;
    static char last_name[64];
    if (!last || strcmp(last_name, name) != 0) {
        kc_release(last);
        last = kc_device_named(context, name);
        snprintf(last_name, sizeof last_name, "%s", name);
    }
    return last;
}

TEST(every_device_of_the_table_is_shipped)
{
    for (size_t i = 0; i < fact_count; i++)
        if (!of_fact(facts[i].column[DEVICE])) {
            print_error("%s\n", kc_context_message(context));
            fail();
        }
}

TEST(every_figure_is_that_of_the_table)
{
    size_t compared = 0, wrong = 0;
    for (size_t i = 0; i < fact_count; i++) {
        char path[PATH];
        double want;
        const char *name = facts[i].column[DEVICE];
        if (!figure_of(&facts[i], path, &want) || departs(name, path))
            continue;
        double got = figure(of_fact(name), path);
        bool same = want == 0 ? isnan(got) : fabs(got - want) <= 1e-9 * want;
        if (!same)
            print_error("%s: %s is %.15g, not %.15g\n", name, path, got, want);
        wrong += !same;
        compared++;
    }
    print_message("%zu figures compared\n", compared);
    assert_int_equal(wrong, 0);
    assert_true(compared > 1400);
}

TEST(every_source_says_the_kind_and_the_confidence_of_the_table)
{
    size_t wrong = 0;
    for (size_t i = 0; i < fact_count; i++) {
        char path[PATH], confidence[4];
        double want;
        const fact *f = &facts[i];
        if (!figure_of(f, path, &want) || want == 0 || departs(f->column[DEVICE], path))
            continue;
        const char *source = kci_device_source(of_fact(f->column[DEVICE]), path);
        snprintf(confidence, sizeof confidence, "[%c]", f->column[NOTE][strlen("conf:")]);
        bool same = source && starts(source, f->column[KIND]) && strstr(source, confidence);
        if (!same)
            print_error("%s: %s: '%s' is not %s %s\n", f->column[DEVICE], path, source ? source : "", f->column[KIND],
                        confidence);
        wrong += !same;
    }
    assert_int_equal(wrong, 0);
}

TEST(every_matrix_instruction_is_that_of_the_table)
{
    size_t compared = 0;
    for (size_t i = 0; i < fact_count; i++) {
        const fact *f = &facts[i];
        unsigned m, n, k;
        for (size_t j = 0; starts(f->column[FIELD], "mma_tile_") && j < sizeof formats / sizeof formats[0]; j++) {
            char path[PATH];
            if (strcmp(f->column[FIELD] + strlen("mma_tile_"), formats[j].theirs) != 0)
                continue;
            snprintf(path, sizeof path, "matrix_tile.%s.m", formats[j].ours);
            bool any_n = sscanf(f->column[VALUE], "%ux%ux%u", &m, &n, &k) != 3;
            if (any_n && sscanf(f->column[VALUE], "%uxNx%u", &m, &k) != 2)
                continue; /* a systolic array */
            if (departs(f->column[DEVICE], path))
                continue;
            kc_device *device = of_fact(f->column[DEVICE]);
            assert_number(figure(device, path), m);
            path[strlen(path) - 1] = 'n';
            assert_number(figure(device, path), any_n ? 256 : n);
            path[strlen(path) - 1] = 'k';
            assert_number(figure(device, path), k);
            compared++;
        }
    }
    assert_true(compared > 120);
}

TEST(memory_and_links_are_of_the_type_in_the_table)
{
    for (size_t i = 0; i < fact_count; i++) {
        const fact *f = &facts[i];
        bool memory = strcmp(f->column[FIELD], "mem_type") == 0;
        if (!memory && strcmp(f->column[FIELD], "link_type") != 0)
            continue;
        const char *got = kc_device_get_text(of_fact(f->column[DEVICE]), memory ? "hbm.type" : "link.type");
        if (strcmp(f->column[VALUE], "none") == 0)
            assert_null(got);
        else
            assert_text(got, f->column[VALUE]);
    }
}

/* ---- measured shares ------------------------------------------------------------------------------ */

/* The share that a row means: at most 1, for a board may run above the clock of its printed peak. */
static bool is_share(double share, double measured, double peak)
{
    return fabs(share - fmin(1, measured / peak)) < 1e-9;
}

static bool is_fitted(const kc_device *device, const char *path)
{
    const char *source = kci_device_source(device, path);
    return source && strstr(source, "fitted");
}

/* Some row of that device says so: a field that begins with `start`. */
static bool is_measured(const char *name, const char *start, double share, double peak, double factor)
{
    for (size_t i = 0; i < fact_count; i++)
        if (strcmp(facts[i].column[DEVICE], name) == 0 && starts(facts[i].column[FIELD], start) &&
            is_share(share, strtod(facts[i].column[VALUE], NULL) * factor, peak))
            return true;
    return false;
}

static size_t off_shares(const char *name, const kc_device *device)
{
    size_t off = 0;
    for (size_t j = 0; j < sizeof formats / sizeof formats[0]; j++) {
        char path[PATH], field[PATH];
        snprintf(path, sizeof path, "sustained.matrix.%s", formats[j].ours);
        double share = figure(device, path), peak = figure(device, path + strlen("sustained."));
        if (isnan(share) || is_fitted(device, path))
            continue;
        snprintf(field, sizeof field, "meas_matmul_%s", formats[j].theirs);
        if (!fact_of(name, field) && strcmp(formats[j].ours, "f16") == 0)
            snprintf(field, sizeof field, "meas_matmul_bf16"); /* the same unit */
        if (!is_share(share, value_of(name, field) * 1e12, peak)) {
            print_error("%s: %s is %.4g, not %s / peak\n", name, path, share, field);
            off++;
        }
    }
    return off;
}

static size_t off_share(const char *name, const kc_device *device, const char *path, const char *field, double peak,
                        double factor)
{
    double share = figure(device, path);
    if (isnan(share) || is_fitted(device, path) || is_measured(name, field, share, peak, factor))
        return 0;
    print_error("%s: %s is %.4g, which no row says\n", name, path, share);
    return 1;
}

TEST(every_share_is_a_measured_one)
{
    size_t off = 0;
    for (size_t i = 0; i < fact_count; i++) {
        const char *name = facts[i].column[DEVICE];
        if (strcmp(facts[i].column[FIELD], "sm_count") != 0) /* once a device */
            continue;
        const kc_device *device = of_fact(name);
        off += off_shares(name, device);
        off += off_share(name, device, "sustained.hbm", "meas_mem_", figure(device, "hbm.bandwidth"), 1e9);
        bool f64 = figure(device, "sustained.vector") == 1; /* only CPUs, measured in f64 */
        off += off_share(name, device, "sustained.vector", f64 ? "meas_fp64_vec" : "meas_fp32_vec",
                         figure(device, f64 ? "vector.f64" : "vector.f32"), 1e12);
        double smem = figure(device, "smem.bandwidth");
        if (fact_of(name, "meas_smem_bw"))
            off += off_share(name, device, "sustained.smem", "meas_smem_bw",
                             smem * figure(device, "cores") * figure(device, "clock"), 1e9);
        else
            off += off_share(name, device, "sustained.smem", "meas_smem_rate", smem, 1);
    }
    assert_int_equal(off, 0);
}

int main(void)
{
    context = kc_context_new(NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_of_the_table_is_shipped),
        cmocka_unit_test(every_figure_is_that_of_the_table),
        cmocka_unit_test(every_source_says_the_kind_and_the_confidence_of_the_table),
        cmocka_unit_test(every_matrix_instruction_is_that_of_the_table),
        cmocka_unit_test(memory_and_links_are_of_the_type_in_the_table),
        cmocka_unit_test(every_share_is_a_measured_one),
    };
    size_t count = sizeof tests / sizeof tests[0];
    if (!load()) {
        printf("0 passed, 0 failed, %zu skipped\n", count);
        kc_context_free(context);
        return 0;
    }
    int failed = run(tests);
    kc_release(of_fact("none such")); /* the last one made */
    for (size_t i = 0; i < fact_count; i++)
        free(facts[i].line);
    kc_context_free(context);
    return failed;
}
