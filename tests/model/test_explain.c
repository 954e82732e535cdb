/* test_explain.c: results in sentences, advice, sensitivity, measured times, occupancy as a question. */
#include "workbench.h"

#include "advice.h"
#include "sensitivity.h"

/* ---- what is asked ---------------------------------------------------------------------------- */

static kc_tensor *product(const char *name, double m, double n, double k)
{
    char a[64], b[64];
    snprintf(a, sizeof a, "m=%.0f k=%.0f", m, k);
    snprintf(b, sizeof b, "k=%.0f n=%.0f", k, n);
    return write_of(name, matmul(read_of(tensor("A", a, "f16")), read_of(tensor("B", b, "f16")), NULL));
}

static kc_result *on(const char *device, void *x, const kc_options *options)
{
    return keep(kc_evaluate(x, keep(kc_device_named(context, device)), options));
}

static kc_options *measured(double seconds)
{
    kc_options *options = keep(kc_options_new(context));
    assert_int_equal(kc_options_set(options, "measured", seconds), KC_OK);
    return options;
}

static const char *explained(kc_result *r)
{
    const char *text = kc_result_explain(r);
    assert_non_null(text);
    return text;
}

static double number(const kc_result *r, kc_field field)
{
    double value = NAN;
    assert_int_equal(kc_result_number(r, field, &value), KC_OK);
    return value;
}

static double change(kc_result *r, const char *roof)
{
    double value = NAN;
    assert_int_equal(kc_result_sensitivity(r, roof, &value), KC_OK);
    return value;
}

static bool noted(const kc_result *r, const char *part)
{
    for (size_t i = 0; i < kc_result_notes(r); i++)
        if (strstr(kc_result_note(r, i), part))
            return true;
    return false;
}

/* ---- sentences ---------------------------------------------------------------------------------- */

TEST(it_says_how_long_what_binds_and_how_far_from_the_roof)
{
    kc_result *r = on("h100-sxm5", kernel_of(product("C", 4096, 4096, 4096)), NULL);
    const char *text = explained(r);
    assert_contains(text, "C on h100-sxm5 takes ");
    assert_contains(text, "compute-bound: the matrix units bind");
    assert_contains(text, "of it is reached");
    assert_contains(text, "137 GFLOP of useful work");
}

TEST(asked_again_it_is_the_same_text)
{
    kc_result *r = on("h100-sxm5", kernel_of(product("C", 4096, 4096, 4096)), NULL);
    const char *text = explained(r);
    assert_ptr_equal(text, explained(r));
}

TEST(a_count_has_work_and_bytes_and_no_time)
{
    kc_result *r = keep(kc_count(object(product("C", 512, 512, 512)), NULL));
    const char *text = explained(r);
    assert_contains(text, "no time");
    assert_contains(text, "A: 524 kB compulsory");
    assert_null(strstr(text, "What would help"));
}

TEST(every_byte_has_a_cause)
{
    kc_options *options = keep(kc_options_new(context));
    kc_options_set(options, "l2", 0);
    kc_result *r = on("h100-sxm5", tiled(product("C", 1024, 1024, 1024), "m=128 n=128 k=64", NULL, NULL), options);
    const char *text = explained(r);
    assert_contains(text, "A: 2.10 MB compulsory, 14.7 MB reloaded by other CTAs or trips");
    assert_contains(text, "C: 2.10 MB compulsory\n");
}

TEST(spills_and_passes_and_partials_are_named)
{
    kc_tensor *x = tensor("X", "i=4096 j=65536", "f32");
    kc_kernel *safe = tiled(write_of("Y", softmax(read_of(x), "j", 0)), "i=1 j=4096", NULL, NULL);
    assert_contains(explained(keep(kc_count(object(safe), NULL))), "read again by a later pass");
    kc_schedule *s = schedule_of("m=128 n=128 k=64", NULL, NULL);
    kc_schedule_split(s, "k", 4);
    kc_kernel *split = keep(kc_tile(object(product("C", 256, 256, 4096)), s));
    assert_contains(explained(keep(kc_count(object(split), NULL))), "of partial results");
}

