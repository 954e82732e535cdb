/* test_base.c: memory, names, messages, and the lives of objects. */
#include "workbench.h"

/* ---- names -------------------------------------------------------------------------------- */

TEST(equal_names_have_equal_numbers_and_others_differ)
{
    kci_symbol first[1000];
    char name[16];
    for (int i = 0; i < 1000; i++) {
        int length = snprintf(name, sizeof name, "dim%d", i);
        first[i] = kci_intern(context, name, (size_t)length);
        assert_true(first[i] > 0);
        assert_true(i == 0 || first[i] > first[i - 1]); /* so all differ */
    }
    for (int i = 0; i < 1000; i++) {
        int length = snprintf(name, sizeof name, "dim%d", i);
        assert_int_equal(kci_intern(context, name, (size_t)length), first[i]);
        assert_text(kci_name(context, first[i]), name);
    }
}

TEST(a_name_ends_where_its_length_says)
{
    kci_symbol ab = kci_intern(context, "abc", 2);
    assert_text(kci_name(context, ab), "ab");
    assert_int_equal(kci_intern(context, "ab", 2), ab);
    assert_int_not_equal(kci_intern(context, "abc", 3), ab);
    assert_text(kci_name(context, 0), "");
}

TEST(a_refused_name_leaves_the_others_as_they_were)
{
    char name[16];
    for (int i = 0; i < 400; i++) {
        int length = snprintf(name, sizeof name, "n%d", i);
        for (size_t ahead = 1;; ahead++) { /* every request of this call refused once */
            heap.fail_at = heap.requests + ahead;
            kci_symbol got = kci_intern(context, name, (size_t)length);
            heap.fail_at = 0;
            if (got)
                break;
            assert_int_equal(kc_context_status(context), KC_ENOMEM);
            assert_int_equal(kci_intern(context, "n0", 2), 1);
        }
        assert_int_equal(kci_intern(context, name, (size_t)length), i + 1);
    }
}

TEST(sequence_numbers_rise_by_one)
{
    assert_int_equal(kci_next_sequence(context), 1);
    assert_int_equal(kci_next_sequence(context), 2);
}

/* ---- memory ------------------------------------------------------------------------------- */

TEST(fresh_memory_is_zeroed_and_none_is_a_byte)
{
    unsigned char *block = kci_alloc(context, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(block[i], 0);
    kci_free(context, block, 100);
    void *nothing = kci_alloc(context, 0);
    assert_non_null(nothing);
    kci_free(context, nothing, 0);
    kci_free(context, NULL, 10);
}

TEST(room_grows_by_doubling_and_keeps_what_is_there)
{
    int *list = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        assert_true(kci_reserve(context, &list, &capacity, (size_t)i + 1, sizeof *list));
        list[i] = i;
    }
    assert_int_equal(capacity, 1024); /* 8, 16, … 1024 */
    for (int i = 0; i < 1000; i++)
        assert_int_equal(list[i], i);
    kci_free(context, list, capacity * sizeof *list);
}

TEST(room_that_is_refused_leaves_the_array_as_it_was)
{
    int *list = NULL;
    size_t capacity = 0;
    assert_true(kci_reserve(context, &list, &capacity, 8, sizeof *list));
    list[7] = 77;
    int *before = list;
    heap.refuse_all = 1;
    assert_false(kci_reserve(context, &list, &capacity, 9, sizeof *list));
    heap.refuse_all = 0;
    assert_int_equal(kc_context_status(context), KC_ENOMEM);
    assert_text(kc_context_message(context), "not enough memory");
    assert_ptr_equal(list, before);
    assert_int_equal(capacity, 8);
    assert_int_equal(list[7], 77);
    assert_false(kci_reserve(context, &list, &capacity, SIZE_MAX / 4, sizeof *list)); /* more than can be */
    kci_free(context, list, capacity * sizeof *list);
}

TEST(a_context_that_gets_no_memory_is_none)
{
    memory none = { .refuse_all = 1 };
    assert_null(kc_context_new(counted_resize, &none));
    assert_int_equal(none.live, 0);
    assert_int_equal(kc_context_status(NULL), KC_ENOMEM);
    assert_text(kc_context_message(NULL), "not enough memory");
    kc_context_free(NULL);
}

