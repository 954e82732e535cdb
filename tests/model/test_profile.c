/* test_profile.c: exports of profilers, whole and broken, in pieces of any size, with and without memory. */
#include "workbench.h"

#include "profile.h"

/* ---- numbers and units ---------------------------------------------------------------------- */

static double number(const char *text, char point, const char **rest)
{
    const kci_p_style style = { .point = point };
    kci_p_number n;
    return kci_style_number(&style, text, &n, rest) ? n.value : NAN;
}

TEST(a_number_may_have_separators_of_thousands_in_either_style)
{
    const char *rest;
    assert_number(number("53,261,312", '.', &rest), 53261312);
    assert_number(number("93,188.16", '.', &rest), 93188.16);
    assert_number(number("53.261.312", ',', &rest), 53261312);
    assert_number(number("93.188,16", ',', &rest), 93188.16);
    assert_number(number(" -1'234.5e-3", '.', &rest), -1.2345);
    assert_number(number("1\xC2\xA0" "234\xE2\x80\xAF" "567,25", ',', &rest), 1234567.25);
    assert_number(number("12345678901234567890", '.', &rest), 12345678901234567890.0);
    assert_number(number(".5", '.', &rest), 0.5);
    assert_number(number("12.3GB/s", '.', &rest), 12.3);
    assert_text(rest, "GB/s");
    assert_true(isnan(number("High (8)", '.', &rest)));
    assert_true(isnan(number("", '.', &rest)));
    assert_true(isnan(number("-", '.', &rest)));
    assert_number(number("1,5", '.', &rest), 1); /* no group of thousands: what follows is no unit */
    assert_text(rest, ",5");
}

static char style_of(const char *a, const char *b)
{
    kci_p_style style = { .point = '?' };
    kci_style_see(&style, a);
    kci_style_see(&style, b);
    return style.commas == style.points ? '?' : style.commas > style.points ? ',' : '.';
}

TEST(which_separator_is_the_decimal_point_follows_from_numbers_that_can_be_read_in_one_way)
{
    assert_int_equal(style_of("87.50", "1,234"), '.');
    assert_int_equal(style_of("87,50", "1.234"), ',');
    assert_int_equal(style_of("53,261,312", "5"), '.');
    assert_int_equal(style_of("53.261.312", "5"), ',');
    assert_int_equal(style_of("93,188.16", "5"), '.');
    assert_int_equal(style_of("0,244", "5"), ',');
    assert_int_equal(style_of("4096.123", "5"), '.');
    assert_int_equal(style_of("292,928", "292.928"), '?');
}

static void assert_unit(const char *text, bool binary, kci_p_family family, double of_one)
{
    kci_p_unit unit;
    const kci_p_number one = { 1, 1, 0, true };
    if (!kci_unit_read(text, strlen(text), binary, &unit))
        fail_msg("'%s' is no unit", text);
    assert_int_equal(unit.family, family);
    assert_number(kci_unit_apply(unit, &one), of_one);
}

