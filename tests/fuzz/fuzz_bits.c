/* Any bytes as a bitstream: its text holds the same words; explained and counted; a circuit encodes to words
 * that decode to the same circuit. */
#include "bitstream/bitstream.h"
#include "tests/fuzz/fuzz.h"

static pnr_board board;
static bits_map *map;

/* The board and its map are read once. */
static void set_up(void) {
    static fuzz_run once; /* its allocations last as long as the program */
    if (map)
        return;
    fuzz_begin(&once);
    FUZZ_CHECK(&once, pnr_board_read("onyx-8x8", &once.mem, &once.diag, &board) &&
                          bits_map_read(&board, &once.mem, &once.diag, &map));
}

static void check_files(fuzz_run *r, const bits_stream *bits) {
    bits_stream again;
    const char *text = fuzz_file(r, ".out.bs", "", 0);
    FUZZ_CHECK(r, bits_write(bits, text, &r->diag) && bits_read(text, &r->mem, &r->diag, &again));
    FUZZ_CHECK(r, again.words.len == bits->words.len);
    for (uint32_t i = 0; i < bits->words.len; i++) {
        const bits_word *w = &bits->words.at[i], *a = &again.words.at[i];
        FUZZ_CHECK(r, a->address == w->address && a->data == w->data);
    }
}

static void check_texts(fuzz_run *r, const bits_stream *bits) {
    text_out explained, counted;
    text_begin(&explained);
    bits_explain(bits, map, explained.stream);
    const char *text = text_end(&explained, &r->mem);
    bits_stream again;
    const char *path = fuzz_file(r, ".txt", text, strlen(text)); /* every line is a word and a comment */
    FUZZ_CHECK(r, bits_read(path, &r->mem, &r->diag, &again) && again.words.len == bits->words.len);
    text_begin(&counted);
    bits_stat(bits, map, counted.stream);
    FUZZ_CHECK(r, *text_end(&counted, &r->mem));
}

static void check_circuit(fuzz_run *r, const bits_stream *bits) {
    pnr_design design, again;
    bits_stream words;
    uint32_t unknown = 0;
    bool ok = bits_decode(bits, map, &r->names, &r->diag, &design, &unknown);
    fuzz_verdict(r, ok);
    if (!ok)
        return;
    FUZZ_CHECK(r, unknown == 0 && bits_encode(&design, map, &r->mem, &r->diag, &words));
    FUZZ_CHECK(r, words.words.len <= bits->words.len);
    FUZZ_CHECK(r, bits_decode(&words, map, &r->names, &r->diag, &again, &unknown));
    FUZZ_CHECK(r, bits_same(&again, &design, &r->diag) && bits_same(&design, &again, &r->diag));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    bits_stream bits;
    set_up();
    fuzz_begin(&r);
    bool ok = bits_read(fuzz_file(&r, ".bs", data, size), &r.mem, &r.diag, &bits);
    fuzz_verdict(&r, ok);
    if (ok) {
        check_files(&r, &bits);
        check_texts(&r, &bits);
        check_circuit(&r, &bits);
    }
    arena_free(&r.mem);
    return 0;
}
