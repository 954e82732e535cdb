/* test_index.c: index strings: what is understood, what is refused, and that printing gives it back. */
#include "workbench.h"

/* The forms of `text`, printed, with a bar between positions. */
static void printed(const char *text, char *out, size_t room)
{
    kci_form *forms = NULL;
    size_t count = 0;
    assert_int_equal(kci_index_parse(context, "read", text, &forms, &count), KC_OK);
    kci_text shown = { .context = context };
    for (size_t i = 0; i < count; i++) {
        kci_text_add(&shown, i ? "|" : "");
        kci_form_print(&shown, &forms[i]);
    }
    assert_true(shown.length < room);
    memcpy(out, shown.bytes, shown.length + 1);
    kci_text_free(&shown);
    kci_index_free(context, forms, count);
}

TEST(an_index_is_understood_as_it_is_meant)
{
    static const char *const pairs[][2] = {
        { "m", "m" },
        { "b h i d", "b|h|i|d" },
        { "  m\tk\n", "m|k" },
        { "m, k", "m|k" },
        { "n c 2*p+r-1 2*q+s-1", "n|c|2*p+r-1|2*q+s-1" },
        { "p*2", "2*p" },
        { "2*3*p", "6*p" },
        { "p+1+2", "p+3" },
        { "1+p", "p+1" },
        { "p-r+5", "p-r+5" },
        { "-p+9", "-p+9" },
        { "-2*p+9-r", "-2*p-r+9" },
        { "+p", "p" },
        { "7", "7" },
        { "0", "0" },
        { "m 3", "m|3" },
        { "#c*u+c", "#c*u+c" },
        { "u*#c+c", "#c*u+c" },
        { "2*#c*u-1", "2*#c*u-1" },
        { "[m] k", "[m]|k" },
        { "[m n] k", "[m n]|k" },
        { "[ m , n ]", "[m n]" },
        { "_x9 A_b", "_x9|A_b" },
    };
    char out[128];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        printed(pairs[i][0], out, sizeof out);
        assert_text(out, pairs[i][1]);
    }
}