TEST(every_unit_that_profilers_write_is_in_base_units)
{
    assert_unit("nsecond", false, KCI_U_SECOND, 1e-9);
    assert_unit("ns", false, KCI_U_SECOND, 1e-9);
    assert_unit("usecond", false, KCI_U_SECOND, 1e-6);
    assert_unit("us", false, KCI_U_SECOND, 1e-6);
    assert_unit("\xC2\xB5s", false, KCI_U_SECOND, 1e-6);
    assert_unit("msecond", false, KCI_U_SECOND, 1e-3);
    assert_unit("ms", false, KCI_U_SECOND, 1e-3);
    assert_unit("second", false, KCI_U_SECOND, 1);
    assert_unit(" s ", false, KCI_U_SECOND, 1);
    assert_unit("byte", false, KCI_U_BYTE, 1);
    assert_unit("Kbyte", false, KCI_U_BYTE, 1e3);
    assert_unit("Mbyte", false, KCI_U_BYTE, 1e6);
    assert_unit("Gbyte", false, KCI_U_BYTE, 1e9);
    assert_unit("Tbyte", false, KCI_U_BYTE, 1e12);
    assert_unit("Kbyte/block", false, KCI_U_BYTE, 1e3);
    assert_unit("KB", true, KCI_U_BYTE, 1024);
    assert_unit("MB", true, KCI_U_BYTE, 1024 * 1024);
    assert_unit("MB", false, KCI_U_BYTE, 1e6);
    assert_unit("GiB", false, KCI_U_BYTE, 1024.0 * 1024 * 1024);
    assert_unit("byte/second", false, KCI_U_RATE, 1);
    assert_unit("Gbyte/s", false, KCI_U_RATE, 1e9);
    assert_unit("byte/ns", false, KCI_U_RATE, 1e9);
    assert_unit("GB/s", true, KCI_U_RATE, 1024.0 * 1024 * 1024);
    assert_unit("%", false, KCI_U_SHARE, 0.01);
    assert_unit("hz", false, KCI_U_HERTZ, 1);
    assert_unit("Mhz", false, KCI_U_HERTZ, 1e6);
    assert_unit("Ghz", false, KCI_U_HERTZ, 1e9);
    assert_unit("cycle/second", false, KCI_U_HERTZ, 1);
    assert_unit("cycle/nsecond", false, KCI_U_HERTZ, 1e9);
    assert_unit("", false, KCI_U_COUNT, 1);
    assert_unit("sector", false, KCI_U_COUNT, 1);
    assert_unit("Ksector", false, KCI_U_COUNT, 1e3);
    assert_unit("Minst", false, KCI_U_COUNT, 1e6);
    assert_unit("register/thread", false, KCI_U_COUNT, 1);
    assert_unit("inst/cycle", false, KCI_U_COUNT, 1);
    kci_p_unit unit;
    assert_false(kci_unit_read("Xbyte", 5, false, &unit));
    assert_false(kci_unit_read("inst/s", 6, false, &unit));
    assert_false(kci_unit_read(",5", 2, false, &unit));
}

TEST(a_unit_rounds_nothing)
{
    kci_p_unit unit;
    kci_p_number n;
    const char *rest;
    const kci_p_style style = { .point = '.' };
    assert_true(kci_unit_read("%", 1, false, &unit) && kci_style_number(&style, "55.515539", &n, &rest));
    assert_number(kci_unit_apply(unit, &n), 0.55515539);
    assert_true(kci_unit_read("nsecond", 7, false, &unit) && kci_style_number(&style, "78,240.00", &n, &rest));
    assert_number(kci_unit_apply(unit, &n), 7.824e-5);
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static kci_p_rows rows_of(const char *text, size_t *used)
{
    kci_p_rows rows = { .context = context, .separator = ',' };
    *used = kci_rows_take(&rows, text, strlen(text));
    return rows;
}

static void assert_row(const char *text, size_t count, const char *const *cells)
{
    size_t used;
    kci_p_rows rows = rows_of(text, &used);
    if (!rows.ready) {
        bool cut;
        kci_rows_end(&rows, &cut);
    }
    assert_true(rows.ready);
    assert_int_equal(rows.count, count);
    for (size_t i = 0; i < count; i++)
        assert_text(kci_rows_cell(&rows, i), cells[i]);
    kci_rows_free(&rows);
}

TEST(cells_may_be_quoted_and_hold_separators_quotes_and_line_ends)
{
    assert_row("a,b,c\n", 3, (const char *[]){ "a", "b", "c" });
    assert_row("a,,\r\n", 3, (const char *[]){ "a", "", "" });
    assert_row("\"f(int, int)\",\"say \"\"hi\"\"\",\"two\nlines\"\n", 3, (const char *[]){ "f(int, int)", "say \"hi\"", "two\nlines" });
    assert_row(" \"a\" , b\r", 2, (const char *[]){ "a ", " b" });
    assert_row("f<\"x\">,1", 2, (const char *[]){ "f<\"x\">", "1" });
    assert_row("\n\n\na\n", 1, (const char *[]){ "a" });
}

TEST(a_quote_that_never_closes_is_said_with_its_line)
{
    static char text[KCI_P_TEXT + 100];
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "a,b\n\"open", 9);
    kci_p_rows rows = { .context = context, .separator = ',' };
    size_t used = kci_rows_take(&rows, text, strlen(text));
    kci_rows_clear(&rows);
    kci_rows_take(&rows, text + used, strlen(text + used));
    assert_true(rows.failed);
    assert_contains(kc_context_message(context), "a quote that opens in line 2 is never closed");
    kci_rows_free(&rows);
}

/* ---- whole exports -------------------------------------------------------------------------------- */

