/* The rules of dense programs: no program of the chip breaks a rule, except a program with a known fault;
 * each rule finds ten mutants. */
#include "dense/wires.h"
#include "tests/dense/subject.h"

enum { MUTANTS = 10 };

/* ---- unmodified programs ----------------------------------------------------------------------- */

static const char *const right[] = {"pointwise",
                                    "conv_1_2",
                                    "conv_3_3",
                                    "gaussian_619",
                                    "gaussian2",
                                    "gaussian_unroll",
                                    "unsharp",
                                    "harris_color_542",
                                    "pointwise_gops",
                                    "pointwise_gops_unroll",
                                    "pointwise_gops2_unroll",
                                    "pointwise_gops2_unroll_pd",
                                    "camera_pipeline_2x2_369",
                                    "resnet_output_stationary_437"};

static void keeps_rules(fixture *f, uint32_t i, void *of) {
    subject s;
    (void)of;
    open_subject(f, right[i], &s);
    if (!dense_check(&s.design, &f->diag) || !dense_check_order(&s.program.bits, &s.design, &f->diag) ||
        !dense_check_streams(&s.design, &s.streams, &f->diag))
        fail_msg("%s: %s", right[i], fixture_printed(f));
    pnr_board_free(&s.on.board);
}

/* The program overwrites the second last word of each row, in each pass and in 16 buffers. */
static void test_known_fault(void **state) {
    fixture *f = *state;
    subject s;
    open_subject(f, "sequential_0_fp", &s);
    assert_false(dense_check(&s.design, &f->diag));
    assert_int_equal(f->diag.errors, 16);
    for (uint32_t i = 0; i < f->diag.list.len; i++)
        assert_non_null(strstr(f->diag.list.at[i].message, "rule 11: port 1: word 0 of the aggregator"));
    assert_non_null(strstr(fixture_printed(f),
                           "x3y12: rule 11: port 1: word 0 of the aggregator is overwritten before the "
                           "SRAM has it in cycle 911 [E0983-dense-rule]"));
    assert_true(dense_check_streams(&s.design, &s.streams, &f->diag));
    pnr_board_free(&s.on.board);
}

/* ---- mutants of tiles -------------------------------------------------------------------------- */

#define UB "strg_ub_vec_inst_"
#define POND "strg_ub_thin_PondTop_inst_"

/* Sets a field, where `unless` is not 0 in the tile, or is NULL, to a value: by itself, or plus the old one.
 */
typedef struct {
    uint32_t rule;
    const char *program;
    net_tile tile;
    uint32_t feature;
    const char *where, *field; /* a tile with a nonzero value of this field; the changed field */
    bool relative;
    int32_t value;
} mutation;

static const mutation mutations[] = {
    {1, "pointwise_gops", NET_TILE_PE, 0, "tile_en", "PE_output_width_17_num_0_dense", false, 0},
    {1, "pointwise_gops", NET_TILE_PE, 0, "tile_en", "PE_onyx_inst_tile_en", false, 0},
    {1, "camera_pipeline_2x2_369", NET_TILE_IO, 0, "tile_en", "io2glb_1_ready_reg_value", false, 0},
    {1, "resnet_output_stationary_437", NET_TILE_MEM, 0, "tile_en", "tile_en", false, 0},
    {3, "pointwise_gops", NET_TILE_PE, 4, "CB_PE_input_width_17_num_1_enable",
     "CB_PE_input_width_17_num_1_sel", false, 25},
    {3, "pointwise_gops_unroll", NET_TILE_PE, 3, "CB_PE_input_width_17_num_0_enable",
     "CB_PE_input_width_17_num_0_enable", false, 0},
    {3, "resnet_output_stationary_437", NET_TILE_PE, 10, "CB_PondTop_input_width_17_num_0_enable",
     "CB_PondTop_input_width_17_num_0_enable", false, 0},
    {3, "gaussian_unroll", NET_TILE_MEM, 5, "CB_MEM_input_width_17_num_2_enable",
     "CB_MEM_input_width_17_num_2_enable", false, 0},
    {4, "gaussian_unroll", NET_TILE_MEM, 0, UB "sram_tb_shared_output_sched_gen_0_enable",
     UB "sram_tb_shared_loops_buf2out_autovec_read_0_dimensionality", false, 7},
    {5, "gaussian_unroll", NET_TILE_MEM, 0, UB "tb_only_tb_read_sched_gen_0_enable",
     UB "tb_only_tb_read_sched_gen_0_sched_addr_gen_strides_0", false, 0},
    {9, "gaussian_unroll", NET_TILE_MEM, 0, UB "tb_only_tb_read_sched_gen_0_enable",
     UB "tb_only_tb_read_sched_gen_0_sched_addr_gen_starting_addr", false, 1},
    {10, "gaussian_unroll", NET_TILE_MEM, 0, UB "sram_tb_shared_output_sched_gen_0_enable",
     UB "sram_tb_shared_output_sched_gen_0_sched_addr_gen_starting_addr", false, 0},
    {11, "gaussian_unroll", NET_TILE_MEM, 0, UB "agg_only_agg_write_sched_gen_0_enable",
     UB "agg_only_agg_write_addr_gen_0_strides_0", false, 0},
    {12, "gaussian_unroll", NET_TILE_MEM, 0, UB "agg_only_agg_write_sched_gen_0_enable",
     UB "agg_sram_shared_agg_sram_shared_addr_gen_0_starting_addr", true, 1},
    {13, "resnet_output_stationary_437", NET_TILE_MEM, 0, UB "agg_sram_shared_mode_1",
     UB "sram_tb_shared_output_sched_gen_0_sched_addr_gen_delay", false, 1},
    {13, "resnet_output_stationary_437", NET_TILE_MEM, 0, UB "agg_sram_shared_mode_1",
     UB "tb_only_tb_read_sched_gen_0_sched_addr_gen_delay", false, 1000},
    {15, "camera_pipeline_2x2_369", NET_TILE_MEM, 0, "MEM_input_width_1_num_1_reg_sel",
     "MEM_input_width_1_num_1_reg_sel", false, 0},
};