TEST(an_index_that_cannot_be_meant_is_refused_with_the_place)
{
    static const char *const pairs[][2] = {
        { "", "the index is empty" },
        { "   ", "the index is empty" },
        { "p+", "a dim's name is expected at ''" },
        { "p+ r", "a dim's name is expected" },
        { "p++r", "a dim's name is expected at '+r'" },
        { "*p", "at '*p'" },
        { "p*", "a dim's name is expected" },
        { "2**p", "at '*p'" },
        { "2p", "an unexpected sign at 'p'" },
        { "p/2", "an unexpected sign at '/2'" },
        { "1.5*p", "an unexpected sign at '.5*p'" },
        { "p*r", "two dims cannot be multiplied" },
        { "p*p", "two dims cannot be multiplied" },
        { "p+p", "a dim stands twice in one position" },
        { "2*p-p", "a dim stands twice in one position" },
        { "0*p", "a dim times 0 says nothing" },
        { "-p", "a lone negative position" },
        { "#c", "#dim needs a dim to multiply" },
        { "#c*2", "#dim needs a dim to multiply" },
        { "#c*#u*p", "one #dim a term is allowed" },
        { "#*p", "a dim's name is expected" },
        { "[m k", "a '[' is not closed" },
        { "[]", "empty brackets" },
        { "[m m]", "a dim stands twice in one position" },
        { "[2*m]", "a dim's name is expected" },
        { "[m]+1", "at '+1'" },
        { "[m]k", "at 'k'" },
        { "m]", "an unexpected sign at ']'" },
        { "9007199254740992*p", "a number is too large" },
        { "94906266*94906266*p", "a number is too large" },
        { "m \xc3\xa9", "a dim's name is expected" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        kci_form *forms = NULL;
        size_t count = 0;
        kc_status status = kci_index_parse(context, "read", pairs[i][0], &forms, &count);
        if (status == KC_OK)
            print_error("'%s' was accepted\n", pairs[i][0]);
        refuses_status(status, pairs[i][1]);
        assert_null(forms);
    }
}

TEST(a_message_names_the_call_and_the_whole_index)
{
    kci_form *forms = NULL;
    size_t count = 0;
    refuses_status(kci_index_parse(context, "write", "m p*r", &forms, &count),
                   "write: index 'm p*r': two dims cannot be multiplied at 'r'; a position is a dim, an affine form such as "
                   "2*p+r-1, or [m]");
}

/* ---- round trip --------------------------------------------------------------------------- */

/* A random form that the language can write. */
static size_t random_form(char *out)
{
    static const char *const names[] = { "p", "q", "r", "s", "long_name" };
    size_t length = 0;
    int terms = (int)chance(1, 4), first = (int)chance(0, 4);
    double constant = chance(-3, 3);
    if (one_in(5)) {
        length += (size_t)sprintf(out, "[");
        for (int t = 0; t < terms; t++)
            length += (size_t)sprintf(out + length, "%s%s", t ? " " : "", names[(first + t) % 5]);
        return length + (size_t)sprintf(out + length, "]");
    }
    for (int t = 0; t < terms; t++) {
        double a = chance(1, 5) * (t && one_in(2) ? -1 : 1);
        const char *sign = a < 0 ? "-" : t ? "+" : "";
        length += (size_t)sprintf(out + length, "%s", sign);
        if (fabs(a) != 1)
            length += (size_t)sprintf(out + length, "%.0f*", fabs(a));
        if (one_in(5))
            length += (size_t)sprintf(out + length, "#%s*", names[(int)chance(0, 4)]);
        length += (size_t)sprintf(out + length, "%s", names[(first + t) % 5]);
    }
    if (constant != 0)
        length += (size_t)sprintf(out + length, "%+.0f", constant);
    return length;
}

TEST(what_is_printed_reads_back_as_the_same)
{
    char text[512], spaced[512], out[512];
    for (int round = 0; round < cases(5000); round++) {
        size_t length = 0;
        int positions = (int)chance(1, 5);
        for (int p = 0; p < positions; p++) {
            length += p ? (size_t)sprintf(text + length, "|") : 0;
            length += random_form(text + length);
        }
        for (size_t i = 0; i <= length; i++) /* bars stand between positions, spaces also in brackets */
            spaced[i] = text[i] == '|' ? ' ' : text[i];
        printed(spaced, out, sizeof out);
        assert_text(out, text);
    }
}

/* ---- forms -------------------------------------------------------------------------------- */

TEST(a_copy_equals_its_form_and_any_change_differs)
{
    kci_form *forms, *copy;
    size_t count;
    assert_int_equal(kci_index_parse(context, "read", "2*p+r-1 #c*u [m]", &forms, &count), KC_OK);
    copy = kci_index_copy(context, forms, count);
    assert_non_null(copy);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            assert_int_equal(kci_form_equal(&forms[i], &copy[j]), i == j);
    copy[0].constant = 1;
    copy[1].terms[0].size_of = 0;
    copy[2].gather = false;
    for (size_t i = 0; i < count; i++)
        assert_false(kci_form_equal(&forms[i], &copy[i]));
    copy[0] = (kci_form){ -1, copy[0].terms, copy[0].count, false };
    copy[0].terms[1].coefficient = 3;
    assert_false(kci_form_equal(&forms[0], &copy[0]));
    kci_index_free(context, forms, count);
    kci_index_free(context, copy, count);
}

TEST(only_a_dim_as_it_is_is_plain)
{
    kci_form *forms;
    size_t count;
    assert_int_equal(kci_index_parse(context, "read", "m m+1 2*m [m] #m*k m+k 3", &forms, &count), KC_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(kci_form_is_plain(&forms[i]), i == 0);
    kci_index_free(context, forms, count);
}

TEST(the_identity_reads_each_dim_as_it_is)
{
    kci_dim dims[2] = { { kci_intern(context, "m", 1), 5 }, { kci_intern(context, "k", 1), 7 } };
    kci_form *forms = kci_index_identity(context, dims, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(kci_form_is_plain(&forms[i]));
        assert_int_equal(forms[i].terms[0].dim, dims[i].name);
    }
    kci_index_free(context, forms, 2);
}

TEST(a_list_of_names_takes_names_only_and_each_once)
{
    kci_symbol *names;
    size_t count;
    assert_int_equal(kci_names_parse(context, "tile", "grid", "b, h  i", &names, &count), KC_OK);
    assert_int_equal(count, 3);
    assert_text(kci_name(context, names[2]), "i");
    kci_free(context, names, count * sizeof *names);
    assert_int_equal(kci_names_parse(context, "tile", "grid", " ", &names, &count), KC_OK);
    assert_int_equal(count, 0);
    assert_null(names);
    refuses_status(kci_names_parse(context, "tile", "grid", "b 2*h", &names, &count),
                   "tile: grid 'b 2*h' must be names of dims, as in \"b h i d\"");
    refuses_status(kci_names_parse(context, "tile", "grid", "b b", &names, &count), "tile: grid 'b b' names 'b' twice");
    refuses_status(kci_names_parse(context, "tile", "grid", "b-", &names, &count), "must be names of dims");
    assert_null(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(an_index_is_understood_as_it_is_meant),
        fact(an_index_that_cannot_be_meant_is_refused_with_the_place),
        fact(a_message_names_the_call_and_the_whole_index),
        fact(what_is_printed_reads_back_as_the_same),
        fact(a_copy_equals_its_form_and_any_change_differs),
        fact(only_a_dim_as_it_is_is_plain),
        fact(the_identity_reads_each_dim_as_it_is),
        fact(a_list_of_names_takes_names_only_and_each_once),
    };
    return run(tests);
}