typedef struct text {
    char *bytes;
    size_t length;
} text;

static text contents(FILE *file)
{
    text t = { malloc(1 << 20), 0 };
    assert_non_null(file);
    t.length = fread(t.bytes, 1, 1 << 20, file);
    fclose(file);
    return t;
}

static const char *const files[] = {
    "plain.csv",           "ncu_details.csv",        "nvprof_trace.csv",    "nvprof_summary.csv",  "nvprof_metrics.csv",
    "rocprofv3_trace.csv", "rocprofv3_counters.csv", "rocprofv3_stats.csv", "rocprof_compute.csv", "pytorch.json",
    "nsys_summary.csv",    "nsys_trace.csv",
};
enum { FILES = sizeof files / sizeof *files };

static text export(size_t i)
{
    char path[100];
    snprintf(path, sizeof path, "tests/data/profiles/%s", files[i]);
    return contents(fopen(path, "rb"));
}

/* Fed in pieces; a new reference, ended with *status. */
static kc_profile *read_in(kc_context *in, const char *bytes, size_t length, size_t piece, kc_status *status)
{
    kc_profile *p = kc_profile_new(in, 4096);
    *status = p ? KC_OK : KC_ENOMEM;
    for (size_t at = 0; at < length && *status == KC_OK; at += piece)
        *status = kc_profile_feed(p, bytes + at, length - at < piece ? length - at : piece);
    if (*status == KC_OK)
        *status = kc_profile_end(p);
    return p;
}

static kc_profile *read_whole(const char *bytes, size_t length)
{
    kc_status status;
    kc_profile *p = keep(read_in(context, bytes, length, length ? length : 1, &status));
    if (status != KC_OK)
        fail_msg("%s", kc_context_message(context));
    return p;
}

static void refuses_text(const char *bytes, size_t length, const char *sentence)
{
    kc_status status;
    keep(read_in(context, bytes, length, length ? length : 1, &status));
    refuses_status(status, sentence);
}

TEST(pieces_of_any_size_give_the_same_profile)
{
    static const size_t sizes[] = { 1, 2, 7, 64 };
    for (size_t i = 0; i < FILES; i++) {
        text t = export(i);
        const char *want = kc_json(object(read_whole(t.bytes, t.length)));
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            kc_status status;
            kc_profile *p = keep(read_in(context, t.bytes, t.length, sizes[s], &status));
            assert_int_equal(status, KC_OK);
            assert_text(kc_json(object(p)), want);
        }
        free(t.bytes);
    }
}

/* Nothing is decided before 64 KiB are there: blank lines, so that what comes behind them is read as it comes. */
TEST(an_export_that_streams_is_read_as_one_that_is_whole)
{
    static const size_t sizes[] = { 1, 7, 4096 };
    static char blank[KCI_P_HEAD];
    memset(blank, '\n', sizeof blank);
    for (size_t i = 0; i < FILES; i++) {
        text t = export(i);
        bool json = t.bytes[0] == '{';
        const char *want = kc_json(object(read_whole(t.bytes, t.length)));
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            kc_profile *p = keep(kc_profile_new(context, 4096));
            blank[0] = json ? '{' : '\n';
            assert_int_equal(kc_profile_feed(p, blank, sizeof blank), KC_OK);
            for (size_t at = json; at < t.length; at += sizes[s])
                assert_int_equal(kc_profile_feed(p, t.bytes + at, t.length - at < sizes[s] ? t.length - at : sizes[s]), KC_OK);
            assert_int_equal(kc_profile_end(p), KC_OK);
            assert_text(kc_json(object(p)), want);
        }
        free(t.bytes);
    }
}

/* Whatever is cut off: a profile of what was there, or one sentence. */
static void truncate_all(text t)
{
    for (size_t length = 0; length < t.length; length++) {
        kc_status status;
        kc_profile *p = read_in(context, t.bytes, length, length + 1, &status);
        if (status == KC_OK) {
            assert_non_null(kc_json(object(p)));
        } else {
            assert_int_equal(status, KC_EARGUMENT);
            assert_true(strlen(kc_context_message(context)) > 5 && !strchr(kc_context_message(context), '\n'));
        }
        kc_release(p);
    }
}

