/* Rules 6, 7, 17 (flush), 19 and 21 to 24: silent on the chip's programs, and found in ten mutants each. Of
 * rules 6 and 7 each mutant is found but those that store the same words, whatever the words are. */
#include "dense/units.h"
#include "tests/dense/subject.h"

enum { MUTANTS = 10, RULES = 25 };

static const char *const programs[] = {"conv_1_2",
                                       "conv_3_3",
                                       "gaussian_619",
                                       "harris_color_542",
                                       "pointwise_gops",
                                       "camera_pipeline_2x2_369",
                                       "resnet_output_stationary_437",
                                       "sequential_0_fp"};
static const char *const linear[] = {"pointwise",
                                     "gaussian2",
                                     "gaussian_unroll",
                                     "unsharp",
                                     "pointwise_gops_unroll",
                                     "pointwise_gops2_unroll",
                                     "pointwise_gops2_unroll_pd"};

/* Rules that messages name; the list is emptied. */
static uint32_t rules_said(fixture *f) {
    uint32_t said = 0;
    for (uint32_t i = 0; i < f->diag.list.len; i++) {
        for (uint32_t rule = 1; rule < RULES; rule++)
            said |=
                strstr(f->diag.list.at[i].message, arena_printf(&f->mem, "rule %u:", rule)) ? 1u << rule : 0;
    }
    clear_diagnostics(f);
    return said;
}

static uint32_t rules_of(fixture *f, const subject *s) {
    dense_check(&s->design, &f->diag);
    dense_check_streams(&s->design, &s->streams, &f->diag);
    dense_check_writes(&s->program, &f->diag);
    dense_check_flush(&s->design, &s->streams, &s->program, &f->diag);
    dense_check_rounding(&s->design, &s->program, &f->diag);
    dense_check_arrivals(&s->design, &s->streams, &f->diag);
    return rules_said(f);
}

static void is_silent(fixture *f, uint32_t i, void *of) {
    const uint32_t with_writes = sizeof programs / sizeof *programs;
    const char *name = i < with_writes ? programs[i] : linear[i - with_writes];
    subject s;
    (void)of;
    open_subject(f, name, &s);
    if (!s.streams.len) {
        dense_words w = {.name = "input"};
        for (uint32_t k = 0; k < 4096; k++)
            vec_push(&f->mem, &w.words, 1);
        vec_push(&f->mem, &w.tiles, 0);
        if (!s.program.inputs.len)
            vec_push(&f->mem, &s.program.inputs, w);
        dense_linear_streams(&s.design, &s.program, &f->mem, &s.streams);
    }
    assert_true(s.streams.len > 0);
    const uint32_t invented = i < with_writes ? 0 : 1u << 16; /* the number of stored words */
    const uint32_t said = rules_of(f, &s) & ~invented;
    if (said != (strcmp(name, "sequential_0_fp") == 0 ? 1u << 11 : 0))
        fail_msg("%s: rules %x", name, said);
    pnr_board_free(&s.on.board);
}

static void test_programs(void **state) {
    (void)state;
    TEST_SHARED("chip_programs");
    each_afresh(sizeof programs / sizeof *programs + sizeof linear / sizeof *linear, is_silent, NULL);
}

/* ---- fields of tiles --------------------------------------------------------------------------- */

/* Adds to, or sets, every field of a tile whose name has `part`. An operand without its wire is a constant, a
 * word that was given. */
typedef struct {
    uint32_t rule;
    const char *program, *part;
    int32_t by;     /* 0: the field becomes 0 */
    uint32_t rows;  /* tiles from this row on */
    uint32_t found; /* of the mutants; the others are the same program */
} mutation;

static const mutation mutations[] = {
    {6, "camera_pipeline_2x2_369", "stencil_valid_sched_gen_sched_addr_gen_starting_addr", -1, 1, 12},
    {6, "pointwise_gops", "RMUX_T", 0, 1, 12},
    {6, "conv_1_2", "RMUX_T", 0, 1, 6},
    {6, "pointwise_gops", "CB_PE_input_width_17_num_1_enable", 0, 1, 12},
    {7, "camera_pipeline_2x2_369", "sched_addr_gen_starting_addr", 1, 9, 7},
    {7, "harris_color_542", "sched_addr_gen_starting_addr", 1, 9, 4},
};

static bool has_part(const dense_tile *t, const mutation *m) {
    bool has = false;
    for (uint32_t k = 0; k < t->settings.len; k++)
        has = has || strstr(t->settings.at[k].field->name, m->part);
    return has && t->y >= m->rows;
}

