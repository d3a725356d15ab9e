/* The units of the dense fabric in SystemVerilog: cycle for cycle the model on random settings, and what the
 * reference tiles did on recorded ones. An argument is the number of random cases. */
#include "dense/units.h"
#include "tests/dense/vectors.h"
#include "tests/quota.h"
#include "tests/rtl_dense/random_units.h"
#include "tests/rtl_dense/units_design.h"

#include <stdlib.h>

enum {
    CASES = 300,
    CYCLES = 200,
    INSTRUCTED = 8 /* cycles */
};

static uint32_t cases = CASES;

/* ---- model beside RTL -------------------------------------------------------------------------- */

typedef struct {
    dense_ub buffer;
    dense_pond pond;
    dense_generator valid;
    dense_ub_state *buffer_state;
    dense_pond_state pond_state;
    dense_valid_state valid_state;
    dense_ram_state *ram;
    dense_instruction instruction;
    dense_pe_state pe_state;
} models;

static units_in random_in(uint32_t cycle, uint32_t flush) {
    units_in in = {.enable = random_below(16) != 0, .flush = cycle == 3 || cycle == flush};
    for (int p = 0; p < 2; p++) {
        in.data[p] = (uint16_t)random_below(65536);
        in.chain[p] = (uint16_t)random_below(65536);
        in.pond[p] = (uint16_t)random_below(65536);
    }
    in.read = random_below(2);
    in.write = random_below(3) == 0;
    in.address = (uint16_t)random_below(random_below(2) ? 16 : 2048);
    in.word = (uint16_t)random_below(65536);
    for (int k = 0; k < DENSE_OPERANDS; k++)
        in.operand[k] = (uint16_t)(k < 3 ? random_word() : random_below(2));
    return in;
}

static units_out model_cycle(models *m, const units_in *in) {
    const uint16_t ram[DENSE_RAM_INS] = {in->word, in->address, in->read, in->write};
    const dense_ub_outputs b = dense_ub_read(&m->buffer, m->buffer_state, in->chain);
    const dense_pond_outputs p = dense_pond_read(&m->pond, &m->pond_state);
    const dense_pe_outputs pe = dense_pe_read(&m->instruction, &m->pe_state, in->operand);
    units_out out = {.pond = p.data,
                     .result = pe.data,
                     .result_bit = pe.bit,
                     .valid = dense_valid_read(&m->valid, &m->valid_state)};
    for (int k = 0; k < 2; k++) {
        out.data[k] = b.data[k];
        out.accessor[k] = b.valid[k];
        out.pond_bit[k] = p.event[k];
    }
    out.word = m->ram->data;
    out.word_valid = m->ram->valid;
    out.ready = !m->ram->busy;
    dense_ram_clock(m->ram, ram);
    if (!in->enable)
        return out;
    dense_ub_clock(&m->buffer, m->buffer_state, in->data, in->flush);
    dense_pond_clock(&m->pond, &m->pond_state, in->pond, in->flush);
    dense_valid_clock(&m->valid, &m->valid_state, in->flush);
    dense_pe_clock(&m->instruction, &m->pe_state, in->operand);
    return out;
}

static bool same(const units_out *a, const units_out *b) {
    bool all = a->valid == b->valid && a->pond == b->pond && a->word == b->word &&
               a->word_valid == b->word_valid && a->ready == b->ready && a->result == b->result &&
               a->result_bit == b->result_bit;
    for (int p = 0; p < 2; p++)
        all = all && a->data[p] == b->data[p] && a->accessor[p] == b->accessor[p] &&
              a->pond_bit[p] == b->pond_bit[p];
    return all;
}

static void configure(units_design *rtl, const models *m) {
    uint32_t mem[UNITS_MEM_WORDS] = {0}, pond[UNITS_POND_WORDS] = {0};
    space a = {mem, MEM_BITS}, b = {pond, POND_BITS};
    put_nest(&a, &m->valid.nest, 6, 4);
    put_schedule(&a, &m->valid, 6, false);
    put_buffer(&a, &m->buffer);
    put_pond_port(&b, m->pond.write);
    put_pond_port(&b, m->pond.read);
    assert_int_equal(a.at + b.at, 0);
    units_configure(rtl, mem, pond);
}