TEST(an_export_that_is_cut_off_at_any_byte_is_read_or_refused_in_one_line)
{
    for (size_t i = 0; i < a_few_of(FILES); i++) {
        text t = export(i);
        truncate_all(t);
        free(t.bytes);
    }
}

/* One byte changed, by a generator of its own. */
TEST(an_export_with_any_byte_changed_is_read_or_refused)
{
    uint32_t seed = 1;
    for (size_t i = 0; i < FILES; i++) {
        text t = export(i);
        for (size_t n = 0; n < a_few_of(600); n++) {
            seed = seed * 1664525 + 1013904223;
            size_t at = (seed >> 8) % t.length;
            char was = t.bytes[at];
            t.bytes[at] = (char)(seed >> 3);
            kc_status status;
            kc_profile *p = read_in(context, t.bytes, t.length, t.length, &status);
            assert_true(status == KC_OK || status == KC_EARGUMENT);
            assert_true(status != KC_OK || kc_json(object(p)));
            kc_release(p);
            t.bytes[at] = was;
        }
        free(t.bytes);
    }
}

TEST(each_request_for_memory_may_be_refused)
{
    for (size_t i = 0; i < a_few_of(FILES); i++) {
        text t = export(i);
        size_t step = environment_number("KCOST_RANDOM", 1e6) < 1000 ? 7 : 1;
        bool more = true;
        for (size_t n = 1; more; n += step) {
            memory own = { .fail_at = n };
            kc_context *in = kc_context_new(counted_resize, &own);
            kc_status status = KC_ENOMEM;
            kc_profile *p = in ? read_in(in, t.bytes, t.length, t.length, &status) : NULL;
            more = own.requests >= n;
            assert_int_equal(status, more ? KC_ENOMEM : KC_OK);
            kc_release(p);
            kc_context_free(in);
            assert_int_equal(own.live, 0);
            assert_int_equal(own.misstated, 0);
        }
        free(t.bytes);
    }
}

TEST(what_is_no_text_is_refused_with_what_to_do)
{
    refuses_text("", 0, "it is empty");
    refuses_text("\x1f\x8b\x08 and more", 12, "it is compressed: run gunzip on it first");
    refuses_text("PK\x03\x04 and more", 12, "it is a zip archive");
    refuses_text("SQLite format 3\0 and", 20, "it is a database of Nsight Systems or rocpd");
    refuses_text("NVR\0\1\2\3\4", 8, "it is a report of Nsight Compute: ncu --import FILE --csv --page raw");
    refuses_text("\x7f" "ELF\2\1\1\0\0\0", 10, "it is binary");
    refuses_text("hello, world\n1,2\n", 17, "no line is the header of a CSV");
    refuses_text("{\"a\": [1, 2]}", 13, "it is JSON, but no trace");
    refuses_text("{\"traceEvents\": []}", 19, "the trace has no events");
    refuses_text("]", 1, "no line is the header");
    refuses_text("name,time\n", 10, "no kernel in it");
    refuses_text("Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n1,2,3,4,cudaMalloc\n", 68, "calls of the host, not of kernels");
    refuses_text("\"Grid Size\",\"Metric Name\",\"Metric Value\",\"ID\"\n1,2,3,4\n", 54, "line 1 looks like a header, but has no column with "
                 "kernel names");
}

/* Every ASCII character as two bytes, with a mark or without. */
static text as_utf16(text t, bool mark, bool big)
{
    text wide = { malloc(2 * t.length + 2), 0 };
    if (mark) {
        wide.bytes[wide.length++] = big ? '\xFE' : '\xFF';
        wide.bytes[wide.length++] = big ? '\xFF' : '\xFE';
    }
    for (size_t i = 0; i < t.length; i++) {
        wide.bytes[wide.length++] = big ? '\0' : t.bytes[i];
        wide.bytes[wide.length++] = big ? t.bytes[i] : '\0';
    }
    return wide;
}

TEST(utf_16_is_read_with_a_mark_and_without)
{
    for (size_t i = 0; i < FILES; i++) {
        text t = export(i);
        const char *want = kc_json(object(read_whole(t.bytes, t.length)));
        for (int way = 0; way < 4; way++) {
            text wide = as_utf16(t, way & 1, way & 2);
            assert_text(kc_json(object(read_whole(wide.bytes, wide.length))), want);
            free(wide.bytes);
        }
        free(t.bytes);
    }
}