TEST(idle_cores_are_said)
{
    kc_result *r = on("mi300x", tiled(product("C", 2048, 256, 1024), "m=256 n=256 k=32", NULL, NULL), NULL);
    assert_contains(explained(r), "fewer CTAs than cores, so 296 cores are idle");
}

/* ---- what would help -------------------------------------------------------------------------------- */

TEST(a_wave_less_is_named_with_the_size_that_needs_it)
{
    kc_schedule *s = schedule_of("m=256 n=128 k=32", NULL, NULL);
    kc_schedule_warps(s, 8);
    kc_kernel *k = keep(kc_tile(object(product("C", 1793, 1793, 1792)), s));
    assert_contains(explained(on("a100-sxm4-80gb", k, NULL)), "1 wave less, by m = 1792 instead of 1793");
}

TEST(a_larger_tile_helps_where_reloads_bind)
{
    kc_result *r = on("h100-sxm5", tiled(product("C", 4096, 4096, 4096), "m=32 n=32 k=64", NULL, NULL), NULL);
    assert_contains(explained(r), "less: tile ");
}

TEST(advice_is_what_the_model_says_of_the_changed_kernel)
{
    static const double size[3] = { 4096, 4096, 4096 };
    kci_advice list[KCI_ADVICES];
    size_t count = 0, tiles = 0;
    kc_result *r = on("h100-sxm5", tiled(product("C", size[0], size[1], size[2]), "m=64 n=64 k=64", NULL, NULL), NULL);
    assert_int_equal(kci_advise(r, list, &count), KC_OK);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        double m = 64, n = 64, k = 64, stages = 2;
        char loop;
        double tile;
        assert_true(i == 0 || list[i - 1].time <= list[i].time);
        assert_true(list[i].time <= 0.99 * number(r, KC_TIME));
        if (sscanf(list[i].what, "tile %c = %lf", &loop, &tile) == 2)
            *(loop == 'm' ? &m : loop == 'n' ? &n : &k) = tile;
        else if (sscanf(list[i].what, "stages = %lf", &stages) != 1)
            continue;
        char tiles_of[64];
        snprintf(tiles_of, sizeof tiles_of, "m=%.0f n=%.0f k=%.0f", m, n, k);
        kc_schedule *s = schedule_of(tiles_of, NULL, NULL);
        kc_schedule_stages(s, NULL, stages);
        kc_kernel *changed = keep(kc_tile(object(product("C", size[0], size[1], size[2])), s));
        assert_close(list[i].time, number(on("h100-sxm5", changed, NULL), KC_TIME), 1e-12);
        tiles++;
    }
    assert_true(tiles > 0);
}

TEST(fusing_the_three_kernels_of_attention_keeps_the_scores_on_chip)
{
    attention a = attention_of("b=16 i=4096 d=64", "b=16 j=4096 d=64", "b=16 j=4096 e=64");
    kc_object *parts[] = { object(a.s), object(a.p), object(a.o) };
    kc_program *p = keep(kc_program_new(context, "unfused", parts, 3));
    kc_result *r = on("h100-sxm5", p, NULL);
    assert_contains(explained(r), "S, P and O fused, so that 2.15 GB stay on chip");
    assert_contains(explained(r), "P: ");
}

TEST(fusing_saves_what_others_read)
{
    kc_tensor *x = tensor("X", "n=100000000", "f16");
    kc_tensor *a = write_of("A", map1("relu", read_of(x))), *b = write_of("B", map1("exp", read_of(a)));
    kc_tensor *c = write_of("C", map2("add", read_of(a), read_of(b)));
    kc_object *parts[] = { object(a), object(b), object(c) };
    kc_result *r = on("h100-sxm5", keep(kc_program_new(context, "chain", parts, 3)), NULL);
    assert_contains(explained(r), "A, B and C fused");
}