TEST(the_default_allocator_is_the_heap_of_c)
{
    kc_context *other = kc_context_new(NULL, NULL);
    assert_non_null(other);
    kc_dtype *dtype = kc_dtype_named(other, "f16");
    kc_context_free(other);
    assert_text(kc_object_name(object(dtype)), "f16"); /* an object keeps its context */
    kc_release(dtype);
}

/* ---- messages ----------------------------------------------------------------------------- */

TEST(a_context_begins_without_a_failure)
{
    assert_int_equal(kc_context_status(context), KC_OK);
    assert_text(kc_context_message(context), "");
}

TEST(the_last_failure_is_kept_and_may_quote_the_one_before)
{
    assert_int_equal(kci_fail(context, KC_EARGUMENT, "one %d", 1), KC_EARGUMENT);
    assert_int_equal(kci_fail(context, KC_ELIMIT, "two, after %s", kc_context_message(context)), KC_ELIMIT);
    assert_text(kc_context_message(context), "two, after one 1");
    assert_int_equal(kc_context_status(context), KC_ELIMIT);
}

TEST(a_message_that_is_too_long_is_cut_and_still_ends)
{
    char *text = malloc(5000);
    assert_non_null(text);
    memset(text, 'x', 4999);
    text[4999] = '\0';
    kci_fail(context, KC_EARGUMENT, "%s", text);
    assert_int_equal(strlen(kc_context_message(context)), 1023);
    free(text);
}

TEST(a_success_leaves_the_message_of_the_failure_before)
{
    assert_null(kc_dtype_named(context, "f17"));
    dtype_of("f16");
    assert_contains(kc_context_message(context), "f17");
}

TEST(calls_that_are_chained_keep_the_first_reason)
{
    const kc_size sizes[] = { { "m", 4 } };
    kc_tensor *a = kc_tensor_new(context, "A", "m", kc_dtype_named(context, "f17"), sizes, 1);
    kc_value *v = kc_softmax(kc_read(a, NULL, NULL, 0, 1, 0), "m", 0);
    kc_tensor *b = kc_write("B", v, NULL, NULL, NULL, NULL, 0, 1);
    refuses(kc_kernel_new(context, NULL, &b, 1), "unknown dtype 'f17'");
}

/* ---- lives -------------------------------------------------------------------------------- */

/* Deep enough that a call a link would overflow the stack of any thread. */
static int long_chain(void)
{
    return environment_number("KCOST_RANDOM", 1e6) < 1000 ? 20000 : 1000000;
}

TEST(a_chain_of_a_million_values_goes_without_recursion)
{
    kc_value *value = kc_retain(read_of(tensor("A", "m=4", "f32")));
    for (int i = 0, n = long_chain(); i < n; i++) {
        kc_value *next = kc_map("relu", &value, 1, NULL);
        kc_release(value);
        value = next;
        assert_non_null(value);
    }
    kc_release(value);
    drop_kept();
    assert_true(heap.live < 20000); /* the context and its few names */
}

TEST(a_chain_of_tensors_goes_without_recursion)
{
    kc_tensor *t = kc_retain(tensor("A", "m=4", "f32"));
    for (int i = 0, n = long_chain() / 4; i < n; i++) {
        kc_value *read = kc_read(t, NULL, NULL, 0, 1, 0);
        kc_tensor *next = kc_write("B", read, NULL, NULL, NULL, NULL, 0, 1);
        kc_release(read);
        kc_release(t);
        t = next;
        assert_non_null(t);
    }
    kc_release(t);
    drop_kept();
    assert_true(heap.live < 20000);
}

TEST(an_object_lives_as_long_as_someone_holds_it)
{
    kc_dtype *dtype = kc_dtype_named(context, "f16");
    assert_ptr_equal(kc_retain(dtype), dtype);
    kc_release(dtype);
    assert_text(kc_object_name(object(dtype)), "f16");
    kc_release(dtype);
    kc_release(NULL);
    assert_null(kc_retain(NULL));
}

