/* The units of the dense fabric against recordings of the reference tiles (../shared/data/dense_vectors). */
#include "dense/dense.h"
#include "dense/units.h"
#include "tests/dense/board.h"
#include "tests/dense/vectors.h"

/* ---- settings from configuration words --------------------------------------------------------- */

/* Decodes an enabled tile with these CONFIG_SPACE words. */
static void decode_tile(fixture *f, const dense_board *m, const cJSON *words, uint32_t site, uint32_t feature,
                        dense_design *out) {
    bits_stream bits = {0};
    const net_tile kind = bits_tile(m->map, site);
    for (int k = 0; k < cJSON_GetArraySize(words); k++) {
        const bits_field *space =
            bits_find(m->map, kind, feature, arena_printf(&f->mem, "CONFIG_SPACE_%d", k));
        assert_non_null(space);
        vec_push(&f->mem, &bits.words,
                 (bits_word){(uint32_t)space->reg << 24 | feature << 16 | site, number_at(words, k), {0}});
    }
    if (kind == NET_TILE_MEM)
        vec_push(&f->mem, &bits.words, (bits_word){46u << 24 | site, 0x01200000, {0}});
    if (kind == NET_TILE_PE && feature == 0)
        vec_push(&f->mem, &bits.words, (bits_word){3u << 24 | site, 0x000B0040, {0}});
    if (!dense_decode(&bits, &m->board, m->map, &f->diag, out))
        fail_msg("%s", fixture_printed(f));
}

/* ---- unified buffer ---------------------------------------------------------------------------- */

static void check_ub(fixture *f, const cJSON *one, uint32_t number, void *of) {
    dense_design design;
    dense_ub u;
    dense_ub_state *s = arena_new(&f->mem, dense_ub_state);
    decode_tile(f, of, cJSON_GetObjectItem(one, "config_words"), 0x301, 0, &design);
    dense_ub_of(&design, &design.tiles.at[0], &u);
    const cJSON *fill = cJSON_GetObjectItem(one, "sram_fill"), *word, *run, *row;
    uint32_t n = 0;
    cJSON_ArrayForEach(word, fill) {
        s->sram[n / 4][n % 4] = (uint16_t)word->valuedouble;
        s->aggregator[0][n / 4 % 2][n % 4] = (uint16_t)word->valuedouble;
        n++;
    }
    for (int p = 0; p < 2; p++)
        s->write[p].finished = s->read[p].finished = s->out[p].finished =
            true; /* the filling run has ended */
    uint32_t r = 0;
    cJSON_ArrayForEach(run, cJSON_GetObjectItem(one, "runs")) {
        const uint16_t zero[2] = {0};
        uint32_t c = 0;
        dense_ub_clock(&u, s, zero, true);
        cJSON_ArrayForEach(row, run) {
            uint16_t in[2], chain[2];
            for (int p = 0; p < 2; p++) {
                in[p] = (uint16_t)number_at(row, p);
                chain[p] = (uint16_t)number_at(row, 2 + p);
            }
            dense_ub_outputs o = dense_ub_read(&u, s, chain);
            for (int p = 0; p < 2; p++) {
                if (o.data[p] != number_at(row, 4 + p) || o.valid[p] != number_at(row, 6 + p))
                    fail_msg("case %u, run %u, cycle %u, port %d: %04x valid %d, recorded %04x valid %u; "
                             "modes %u %u",
                             number, r, c, p, o.data[p], o.valid[p], number_at(row, 4 + p),
                             number_at(row, 6 + p), u.mode[0], u.mode[1]);
            }
            dense_ub_clock(&u, s, in, false);
            c++;
        }
        r++;
    }
}

/* Checks a file of `n` recorded vectors. */
static void check_recorded(fixture *f, const char *name, vector_check *check, uint32_t n) {
    dense_board b;
    TEST_SHARED("dense_vectors");
    open_board(f, &b);
    assert_int_equal(each_vector(f, name, check, &b), n);
    pnr_board_free(&b.board);
}

static void test_buffers(void **state) {
    check_recorded(*state, "ub_plain", check_ub, 40);
    check_recorded(*state, "ub_any", check_ub, 40);
}

/* ---- Pond -------------------------------------------------------------------------------------- */

static void check_pond(fixture *f, const cJSON *one, uint32_t number, void *of) {
    dense_pond_state *s = arena_new(&f->mem, dense_pond_state);
    dense_pond pond;
    dense_design design;
    decode_tile(f, of, cJSON_GetObjectItem(one, "config_words"), 0x101, 1, &design);
    dense_pond_of(&design, &design.tiles.at[0], &pond);
    const cJSON *run, *row;
    uint32_t r = 0;
    cJSON_ArrayForEach(run, cJSON_GetObjectItem(one, "runs")) {
        const cJSON *first = cJSON_GetObjectItem(run, "flush_cycle");
        uint16_t in[2] = {(uint16_t)number_at(first, 0), (uint16_t)number_at(first, 1)};
        uint32_t c = 0;
        dense_pond_clock(&pond, s, in, true);
        for (row = cJSON_GetObjectItem(run, "cycles")->child; row; row = row->next, c++) {
            const dense_pond_outputs o = dense_pond_read(&pond, s);
            if (o.data != number_at(row, 2) || o.event[0] != number_at(row, 3) ||
                o.event[1] != number_at(row, 4))
                fail_msg("case %u, run %u, cycle %u: %04x %d %d, recorded %04x %u %u", number, r, c, o.data,
                         o.event[0], o.event[1], number_at(row, 2), number_at(row, 3), number_at(row, 4));
            in[0] = (uint16_t)number_at(row, 0);
            in[1] = (uint16_t)number_at(row, 1);
            dense_pond_clock(&pond, s, in, false);
        }
        r++;
    }
}

static void test_ponds(void **state) {
    check_recorded(*state, "pond", check_pond, 40);
}

/* ---- PE ---------------------------------------------------------------------------------------- */

typedef struct {
    dense_board map;
    dense_pe_state pe;
} pe_test;

/* Registers are carried from case to case. */
static void check_pe(fixture *f, const cJSON *one, uint32_t number, void *of) {
    dense_design design;
    dense_instruction i;
    pe_test *t = of;
    uint16_t in[DENSE_OPERANDS];
    decode_tile(f, &t->map, cJSON_GetObjectItem(one, "words"), 0x101, 0, &design);
    dense_instruction_of(&design, &design.tiles.at[0], &i);
    for (int k = 0; k < DENSE_OPERANDS; k++)
        in[k] = (uint16_t)number_at(cJSON_GetObjectItem(one, "in"), k);
    const dense_pe_outputs o = dense_pe_read(&i, &t->pe, in);
    const double word = cJSON_GetObjectItem(one, "res")->valuedouble,
                 bit = cJSON_GetObjectItem(one, "res_p")->valuedouble;
    if (o.data != word || o.bit != bit)
        fail_msg("case %u: kind %u, opcode %u, condition %u: %04x %d, recorded %04x %d", number, i.kind,
                 i.opcode, i.condition, o.data, o.bit, (unsigned)word, (int)bit);
    dense_pe_clock(&i, &t->pe, in);
}

static void test_pes(void **state) {
    fixture *f = *state;
    TEST_SHARED("dense_vectors");
    pe_test t = {.pe = {{0}}};
    open_board(f, &t.map);
    assert_int_equal(each_vector(f, "pe", check_pe, &t), 4800);
    pnr_board_free(&t.map.board);
}

RUN_TESTS(TEST(test_buffers), TEST(test_ponds), TEST(test_pes))