TEST(kernels_that_are_alike_are_advised_together)
{
    kc_object *parts[6];
    kc_tensor *x = tensor("X0", "m=4096 k=4096", "f16");
    for (int i = 0; i < 6; i++) {
        char name[16];
        kc_tensor *w = tensor("W", i % 2 ? "n=4096 k=4096" : "k=4096 n=4096", "f16");
        snprintf(name, sizeof name, "X%d", i + 1);
        x = write_of(name, matmul(read_of(x), read_of(w), NULL));
        parts[i] = object(tiled(x, i % 2 ? "m=64 k=64 n=64" : "m=64 n=64 k=64", NULL, NULL));
    }
    kc_result *r = on("h100-sxm5", keep(kc_program_new(context, "deep", parts, 6)), NULL);
    assert_contains(explained(r), " in X1 and the 2 like it");
}

TEST(several_runs_are_fused_beside_each_other)
{
    kc_object *parts[4];
    kc_tensor *x = NULL;
    for (int i = 0; i < 4; i++) {
        char name[2][16];
        snprintf(name[0], sizeof name[0], "X%d", i);
        snprintf(name[1], sizeof name[1], "Y%d", i);
        x = write_of(name[1], map1("relu", read_of(i % 2 ? x : tensor(name[0], "n=100000000", "f16"))));
        parts[i] = object(x);
    }
    kc_result *r = on("h100-sxm5", keep(kc_program_new(context, "pairs", parts, 4)), NULL);
    assert_contains(explained(r), "Y0 and Y1 fused, and 1 more run of kernels, so that 800 MB stay on chip");
}

TEST(kernels_that_share_nothing_are_not_fused)
{
    kc_tensor *a = write_of("A", map1("relu", read_of(tensor("X", "n=100000000", "f16"))));
    kc_tensor *b = write_of("B", map1("relu", read_of(tensor("Y", "n=100000000", "f16"))));
    kc_object *parts[] = { object(a), object(b) };
    kc_result *r = on("h100-sxm5", keep(kc_program_new(context, "apart", parts, 2)), NULL);
    assert_null(strstr(explained(r), "fused,"));
}

TEST(a_short_kernel_is_helped_by_a_graph_launch)
{
    kc_result *r = on("h100-sxm5", kernel_of(product("C", 64, 64, 64)), NULL);
    assert_contains(explained(r), "launched from a graph");
    kc_options *graph = keep(kc_options_new(context));
    kc_options_set_text(graph, "launch", "graph");
    r = on("h100-sxm5", kernel_of(product("C", 64, 64, 64)), graph);
    assert_null(strstr(explained(r), "launched from a graph"));
}

/* ---- sensitivity --------------------------------------------------------------------------------------- */

TEST(one_percent_more_of_the_only_roof_saves_one_percent)
{
    kc_options *options = keep(kc_options_new(context));
    kc_options_set_text(options, "launch", "none");
    kc_tensor *y = write_of("Y", map1("relu", read_of(tensor("X", "n=1000000000", "f16"))));
    kc_result *r = on("h100-sxm5", kernel_of(y), options);
    assert_close(change(r, "hbm"), 1 / 1.01 - 1, 1e-12);
    assert_number(change(r, "matrix"), 0);
    assert_number(change(r, "launch"), 0);
    r = on("h100-sxm5", kernel_of(product("C", 8192, 8192, 8192)), options);
    assert_close(change(r, "matrix"), 1 / 1.01 - 1, 1e-12);
    assert_number(change(r, "hbm"), 0);
}

TEST(a_shorter_launch_is_a_share_of_the_time)
{
    kc_result *r = on("h100-sxm5", kernel_of(product("C", 64, 64, 64)), NULL);
    double launch = number(r, KC_TIME_LAUNCH) / number(r, KC_TIME);
    assert_close(change(r, "launch"), launch * (1 / 1.01 - 1), 1e-9);
}

TEST(more_of_a_roof_never_costs_time)
{
    static const char *const devices[] = { "h100-sxm5", "a100-sxm4-80gb", "mi300x" };
    for (int i = 0; i < 3; i++) {
        kc_result *r = on(devices[i], tiled(product("C", 4096, 1024, 2048), "m=128 n=64 k=32", NULL, NULL), NULL);
        for (size_t roof = 0; kc_sensitivity_roof(roof); roof++) {
            double value;
            if (kc_result_sensitivity(r, kc_sensitivity_roof(roof), &value) == KC_OK)
                assert_true(value <= 0 && value >= -0.0101);
        }
    }
}