static void instruct(units_design *rtl, models *m) {
    uint32_t words[UNITS_PE_WORDS] = {0};
    space s = {words, PE_BITS};
    random_instruction(&m->instruction);
    put_instruction(&s, &m->instruction);
    assert_int_equal(s.at, 1);
    units_instruct(rtl, words);
}

/* Contents of memories persist from case to case, since reset keeps them. */
static bool run_case(units_design *rtl, models *m, uint32_t number) {
    const uint32_t flush = 20 + random_below(CYCLES);
    uint32_t words = 0;
    random_buffer(&m->buffer);
    random_pond(&m->pond);
    m->valid = random_generator(6, 0, 0);
    configure(rtl, m);
    for (uint32_t c = 0; c < CYCLES; c++) {
        if (c % INSTRUCTED == 0)
            instruct(rtl, m);
        const units_in in = random_in(c, flush);
        const units_out want = model_cycle(m, &in), got = units_cycle(rtl, &in);
        if (!same(&want, &got))
            fail_msg(
                "case %u, cycle %u: RTL %04x %04x %d %d, valid %d, Pond %04x %d %d, RAM %04x %d %d, "
                "PE %04x %d; model %04x %04x %d %d, valid %d, Pond %04x %d %d, RAM %04x %d %d, PE %04x %d; "
                "modes %u %u; PE kind %u opcode %u condition %u",
                number, c, got.data[0], got.data[1], got.accessor[0], got.accessor[1], got.valid, got.pond,
                got.pond_bit[0], got.pond_bit[1], got.word, got.word_valid, got.ready, got.result,
                got.result_bit, want.data[0], want.data[1], want.accessor[0], want.accessor[1], want.valid,
                want.pond, want.pond_bit[0], want.pond_bit[1], want.word, want.word_valid, want.ready,
                want.result, want.result_bit, m->buffer.mode[0], m->buffer.mode[1], m->instruction.kind,
                m->instruction.opcode, m->instruction.condition);
        words += (got.accessor[0] && got.data[0]) || (got.accessor[1] && got.data[1]);
    }
    return words == 0;
}

static void test_random(void **state) {
    fixture *f = *state;
    models m = {.buffer_state = arena_new(&f->mem, dense_ub_state),
                .ram = arena_new(&f->mem, dense_ram_state)};
    units_design *rtl = units_new();
    quota q = {0};
    for (uint32_t i = 0; i < cases; i++)
        quota_add(&q, true, run_case(rtl, &m, i));
    units_free(rtl);
    print_message("%u random settings of %u cycles: RTL and model are the same\n", cases, CYCLES);
    assert_false(quota_failed(&q));
}

/* ---- recordings -------------------------------------------------------------------------------- */

static void read_words(const cJSON *list, uint32_t *words) {
    for (int i = 0; i < cJSON_GetArraySize(list); i++)
        words[i] = number_at(list, i);
}

/* Writes all of the SRAM through port 0, word by word, as the recording did. */
static void fill_sram(units_design *rtl, const cJSON *words) {
    uint32_t mem[UNITS_MEM_WORDS] = {0};
    const uint32_t pond[UNITS_POND_WORDS] = {0};
    space s = {mem, MEM_BITS};
    dense_ub u = {.write[0].enable = true};
    u.write[0].nest = (dense_nest){1, {2046}};
    u.write[0].at.increment[0] = u.write[0].address[0].increment[0] = 1;
    s.at = 1276;
    put_buffer(&s, &u);
    units_configure(rtl, mem, pond);
    units_cycle(rtl, &(units_in){.enable = true, .flush = true});
    for (const cJSON *word = words->child; word; word = word->next)
        units_cycle(rtl, &(units_in){.enable = true, .data = {(uint16_t)word->valuedouble}});
    for (int i = 0; i < 4; i++)
        units_cycle(rtl, &(units_in){.enable = true});
}

