/* Faults on the chip are equal in the model, by the number of words: a flush at another time in some rows,
 * and static stores that take a word of the previous or next cycle. */
#include "tests/dense/subject.h"

/* Returns how many words are gold where rows from `first` on see the flush a cycle later. */
static uint32_t gold_words(fixture *f, const subject *t, uint32_t first) {
    dense_array array;
    dense_outcome out;
    uint32_t at = 0;
    assert_true(dense_load(&t->design, &f->diag, &array));
    for (uint32_t i = 0; i < array.nodes.len; i++)
        array.nodes.at[i].late = array.nodes.at[i].y >= first;
    uint16_t *memory = dense_memory_of(&t->program, &f->mem);
    assert_true(dense_run_array(&array, &t->streams, memory, NULL, &f->diag, &out));
    return dense_equal_words(&t->program.outputs.at[0], memory, &at);
}

static void test_late_rows(void **state) {
    fixture *f = *state;
    subject camera, network;
    open_subject(f, "camera_pipeline_2x2_369", &camera);
    assert_int_equal(gold_words(f, &camera, 9), 14784);
    assert_int_equal(gold_words(f, &camera, 8), 14659);
    assert_int_equal(gold_words(f, &camera, 10), 13417);
    assert_int_equal(gold_words(f, &camera, 17), 12232);
    open_subject(f, "resnet_output_stationary_437", &network);
    assert_int_equal(gold_words(f, &network, 9), 1568);
    assert_int_equal(gold_words(f, &network, 17), 0);
    pnr_board_free(&camera.on.board);
    pnr_board_free(&network.on.board);
}

/* The words of conv_1_2 leave from array cycle 9 on: 16 is right for a static store. */
static void test_static_store(void **state) {
    fixture *f = *state;
    subject t;
    open_subject(f, "conv_1_2", &t);
    dense_stream *store = &t.streams.at[1];
    assert_true(store->store);
    store->mode = DENSE_STREAM_STATIC;
    for (uint32_t at = 15; at <= 17; at++) {
        store->g.at.start = at;
        const uint32_t equal = gold_words(f, &t, 9);
        print_message("static store at %u: %u words\n", at, equal);
        assert_true((equal == 4032) == (at == 16));
    }
    pnr_board_free(&t.on.board);
}

RUN_TESTS(TEST(test_late_rows), TEST(test_static_store))