/* Plays the program on its own words, or on words at random. */
static void play(fixture *f, const subject *s, uint32_t seed, dense_outcome *out) {
    uint16_t *memory = dense_memory_of(&s->program, &f->mem);
    for (uint32_t i = 0, x = seed; seed && i < DENSE_GLB_BYTES / 2; i++) {
        x = x * 1664525u + 1013904223u;
        memory[i] = (uint16_t)(x >> 16);
    }
    if (!dense_run(&s->design, &s->streams, memory, &f->diag, out))
        fail_msg("%s: %s", s->program.path, fixture_printed(f));
}

enum { PLAYS = 3 };

/* A mutant that stores the same words, and as many, is the same program: no rule has to find it. */
static bool is_same(fixture *f, const subject *s, const dense_outcome was[PLAYS]) {
    bool same = true;
    for (uint32_t k = 0; same && k < PLAYS; k++) {
        dense_outcome now;
        play(f, s, k, &now);
        same = now.done == was[k].done && !memcmp(now.memory, was[k].memory, DENSE_GLB_BYTES);
    }
    return same;
}

typedef enum { MISSED, FOUND, SAME } verdict;

static verdict judge(fixture *f, subject *s, dense_tile *t, const mutation *m, const dense_outcome *was) {
    dense_settings old = {0};
    for (uint32_t k = 0; k < t->settings.len; k++)
        vec_push(&f->mem, &old, t->settings.at[k]);
    for (uint32_t k = 0; k < old.len; k++) {
        if (strstr(old.at[k].field->name, m->part))
            dense_set(t, old.at[k].field, m->by ? old.at[k].value + (uint32_t)m->by : 0, &f->mem);
    }
    dense_check_arrivals(&s->design, &s->streams, &f->diag);
    for (uint32_t i = 0; i < f->diag.list.len; i++)
        assert_string_equal(f->diag.list.at[i].code, "E0985-dense-doubt");
    const bool said = rules_said(f) >> m->rule & 1;
    const verdict v = said ? FOUND : is_same(f, s, was) ? SAME : MISSED;
    for (uint32_t k = 0; k < old.len; k++)
        dense_set(t, old.at[k].field, old.at[k].value, &f->mem);
    return v;
}

/* Each mutant that is another program is found. */
static void mutate(fixture *f, uint32_t number, void *of) {
    enum { MOST = 12 };
    const mutation *m = &mutations[number];
    uint32_t count[3] = {0};
    dense_outcome was[PLAYS];
    subject s;
    (void)of;
    open_subject(f, m->program, &s);
    for (uint32_t k = 0; k < PLAYS; k++)
        play(f, &s, k, &was[k]);
    for (uint32_t i = 0; i < s.design.tiles.len && count[0] + count[1] + count[2] < MOST; i++) {
        dense_tile *t = &s.design.tiles.at[i];
        if (has_part(t, m))
            count[judge(f, &s, t, m, was)]++;
    }
    print_message("rule %u, %s of %s: %u mutants found, %u missed, %u are the same program\n", m->rule,
                  m->part, m->program, count[FOUND], count[MISSED], count[SAME]);
    assert_int_equal(count[MISSED], 0);
    assert_int_equal(count[FOUND], m->found);
    pnr_board_free(&s.on.board);
}

static void test_arrivals(void **state) {
    (void)state;
    TEST_SHARED("chip_programs");
    each_afresh(sizeof mutations / sizeof *mutations, mutate, NULL);
}

/* ---- streams ----------------------------------------------------------------------------------- */

/* Other cycles of a store with valid bits: a stride of its second loop. */
static void test_cycles(void **state) {
    fixture *f = *state;
    uint32_t made = 0;
    for (uint32_t p = 0; p < 7; p++) {
        subject s;
        open_subject(f, programs[p], &s);
        for (uint32_t i = 0; i < s.streams.len; i++) {
            dense_stream *store = &s.streams.at[i];
            for (uint32_t loop = 0; store->mode == DENSE_STREAM_VALID && loop < store->g.nest.dim; loop++) {
                store->g.at.increment[loop] += 3;
                dense_check_streams(&s.design, &s.streams, &f->diag);
                assert_true(rules_said(f) >> 19 & 1);
                store->g.at.increment[loop] -= 3;
                made++;
            }
        }
        pnr_board_free(&s.on.board);
    }
    assert_true(made >= MUTANTS);
}

