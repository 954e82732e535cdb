/* test_text.c: numbers to text and back, growing texts, nearest names, SI prefixes. */
#include "unit.h"

#include <float.h>
#include <locale.h>

#include "si.h"
#include "base.h"
#include "note.h"

static uint64_t seed = 88172645463325252u;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static const char *text_of(double number)
{
    static char text[64];
    size_t length = kci_format_number(number, text);
    assert_int_equal(length, strlen(text));
    assert_true(length < 32);
    return text;
}

static double read_all(const char *text)
{
    const char *end;
    double number = kci_parse_number(text, &end);
    assert_int_equal(*end, 0);
    return number;
}

/* The fewest digits that printf and strtod, which round correctly, need. */
static void assert_round_trip(double number)
{
    const char *text = text_of(number);
    char usual[64];
    assert_number(read_all(text), number);
    assert_number(strtod(text, NULL), number);
    int precision = 1;
    do
        snprintf(usual, sizeof usual, "%.*g", precision, number);
    while (strtod(usual, NULL) != number && ++precision < 18);
    bool whole = fabs(number) < 9007199254740992.0 && number == floor(number); /* never with an exponent */
    if (!whole && strlen(text) > strlen(usual)) {
        print_error("%s is longer than %s\n", text, usual);
        fail();
    }
}

TEST(random_doubles_read_back)
{
    long count = (long)environment_number("KCOST_NUMBERS", 20000);
    for (long i = 0; i < count; i++) {
        uint64_t bits = next_random();
        double number;
        memcpy(&number, &bits, sizeof number);
        if (isfinite(number))
            assert_round_trip(number);
    }
}

TEST(times_and_ratios_read_back)
{
    for (int i = 0; i < 20000; i++)
        assert_round_trip((double)(next_random() % 100000000) / (double)(1 + next_random() % 997) * 1e-9);
}

TEST(powers_of_two_and_their_neighbours_read_back)
{
    for (int exponent = -1074; exponent <= 1023; exponent++) {
        double power = ldexp(1, exponent);
        assert_round_trip(power);
        assert_round_trip(nextafter(power, 0));
        if (exponent < 1023)
            assert_round_trip(nextafter(power, INFINITY));
    }
}

TEST(powers_of_ten_are_a_one_and_zeros_or_an_exponent)
{
    for (int exponent = -323; exponent <= 308; exponent++) {
        char text[32];
        snprintf(text, sizeof text, "1e%d", exponent);
        double power = strtod(text, NULL);
        assert_round_trip(power);
        if (exponent < -3 || exponent > 15)
            assert_text(text_of(power), text);
    }
}

TEST(whole_numbers_below_2_to_53_have_no_point_and_no_exponent)
{
    for (int i = 0; i < 20000; i++) {
        double number = (double)(next_random() >> (11 + next_random() % 52));
        char want[32];
        snprintf(want, sizeof want, "%.0f", number);
        assert_text(text_of(number), want);
    }
    assert_text(text_of(9007199254740991.0), "9007199254740991");
    assert_text(text_of(1e15), "1000000000000000");
    assert_text(text_of(-8589934592.0), "-8589934592");
}

TEST(a_negative_zero_is_0)
{
    assert_text(text_of(-0.0), "0");
}

TEST(nothing_prints_as_nan_or_infinite)
{
    assert_text(text_of(NAN), "0");
    assert_text(text_of(INFINITY), "1.7976931348623157e308");
    assert_text(text_of(-INFINITY), "-1.7976931348623157e308");
}

TEST(the_text_of_a_number_is_a_json_number)
{
    assert_text(text_of(0.5), "0.5");
    assert_text(text_of(0.0123), "0.0123");
    assert_text(text_of(-1.5), "-1.5");
    assert_text(text_of(2.5e-7), "2.5e-7");
    assert_text(text_of(5e-324), "5e-324");
    assert_text(text_of(1e22), "1e22");
    assert_text(text_of(1.7976931348623157e308), "1.7976931348623157e308");
}

