#include "tests/tiling/plan_cases.h"
#include <math.h>

/* Coordinates that a graph without padding drops: coordinates of a loop without any coordinate of the next
 * loop. */
static void drop_all(tile_options *tiling, const sam_statement *s) {
    for (uint32_t l = 0; l + 1 < s->loops.len; l++)
        tiling->drops[s->loops.at[l].v - 1] = (uint8_t)s->loops.at[l + 1].v;
}

/* The planned room equals the used room for graphs that drop empty fibers: products of positive values
 * cancel nothing. Sums also get explicit zeros of empty sub-tiles: tests/flow/tile.test runs this case on
 * the array. */
static void results_are_as_long_as_planned(void **state) {
    fixture *f = *state;
    static const struct {
        const char *result, *words[8], *loops;
    } cases[] = {
        {"Xij:ss", {"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk"},
        {"Xij:ss", {"Bik:ss", "Ckj:ss", "*", "Sk", NULL}, "ikj"},
        {"Xij:ss", {"Bik:ss:10", "Ckj:ss", "*", "Sk", NULL}, "kij"},
        {"Xij:ss", {"Bij:ss", "Cij:ss", "*", NULL}, "ij"},
        {"Xij:ss", {"Bijk:sss", "ck:s", "*", "Sk", NULL}, "ijk"},
        {"xj:s", {"Bij:ss", "ci:s", "*", "Si", NULL}, "ij"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (uint32_t variant = 0; variant < 40; variant++) {
            builder b;
            tile_tensor operand[16];
            tile_counts counts;
            plan_case c = {.tiling = {.tile = 5 + variant % 6, .mem_words = variant % 2 ? 1024 : 14},
                           .copies = 1,
                           .exact = true};
            build(&b, f, cases[k].result, cases[k].words, cases[k].loops);
            for (uint32_t t = 1; t < b.s.tensors.len; t++) {
                const char *extents = b.s.tensors.at[t].order == 3   ? "9x9x9"
                                      : b.s.tensors.at[t].order == 2 ? "9x9"
                                                                     : "9";
                assert_true(tile_generate(
                    arena_printf(&f->mem, "%s:0.%u:%u", extents, 1 + variant % 4, variant),
                    b.s.tensors.at[t].name, t, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &operand[t]));
            }
            drop_all(&c.tiling, &b.s);
            assert_true(try_plan(f, &b.s, operand, &c, &counts));
        }
    }
}

/* All runs of a tile for the global buffer precede the runs of the next tile. */
static void tiles_for_the_global_buffer_come_one_by_one(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (uint32_t variant = 0; variant < 16; variant++) {
            for (uint32_t glb = 3; glb < 7; glb++) {
                builder b;
                tile_tensor operand[16];
                make_operands(f, &b, k, variant, operand);
                plan_case c = {.tiling = {.tile = 2, .glb_tile = glb, .mem_words = variant % 3 ? 1024 : 8},
                               .most_words = variant % 2 ? 40 : 0,
                               .copies = 1 + variant / 8};
                tile_counts counts;
                if (try_plan(f, &b.s, operand, &c, &counts))
                    assert_true(counts.glb_tiles <= counts.expected.runs && counts.loads >= counts.glb_tiles);
                f->diag.list.len = f->diag.unmappable = 0;
            }
        }
    }
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bij:ss", NULL}, "ij");
    tile_tensor operand[2];
    assert_true(tile_generate("12x12:1", b.s.tensors.at[1].name, 0, 1, TILE_DTYPE_INT16, &f->mem, &f->diag,
                              &operand[1]));
    const tile_operands in = {operand, 2, TILE_DTYPE_INT16};
    const tile_options options = {.tile = 2, .glb_tile = 6, .mem_words = 1024, .bank_words = 1024};
    tile_plan plan;
    assert_true(plan_all(f, &b.s, &in, &options, NULL, NULL, 0, &plan));
    assert_int_equal(plan.runs.len, 36);
    for (uint32_t run = 0; run < 36; run++) {
        const uint32_t *at = plan.boxes.at[run].origin;
        assert_int_equal(at[0] / 6 * 2 + at[1] / 6, run / 9);
    }
}

static tile_counts counts_of(fixture *f, const sam_statement *s, const tile_tensor *operand,
                             uint32_t glb_tile) {
    const plan_case c = {.tiling = {.tile = 2, .glb_tile = glb_tile, .mem_words = 1024, .bank_words = 520},
                         .copies = 1};
    tile_counts counts;
    assert_true(try_plan(f, s, operand, &c, &counts));
    return counts;
}

/* C is larger than its banks: every row of sub-tiles of B loads all of C, unless tiles group such rows. */
static void tiles_for_the_global_buffer_save_loads(void **state) {
    fixture *f = *state;
    builder b;
    tile_tensor operand[3];
    build_full_product(&b, f, operand);
    const tile_counts flat = counts_of(f, &b.s, operand, 0), tiled = counts_of(f, &b.s, operand, 10);
    assert_int_equal(flat.expected.runs, tiled.expected.runs);
    assert_int_equal(tiled.glb_tiles, 8);
    if (tiled.load_words >= flat.load_words)
        fail_msg("%u words, %u without", (uint32_t)tiled.load_words, (uint32_t)flat.load_words);
}

/* A row of an otherwise empty matrix holds too much: only its sub-tile is cut, along the row. */
static void only_what_is_too_full_is_split(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bij:ss", NULL}, "ij");
    uint32_t crd[2 * 69];
    uint16_t val[69];
    for (uint32_t e = 0; e < 69; e++) {
        crd[2 * e] = e < 64 ? 5 : 64 + e;
        crd[2 * e + 1] = e;
        val[e] = (uint16_t)(e + 1);
    }
    tile_tensor operand[2] = {
        {.order = 0},
        {.name = b.s.tensors.at[1].name, .order = 2, .dim = {192, 192}, .nnz = 69, .crd = crd, .val = val}};
    const plan_case c = {.tiling = {.tile = 64, .mem_words = 32}, .copies = 1};
    tile_counts counts;
    assert_true(try_plan(f, &b.s, operand, &c, &counts));
    assert_int_equal(counts.expected.runs, 3); /* two halves of the row, and the other sub-tile unchanged */
    assert_int_equal(counts.splits.len, 1);
    assert_int_equal(counts.splits.at[0].tiles, 1);
    assert_int_equal(counts.splits.at[0].most_words, 64);
    assert_int_equal(counts.splits.at[0].corner[0][0] + counts.splits.at[0].corner[0][1], 0);
    assert_int_equal(counts.most_words, 32);
}

static uint32_t words_of_copy(const tile_plan *plan, uint32_t run, uint32_t copy) {
    uint32_t words = 0;
    for (uint32_t i = 0; i < plan->inputs.len; i++) {
        uint32_t block = plan->run_block.at[plan->runs.at[run].block_first + i];
        words += plan->inputs.at[i].copy == copy ? plan->inputs.at[i].blocks.at[block].length : 0;
    }
    return words;
}

static void copies_get_sub_tiles_of_like_size(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "xi:s", (const char *const[]){"bi:s", "ci:s", "*", NULL}, "i");
    tile_tensor operand[3];
    for (uint32_t t = 1; t < 3; t++)
        assert_true(tile_generate("90:0.5", b.s.tensors.at[t].name, t, 1, TILE_DTYPE_INT16, &f->mem, &f->diag,
                                  &operand[t]));
    const tile_operands in = {.operand = operand, .n = 3};
    const tile_options options = {.tile = 9, .mem_words = 1024};
    name_id x = b.s.tensors.at[0].name, bn = b.s.tensors.at[1].name;
    const tile_stream inputs[] = {{.tensor = bn, .level = 0}},
                      outputs[] = {{.tensor = x, .level = SAM_MODE_VALS}};
    const tile_copy_stream all_in[] = {{{.tensor = bn, .level = 0}, 0}, {{.tensor = bn, .level = 0}, 1}},
                           all_out[] = {{{.tensor = x, .level = SAM_MODE_VALS}, 0},
                                        {{.tensor = x, .level = SAM_MODE_VALS}, 1}};
    tile_plan one, two;
    assert_true(plan_all(f, &b.s, &in, &options, inputs, outputs, 1, &one));
    tile_unroll(&one, 2, TILE_DISPATCH_ORDER, all_in, 2, all_out, 2, &f->mem, &two);
    assert_int_equal(two.runs.len, 5);
    for (uint32_t run = 0; run < 5; run++) {
        assert_int_equal(two.boxes.at[2 * run].origin[0], 18 * run);
        assert_int_equal(two.boxes.at[2 * run + 1].origin[0], 18 * run + 9);
    }
    tile_unroll(&one, 2, TILE_DISPATCH_LOAD, all_in, 2, all_out, 2, &f->mem, &two);
    uint32_t before = UINT32_MAX, sum = 0;
    for (uint32_t box = 0; box < 10; box++) {
        uint32_t words = words_of_copy(&two, box / 2, box % 2);
        assert_true(words <= before);
        before = words;
        sum += two.boxes.at[box].origin[0];
    }
    assert_int_equal(sum, 9 * 45); /* each pair once */
    /* Ten sub-tiles are dealt to three groups in turn: the first copy has four. */
    const tile_options grouped = {.tile = 9, .mem_words = 1024, .dealt = b.s.loops.at[0], .groups = 3};
    const tile_copy_stream third_in[] = {all_in[0], all_in[1], {{.tensor = bn, .level = 0}, 2}},
                           third_out[] = {all_out[0], all_out[1], {{.tensor = x, .level = SAM_MODE_VALS}, 2}};
    assert_true(plan_all(f, &b.s, &in, &grouped, inputs, outputs, 1, &one));
    tile_unroll(&one, 3, TILE_DISPATCH_BANKS, third_in, 3, third_out, 3, &f->mem, &two);
    assert_int_equal(two.runs.len, 4);
    for (uint32_t box = 0; box < 12; box++) {
        const tile_box *p = &two.boxes.at[box];
        sum -= p->idle ? 0 : p->origin[0];
        assert_true(p->idle ? box > 9 : p->origin[0] / 9 % 3 == box % 3);
    }
    assert_int_equal(sum, 0);
}