/* ---- settings without effect ------------------------------------------------------------------- */

static void test_old_registers(void **state) {
    static const dense_port ports[] = {DENSE_PORT_PE_IN0, DENSE_PORT_PE_IN1, DENSE_PORT_PE_IN2};
    static const char *const modes[] = {"rega", "regb", "regc"};
    fixture *f = *state;
    uint32_t found = 0;
    subject s;
    open_subject(f, "pointwise_gops", &s);
    const dense_wiring w = dense_wire_up(&s.design, &f->mem);
    for (uint32_t i = 0; i < s.design.tiles.len; i++) {
        dense_tile *t = &s.design.tiles.at[i];
        for (uint32_t k = 0; k < t->settings.len && t->kind == NET_TILE_PE; k++) {
            const dense_setting was = t->settings.at[k];
            for (uint32_t o = 0; o < 3; o++) {
                if (!strstr(was.field->name, modes[o]) || was.value < DENSE_BYPASS ||
                    !dense_box_of(&w, t, ports[o]).enable)
                    continue;
                dense_set(t, was.field, DENSE_OLD, &f->mem);
                dense_check(&s.design, &f->diag);
                found += rules_said(f) >> 21 & 1;
                dense_set(t, was.field, was.value, &f->mem);
            }
        }
    }
    print_message("rule 21: %u mutants found\n", found);
    assert_true(found >= MUTANTS);
    pnr_board_free(&s.on.board);
}

/* A register, or a select, on each wire that is off. */
static void test_unused_wires(void **state) {
    fixture *f = *state;
    subject *s = arena_new(&f->mem, subject);
    uint32_t found = 0;
    open_subject(f, "gaussian_619", s);
    const dense_wiring w = dense_wire_up(&s->design, &f->mem);
    for (uint32_t i = 0; i < s->design.tiles.len && found < 4 * MUTANTS; i++) {
        dense_tile *t = &s->design.tiles.at[i];
        const dense_origin at = {
            .kind = DENSE_FROM_WIRE, .x = t->x, .y = t->y, .side = i % 4, .track = i % 5};
        const dense_wire_field what = i % 2 ? DENSE_WIRE_RMUX : DENSE_WIRE_SELECT;
        const bool to_io = t->y == 1 && at.side == PNR_NORTH && !at.track;
        if (t->kind == NET_TILE_IO || to_io || dense_wire_at(&w, at, DENSE_WORD)->enable)
            continue;
        const bits_field *field = dense_find_wire_field(s->on.map, t->kind, what, at, DENSE_WORD);
        dense_set(t, field, 1, &f->mem);
        dense_check(&s->design, &f->diag);
        if (!(rules_said(f) >> 22 & 1))
            fail_msg("rule 22 does not find %s of x%uy%u", field ? field->name : "nothing", t->x, t->y);
        dense_set(t, field, 0, &f->mem);
        found++;
    }
    assert_true(found >= MUTANTS);
    pnr_board_free(&s->on.board);
}

/* ---- flush ------------------------------------------------------------------------------------- */

/* A constant, or a bit of the 1-bit network, in place of the flush of each tile with a unit: no model runs
 * the design. */
static void test_other_flushes(void **state) {
    static const char *const fields[] = {"flush_reg_sel", "flush_mux_sel"};
    static const char *const names[] = {"gaussian_619", "resnet_output_stationary_437"};
    fixture *f = *state;
    for (uint32_t p = 0; p < 2; p++) {
        uint32_t found = 0;
        subject s;
        open_subject(f, names[p], &s);
        for (uint32_t i = 0; i < s.design.tiles.len && found < 2 * MUTANTS; i++) {
            dense_tile *t = &s.design.tiles.at[i];
            if (!dense_units_of(&s.design, t))
                continue;
            dense_array array;
            const bits_field *field = bits_find(s.on.map, t->kind, 0, fields[found % 2]);
            dense_set(t, field, 1, &f->mem);
            dense_check(&s.design, &f->diag);
            assert_true(rules_said(f) >> 24 & 1);
            if (!found++)
                assert_false(dense_load(&s.design, &f->diag, &array));
            clear_diagnostics(f);
            dense_set(t, field, 0, &f->mem);
        }
        assert_int_equal(found, 2 * MUTANTS);
        pnr_board_free(&s.on.board);
    }
}