TEST(parsing_rounds_as_strtod_does)
{
    for (int i = 0; i < 5000; i++) {
        char text[1000];
        int digits = i % 50 == 0 ? 700 + (int)(next_random() % 200) : 1 + (int)(next_random() % 40);
        int at = 0, point = (int)(next_random() % (uint64_t)(digits + 1));
        for (int d = 0; d < digits; d++) {
            if (d == point)
                text[at++] = '.';
            text[at++] = (char)('0' + next_random() % 10);
        }
        snprintf(text + at, sizeof text - (size_t)at, "e%d", (int)(next_random() % 680) - 340);
        assert_number(read_all(text), strtod(text, NULL));
    }
}

TEST(a_tie_between_two_doubles_goes_to_the_even_one)
{
    assert_number(read_all("9007199254740993"), 9007199254740992.0);
    assert_number(read_all("9007199254740993.0000000000000000000000000000000001"), 9007199254740994.0);
    assert_number(read_all("9007199254740995"), 9007199254740996.0);
    assert_number(read_all("2.4703282292062327208e-324"), 0);
    assert_number(read_all("2.4703282292062327209e-324"), 5e-324);
}

TEST(parsing_stops_where_the_number_ends)
{
    const char *end;
    assert_number(kci_parse_number("-1.5e-3x", &end), -0.0015);
    assert_text(end, "x");
    assert_number(kci_parse_number("1e+", &end), 1);
    assert_text(end, "e+");
    assert_number(kci_parse_number("e5", &end), 0);
    assert_text(end, "e5");
    assert_number(kci_parse_number("-", &end), 0);
    assert_text(end, "-");
    assert_number(kci_parse_number(".5.", &end), 0.5);
    assert_text(end, ".");
    assert_true(isinf(kci_parse_number("1e999999999", &end)));
}