static void sub_tiles_without_work_are_skipped(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    tile_tensor operand[3] = {{.order = 0}, one_entry(f, "B", 64, 0, 40), one_entry(f, "C", 64, 40, 63)};
    assert_int_equal(check_plan(f, &b.s, operand, 8), 1);
    operand[2] = one_entry(f, "C", 64, 8, 63);
    assert_int_equal(check_plan(f, &b.s, operand, 8), 0);
}

/* A plan's expected cycles are the sum of its works, each at the cost of the table. */
static void expected_cycles_are_those_of_the_works(void **state) {
#define ARRAY(NAME, name, cycles, each) cycles,
    static const double cost[TILE_WORKS] = {
#include "tiling/costs.def"
    };
#undef ARRAY
    fixture *f = *state;
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    tile_tensor operand[3] = {{.order = 0}};
    for (uint32_t t = 1; t < 3; t++) {
        assert_true(
            tile_generate("60x60:0.2", (name_id){0}, t, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &operand[t]));
        operand[t].name = names_intern(&f->names, t == 1 ? "B" : "C");
    }
    const tile_operands in = {operand, 3, TILE_DTYPE_INT16};
    for (int extended = 0; extended < 2; extended++) {
        const tile_options options = {.tile = 16, .mem_words = 1024, .vector_reducer = extended};
        tile_candidate plan = {0};
        assert_true(tile_expect(&b.s, &in, &options, &plan));
        const tile_forecast *e = &plan.expected;
        double sum = 0;
        for (uint32_t w = 0; w < TILE_WORKS; w++)
            sum += e->work[w] * cost[w];
        assert_true(e->cycles > 1000 && fabs(sum - e->cycles) < 1e-6 * e->cycles);
        assert_true(e->work[TILE_START] == (double)e->runs && e->work[TILE_LOOP] == 3 * (double)e->runs);
        assert_true(e->work[TILE_SCAN] + e->work[TILE_TOKEN] + e->work[TILE_FIBER] > (double)e->runs);
    }
    /* A split run passes a dense level to its end, and begins a fiber at each coordinate. */
    build(&b, f, "xi:d", (const char *const[]){"Bij:ds", "Sj", NULL}, "ij");
    tile_candidate whole = {0}, split = {0};
    tile_options options = {.tile = 64, .mem_words = 256};
    assert_true(
        tile_generate("64x2:1", (name_id){0}, 1, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &operand[1]));
    operand[1].name = names_intern(&f->names, "B");
    const tile_operands one = {operand, 2, TILE_DTYPE_INT16};
    assert_true(tile_expect(&b.s, &one, &options, &whole) && whole.expected.runs == 1);
    options.mem_words = 72; /* which B's segments just fit */
    assert_true(tile_expect(&b.s, &one, &options, &split) && split.expected.runs == 2);
    assert_true(split.expected.cycles > 1.5 * whole.expected.cycles);
}