TEST(references_may_be_dropped_in_any_order)
{
    for (int round = 0; round < 50; round++) {
        const kc_size sizes[] = { { "m", 6 }, { "k", 5 }, { "n", 4 } };
        kc_context *own = kc_context_new(counted_resize, &heap);
        size_t before = heap.live;
        void *held[10];
        held[0] = kc_dtype_named(own, "f16");
        held[1] = kc_tensor_new(own, "A", "m k", held[0], sizes, 3);
        held[2] = kc_tensor_new(own, "B", "k n", held[0], sizes, 3);
        held[3] = kc_read(held[1], NULL, NULL, 0, 1, 0);
        held[4] = kc_read(held[2], NULL, NULL, 0, 1, 0);
        held[5] = kc_matmul(held[3], held[4], NULL, NULL, NULL, NULL);
        held[6] = kc_write("C", held[5], NULL, NULL, NULL, NULL, 0, 1);
        kc_object *part = held[6];
        held[7] = kc_program_new(own, "p", &part, 1);
        held[8] = kc_count(held[7], NULL);
        held[9] = NULL; /* stands for the caller's hold on the context */
        for (int i = 0; i < 9; i++)
            assert_non_null(held[i]);
        for (int left = 10; left > 0; left--) {
            int pick = (int)chance(0, left - 1);
            if (held[pick])
                kc_release(held[pick]);
            else
                kc_context_free(own);
            held[pick] = held[left - 1];
        }
        assert_true(heap.live < before);
    }
}

TEST(an_object_knows_its_kind_name_and_context)
{
    attention a = attention_of("i=4 d=3", "j=5 d=3", "j=5 e=2");
    assert_int_equal(kc_object_kind(object(a.q)), KC_TENSOR);
    assert_int_equal(kc_object_kind(object(a.flash)), KC_KERNEL);
    assert_int_equal(kc_object_kind(object(read_of(a.q))), KC_VALUE);
    assert_text(kc_object_name(object(a.q)), "Q");
    assert_text(kc_object_name(object(a.flash)), "flash");
    assert_text(kc_object_name(object(read_of(a.q))), "");
    assert_ptr_equal(kc_object_context(object(a.flash)), context);
}

TEST(a_text_lives_until_the_same_question_is_put_again)
{
    kc_tensor *t = tensor("A", "m=4 k=3", "f16");
    const char *first = kc_object_text(object(t));
    assert_text(first, "tensor A[m=4 k=3] f16");
    size_t live = heap.live;
    for (int i = 0; i < 10; i++)
        assert_text(kc_object_text(object(t)), "tensor A[m=4 k=3] f16");
    assert_int_equal(heap.live, live);
    assert_null(kc_object_text(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(equal_names_have_equal_numbers_and_others_differ),
        fact(a_name_ends_where_its_length_says),
        fact(a_refused_name_leaves_the_others_as_they_were),
        fact(sequence_numbers_rise_by_one),
        fact(fresh_memory_is_zeroed_and_none_is_a_byte),
        fact(room_grows_by_doubling_and_keeps_what_is_there),
        fact(room_that_is_refused_leaves_the_array_as_it_was),
        fact(a_context_that_gets_no_memory_is_none),
        fact(the_default_allocator_is_the_heap_of_c),
        fact(a_context_begins_without_a_failure),
        fact(the_last_failure_is_kept_and_may_quote_the_one_before),
        fact(a_message_that_is_too_long_is_cut_and_still_ends),
        fact(a_success_leaves_the_message_of_the_failure_before),
        fact(calls_that_are_chained_keep_the_first_reason),
        fact(a_chain_of_a_million_values_goes_without_recursion),
        fact(a_chain_of_tensors_goes_without_recursion),
        fact(an_object_lives_as_long_as_someone_holds_it),
        fact(references_may_be_dropped_in_any_order),
        fact(an_object_knows_its_kind_name_and_context),
        fact(a_text_lives_until_the_same_question_is_put_again),
    };
    return run(tests);
}