TEST(the_locale_changes_nothing)
{
    static const char *const locales[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", NULL };
    int i = 0;
    while (locales[i] && !setlocale(LC_ALL, locales[i]))
        i++;
    if (!locales[i])
        skip_test("no German or French locale is installed");
    assert_text(text_of(0.5), "0.5");
    assert_text(text_of(1.25e-9), "1.25e-9");
    assert_number(read_all("1234.5"), 1234.5);
    char amount[KCI_SI_BYTES];
    kci_si(amount, 1.5e9, "B");
    assert_text(amount, "1.50 GB");
    setlocale(LC_ALL, "C");
}

/* ---- growing text ------------------------------------------------------------- */

static kc_context *context;

static int open_context(void **state)
{
    (void)state;
    context = kc_context_new(NULL, NULL);
    return context == NULL;
}

static int close_context(void **state)
{
    (void)state;
    kc_context_free(context);
    return 0;
}

TEST(a_text_grows_by_all_that_is_added)
{
    kci_text text = { .context = context };
    char want[6000] = "";
    for (int i = 0; i < 500; i++) {
        char piece[16];
        snprintf(piece, sizeof piece, "%d,", i);
        strcat(want, piece);
        kci_text_format(&text, "%d,", i);
    }
    kci_text_number(&text, 0.25);
    kci_text_add_n(&text, "abcdef", 3);
    strcat(want, "0.25abc");
    assert_text(text.bytes, want);
    kci_text_free(&text);
}

static void *refuse(void *data, void *block, size_t old_size, size_t new_size)
{
    long *left = data;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return --*left < 0 ? NULL : realloc(block, new_size);
}

TEST(a_text_without_memory_fails_once_and_stays_failed)
{
    long left = 2;
    kc_context *poor = kc_context_new(refuse, &left);
    kci_text text = { .context = poor };
    char *slot = NULL;
    for (int i = 0; i < 100; i++)
        kci_text_add(&text, "0123456789");
    assert_true(text.failed);
    assert_null(kci_text_keep(&text, &slot));
    assert_null(slot);
    assert_int_equal(kc_context_status(poor), KC_ENOMEM);
    kc_context_free(poor);
}

TEST(an_empty_text_is_kept_as_an_empty_text)
{
    kci_text text = { .context = context };
    char *slot = NULL;
    assert_text(kci_text_keep(&text, &slot), "");
    kci_text_add(&text, "more");
    assert_text(kci_text_keep(&text, &slot), "more");
    kci_free_text(context, slot);
}

TEST(a_part_of_a_message_is_cut_off_and_asks_for_no_memory)
{
    long left = 1;
    kc_context *poor = kc_context_new(refuse, &left);
    char bytes[8];
    kci_text part = kci_text_part(poor, bytes, sizeof bytes);
    assert_text(bytes, "");
    kci_text_format(&part, "%d, ", 42);
    kci_text_add(&part, "or more");
    assert_text(bytes, "42, or ");
    kci_text_number(&part, 7);
    assert_text(bytes, "42, or ");
    assert_false(part.failed);
    assert_int_equal(kc_context_status(poor), KC_OK);
    kc_context_free(poor);
}

TEST(a_note_is_kept_once)
{
    kci_notes notes = { .context = context };
    assert_int_equal(kci_note(&notes, "%s is %d", "x", 1), KC_OK);
    assert_int_equal(kci_note(&notes, "%s is %d", "x", 1), KC_OK);
    assert_int_equal(kci_note(&notes, "%s is %d", "x", 2), KC_OK);
    assert_int_equal(notes.count, 2);
    assert_text(notes.items[1], "x is 2");
    kci_notes_free(&notes);
}

/* ---- nearest names --------------------------------------------------------------- */

static const char *nth(const void *names, size_t i)
{
    const char *const *list = names;
    return list[i];
}

static const char *nearest(const char *word)
{
    static const char *const names[] = { "a100-sxm4-40gb", "a100-sxm4-80gb", "h100-sxm5", "stages", "warps",
                                         "cache", "i", "j", NULL };
    return kci_nearest(context, word, nth, names);
}

TEST(a_slip_names_the_word_that_was_meant)
{
    assert_text(nearest("stagse"), "; did you mean 'stages'?");
    assert_text(nearest("Warp"), "; did you mean 'warps'?");
    assert_text(nearest("h100-sxm"), "; did you mean 'h100-sxm5'?");
    assert_text(nearest("h1000"), "; did you mean 'h100-sxm5'?");
}

TEST(a_beginning_names_all_that_begin_so)
{
    assert_text(nearest("a100"), "; did you mean 'a100-sxm4-40gb', 'a100-sxm4-80gb'?");
}

TEST(a_word_that_is_near_nothing_names_nothing)
{
    assert_text(nearest("bandwidth"), "");
    assert_text(nearest("x"), "");
    assert_text(nearest(""), "");
    assert_text(nearest("a word that is much longer than any name that there is, so long that it is cut"), "");
}

TEST(the_nearest_names_are_said_where_there_is_no_memory)
{
    static const char *const names[] = { "stages", "warps", NULL };
    long left = 1;
    kc_context *poor = kc_context_new(refuse, &left);
    assert_text(kci_nearest(poor, "stagse", nth, names), "; did you mean 'stages'?");
    assert_int_equal(kc_context_status(poor), KC_OK);
    kc_context_free(poor);
}

/* ---- SI prefixes -------------------------------------------------------------------- */

static void assert_prefix(const char *prefix, double factor)
{
    char amount[KCI_SI_BYTES], want[KCI_SI_BYTES];
    kci_si(amount, 1.5 * factor, "B");
    snprintf(want, sizeof want, "1.50 %sB", prefix);
    assert_text(amount, want);
}

TEST(p_is_10_to_minus_12) { assert_prefix("p", 1e-12); }
TEST(n_is_10_to_minus_9) { assert_prefix("n", 1e-9); }
TEST(u_is_10_to_minus_6) { assert_prefix("u", 1e-6); }
TEST(m_is_10_to_minus_3) { assert_prefix("m", 1e-3); }
TEST(no_prefix_is_1) { assert_prefix("", 1); }
TEST(k_is_10_to_3) { assert_prefix("k", 1e3); }
TEST(M_is_10_to_6) { assert_prefix("M", 1e6); }
TEST(G_is_10_to_9) { assert_prefix("G", 1e9); }
TEST(T_is_10_to_12) { assert_prefix("T", 1e12); }
TEST(P_is_10_to_15) { assert_prefix("P", 1e15); }
TEST(E_is_10_to_18) { assert_prefix("E", 1e18); }

static const char *amount_of(double value)
{
    static char amount[KCI_SI_BYTES];
    kci_si(amount, value, "B");
    return amount;
}

TEST(amounts_have_three_digits_and_never_a_thousand_before_the_prefix)
{
    assert_text(amount_of(8589934592), "8.59 GB");
    assert_text(amount_of(0), "0 B");
    assert_text(amount_of(12.34), "12.3 B");
    assert_text(amount_of(123.4), "123 B");
    assert_text(amount_of(999), "999 B");
    assert_text(amount_of(999.6), "1.00 kB");
    assert_text(amount_of(999.4), "999 B");
    assert_text(amount_of(9.996), "10.0 B");
    assert_text(amount_of(99.96), "100 B");
    assert_text(amount_of(999960), "1.00 MB");
    assert_text(amount_of(2.5e-13), "0.250 pB");
    assert_text(amount_of(3.2e22), "32000 EB");
    assert_text(amount_of(-1500), "-1.50 kB");
    assert_text(amount_of(9.996e40), "1.00e23 EB");
    assert_text(amount_of(-9.994e40), "-9.99e22 EB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_doubles_read_back),
        cmocka_unit_test(times_and_ratios_read_back),
        cmocka_unit_test(powers_of_two_and_their_neighbours_read_back),
        cmocka_unit_test(powers_of_ten_are_a_one_and_zeros_or_an_exponent),
        cmocka_unit_test(whole_numbers_below_2_to_53_have_no_point_and_no_exponent),
        cmocka_unit_test(a_negative_zero_is_0),
        cmocka_unit_test(nothing_prints_as_nan_or_infinite),
        cmocka_unit_test(the_text_of_a_number_is_a_json_number),
        cmocka_unit_test(parsing_rounds_as_strtod_does),
        cmocka_unit_test(a_tie_between_two_doubles_goes_to_the_even_one),
        cmocka_unit_test(parsing_stops_where_the_number_ends),
        cmocka_unit_test(the_locale_changes_nothing),
        cmocka_unit_test_setup_teardown(a_text_grows_by_all_that_is_added, open_context, close_context),
        cmocka_unit_test(a_text_without_memory_fails_once_and_stays_failed),
        cmocka_unit_test_setup_teardown(an_empty_text_is_kept_as_an_empty_text, open_context, close_context),
        cmocka_unit_test(a_part_of_a_message_is_cut_off_and_asks_for_no_memory),
        cmocka_unit_test_setup_teardown(a_note_is_kept_once, open_context, close_context),
        cmocka_unit_test_setup_teardown(a_slip_names_the_word_that_was_meant, open_context, close_context),
        cmocka_unit_test_setup_teardown(a_beginning_names_all_that_begin_so, open_context, close_context),
        cmocka_unit_test_setup_teardown(a_word_that_is_near_nothing_names_nothing, open_context, close_context),
        cmocka_unit_test(the_nearest_names_are_said_where_there_is_no_memory),
        cmocka_unit_test(p_is_10_to_minus_12),
        cmocka_unit_test(n_is_10_to_minus_9),
        cmocka_unit_test(u_is_10_to_minus_6),
        cmocka_unit_test(m_is_10_to_minus_3),
        cmocka_unit_test(no_prefix_is_1),
        cmocka_unit_test(k_is_10_to_3),
        cmocka_unit_test(M_is_10_to_6),
        cmocka_unit_test(G_is_10_to_9),
        cmocka_unit_test(T_is_10_to_12),
        cmocka_unit_test(P_is_10_to_15),
        cmocka_unit_test(E_is_10_to_18),
        cmocka_unit_test(amounts_have_three_digits_and_never_a_thousand_before_the_prefix),
    };
    return run(tests);
}
