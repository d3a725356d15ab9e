/* The table of commands: fields do not overlap, text and words correspond, and docs/notebook/commands.md
 * equals the table; this program compares the page, and writes the page with --write. */
#include "firmware/lists.h"
#include "tests/document.h"
#include "tests/quota.h"

#define DOCUMENT ONYX_SOURCE_DIR "/docs/notebook/commands.md"

static char *page(arena *mem) {
    text_out out;
    text_begin(&out);
    fw_command_page(out.stream);
    return text_end(&out, mem);
}

static void the_page_is_the_table(void **state) {
    expect_document(*state, DOCUMENT, page, "test_fw_commands");
}

/* Sets each field of a command to all ones, and expects all bits clear before. */
static void fields_do_not_overlap(void **state) {
    (void)state;
#define FW_COMMAND(command, opcode, bits, doc)                                                               \
    {                                                                                                        \
        fw_command item = {{(bits)}};                                                                        \
        assert_int_equal((opcode) & ~(uint32_t)(bits), 0);
#define FW_FIELD(command, field, word, low, bits, kind, doc)                                                 \
    assert_int_equal(FW_GET(&item, command, field), 0);                                                      \
    assert_true((low) + (bits) <= 32 && (word) < FW_COMMAND_WORDS);                                          \
    FW_SET(&item, command, field, (uint32_t)((UINT64_C(1) << (bits)) - 1));
#define FW_COMMAND_END(command) }
#include "firmware/commands.def"
#undef FW_COMMAND
#undef FW_FIELD
#undef FW_COMMAND_END
}

static char *text_of(const fw_command *item, arena *mem) {
    text_out out;
    text_begin(&out);
    fw_command_print(out.stream, item->word);
    return text_end(&out, mem);
}

/* Random fields of a command, whose number the words tell. */
static fw_command random_command(prng *p, uint32_t wanted) {
    fw_command item = {{0}};
    uint32_t number = 0;
#define FW_COMMAND(command, opcode, bits, doc)                                                               \
    if (number++ == wanted) {                                                                                \
        item.word[0] = (opcode);
#define FW_FIELD(command, field, word, low, bits, kind, doc)                                                 \
    if (prng_below(p, 3))                                                                                    \
        FW_SET(&item, command, field, (uint32_t)prng_next(p) & (uint32_t)((UINT64_C(1) << (bits)) - 1));
#define FW_COMMAND_END(command) }
#include "firmware/commands.def"
#undef FW_COMMAND
#undef FW_FIELD
#undef FW_COMMAND_END
    if (wanted == FW_COMMAND_batch)
        FW_SET(&item, batch, callee, prng_below(p, 2) ? prng_below(p, 64) : FW_FUNCTION + prng_below(p, 64));
    return item;
}

static void text_reads_back(void **state) {
    fixture *f = *state;
    prng p = prng_seed(5);
    quota shown = {0}; /* trivial: no field is given */
    for (uint32_t i = 0; i < 200 * FW_COMMANDS; i++) {
        const fw_command item = random_command(&p, i % FW_COMMANDS);
        fw_command again;
        assert_int_equal(fw_command_of(item.word), i % FW_COMMANDS);
        assert_true(fw_command_is_plain(i % FW_COMMANDS, item.word));
        const char *text = text_of(&item, &f->mem);
        assert_true(fw_command_parse(text, &again));
        assert_memory_equal(&again, &item, sizeof item);
        quota_add(&shown, true, !strchr(text, '='));
    }
    assert_false(quota_failed(&shown));
}

/* Any words have a text, valid command or not. */
static void other_words_read_back(void **state) {
    fixture *f = *state;
    prng p = prng_seed(6);
    quota shown = {0}; /* accepted: the words are a command's; trivial: without a field */
    for (uint32_t i = 0; i < 2000; i++) {
        fw_command item, again;
        for (uint32_t w = 0; w < FW_COMMAND_WORDS; w++)
            item.word[w] = prng_below(&p, 2) ? (uint32_t)prng_next(&p) : prng_below(&p, 9);
        const char *text = text_of(&item, &f->mem);
        quota_add(&shown, strncmp(text, "words ", 6) != 0, !strchr(text, '='));
        assert_true(fw_command_parse(text, &again));
        assert_memory_equal(&again, &item, sizeof item);
    }
    assert_false(quota_failed(&shown));
    assert_true(shown.accepted > 100 && shown.accepted < 1900);
}

static void words_of_a_copy(void **state) {
    fixture *f = *state;
    const fw_command item =
        FW_MAKE(copy, .from = 0x40, .bytes = 6, .to = FW_SCRATCH | 8, .times = 3, .step_to = 10);
    const uint32_t words[FW_COMMAND_WORDS] = {0xd0000000, 0x40, 6, 0x80000008, 3, 0, 10};
    assert_memory_equal(item.word, words, sizeof words);
    assert_string_equal(text_of(&item, &f->mem), "copy from=0x40 bytes=6 to=0x80000008 times=3 step_to=10\n");
}

static void wrong_texts_are_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"",
                                        "copies from=1",
                                        "copy from",
                                        "copy from=",
                                        "copy from=-1",
                                        "copy from=4294967296",
                                        "copy times=65536",
                                        "copy from=1,",
                                        "copy  from=1",
                                        "copy of=1",
                                        "words 1 2 3",
                                        "words 1 2 3 4 5 6 7 8",
                                        "test number=16"};
    fw_command item;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(fw_command_parse(wrong[i], &item));
}

static void lists_read_back(void **state) {
    fixture *f = *state;
    prng p = prng_seed(7);
    quota shown = {0}; /* trivial: one command */
    for (uint32_t round = 0; round < 50; round++) {
        fw_commands steps = {0}, again = {0};
        uint32_t n = 1 + prng_below(&p, 30), loop = prng_below(&p, n), back = n;
        for (uint32_t i = 0; i < n; i++)
            vec_push(&f->mem, &steps, random_command(&p, prng_below(&p, FW_COMMANDS)));
        text_out out;
        text_begin(&out);
        fw_list_print(&(fw_list){&steps, n, loop}, out.stream);
        const char *text = text_end(&out, &f->mem);
        assert_true(fw_list_parse(text, &f->mem, &again, &back));
        assert_int_equal(again.len, n);
        assert_int_equal(back, loop);
        assert_memory_equal(again.at, steps.at, n * sizeof *steps.at);
        assert_false(fw_list_parse(text + 1, &f->mem, &again, &back));
        assert_false(fw_list_parse(arena_printf(&f->mem, "%sblock to=4\n", text), &f->mem, &again, &back));
        quota_add(&shown, true, n < 2);
    }
    assert_false(quota_failed(&shown));
}

RUN_DOCUMENT_TESTS(DOCUMENT, page, TEST(the_page_is_the_table), TEST(fields_do_not_overlap),
                   TEST(text_reads_back), TEST(other_words_read_back), TEST(words_of_a_copy),
                   TEST(wrong_texts_are_refused), TEST(lists_read_back))