static bool says_rule(fixture *f, uint32_t rule) {
    const char *text = arena_printf(&f->mem, "rule %u:", rule);
    bool said = false;
    for (uint32_t i = 0; i < f->diag.list.len; i++)
        said = said || strstr(f->diag.list.at[i].message, text);
    clear_diagnostics(f);
    return said;
}

/* Changes the field of a tile, checks the design, and restores the field. */
static void try_mutant(fixture *f, subject *s, dense_tile *t, const mutation *m) {
    const bits_field *field = bits_find(s->on.map, t->kind, m->feature, m->field);
    const uint32_t old = dense_value(&s->design, t, m->feature, m->field);
    dense_set(t, field, m->relative ? old + (uint32_t)m->value : (uint32_t)m->value, &f->mem);
    dense_check(&s->design, &f->diag);
    if (!says_rule(f, m->rule))
        fail_msg("rule %u does not find %s of x%uy%u in %s", m->rule, m->field, t->x, t->y, m->program);
    dense_set(t, field, old, &f->mem);
}

static void mutate(fixture *f, uint32_t number, void *of) {
    const mutation *m = &mutations[number];
    uint32_t found = 0;
    subject s;
    (void)of;
    open_subject(f, m->program, &s);
    for (uint32_t i = 0; i < s.design.tiles.len && found < MUTANTS; i++) {
        dense_tile *t = &s.design.tiles.at[i];
        if (t->kind != m->tile || !dense_value(&s.design, t, m->feature, m->where))
            continue;
        try_mutant(f, &s, t, m);
        found++;
    }
    if (found < MUTANTS)
        fail_msg("rule %u: %u mutants of %s", m->rule, found, m->program);
    pnr_board_free(&s.on.board);
}

static void test_programs(void **state) {
    (void)state;
    TEST_SHARED("chip_programs");
    each_afresh(sizeof right / sizeof *right, keeps_rules, NULL);
    each_afresh(sizeof mutations / sizeof *mutations, mutate, NULL);
}

/* ---- others ------------------------------------------------------------------------------------ */

/* A read one to three cycles earlier meets the writes of one of these phases. */
static void test_port(void **state) {
    fixture *f = *state;
    const char *start = UB "sram_tb_shared_output_sched_gen_0_sched_addr_gen_starting_addr";
    uint32_t found = 0;
    subject s;
    open_subject(f, "gaussian_unroll", &s);
    for (uint32_t i = 0; i < s.design.tiles.len && found < MUTANTS; i++) {
        dense_tile *t = &s.design.tiles.at[i];
        const uint32_t old = t->kind == NET_TILE_MEM ? dense_value(&s.design, t, 0, start) : 0;
        bool any = false;
        for (uint32_t by = 1; old && by < 4; by++) {
            dense_set(t, bits_find(s.on.map, NET_TILE_MEM, 0, start), old - by, &f->mem);
            dense_check(&s.design, &f->diag);
            any = says_rule(f, 8) || any;
        }
        if (old)
            dense_set(t, bits_find(s.on.map, NET_TILE_MEM, 0, start), old, &f->mem);
        assert_true(any == (old > 0));
        found += any;
    }
    assert_int_equal(found, MUTANTS);
    pnr_board_free(&s.on.board);
}