TEST(characters_beyond_16_bits_survive)
{
    static const char wide[] = "\xFF\xFEn\0a\0m\0e\0,\0t\0i\0m\0e\0\n\0\x3D\xD8\x80\xDE,\0" "2\0\n\0";
    assert_contains(kc_json(object(read_whole(wide, sizeof wide - 1))), "\"name\":\"\xF0\x9F\x9A\x80\"");
}

#define HALF "\xEF\xBF\xBD"   /* U+FFFD */

TEST(half_a_pair_of_utf_16_costs_no_more_than_itself)
{
    /* two first halves, a letter, a second half, the first half before the comma */
    static const char wide[] = "\xFF\xFEn\0a\0m\0e\0,\0t\0i\0m\0e\0\n\0\x3D\xD8\x3D\xD8" "A\0\x80\xDE\x3D\xD8,\0" "2\0\n\0";
    assert_contains(kc_json(object(read_whole(wide, sizeof wide - 1))),
                    "\"name\":\"" HALF HALF "A" HALF HALF "\"");
}

static const char *json_of(const char *rows)
{
    return kc_json(object(read_whole(rows, strlen(rows))));
}

TEST(an_extent_in_brackets_has_commas_between_its_numbers_with_blanks_or_without)
{
    double extent[3];
    static const char *const same[] = { "[64,128,1]", "[64, 128, 1]", "(64,128,1)", "64x128x1", " {64 128}" };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_true(kci_read_extent(same[i], extent));
        assert_number(extent[0], 64);
        assert_number(extent[1], 128);
        assert_number(extent[2], 1);
    }
    assert_true(kci_read_extent("65,536", extent)); /* work-items in all, with a separator */
    assert_number(extent[0], 65536);
    assert_false(kci_read_extent("[]", extent));
    assert_false(kci_read_extent("(-2,3,1)", extent));
    assert_contains(json_of("{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"dur\":5,\"args\":{\"grid\":[64,128,1]}}]}"),
                    "\"grid\":[64,128,1]");
    assert_contains(json_of("name,time,grid x,grid y,grid z\nk,1,-2,-3,1\n"), "[{\"name\":\"k\",\"launches\":1,");
}