static void what_no_split_helps_is_refused(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bij:dd", NULL}, "ij");
    tile_tensor operand[2];
    assert_true(
        tile_generate("40x40:1", (name_id){0}, 0, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &operand[1]));
    operand[1].name = names_intern(&f->names, "B");
    tile_operands in = {operand, 2, TILE_DTYPE_INT16};
    tile_options options = {.tile = 40, .mem_words = 1024};
    tile_plan plan;
    assert_false(plan_all(f, &b.s, &in, &options, NULL, NULL, 0, &plan));
    assert_int_equal(f->diag.unmappable, 1);
    assert_non_null(strstr(fixture_printed(f), "needs 1600 words of one memory tile, which holds 1024"));
    build(&b, f, "Xij:dd", (const char *const[]){"Bij:ss", NULL}, "ij");
    assert_false(plan_all(f, &b.s, &in, &options, NULL, NULL, 0, &plan));
    assert_non_null(strstr(fixture_printed(f), "of the result may need 1600 words"));
    const tile_options open = {.mem_words = 1024}, along = {.edge = {[1] = 7}, .mem_words = 1024};
    assert_int_equal(tile_edge(&b.s, &open, (sam_var){1}), 32);
    assert_int_equal(tile_edge(&b.s, &along, (sam_var){1}), 32);
    assert_int_equal(tile_edge(&b.s, &along, (sam_var){2}), 7);
    assert_int_equal(tile_longest(&b.s, &along, (const uint32_t[]){5, 100}), 7);
}

TEST_PART(plan_sizes, TEST(copies_get_sub_tiles_of_like_size), TEST(sub_tiles_without_work_are_skipped),
          TEST(expected_cycles_are_those_of_the_works), TEST(what_no_split_helps_is_refused),
          TEST(results_are_as_long_as_planned), TEST(tiles_for_the_global_buffer_come_one_by_one),
          TEST(only_what_is_too_full_is_split), TEST(tiles_for_the_global_buffer_save_loads))
