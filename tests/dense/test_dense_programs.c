/* Dense programs of the chip on the cycle model: gold word by word, first and last cycle, and the words that
 * their text form gives. */
#include "exchange/exchange.h"
#include "tests/dense/board.h"

enum { TILE_WORDS = 0x20000, OUTPUT_WORDS = 0x10000 };

typedef struct {
    const char *name;
    const char *from;       /* the program whose data feed all lanes; NULL: its own */
    uint32_t first, cycles; /* array cycle of the first word stored; cycles to the last */
    uint32_t words;         /* golden words of a lane; 0: none expected */
} chip_program;

static const chip_program programs[] = {
    {"pointwise", NULL, 7, 4103, 4096},
    {"conv_1_2", NULL, 9, 4104, 4032},
    {"conv_3_3", NULL, 144, 4110, 3844},
    {"gaussian_619", NULL, 0, 6353, 6076},
    {"gaussian2", "gaussian_619", 0, 0, 6076},
    {"gaussian_unroll", "gaussian_619", 0, 0, 6076},
    {"harris_color_542", NULL, 0, 9081, 7874},
    {"pointwise_gops", NULL, 0, 4210, 4096},
    {"pointwise_gops_unroll", "pointwise_gops", 0, 4210, 4096},
    {"pointwise_gops2_unroll", "pointwise_gops", 0, 4210, 4096},
    {"pointwise_gops2_unroll_pd", "pointwise_gops", 0, 4210, 4096},
    {"unsharp", NULL, 0, 4374, 3596},
    {"camera_pipeline_2x2_369", NULL, 163, 1610, 1232},
    {"resnet_output_stationary_437", NULL, 0, 19242, 196},
    {"sequential_0_fp", NULL, 1331, 40829, 0},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

typedef struct {
    dense_streams streams;
    dense_design design;
    dense_program program;
    dense_board on;
} loaded;

static void read_program(fixture *f, const char *name, dense_program *out) {
    const char *path = arena_printf(&f->mem, "%s/data/chip_programs/%s.json.gz", ONYX_SHARED_DIR, name);
    if (!exchange_read_dense(path, &f->mem, &f->diag, out))
        fail_msg("%s", fixture_printed(f));
}

static void load_program(fixture *f, const char *name, loaded *l) {
    open_board(f, &l->on);
    read_program(f, name, &l->program);
    if (!dense_decode(&l->program.bits, &l->on.board, l->on.map, &f->diag, &l->design))
        fail_msg("%s: %s", name, fixture_printed(f));
}

/* ---- words ------------------------------------------------------------------------------------- */

static void round_trip(fixture *f, uint32_t i, void *of) {
    loaded l;
    (void)of;
    load_program(f, programs[i].name, &l);
    assert_true(dense_is(&l.program.bits, l.on.map));
    if (!dense_verify(&l.program.bits, &l.design, &f->diag))
        fail_msg("%s: %s", programs[i].name, fixture_printed(f));
    assert_true(dense_diff(&l.design, &l.design, stdout));
    pnr_board_free(&l.on.board);
}

static void test_words(void **state) {
    (void)state;
    TEST_SHARED("chip_programs");
    each_afresh(PROGRAMS, round_trip, NULL);
}

/* ---- runs -------------------------------------------------------------------------------------- */

/* Copies the words of another program's lanes to this program's inputs, lane by lane. */
static void feed(const loaded *l, uint16_t *memory, const dense_words *from) {
    uint32_t lane = 0, lanes = from->tiles.len;
    for (uint32_t s = 0; s < l->streams.len; s++) {
        const dense_stream *stream = &l->streams.at[s];
        for (uint32_t i = lane % lanes; !stream->store && i < from->words.len; i += lanes)
            memory[stream->g.address[0].start / 2 + i / lanes] = from->words.at[i];
        lane += !stream->store;
    }
}

/* Counts the gold words of each output lane. */
static void check_lanes(const chip_program *c, const loaded *l, const dense_words *gold,
                        const uint16_t *memory) {
    uint32_t lane = 0, lanes = gold->tiles.len;
    for (uint32_t s = 0; s < l->streams.len; s++) {
        const dense_stream *stream = &l->streams.at[s];
        uint32_t equal = 0;
        if (!stream->store)
            continue;
        for (uint32_t i = lane % lanes; i < gold->words.len; i += lanes)
            equal += memory[stream->g.address[0].start / 2 + i / lanes] == gold->words.at[i];
        if (equal != c->words)
            fail_msg("%s: lane %u has %u of %u gold words", c->name, lane, equal, c->words);
        lane++;
    }
    assert_true(lane > 0);
}

static void check_cycles(const chip_program *c, const dense_outcome *out) {
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < out->streams.len; i++) {
        const dense_ran_stream *s = &out->streams.at[i];
        if (s->stream.store && s->state.first < first)
            first = s->state.first;
    }
    print_message("%s: words stored from array cycle %u, %u cycles\n", c->name, first - DENSE_FIRST_CYCLE,
                  out->cycles);
    assert_true(out->done);
    if (c->first)
        assert_int_equal(first - DENSE_FIRST_CYCLE, c->first);
    if (c->cycles)
        assert_int_equal(out->cycles, c->cycles);
}