/* The first word leaves the transpose buffer two cycles after its line is read, and no cycle earlier. */
static void test_rows(void **state) {
    fixture *f = *state;
    const char *reads = UB "sram_tb_shared_output_sched_gen_0_sched_addr_gen_starting_addr",
               *start = UB "tb_only_tb_read_sched_gen_0_sched_addr_gen_starting_addr";
    uint32_t found = 0;
    subject s;
    open_subject(f, "gaussian_unroll", &s);
    for (uint32_t i = 0; i < s.design.tiles.len && found < MUTANTS; i++) {
        dense_tile *t = &s.design.tiles.at[i];
        const uint32_t line = t->kind == NET_TILE_MEM ? dense_value(&s.design, t, 0, reads) : 0,
                       old = line ? dense_value(&s.design, t, 0, start) : 0;
        for (uint32_t by = 0; old && by < 5; by++) {
            dense_set(t, bits_find(s.on.map, NET_TILE_MEM, 0, start), line + by, &f->mem);
            dense_check(&s.design, &f->diag);
            if (says_rule(f, 9) != (by < 2))
                fail_msg("x%uy%u: %u cycles after line %u, as it was %u", t->x, t->y, by, line, old);
        }
        if (old)
            dense_set(t, bits_find(s.on.map, NET_TILE_MEM, 0, start), old, &f->mem);
        found += old > 0;
    }
    assert_int_equal(found, MUTANTS);
    pnr_board_free(&s.on.board);
}

/* Lets the second set of a Pond's writes begin with the first. */
static void begin_together(fixture *f, const subject *s, dense_tile *t) {
    const uint32_t start =
        dense_value(&s->design, t, 1, POND "in2regfile_0_sched_gen_sched_addr_gen_starting_addr");
    const bits_field *enable = bits_find(s->on.map, NET_TILE_PE, 1, POND "in2regfile_0_sched_gen_enable2"),
                     *at = bits_find(s->on.map, NET_TILE_PE, 1,
                                     POND "in2regfile_0_sched_gen_sched_addr_gen_starting_addr2");
    dense_set(t, enable, 1, &f->mem);
    dense_set(t, at, start, &f->mem);
    dense_check(&s->design, &f->diag);
    assert_true(says_rule(f, 14));
    dense_set(t, enable, 0, &f->mem);
    dense_set(t, at, 0, &f->mem);
}

/* A buffer as a sparse memory, a Pond with contents written by a generator, a line of a ROM with three
 * words. */
static void test_tiles(void **state) {
    fixture *f = *state;
    uint32_t buffers = 0, ponds = 0, roms = 0;
    subject s, camera;
    open_subject(f, "resnet_output_stationary_437", &s);
    for (uint32_t i = 0; i < s.design.tiles.len; i++) {
        dense_tile *t = &s.design.tiles.at[i];
        if (t->mode == 1 && t->kind == NET_TILE_MEM && !dense_value(&s.design, t, 0, "mode_excl") &&
            buffers < MUTANTS) {
            t->mode = 0;
            dense_check(&s.design, &f->diag);
            assert_true(says_rule(f, 2));
            t->mode = 1;
            buffers++;
        }
        if (t->kind == NET_TILE_PE && dense_value(&s.design, t, 1, "tile_en") && ponds < MUTANTS) {
            vec_push(&f->mem, &t->contents.words, (bits_word){bits_address(3, 2, t->x, t->y), 7, {0}});
            dense_check(&s.design, &f->diag);
            assert_true(says_rule(f, 20));
            t->contents.words.len = 0;
            begin_together(f, &s, t);
            ponds++;
        }
    }
    open_subject(f, "camera_pipeline_2x2_369", &camera);
    for (uint32_t i = 0; i < camera.design.tiles.len && roms < MUTANTS; i++) {
        dense_tile *t = &camera.design.tiles.at[i];
        if (!t->contents.words.len)
            continue;
        t->contents.words.len--;
        dense_check(&camera.design, &f->diag);
        assert_true(says_rule(f, 15));
        t->contents.words.len++;
        roms++;
    }
    assert_int_equal(buffers, MUTANTS);
    assert_int_equal(ponds, MUTANTS);
    assert_int_equal(roms, MUTANTS);
    pnr_board_free(&s.on.board);
    pnr_board_free(&camera.on.board);
}