TEST(a_program_is_as_sensitive_as_its_kernels_together)
{
    kc_tensor *c = product("C", 2048, 2048, 2048), *d = write_of("D", map1("relu", read_of(c)));
    kc_object *parts[] = { object(c), object(d) };
    kc_result *r = on("h100-sxm5", keep(kc_program_new(context, "chain", parts, 2)), NULL);
    double sum = 0;
    for (size_t i = 0; i < 2; i++) {
        kc_result *k = keep(kc_result_kernel(r, i));
        sum += change(k, "hbm") * number(k, KC_TIME);
    }
    assert_close(change(r, "hbm"), sum / number(r, KC_TIME), 1e-9);
}

TEST(a_count_and_an_unknown_roof_have_no_sensitivity)
{
    refuses_status(kc_result_sensitivity(keep(kc_count(object(product("C", 64, 64, 64)), NULL)), "hbm", NULL), "no time");
    kc_result *r = on("h100-sxm5", kernel_of(product("C", 64, 64, 64)), NULL);
    refuses_status(kc_result_sensitivity(r, "hbn", NULL), "did you mean 'hbm'");
    assert_int_equal(kc_result_sensitivity(NULL, "hbm", NULL), KC_EARGUMENT);
    assert_null(kc_result_explain(NULL));
}

TEST(raising_a_roof_leaves_the_device_as_it_was)
{
    kc_device *device = keep(kc_device_named(context, "h100-sxm5"));
    double before, after;
    kc_device_get(device, "hbm.bandwidth", &before);
    kc_result *r = keep(kc_evaluate(object(product("C", 64, 64, 64)), device, NULL));
    change(r, "hbm");
    kc_device_get(device, "hbm.bandwidth", &after);
    assert_number(after, before);
}

/* ---- measured times ---------------------------------------------------------------------------------------- */

TEST(a_measured_time_is_compared_with_the_estimate_and_the_roof)
{
    kc_result *r = on("h100-sxm5", kernel_of(product("C", 4096, 4096, 4096)), measured(250e-6));
    assert_number(number(r, KC_MEASURED), 250e-6);
    assert_close(number(r, KC_MEASURED_RATIO), 250e-6 / number(r, KC_TIME), 1e-12);
    assert_close(number(r, KC_MEASURED_EFFICIENCY), number(r, KC_ROOF_TIME) / 250e-6, 1e-12);
    assert_true(noted(r, "of the compute roof"));
    assert_contains(explained(r), "Measured beside predicted");
}

TEST(a_matmul_that_beats_its_roof_has_a_boost_clock_or_a_sparse_peak)
{
    kc_kernel *k = kernel_of(product("C", 4096, 4096, 4096));
    double roof = number(on("h100-sxm5", k, NULL), KC_ROOF_TIME);
    kc_result *r = on("h100-sxm5", k, measured(roof / 1.1));
    assert_true(noted(r, "beats roof_time"));
    assert_true(noted(r, "likely cause: boost clock"));
    assert_true(noted(r, "likely cause: sparse peak"));
    assert_true(noted(r, "unlikely cause: L2 residency"));
    r = on("h100-sxm5", k, measured(roof / 10));
    assert_true(noted(r, "unlikely cause: boost clock"));
    assert_true(noted(r, "unlikely cause: sparse peak"));
}

TEST(a_copy_that_beats_its_roof_was_in_l2_if_it_fits)
{
    kc_tensor *small = write_of("Y", read_of(tensor("X", "n=4000000", "f16")));
    kc_result *r = on("h100-sxm5", kernel_of(small), measured(2e-6));
    assert_true(noted(r, "beats roof_time"));
    bool likely = false;
    for (size_t i = 0; i < kc_result_notes(r); i++)
        likely |= strncmp(kc_result_note(r, i), "likely cause: L2 residency", 26) == 0;
    assert_true(likely);
    kc_tensor *large = write_of("Y", read_of(tensor("X", "n=4000000000", "f16")));
    r = on("h100-sxm5", kernel_of(large), measured(1e-3));
    assert_true(noted(r, "unlikely cause: L2 residency"));
}