/* Returns the number of crossbars found, and of wrong verdicts. */
static uint32_t try_crossbars(fixture *f, subject *s, const bool *loads, uint32_t *wrong) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < 8 * DENSE_GLB_TILES && loads[0]; i++) {
        const uint32_t tile = i % DENSE_GLB_TILES;
        s->program.crossbar = (dense_crossbar){true, tile << i / DENSE_GLB_TILES * 4};
        dense_check_flush(&s->design, &s->streams, &s->program, &f->diag);
        const bool said = rules_said(f) >> 17 & 1;
        *wrong += said && loads[tile];
        found += said;
    }
    return found;
}

/* The crossbar names a tile without a load, for each group of columns that has tiles; and no load at all. */
static void test_crossbar(void **state) {
    uint32_t found = 0, wrong = 0, p = 2;
    do {
        subject s;
        bool loads[DENSE_GLB_TILES] = {false};
        open_subject(*state, programs[p], &s);
        for (uint32_t i = 0; i < s.streams.len; i++)
            loads[s.streams.at[i].column / 2] |= !s.streams.at[i].store;
        found += try_crossbars(*state, &s, loads, &wrong);
        s.streams.len = 0;
        wrong += dense_check_flush(&s.design, &s.streams, &s.program, &((fixture *)*state)->diag);
        wrong += !(rules_said(*state) >> 17 & 1);
        pnr_board_free(&s.on.board);
    } while (++p < 7);
    print_message("rule 17: %u crossbars found\n", found);
    assert_int_equal(wrong, 0);
    assert_true(found >= MUTANTS);
}

/* A PE that multiplies bf16 in a program with expected words. */
static void test_rounding(void **state) {
    fixture *f = *state;
    uint32_t found = 0;
    subject s;
    open_subject(f, "pointwise_gops", &s);
    for (uint32_t i = 0; i < s.design.tiles.len; i++) {
        dense_tile *t = &s.design.tiles.at[i];
        if (t->kind != NET_TILE_PE || !(dense_units_of(&s.design, t) & DENSE_HAS_PE))
            continue;
        const dense_settings old = t->settings;
        t->settings = (dense_settings){0};
        for (uint32_t k = 0; k < old.len; k++)
            vec_push(&f->mem, &t->settings, old.at[k]);
        dense_set(t, bits_find(s.on.map, NET_TILE_PE, 0, "PE_onyx_inst_onyxpeintf_inst.kind"), 2, &f->mem);
        dense_set(t, bits_find(s.on.map, NET_TILE_PE, 0, "PE_onyx_inst_onyxpeintf_inst.opcode"), 3, &f->mem);
        dense_check_rounding(&s.design, &s.program, &f->diag);
        found += rules_said(f) >> 21 & 1;
        t->settings = old;
    }
    assert_int_equal(found, 48);
    pnr_board_free(&s.on.board);
}

/* ---- writes ------------------------------------------------------------------------------------ */

/* The program with a further write in the function that sets up its streams. */
static void test_disturbing_writes(void **state) {
    fixture *f = *state;
    const char *from = ONYX_SOURCE_DIR "/examples/product_8_8_8.json", *folder = test_folder(f);
    for (uint32_t i = 0; i < 2 * MUTANTS; i++) {
        const char *path = arena_printf(&f->mem, "%s/%u.json", folder, i);
        cJSON *json = json_read(from, &f->diag), *row = cJSON_CreateArray();
        cJSON_AddItemToArray(row, cJSON_CreateString(i % 2 ? "Glc" : "Tile"));
        cJSON_AddItemToArray(row, cJSON_CreateNumber(i % 2 ? 8 : 0x00030101));
        cJSON_AddItemToArray(row, cJSON_CreateNumber(1 + i));
        cJSON_AddItemToArray(
            cJSON_GetObjectItem(cJSON_GetObjectItem(json, "register_writes"), "app_glb_config"), row);
        assert_true(json_write(json, path, &f->diag));
        cJSON_Delete(json);
        dense_program p;
        assert_true(exchange_read_dense(path, &f->mem, &f->diag, &p));
        if (dense_check_writes(&p, &f->diag))
            fail_msg("write %u", i);
        assert_true(rules_said(f) >> 23 & 1);
        remove(path);
    }
    rmdir(folder);
}

RUN_TESTS(TEST(test_programs), TEST(test_arrivals), TEST(test_cycles), TEST(test_old_registers),
          TEST(test_unused_wires), TEST(test_other_flushes), TEST(test_crossbar), TEST(test_rounding),
          TEST(test_disturbing_writes))