static void run(fixture *f, uint32_t number, void *of) {
    const chip_program *c = &programs[number];
    loaded l;
    dense_program other;
    dense_outcome out;
    uint32_t first = 0;
    (void)of;
    load_program(f, c->name, &l);
    other = l.program;
    if (c->from)
        read_program(f, c->from, &other);
    if (l.program.writes.len)
        assert_true(dense_streams_of(&l.program, &f->mem, &f->diag, &l.streams));
    else
        dense_linear_streams(&l.design, &other, &f->mem, &l.streams);
    uint16_t *memory = dense_memory_of(&l.program, &f->mem);
    if (c->from)
        feed(&l, memory, &other.inputs.at[0]);
    if (!dense_run(&l.design, &l.streams, memory, &f->diag, &out))
        fail_msg("%s: %s", c->name, fixture_printed(f));
    check_cycles(c, &out);
    if (c->words && c->from)
        check_lanes(c, &l, &other.outputs.at[0], memory);
    else if (c->words)
        assert_int_equal(dense_equal_words(&other.outputs.at[0], memory, &first),
                         other.outputs.at[0].words.len);
    pnr_board_free(&l.on.board);
}

static void test_runs(void **state) {
    (void)state;
    TEST_SHARED("chip_programs");
    each_afresh(PROGRAMS, run, NULL);
}

/* ---- the matrix product of the fact sheet ------------------------------------------------------ */

static void take(const cJSON *list, uint16_t *memory, uint32_t byte) {
    const cJSON *one;
    uint32_t i = byte / 2;
    cJSON_ArrayForEach(one, list) memory[i++] = (uint16_t)one->valuedouble;
}

static void test_matrix_product(void **state) {
    fixture *f = *state;
    loaded l;
    dense_outcome out;
    TEST_SHARED("dense_vectors");
    cJSON *json = json_read(ONYX_SHARED_DIR "/data/dense_vectors/mm_16_24.json", &f->diag);
    const cJSON *row, *c = cJSON_GetObjectItem(json, "C"), *one;
    open_board(f, &l.on);
    l.program = (dense_program){.path = "mm_16_24.json"};
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "bitstream")) {
        bits_word w = {0};
        assert_int_equal(sscanf(row->valuestring, "%8x %8x", &w.address, &w.data), 2);
        vec_push(&f->mem, &l.program.bits.words, w);
    }
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "glb_registers")) vec_push(
        &f->mem, &l.program.writes,
        (dense_write){(uint32_t)row->child->valuedouble, (uint32_t)(int64_t)row->child->next->valuedouble});
    uint16_t *memory = dense_memory_of(&l.program, &f->mem);
    take(cJSON_GetObjectItem(json, "A"), memory, 0);
    take(cJSON_GetObjectItem(json, "B"), memory, 0x40000);
    assert_true(dense_decode(&l.program.bits, &l.on.board, l.on.map, &f->diag, &l.design));
    assert_true(dense_verify(&l.program.bits, &l.design, &f->diag));
    assert_true(dense_streams_of(&l.program, &f->mem, &f->diag, &l.streams));
    assert_true(dense_run(&l.design, &l.streams, memory, &f->diag, &out));
    uint32_t at = OUTPUT_WORDS;
    cJSON_ArrayForEach(one, c) assert_int_equal(memory[at++], (uint16_t)one->valuedouble);
    assert_int_equal(at, OUTPUT_WORDS + 256);
    assert_int_equal(out.streams.at[2].state.first - DENSE_FIRST_CYCLE, 25);
    assert_int_equal(out.cycles,
                     6146); /* the store's interrupt, 6150, rises five cycles after the last word */
    cJSON_Delete(json);
    pnr_board_free(&l.on.board);
}

RUN_TESTS(TEST(test_words), TEST(test_runs), TEST(test_matrix_product))