TEST(a_time_slower_than_the_serial_sum_is_said)
{
    kc_result *r = on("h100-sxm5", kernel_of(product("C", 4096, 4096, 4096)), measured(1));
    assert_true(noted(r, "longer than with nothing overlapped"));
}

TEST(a_measured_time_belongs_to_one_x_on_one_device)
{
    kc_object *c = object(product("C", 64, 64, 64));
    kc_device *device = keep(kc_device_named(context, "h100-sxm5"));
    refuses(kc_count(c, measured(1e-3)), "needs a device");
    refuses(kc_compare(context, &c, 1, &device, 1, measured(1e-3)), "one x on one device");
    kc_options *options = keep(kc_options_new(context));
    refuses_status(kc_options_set_text(options, "measured", "fast"), "in seconds");
}

TEST(a_measured_time_lies_between_a_clock_cycle_and_decades)
{
    static const double wrong[] = { 0, -1, 1e-300, 0.99e-12, 1.01e9, 1e300, HUGE_VAL, NAN };
    kc_options *options = keep(kc_options_new(context));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuses_status(kc_options_set(options, "measured", wrong[i]), "a time in seconds from 1e-12 to 1e9 is wanted");
    assert_int_equal(kc_options_set(options, "measured", 1e-12), KC_OK);
    assert_int_equal(kc_options_set(options, "measured", 1e9), KC_OK);
}

TEST(what_is_said_of_the_shortest_and_the_longest_measured_time_has_figures)
{
    static const double extremes[] = { 1e-12, 1e9 };
    kc_object *c = object(product("C", 4096, 4096, 4096));
    for (size_t i = 0; i < 2; i++) {
        kc_options *options = measured(extremes[i]);
        assert_int_equal(kc_options_set_text(options, "convention", "megatron"), KC_OK);
        kc_result *r = on("h100-sxm5", c, options);
        assert_true(noted(r, "measured by this convention"));
        assert_false(noted(r, "inf "));
        assert_null(strstr(explained(r), "inf "));
    }
}

TEST(a_rate_that_no_double_holds_is_refused)
{
    char a[320] = "", b[320] = "", of_a[96] = "", of_b[96] = "";
    for (int i = 0; i < 9; i++) { /* 2^(53 * 19 + 1) FLOP */
        snprintf(a + strlen(a), sizeof a - strlen(a), "a%d=9007199254740991 ", i);
        snprintf(b + strlen(b), sizeof b - strlen(b), "b%d=9007199254740991 ", i);
        snprintf(of_a + strlen(of_a), sizeof of_a - strlen(of_a), "a%d ", i);
        snprintf(of_b + strlen(of_b), sizeof of_b - strlen(of_b), "b%d ", i);
    }
    strcat(a, "k=9007199254740991"), strcat(b, "k=9007199254740991");
    kc_object *c = object(write_of("C", matmul(read_of(tensor("A", a, "f16")), read_of(tensor("B", b, "f16")), NULL)));
    refuses(kc_evaluate(c, keep(kc_device_named(context, "h100-sxm5")), measured(1e-12)), "its rate in the measured time leaves");
}

TEST(what_a_result_was_asked_with_does_not_change_under_it)
{
    kc_options *options = keep(kc_options_new(context));
    kc_options_set_text(options, "launch", "none");
    kc_result *r = on("h100-sxm5", kernel_of(product("C", 64, 64, 64)), options);
    kc_options_set_text(options, "launch", "eager");
    assert_number(change(r, "launch"), 0);
}

/* ---- occupancy as a question ---------------------------------------------------------------------------------- */

static double occupancy(const char *device, const char *cta, kc_occupancy_figure figure)
{
    size_list s;
    double value = -1;
    parse_sizes(&s, cta);
    kc_status status = kc_occupancy(keep(kc_device_named(context, device)), s.list, s.count, figure, &value);
    return status == KC_OK ? value : -1;
}