/* A SplitFIFO in place of each register on a wire of words: each of these wires leads to a unit. */
static void test_fifos(void **state) {
    static const char *const names[] = {"conv_3_3", "pointwise_gops"};
    fixture *f = *state;
    uint32_t found = 0;
    for (uint32_t p = 0; p < 2; p++) {
        subject s;
        open_subject(f, names[p], &s);
        for (uint32_t i = 0; i < s.design.tiles.len; i++) {
            dense_tile *t = &s.design.tiles.at[i];
            for (uint32_t k = 0; k < t->settings.len; k++) {
                dense_origin at;
                uint32_t width = 0;
                if (dense_wire_field_of(t->settings.at[k].field->name, &at, &width) != DENSE_WIRE_RMUX ||
                    width)
                    continue;
                const bits_field *fifo = dense_find_wire_field(s.on.map, t->kind, DENSE_WIRE_FIFO, at, width);
                dense_set(t, fifo, 1, &f->mem);
                dense_check(&s.design, &f->diag);
                if (!says_rule(f, 2))
                    fail_msg("rule 2 does not find %s of x%uy%u in %s", fifo->name, t->x, t->y, names[p]);
                dense_set(t, fifo, 0, &f->mem);
                found++;
            }
        }
        pnr_board_free(&s.on.board);
    }
    print_message("rule 2: %u SplitFIFOs found\n", found);
    assert_true(found >= MUTANTS);
}

/* Contents in front of all other words. */
static void test_order(void **state) {
    fixture *f = *state;
    bits_stream moved = {0};
    subject s;
    open_subject(f, "camera_pipeline_2x2_369", &s);
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < s.program.bits.words.len; i++) {
            const bits_word w = s.program.bits.words.at[i];
            if (dense_is_contents(bits_tile(s.on.map, w.address), bits_feature(w.address)) == (pass == 0))
                vec_push(&f->mem, &moved.words, w);
        }
    }
    assert_false(dense_check_order(&moved, &s.design, &f->diag));
    assert_int_equal(f->diag.errors, 12);
    assert_true(says_rule(f, 15));
    pnr_board_free(&s.on.board);
}

/* Streams: a missing word, an odd address, a bank of another stream, two words in a cycle. */
static void test_streams(void **state) {
    fixture *f = *state;
    uint32_t stores = 0;
    subject s;
    open_subject(f, "camera_pipeline_2x2_369", &s);
    for (uint32_t i = 0; i < s.streams.len; i++) {
        dense_stream *stream = &s.streams.at[i];
        const dense_stream old = *stream;
        const uint32_t next = (i + 1) % s.streams.len;
        stream->g.nest.range[0]--;
        dense_check_streams(&s.design, &s.streams, &f->diag);
        assert_true(says_rule(f, 16) == old.store);
        *stream = old;
        stream->g.address[0].start++;
        dense_check_streams(&s.design, &s.streams, &f->diag);
        assert_true(says_rule(f, 18));
        stream->g.address[0].start = s.streams.at[next].g.address[0].start;
        dense_check_streams(&s.design, &s.streams, &f->diag);
        assert_true(says_rule(f, 17));
        *stream = old;
        stream->g.at.increment[0] = 0;
        dense_check_streams(&s.design, &s.streams, &f->diag);
        assert_true(says_rule(f, 18) == !old.store);
        stream->g.at.increment[0] = UINT32_MAX;
        dense_check_streams(&s.design, &s.streams, &f->diag);
        assert_true(says_rule(f, 18) == !old.store);
        *stream = old;
        stream->column = s.streams.at[next].column;
        dense_check_streams(&s.design, &s.streams, &f->diag);
        assert_true(says_rule(f, 17));
        *stream = old;
        stream->mode = DENSE_STREAM_STATIC;
        stream->g.at.start = i % DENSE_FLUSH_CYCLE;
        dense_check_streams(&s.design, &s.streams, &f->diag);
        assert_true(says_rule(f, 18) == old.store);
        *stream = old;
        stores += old.store;
    }
    assert_int_equal(stores, 12);
    pnr_board_free(&s.on.board);
}

RUN_TESTS(TEST(test_known_fault), TEST(test_programs), TEST(test_port), TEST(test_rows), TEST(test_tiles),
          TEST(test_fifos), TEST(test_order), TEST(test_streams))