static void replay_buffer(fixture *f, const cJSON *one, uint32_t number, void *of) {
    const uint32_t pond[UNITS_POND_WORDS] = {0};
    uint32_t mem[UNITS_MEM_WORDS] = {0}, r = 0;
    units_design *rtl = units_new();
    const cJSON *run, *row;
    (void)f;
    (void)of;
    fill_sram(rtl, cJSON_GetObjectItem(one, "sram_fill"));
    read_words(cJSON_GetObjectItem(one, "config_words"), mem);
    units_configure(rtl, mem, pond);
    cJSON_ArrayForEach(run, cJSON_GetObjectItem(one, "runs")) {
        uint32_t c = 0;
        units_cycle(rtl, &(units_in){.enable = true, .flush = true});
        cJSON_ArrayForEach(row, run) {
            const units_in in = {.enable = true,
                                 .data = {(uint16_t)number_at(row, 0), (uint16_t)number_at(row, 1)},
                                 .chain = {(uint16_t)number_at(row, 2), (uint16_t)number_at(row, 3)}};
            const units_out o = units_cycle(rtl, &in);
            for (int p = 0; p < 2; p++) {
                if (o.data[p] != number_at(row, 4 + p) || o.accessor[p] != number_at(row, 6 + p))
                    fail_msg("case %u, run %u, cycle %u, port %d: %04x %d, recorded %04x %u", number, r, c, p,
                             o.data[p], o.accessor[p], number_at(row, 4 + p), number_at(row, 6 + p));
            }
            c++;
        }
        r++;
    }
    units_free(rtl);
}

static void replay_pond(fixture *f, const cJSON *one, uint32_t number, void *of) {
    const uint32_t mem[UNITS_MEM_WORDS] = {0};
    uint32_t pond[UNITS_POND_WORDS] = {0};
    units_design *rtl = units_new();
    const cJSON *run, *row;
    (void)f;
    (void)of;
    read_words(cJSON_GetObjectItem(one, "config_words"), pond);
    units_configure(rtl, mem, pond);
    cJSON_ArrayForEach(run, cJSON_GetObjectItem(one, "runs")) {
        const cJSON *first = cJSON_GetObjectItem(run, "flush_cycle");
        uint32_t c = 0;
        units_cycle(rtl, &(units_in){.enable = true,
                                     .flush = true,
                                     .pond = {(uint16_t)number_at(first, 0), (uint16_t)number_at(first, 1)}});
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(run, "cycles")) {
            const units_in in = {.enable = true,
                                 .pond = {(uint16_t)number_at(row, 0), (uint16_t)number_at(row, 1)}};
            const units_out o = units_cycle(rtl, &in);
            if (o.pond != number_at(row, 2) || o.pond_bit[0] != number_at(row, 3) ||
                o.pond_bit[1] != number_at(row, 4))
                fail_msg("case %u, cycle %u: %04x %d %d, recorded %04x %u %u", number, c, o.pond,
                         o.pond_bit[0], o.pond_bit[1], number_at(row, 2), number_at(row, 3),
                         number_at(row, 4));
            c++;
        }
    }
    units_free(rtl);
}

/* Registers are carried from case to case. */
static void replay_pe(fixture *f, const cJSON *one, uint32_t number, void *of) {
    uint32_t words[UNITS_PE_WORDS] = {0};
    units_in in = {.enable = true};
    (void)f;
    read_words(cJSON_GetObjectItem(one, "words"), words);
    units_instruct(of, words);
    for (int k = 0; k < DENSE_OPERANDS; k++)
        in.operand[k] = (uint16_t)number_at(cJSON_GetObjectItem(one, "in"), k);
    const units_out o = units_cycle(of, &in);
    const double word = cJSON_GetObjectItem(one, "res")->valuedouble,
                 bit = cJSON_GetObjectItem(one, "res_p")->valuedouble;
    if (o.result != word || o.result_bit != bit)
        fail_msg("case %u: %04x %d, recorded %04x %d", number, o.result, o.result_bit, (unsigned)word,
                 (int)bit);
}