TEST(registers_are_rounded_and_warps_dealt)
{
    assert_number(occupancy("a100-sxm4-80gb", "threads=128 registers=41", KC_OCCUPANCY_REGISTERS), 48);
    assert_number(occupancy("a100-sxm4-80gb", "threads=128 registers=43", KC_OCCUPANCY_REGISTERS), 48);
    assert_number(occupancy("a100-sxm4-80gb", "threads=224 registers=92", KC_OCCUPANCY_CTAS), 2);
    assert_number(occupancy("a100-sxm4-80gb", "threads=224 registers=92", KC_OCCUPANCY_WARPS), 14);
    assert_number(occupancy("a100-sxm4-80gb", "threads=128 registers=92", KC_OCCUPANCY_WARPS), 20);
    assert_close(occupancy("a100-sxm4-80gb", "threads=128 registers=92", KC_OCCUPANCY_SHARE), 20 / 64., 1e-12);
}

TEST(the_limit_that_binds_has_a_name)
{
    const kc_size cta[] = { { "threads", 224 }, { "registers", 92 } }, wide[] = { { "threads", 1024 } };
    kc_device *device = keep(kc_device_named(context, "a100-sxm4-80gb"));
    assert_text(kc_occupancy_limit(device, cta, 2), "registers");
    assert_text(kc_occupancy_limit(device, wide, 1), "warps");
    assert_null(kc_occupancy_limit(device, NULL, 0));
}

TEST(the_most_stages_that_keep_n_ctas)
{
    const char *cta = "threads=256 stage=49152 stages=4";
    assert_number(occupancy("a100-sxm4-80gb", cta, KC_OCCUPANCY_CTAS), 0);
    assert_number(occupancy("a100-sxm4-80gb", cta, KC_MAX_STAGES), 3);
    assert_number(occupancy("a100-sxm4-80gb", cta, KC_MAX_SMEM), 163 * 1024);
    assert_number(occupancy("a100-sxm4-80gb", "threads=256 stage=16384 keep=2", KC_MAX_STAGES), 5);
    assert_number(occupancy("a100-sxm4-80gb", "threads=256 stages=4 keep=2", KC_MAX_STAGE), floor((82 - 1) * 1024 / 4.));
    assert_number(occupancy("a100-sxm4-80gb", "threads=256 smem=100000 stage=49152", KC_MAX_STAGES), 1);
}

TEST(what_max_says_keeps_them_and_one_more_does_not)
{
    static const char *const devices[] = { "a100-sxm4-80gb", "h100-sxm5", "v100-sxm2-16gb", "rtx-4090", "mi300x" };
    for (size_t d = 0; d < 5; d++)
        for (double keeps = 1; keeps <= 8; keeps++) {
            char cta[128];
            snprintf(cta, sizeof cta, "threads=128 registers=32 keep=%.0f", keeps);
            double smem = occupancy(devices[d], cta, KC_MAX_SMEM), registers = occupancy(devices[d], cta, KC_MAX_REGISTERS);
            for (int more = 0; more < 2; more++) {
                snprintf(cta, sizeof cta, "threads=128 smem=%.0f", smem + more);
                assert_int_equal(occupancy(devices[d], cta, KC_OCCUPANCY_CTAS) >= keeps, !more);
                snprintf(cta, sizeof cta, "threads=128 registers=%.0f", registers + more);
                assert_int_equal(occupancy(devices[d], cta, KC_OCCUPANCY_CTAS) >= keeps, !more);
            }
        }
}

TEST(a_maximum_is_absent_where_another_limit_keeps_fewer)
{
    assert_number(occupancy("a100-sxm4-80gb", "threads=1024 keep=3", KC_MAX_SMEM), -1);     /* 64 warps: 2 */
    assert_number(occupancy("a100-sxm4-80gb", "threads=1024 keep=2", KC_MAX_SMEM), 81 * 1024);
    assert_number(occupancy("a100-sxm4-80gb", "threads=1024", KC_MAX_STAGES), -1);          /* no stage given */
}