TEST(a_name_is_no_command_to_a_terminal_and_ends_no_line)
{
    assert_contains(json_of("name,time\n\"\x1b[2Jevil\rk\xC2\x9B\n2\x7F\",1\n"), "\"name\":\"[2Jevil k   2\"");
    assert_contains(json_of("name,time,\x1b[31mred\nk,1,2\n"), "\"what\":\"[31mred\"");
    assert_contains(json_of("[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\\u001b\\nb\",\"dur\":5},{\"ph\":\"i\",\"cat\":\"\ac\"}]"),
                    "\"name\":\"a  b\"");
#define NAMED(name) "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"dur\":5}]"
    assert_contains(json_of(NAMED("\\ud83d\\ude00\\u00e9")), "\"name\":\"\xF0\x9F\x98\x80\xC3\xA9\"");
    assert_contains(json_of(NAMED("\\ud83d\\u0041")), "\"name\":\"\xEF\xBF\xBD" "A\"");
    assert_contains(json_of(NAMED("\\u0000\\ude00\\ud83d")), "\"name\":\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(what_no_clock_and_no_counter_can_show_is_no_number)
{
    refuses_text("name,time\na,1e308\n", 18, "no kernel in it");
    assert_contains(json_of("name,time,bytes\na,1,1e31\na,1,2e30\n"), "\"what\":\"bytes\",\"why\":\"no number\",\"rows\":2");
    const char *json = json_of("name,time_us,bytes_read,bytes_written,grid\nk,5,9e29,9e29,1e29x1e29x1e31\n");
    assert_contains(json, "\"bytes_read_measured\":9e29");
    assert_null(strstr(json, "\"bytes_measured\""));
    assert_contains(json, "\"grid\":[1e29,1e29,1]");
}

TEST(launches_are_kept_up_to_a_number_and_summed_beyond_it)
{
    kc_profile *p = keep(kc_profile_new(context, 2));
    static const char rows[] = "name,time_us\na,1\na,2\na,6\nb,4\n";
    assert_int_equal(kc_profile_feed(p, rows, strlen(rows)), KC_OK);
    assert_int_equal(kc_profile_end(p), KC_OK);
    const char *json = kc_json(object(p));
    assert_contains(json, "\"name\":\"a\",\"launches\":3,\"time_measured\":3e-6,\"time_min_measured\":1e-6,\"time_max_measured\":6e-6");
    assert_contains(json, "\"launch_count\":4,\"launches\":[{\"name\":\"a\",\"time_measured\":1e-6},{\"name\":\"a\",\"time_measured\":2e-6}]");
    refuses_status(kc_profile_feed(p, rows, 1), "the profile has ended");
    refuses_status(kc_profile_end(p), "the profile has ended");
}

TEST(a_profile_that_failed_has_no_json)
{
    kc_profile *p = keep(kc_profile_new(context, 2));
    refuses_status(kc_profile_end(p), "it is empty");
    refuses_status(kc_profile_feed(p, "a", 1), "it failed before");
    refuses(kc_json(object(p)), "not been read to its end");
    assert_int_equal(kc_profile_feed(NULL, "a", 1), KC_EARGUMENT);
    assert_null(kc_profile_new(NULL, 1));
}

/* What a million rows more would take is what ten thousand take. */
TEST(memory_does_not_grow_with_the_number_of_rows)
{
    memory own = { 0 };
    kc_context *in = kc_context_new(counted_resize, &own);
    kc_profile *p = kc_profile_new(in, 100);
    size_t live = 0;
    assert_int_equal(kc_profile_feed(p, "name,time\n", 10), KC_OK);
    for (int i = 0; i < 50000; i++) {
        char row[40];
        int length = snprintf(row, sizeof row, "kernel_%d,0.%05d\n", i % 10, i);
        assert_int_equal(kc_profile_feed(p, row, (size_t)length), KC_OK);
        live = i == 10000 ? own.live : live;
    }
    assert_int_equal(own.live, live);
    kc_release(p);
    kc_context_free(in);
}

/* Kernels without end: sums of the first ones, and the others counted. */
TEST(memory_does_not_grow_with_the_number_of_kernels)
{
    memory own = { 0 };
    kc_context *in = kc_context_new(counted_resize, &own);
    kc_profile *p = kc_profile_new(in, 16);
    assert_int_equal(kc_profile_feed(p, "name,time\n", 10), KC_OK);
    for (int i = 0; i < KCI_P_KERNELS + 1000; i++) {
        char row[40];
        int length = snprintf(row, sizeof row, "kernel_%d,0.5\n", i);
        assert_int_equal(kc_profile_feed(p, row, (size_t)length), KC_OK);
    }
    assert_int_equal(kc_profile_end(p), KC_OK);
    assert_contains(kc_json(object(p)), "1000 launches are of kernels beyond the first 16384, and were not used");
    kc_release(p);
    kc_context_free(in);
    assert_int_equal(own.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(a_number_may_have_separators_of_thousands_in_either_style),
        fact(which_separator_is_the_decimal_point_follows_from_numbers_that_can_be_read_in_one_way),
        fact(every_unit_that_profilers_write_is_in_base_units),
        fact(a_unit_rounds_nothing),
        fact(cells_may_be_quoted_and_hold_separators_quotes_and_line_ends),
        fact(a_quote_that_never_closes_is_said_with_its_line),
        fact(pieces_of_any_size_give_the_same_profile),
        fact(an_export_that_streams_is_read_as_one_that_is_whole),
        fact(an_export_that_is_cut_off_at_any_byte_is_read_or_refused_in_one_line),
        fact(an_export_with_any_byte_changed_is_read_or_refused),
        fact(each_request_for_memory_may_be_refused),
        fact(what_is_no_text_is_refused_with_what_to_do),
        fact(utf_16_is_read_with_a_mark_and_without),
        fact(characters_beyond_16_bits_survive),
        fact(half_a_pair_of_utf_16_costs_no_more_than_itself),
        fact(an_extent_in_brackets_has_commas_between_its_numbers_with_blanks_or_without),
        fact(a_name_is_no_command_to_a_terminal_and_ends_no_line),
        fact(what_no_clock_and_no_counter_can_show_is_no_number),
        fact(launches_are_kept_up_to_a_number_and_summed_beyond_it),
        fact(a_profile_that_failed_has_no_json),
        fact(memory_does_not_grow_with_the_number_of_rows),
        fact(memory_does_not_grow_with_the_number_of_kernels),
    };
    return run(tests);
}