static void test_recorded(void **state) {
    TEST_SHARED("dense_vectors");
    units_design *rtl = units_new();
    assert_int_equal(each_vector(*state, "pe", replay_pe, rtl), 4800);
    units_free(rtl);
    assert_int_equal(each_vector(*state, "ub_plain", replay_buffer, NULL), 40);
    assert_int_equal(each_vector(*state, "ub_any", replay_buffer, NULL), 40);
    assert_int_equal(each_vector(*state, "pond", replay_pond, NULL), 40);
}

/* ---- the 1-bit network ------------------------------------------------------------------------- */

enum { WIRES = 20, TRACKS = 5, INNER = 20 };

static units_wiring random_wiring(void) {
    units_wiring w = {.enable = random_below(4) != 0, .box = random_below(4) != 0, .inner = random_below(2)};
    for (uint32_t o = 0; o < WIRES; o++)
        w.select |= (uint64_t)random_below(8) << 3 * o;
    w.on = random_below(1 << WIRES) | random_below(1 << WIRES);
    w.registered = random_below(1 << WIRES) & random_below(1 << WIRES);
    w.arriving = random_below(1 << WIRES);
    w.core = (uint8_t)random_below(32);
    w.box_select = (uint8_t)random_below(24);
    return w;
}

/* Returns the bit that an output selects, by the board's table of its switch box. */
static bool selected(const pnr_board *b, const units_wiring *w, uint32_t output) {
    const uint32_t select = (uint32_t)(w->select >> 3 * output & 7);
    if (!(w->on >> output & 1))
        return false;
    for (uint32_t k = 0; k < WIRES && select < 3; k++) {
        uint32_t leads = 8;
        if (pnr_switch_select(b, (pnr_side)(k / TRACKS), k % TRACKS, (pnr_side)(output / TRACKS),
                              output % TRACKS, &leads) &&
            leads == select)
            return w->arriving >> k & 1;
    }
    return select >= 3 && (w->core >> (select - 3) & 1);
}

static bool boxed(const pnr_board *b, const units_wiring *w) {
    pnr_side side;
    uint32_t track;
    if (!w->box)
        return false;
    if (bits_cb_wire(b, w->box_select, &side, &track))
        return w->arriving >> ((uint32_t)side * TRACKS + track) & 1;
    return w->box_select == INNER && w->inner;
}

/* Settings change every eighth cycle, wires every cycle. */
static void test_wires(void **state) {
    fixture *f = *state;
    pnr_board board;
    units_wiring set = {.enable = false};
    uint32_t held = 0, moved = 0;
    units_design *rtl = units_new();
    assert_true(pnr_board_read("onyx", &f->mem, &f->diag, &board));
    for (uint32_t c = 0; c < 8 * cases; c++) {
        units_wiring in = random_wiring();
        set = c % 8 ? set : in;
        in.select = set.select;
        in.on = set.on;
        in.registered = set.registered;
        const units_wires have = units_wire(rtl, &in);
        assert_int_equal(have.box, boxed(&board, &in));
        for (uint32_t o = 0; o < WIRES; o++) {
            const bool now = selected(&board, &in, o), passes = !(in.registered >> o & 1),
                       want = (in.on >> o & 1) && (passes ? now : held >> o & 1);
            if ((have.leaving >> o & 1) != want)
                fail_msg("cycle %u: output %u is %u, not %u", c, o, have.leaving >> o & 1, want);
            if (!passes && in.enable)
                held = (held & ~(1u << o)) | (uint32_t)now << o;
            moved += want;
        }
    }
    assert_true(moved > cases);
    units_free(rtl);
    pnr_board_free(&board);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {TEST(test_random), TEST(test_wires), TEST(test_recorded)};
    cases = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : CASES;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