TEST(a_wrong_cta_is_an_error_that_says_what_is_wrong)
{
    kc_device *device = keep(kc_device_named(context, "h100-sxm5"));
    const kc_size unknown = { "thread", 128 }, none = { "threads", 0 }, part = { "threads", 1.5 }, only = { "smem", 4 };
    refuses_status(kc_occupancy(device, &unknown, 1, KC_OCCUPANCY_CTAS, NULL), "did you mean 'threads'");
    refuses_status(kc_occupancy(device, &none, 1, KC_OCCUPANCY_CTAS, NULL), "at least 1");
    refuses_status(kc_occupancy(device, &part, 1, KC_OCCUPANCY_CTAS, NULL), "whole number");
    refuses_status(kc_occupancy(device, &only, 1, KC_OCCUPANCY_CTAS, NULL), "threads is missing");
    const kc_size good = { "threads", 128 };
    kc_device *processor = keep(kc_device_named(context, "epyc-9654"));
    assert_int_equal(kc_occupancy(processor, &good, 1, KC_OCCUPANCY_CTAS, NULL), KC_EDEVICE);
    assert_int_equal(kc_occupancy(NULL, &good, 1, KC_OCCUPANCY_CTAS, NULL), KC_EARGUMENT);
    for (int f = 0; f < KC_OCCUPANCY_COUNT; f++)
        assert_non_null(kc_occupancy_name((kc_occupancy_figure)f));
    assert_null(kc_occupancy_name(KC_OCCUPANCY_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(it_says_how_long_what_binds_and_how_far_from_the_roof),
        fact(asked_again_it_is_the_same_text),
        fact(a_count_has_work_and_bytes_and_no_time),
        fact(every_byte_has_a_cause),
        fact(spills_and_passes_and_partials_are_named),
        fact(idle_cores_are_said),
        fact(a_wave_less_is_named_with_the_size_that_needs_it),
        fact(a_larger_tile_helps_where_reloads_bind),
        fact(advice_is_what_the_model_says_of_the_changed_kernel),
        fact(fusing_the_three_kernels_of_attention_keeps_the_scores_on_chip),
        fact(fusing_saves_what_others_read),
        fact(kernels_that_are_alike_are_advised_together),
        fact(several_runs_are_fused_beside_each_other),
        fact(kernels_that_share_nothing_are_not_fused),
        fact(a_short_kernel_is_helped_by_a_graph_launch),
        fact(one_percent_more_of_the_only_roof_saves_one_percent),
        fact(a_shorter_launch_is_a_share_of_the_time),
        fact(more_of_a_roof_never_costs_time),
        fact(a_program_is_as_sensitive_as_its_kernels_together),
        fact(a_count_and_an_unknown_roof_have_no_sensitivity),
        fact(raising_a_roof_leaves_the_device_as_it_was),
        fact(a_measured_time_is_compared_with_the_estimate_and_the_roof),
        fact(a_matmul_that_beats_its_roof_has_a_boost_clock_or_a_sparse_peak),
        fact(a_copy_that_beats_its_roof_was_in_l2_if_it_fits),
        fact(a_time_slower_than_the_serial_sum_is_said),
        fact(a_measured_time_belongs_to_one_x_on_one_device),
        fact(a_measured_time_lies_between_a_clock_cycle_and_decades),
        fact(what_is_said_of_the_shortest_and_the_longest_measured_time_has_figures),
        fact(a_rate_that_no_double_holds_is_refused),
        fact(what_a_result_was_asked_with_does_not_change_under_it),
        fact(registers_are_rounded_and_warps_dealt),
        fact(the_limit_that_binds_has_a_name),
        fact(the_most_stages_that_keep_n_ctas),
        fact(what_max_says_keeps_them_and_one_more_does_not),
        fact(a_maximum_is_absent_where_another_limit_keeps_fewer),
        fact(a_wrong_cta_is_an_error_that_says_what_is_wrong),
    };
    return run(tests);
}
