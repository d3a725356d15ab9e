#include "tests/tiling/plan_cases.h"
#include "tiling/plan_int.h"
#include <math.h>

/* ---- --tile auto ----------------------------------------------------------------------------- */

static void generate_both(fixture *f, const builder *b, const char *first, const char *second,
                          tile_tensor *operand) {
    for (uint32_t t = 1; t < 3; t++)
        assert_true(tile_generate(t == 1 ? first : second, b->s.tensors.at[t].name, t, 1, TILE_DTYPE_INT16,
                                  &f->mem, &f->diag, &operand[t]));
}

static void assert_within(const sam_statement *s, const uint32_t *edge, const uint32_t *widest) {
    for (uint32_t v = 0; v < s->vars.len; v++)
        assert_true(edge[v] > 0 && edge[v] <= widest[v]);
}

/* No edge exceeds the kernel's limits: no chosen edge makes lowering fail (E0417), and the counted plan is
 * the returned plan. */
static void chosen_edges_are_within_their_limits(void **state) {
    fixture *f = *state;
    static const uint32_t limits[][3] = {{32768, 32768, 32768}, {32768, 256, 1024}, {3, 20, 1}};
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    tile_tensor operand[3];
    const tile_operands in = {.operand = operand, .n = 3};
    generate_both(f, &b, "200x200:0.03", "200x200:0.03", operand);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        tile_options options = {.mem_words = 1024, .bank_words = 65536};
        tile_candidates tried;
        tile_candidate chosen = tile_choose(&b.s, &in, &options, limits[i], &f->mem, &tried), again = {0};
        assert_true(chosen.complete && tried.len > 1);
        for (uint32_t c = 0; c < tried.len; c++)
            assert_within(&b.s, tried.at[c].edge, limits[i]);
        assert_within(&b.s, chosen.edge, limits[i]);
        memcpy(options.edge, chosen.edge, sizeof options.edge);
        assert_true(tile_expect(&b.s, &in, &options, &again) && again.complete);
        assert_memory_equal(&again.expected, &chosen.expected, sizeof chosen.expected);
    }
    operand[2].dim[0] = 300; /* of k, whose extent in B is 200: no plan exists */
    tile_candidates tried;
    const tile_options options = {.mem_words = 4096};
    const uint32_t narrow[3] = {5, 6, 7};
    tile_candidate chosen = tile_choose(&b.s, &in, &options, narrow, &f->mem, &tried);
    assert_true(!chosen.complete && tried.len == 0);
    assert_within(&b.s, chosen.edge, narrow);
}

/* Makes x(i) = B(i,j) * c(j) and both operands. */
static void build_spmv(fixture *f, builder *b, const char *matrix, const char *vector, tile_tensor *operand) {
    build(b, f, "xi:s", (const char *const[]){"Bij:ss", "cj:s", "*", "Sj", NULL}, "ij");
    generate_both(f, b, matrix, vector, operand);
}

/* Edges are wider than the loops of a sample, and cut none: an edge is narrowed in a single step until the
 * loop is cut. A search that divides the edge by 4 alone would cut nothing, and stop. */
static void edges_beyond_a_sample_are_narrowed(void **state) {
    fixture *f = *state;
    static const uint32_t widest[] = {32768, 32768};
    builder b;
    tile_tensor operand[3];
    const tile_operands in = {.operand = operand, .n = 3};
    build_spmv(f, &b, "40x4000:0.001", "4000:0.02", operand);
    const tile_options options = {.mem_words = 1024, .bank_words = 65536, .clip = true, .share = 0.5};
    tile_candidates tried;
    bool narrowed = false;
    tile_choose(&b.s, &in, &options, widest, &f->mem, &tried);
    for (uint32_t c = 0; c < tried.len; c++)
        narrowed = narrowed || (tried.at[c].edge[0] == 16 && tried.at[c].edge[1] == 1);
    assert_true(narrowed);
}

/* ---- choosing unasked -------------------------------------------------------------------------- */

/* Two processors try the same plans, with the same counts, and choose the same. */
static void assert_same_by_two(fixture *f, const sam_statement *s, const tile_operands *in,
                               tile_options options, const uint32_t *widest, const tile_candidates *tried) {
    tile_candidates by_two;
    options.jobs = 2;
    const tile_candidate chosen = tile_choose(s, in, &options, widest, &f->mem, &by_two);
    options.jobs = 1;
    const tile_candidate alone = tile_choose(s, in, &options, widest, &f->mem, &(tile_candidates){0});
    assert_int_equal(by_two.len, tried->len);
    for (uint32_t c = 0; c < by_two.len; c++) {
        const tile_candidate *a = &tried->at[c], *b = &by_two.at[c];
        assert_memory_equal(a->edge, b->edge, sizeof *a->edge * TILE_MAX_VARS);
        assert_memory_equal(&a->expected, &b->expected, sizeof a->expected);
        assert_true(a->cost <= b->cost && a->cost >= b->cost && a->complete == b->complete);
    }
    assert_memory_equal(alone.edge, chosen.edge, sizeof *alone.edge * TILE_MAX_VARS);
    assert_int_equal(alone.limited, chosen.limited);
}

/* Dense levels of a narrow k leave room for wide edges along i and j, which no step along a single loop finds
 * from squares. Edges that are too wide take no steps. */
static void dense_levels_are_narrowed_along_one_loop(void **state) {
    fixture *f = *state;
    enum { STEPS = 1 << 19, MANY = 8, RANK = 8 };
    static const uint32_t widest[] = {8000, 8000, RANK};
    static const char *const spec[] = {NULL, "8000x8000:0.0002", "8000x8:1", "8x8000:1"};
    builder b;
    tile_tensor operand[4];
    const tile_operands in = {.operand = operand, .n = 4};
    build(&b, f, "Xij:ss", (const char *const[]){"Bij:ss", "cik:dd", "*", "dkj:dd:10", "*", "Sk", NULL},
          "ijk");
    /* B locates c and d, and c locates d. */
    for (uint32_t e = 0; e < b.s.exprs.len; e++) {
        sam_expr_data *x = &b.s.exprs.at[e];
        const bool dense =
            x->kind == SAM_EXPR_ACCESS && sam_tensor_at(&b.s, x->tensor)->level[0] == SAM_LEVEL_DENSE;
        x->located = !dense ? 0 : x->index[0].v == b.s.loops.at[0].v ? 1 : 6;
    }
    for (uint32_t t = 1; t < in.n; t++)
        assert_true(tile_generate(spec[t], b.s.tensors.at[t].name, t, 1, TILE_DTYPE_INT16, &f->mem, &f->diag,
                                  &operand[t]));
    tile_options options = {.mem_words = 1024, .bank_words = 65536, .clip = true, .steps = STEPS};
    tile_candidates tried;
    const tile_candidate chosen = tile_choose(&b.s, &in, &options, widest, &f->mem, &tried);
    assert_true(tried.len >= MANY);
    for (uint32_t c = 0; c < tried.len; c++)
        assert_true(tried.at[c].edge[0] * tried.at[c].edge[2] <= options.mem_words);
    assert_true(chosen.edge[0] > options.mem_words / RANK && chosen.edge[2] < RANK);
    assert_same_by_two(f, &b.s, &in, options, widest, &tried);
    tile_candidate square = {0}, found = {0};
    options.steps = 0;
    memcpy(options.edge, chosen.edge, sizeof options.edge);
    assert_true(tile_expect(&b.s, &in, &options, &found));
    for (uint32_t v = 0; v < 3; v++)
        options.edge[v] = v < 2 ? options.mem_words / RANK : RANK;
    assert_true(tile_expect(&b.s, &in, &options, &square));
    assert_true(found.cost < square.cost / 2);
}

/* Large operands are not cut as a whole: a sample's estimate approximates the whole. */
static void a_bounded_choice_estimates_the_whole(void **state) {
    fixture *f = *state;
    enum { STEPS = 1 << 20 };
    static const uint32_t widest[] = {32768, 32768};
    builder b;
    tile_tensor operand[3];
    const tile_operands in = {.operand = operand, .n = 3};
    build_spmv(f, &b, "20000x30000:0.0005", "30000:0.5", operand);
    tile_options options = {.mem_words = 1024, .bank_words = 65536, .steps = STEPS};
    tile_candidates tried, again;
    const tile_candidate chosen = tile_choose(&b.s, &in, &options, widest, &f->mem, &tried),
                         same = tile_choose(&b.s, &in, &options, widest, &f->mem, &again);
    assert_true(!chosen.complete && tried.len > 4 && tried.len == again.len);
    assert_memory_equal(chosen.edge, same.edge, sizeof *chosen.edge * TILE_MAX_VARS);
    assert_true(chosen.predicted <= same.predicted && chosen.predicted >= same.predicted);
    assert_same_by_two(f, &b.s, &in, options, widest, &tried);
    tile_candidate all = {0};
    memcpy(options.edge, chosen.edge, sizeof options.edge);
    options.steps = 0;
    assert_true(tile_expect(&b.s, &in, &options, &all) && all.complete);
    assert_true(chosen.predicted > 0.7 * all.predicted && chosen.predicted < 1.4 * all.predicted);
    /* A sample common to several choices gives about the same estimate; small operands have no sample. */
    tile_operands part, none;
    options = (tile_options){.mem_words = 1024, .bank_words = 65536, .steps = STEPS};
    assert_true(tile_share_sample(&b.s, &in, &f->mem, &part, &options.share));
    const uint64_t entries = part.operand[1].nnz + part.operand[2].nnz;
    assert_true(entries > TILE_SHARED_SAMPLE / 4 && entries < TILE_SHARED_SAMPLE / 4 * 5);
    const tile_candidate shared = tile_choose(&b.s, &part, &options, widest, &f->mem, &tried);
    assert_true(options.share > 0 && options.share < 1 && !shared.complete);
    assert_true(shared.predicted > 0.7 * all.predicted && shared.predicted < 1.4 * all.predicted);
    generate_both(f, &b, "100x100:0.5", "100:0.5", operand);
    assert_false(tile_share_sample(&b.s, &in, &f->mem, &none, &options.share));
}

/* Chooses with kept cuts, and asserts that the choice is the same as with none. */
static void assert_kept_alike(fixture *f, const builder *b, const tile_operands *in, tile_options options,
                              tile_cuts *cuts) {
    static const uint32_t widest[] = {512, 512, 512};
    tile_candidates tried, again;
    const tile_candidate chosen = tile_choose(&b->s, in, &options, widest, &f->mem, &tried);
    options.cuts = cuts;
    const tile_candidate kept = tile_choose(&b->s, in, &options, widest, &f->mem, &again);
    assert_memory_equal(chosen.edge, kept.edge, sizeof *chosen.edge * TILE_MAX_VARS);
    assert_memory_equal(&chosen.expected, &kept.expected, sizeof chosen.expected);
    assert_true(tried.len > 4 && tried.len == again.len);
    for (uint32_t c = 0; c < tried.len; c++) {
        assert_memory_equal(tried.at[c].edge, again.at[c].edge, sizeof *tried.at[c].edge * TILE_MAX_VARS);
        assert_memory_equal(&tried.at[c].expected, &again.at[c].expected, sizeof tried.at[c].expected);
    }
    assert_true(cuts->own.bytes < PLAN_MOST_KEPT + PLAN_MOST_KEPT / 16);
}

/* Kept cuts serve later searches of equal operands, and none of operands or storage orders that differ. */
static void kept_cuts_change_no_choice(void **state) {
    fixture *f = *state;
    arena mem = {0};
    tile_cuts *cuts = tile_keep_cuts(&mem);
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    tile_tensor operand[3];
    const tile_operands in = {.operand = operand, .n = 3};
    const tile_options options = {.mem_words = 1024, .bank_words = 65536, .steps = 1 << 20},
                       grouped = {.mem_words = 1024, .bank_words = 65536, .glb_tile = 128};
    generate_both(f, &b, "200x200:0.03", "200x200:0.03", operand);
    assert_kept_alike(f, &b, &in, options, cuts);
    const uint32_t kept = cuts->all.len;
    assert_kept_alike(f, &b, &in, options, cuts);
    assert_true(kept > 4 && kept == cuts->all.len);
    assert_kept_alike(f, &b, &in, grouped, cuts);
    const uint8_t mode = b.s.tensors.at[2].mode[0];
    b.s.tensors.at[2].mode[0] = b.s.tensors.at[2].mode[1];
    b.s.tensors.at[2].mode[1] = mode;
    assert_kept_alike(f, &b, &in, options, cuts);
    generate_both(f, &b, "200x200:0.04", "200x200:0.04", operand);
    assert_kept_alike(f, &b, &in, options, cuts);
    assert_true(cuts->all.len >= 3 * kept);
    tile_forget_cuts(cuts, true);
    assert_true(!cuts->own.bytes && !cuts->all.len);
    arena_free(&mem);
}

/* Kept cuts are bounded: without room a plan has its own, and a search begins without any if few fit. */
static void kept_cuts_are_bounded(void **state) {
    fixture *f = *state;
    arena mem = {0};
    tile_cuts *cuts = tile_keep_cuts(&mem);
    builder b;
    tile_tensor operand[3];
    const tile_operands in = {.operand = operand, .n = 3};
    const tile_options options = {.mem_words = 1024, .bank_words = 65536};
    build_spmv(f, &b, "400x400:0.6", "400:0.5", operand);
    assert_kept_alike(f, &b, &in, options, cuts);
    const uint32_t full = cuts->all.len;
    assert_true(full > 2 && cuts->own.bytes > PLAN_MOST_KEPT / 2);
    build_spmv(f, &b, "200x200:0.01", "200:0.5", operand);
    assert_kept_alike(f, &b, &in, options, cuts);
    assert_true(cuts->own.bytes < PLAN_MOST_KEPT / 2 && cuts->all.len > 2);
    arena_free(&mem);
}

/* A sample is cut along each loop once, starting with the loop of most entries, until small enough; of a full
 * matrix the sample has its share, and adjacent coordinates within a block. */
static void a_sample_is_cut_along_each_loop_once(void **state) {
    fixture *f = *state;
    enum { ROWS = 64, COLUMNS = 48, BLOCKS = 8 };
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bij:ss", NULL}, "ij");
    tile_tensor operand[2] = {0}, *t = &operand[1];
    const tile_operands in = {.operand = operand, .n = 2};
    uint32_t *crd = arena_new_n(&f->mem, uint32_t, 2 * ROWS * COLUMNS);
    uint16_t *val = arena_new_n(&f->mem, uint16_t, ROWS * COLUMNS);
    for (uint32_t e = 0; e < ROWS * COLUMNS; e++) {
        crd[2 * e] = e / COLUMNS;
        crd[2 * e + 1] = e % COLUMNS;
        val[e] = (uint16_t)e;
    }
    *t = (tile_tensor){.name = b.s.tensors.at[1].name,
                       .order = 2,
                       .dim = {ROWS, COLUMNS},
                       .nnz = ROWS * COLUMNS,
                       .crd = crd,
                       .val = val};
    static const struct {
        uint64_t most;
        uint32_t rows, columns; /* that are left */
    } cases[] = {{4000, ROWS, COLUMNS}, {2000, 32, COLUMNS}, {300, 8, 32}, {100, 8, 8}, {1, 8, 8}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tile_sampled of;
        tile_sample(&b.s, &in, cases[k].most, &f->mem, &of);
        const tile_tensor *part = &of.in.operand[1];
        const uint32_t rows = cases[k].rows, columns = cases[k].columns;
        assert_int_equal(part->dim[0], rows);
        assert_int_equal(part->dim[1], columns);
        assert_int_equal(part->nnz, rows * columns);
        assert_true(fabs(of.share * ROWS * COLUMNS - rows * columns) < 1e-6);
        for (uint32_t e = 0; e < part->nnz; e++) {
            const uint32_t wide = rows == ROWS ? ROWS : rows / BLOCKS, i = e / columns;
            assert_int_equal(part->crd[2 * e], i);
            assert_int_equal(part->crd[2 * e + 1], e % columns);
            if (i % wide)
                assert_int_equal(part->val[e], part->val[e - columns] + COLUMNS);
        }
    }
}

/* Returns the work of all products: entries of both operands, and their matches along k. */
static double work_along_k(const tile_tensor *b, const tile_tensor *c, arena *mem) {
    double *in_b = arena_new_n(mem, double, b->dim[1]), work = (double)(b->nnz + c->nnz);
    for (uint64_t e = 0; e < b->nnz; e++)
        in_b[b->crd[2 * e + 1]]++;
    for (uint64_t e = 0; e < c->nnz; e++)
        work += in_b[c->crd[2 * e]];
    return work;
}

/* Hubs are a small share of the coordinates, and have most of the work: a sample with a hub, or without, has
 * the share of its own products. */
static void a_sample_has_the_share_of_its_work(void **state) {
    fixture *f = *state;
    enum { WIDE = 4096, LONG = 400, MOST = 3000 };
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss", "*", "Sk", NULL}, "kij");
    tile_tensor operand[3];
    const tile_operands in = {.operand = operand, .n = 3};
    for (uint32_t hub = 0; hub < WIDE; hub += WIDE / 4 + 7) {
        tile_sampled of;
        generate_both(f, &b, "4096x4096:0.0004", "4096x4096:0.0004", operand);
        const bool first_is_b = strcmp(names_text(b.s.names, b.s.tensors.at[1].name), "B") == 0;
        for (uint32_t t = 1; t < 3; t++) {
            tile_tensor *its = &operand[t];
            uint32_t *crd = arena_new_n(&f->mem, uint32_t, 2 * its->nnz);
            memcpy(crd, its->crd, 2 * its->nnz * sizeof *crd);
            for (uint32_t e = 0; e < LONG; e++)
                crd[2 * e + ((t == 1) == first_is_b)] = hub;
            its->crd = crd;
        }
        const tile_tensor *whole = &operand[first_is_b ? 1 : 2];
        tile_sample(&b.s, &in, MOST, &f->mem, &of);
        const tile_tensor *part = &of.in.operand[first_is_b ? 1 : 2],
                          *other = &of.in.operand[first_is_b ? 2 : 1];
        const double work = work_along_k(whole, &operand[first_is_b ? 2 : 1], &f->mem),
                     sampled = work_along_k(part, other, &f->mem);
        assert_true(part->dim[1] < WIDE && part->dim[0] == WIDE && of.share > 0 && of.share < 1);
        assert_true(fabs(of.share - sampled / work) < 1e-9);
    }
}

/* Coordinates that are left out may have no entries: such a sample has all of the work, and is one. */
static void a_sample_of_all_work_is_cut(void **state) {
    fixture *f = *state;
    enum { ROWS = TILE_SHARED_SAMPLE + 1000, WIDE = 4096 };
    builder b;
    build(&b, f, "xi:s", (const char *const[]){"Bij:ss", "cj:s", "*", "Sj", NULL}, "ij");
    uint32_t *crd = arena_new_n(&f->mem, uint32_t, 2 * ROWS);
    uint16_t *val = arena_new_n(&f->mem, uint16_t, ROWS);
    for (uint32_t e = 0; e < ROWS; e++) {
        crd[2 * e] = e;
        val[e] = 1;
    }
    tile_tensor operand[3], *matrix = NULL;
    for (uint32_t t = 1; t < 3; t++) {
        const bool is_b = strcmp(names_text(b.s.names, b.s.tensors.at[t].name), "B") == 0;
        operand[t] = is_b
                         ? (tile_tensor){.order = 2, .dim = {ROWS, WIDE}, .nnz = ROWS, .crd = crd, .val = val}
                         : (tile_tensor){.order = 1, .dim = {WIDE}, .nnz = 1, .crd = crd, .val = val};
        operand[t].name = b.s.tensors.at[t].name;
        matrix = is_b ? &operand[t] : matrix;
    }
    b.s.uncut = UINT64_C(1) << (b.s.loops.at[0].v - 1);
    const tile_operands in = {.operand = operand, .n = 3};
    tile_sampled of;
    tile_sample(&b.s, &in, TILE_SHARED_SAMPLE, &f->mem, &of);
    assert_true(of.cut && of.share >= 1 && of.share <= 1);
    tile_operands part;
    tile_options options = {.mem_words = 1024, .bank_words = 65536, .steps = 1 << 20, .clip = true};
    assert_true(tile_share_sample(&b.s, &in, &f->mem, &part, &options.share));
    assert_true(part.operand[matrix - operand].nnz == ROWS && part.operand[matrix - operand].dim[1] < WIDE);
    static const uint32_t widest[] = {32768, 32768};
    tile_candidates tried;
    const tile_candidate chosen = tile_choose(&b.s, &part, &options, widest, &f->mem, &tried);
    assert_true(tried.len && !chosen.complete);
    for (uint32_t c = 0; c < tried.len; c++)
        assert_false(tried.at[c].complete);
}

/* Operands without entries have no arrays, and are cut into no sub-tiles. */
static void empty_operands_have_no_runs(void **state) {
    tile_tensor empty[3];
    builder b;
    build_spmv(*state, &b, "100x100:0.1", "100:0.5", empty);
    for (uint32_t t = 1; t < 3; t++) {
        empty[t].nnz = 0;
        empty[t].crd = NULL;
        empty[t].val = NULL;
    }
    for (uint32_t edge = 7; edge < 9; edge++) {
        const tile_options options = {.mem_words = 1024, .bank_words = 65536, .edge = {edge, edge}};
        tile_candidate all = {0};
        assert_true(tile_expect(&b.s, &(tile_operands){.operand = empty, .n = 3}, &options, &all));
        assert_true(all.complete && all.expected.runs == 0);
    }
}

/* A count that ends before its first run, since its steps do, has no estimate in place of a low one. */
static void nothing_counted_is_no_estimate(void **state) {
    fixture *f = *state;
    builder b;
    tile_tensor operand[3];
    const tile_operands in = {.operand = operand, .n = 3};
    build_spmv(f, &b, "2000x3000:0.005", "3000:0.5", operand);
    tile_options options = {.mem_words = 1024, .bank_words = 65536, .edge = {512, 512}};
    tile_candidate all = {0};
    uint32_t unknown = 0, known = 0;
    assert_true(tile_expect(&b.s, &in, &options, &all) && all.complete);
    for (options.steps = 8; options.steps <= 1 << 22; options.steps *= 2) {
        tile_candidate some = {0};
        if (!tile_expect(&b.s, &in, &options, &some))
            continue;
        unknown += isfinite(some.cost) ? 0 : 1;
        known += isfinite(some.cost) ? 1 : 0;
        assert_true(some.cost > all.cost / 4);
    }
    assert_true(unknown && known);
}

/* Edges stated by the user stay. */
static void stated_edges_stay(void **state) {
    fixture *f = *state;
    static const uint32_t widest[] = {32768, 32768, 32768};
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    tile_tensor operand[3];
    const tile_operands in = {.operand = operand, .n = 3};
    generate_both(f, &b, "100x100:0.03", "100x100:0.03", operand);
    tile_options options = {.mem_words = 1024, .bank_words = 65536, .edge = {0, 7}, .steps = 1 << 20};
    tile_candidates tried;
    const tile_candidate chosen = tile_choose(&b.s, &in, &options, widest, &f->mem, &tried);
    for (uint32_t c = 0; c < tried.len; c++)
        assert_int_equal(tried.at[c].edge[1], 7);
    assert_int_equal(chosen.edge[1], 7);
}

/* A workspace is expected where the reference has values; of too many only some, but along k all. */
static void workspaces_are_expected_where_they_are(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Wkij:sss", (const char *const[]){"Bik:ss", "Ckj:ss", "*", NULL}, "kij");
    tile_tensor operand[3], want, got;
    const tile_operands in = {.operand = operand, .n = 3};
    double share = 0;
    for (uint32_t large = 0; large < 2; large++) {
        const char *spec = large ? "2000x2000:0.01" : "60x60:0.05";
        generate_both(f, &b, spec, spec, operand);
        assert_true(tile_workspace(&b.s, &in, large, &f->mem, &got, &share));
        if (large)
            break;
        assert_true(tile_reference(&b.s, &in, &f->mem, &f->diag, &want));
        assert_int_equal(got.nnz, want.nnz);
        assert_memory_equal(got.crd, want.crd, sizeof *got.crd * got.nnz * got.order);
        assert_true(share > 0.99 && share < 1.01);
    }
    /* 0.01 x 0.01 x 2000^3 of all */
    assert_true(share < 1 && got.dim[0] == 2000 && got.nnz <= 1 << 17);
    assert_true((double)got.nnz > 0.8 * share * 8e5 && (double)got.nnz < 1.2 * share * 8e5);
    /* An operand read in two ways is sampled for each way. */
    sam_tensor first = {0};
    for (uint32_t e = 0; e < b.s.exprs.len; e++) {
        sam_expr_data *x = &b.s.exprs.at[e];
        if (x->kind == SAM_EXPR_ACCESS)
            first = x->tensor = first.v ? first : x->tensor;
    }
    double products = 0, in_column[2000] = {0}, in_row[2000] = {0};
    const tile_tensor *squared = &operand[first.v - 1];
    for (uint64_t e = 0; e < squared->nnz; e++) {
        in_row[squared->crd[2 * e]]++;
        in_column[squared->crd[2 * e + 1]]++;
    }
    for (uint32_t k = 0; k < 2000; k++)
        products += in_column[k] * in_row[k];
    assert_true(tile_workspace(&b.s, &in, 1, &f->mem, &got, &share));
    assert_true(share < 1 && got.dim[0] == 2000 && got.nnz > 1 << 14 && got.nnz <= 1 << 17);
    assert_true(fabs((double)got.nnz - share * products) < 1e-6 * products);
}

enum { MET = 64, HUB = 3 };

static tile_tensor met_tensor(fixture *f, name_id name, const uint32_t *crd, uint64_t n) {
    uint16_t *val = arena_new_n(&f->mem, uint16_t, n);
    for (uint64_t e = 0; e < n; e++)
        val[e] = 1;
    return (tile_tensor){.name = name, .order = 2, .dim = {MET, MET}, .nnz = n, .crd = crd, .val = val};
}

/* Two operands of a product have their long fibers at the same coordinate: all products are expected. */
static void products_by_a_hub_are_expected(void **state) {
    fixture *f = *state;
    enum { LONG = 50 };
    builder b;
    build(&b, f, "Wkij:sss", (const char *const[]){"Bik:ss:10", "Ckj:ss", "*", NULL}, "kij");
    uint32_t *in_column = arena_new_n(&f->mem, uint32_t, 4 * MET),
             *in_row = arena_new_n(&f->mem, uint32_t, 4 * MET);
    uint64_t n = 0, m = 0, products = (uint64_t)LONG * LONG;
    for (uint32_t i = 0; i < MET; i++) { /* the hub, and a diagonal next to it */
        const uint32_t k = i < LONG ? HUB : i;
        in_column[n++] = i;
        in_column[n++] = k;
        for (uint32_t j = 0; i == HUB && j < LONG; j++) {
            in_row[m++] = HUB;
            in_row[m++] = j;
        }
        if (i >= LONG) {
            in_row[m++] = i;
            in_row[m++] = i;
            products++;
        }
    }
    tile_tensor operand[3] = {{.order = 0}};
    for (uint32_t t = 1; t < 3; t++) {
        const bool is_b = strcmp(names_text(b.s.names, b.s.tensors.at[t].name), "B") == 0;
        operand[t] = met_tensor(f, b.s.tensors.at[t].name, is_b ? in_column : in_row, (is_b ? n : m) / 2);
    }
    const tile_operands in = {.operand = operand, .n = 3};
    const tile_options options = {.mem_words = 1 << 14, .bank_words = 1 << 16, .edge = {MET, MET, MET}};
    tile_candidate whole = {0};
    assert_true(tile_expect(&b.s, &in, &options, &whole) && whole.expected.runs == 1);
    const double written = whole.expected.work[TILE_WRITE];
    assert_true(written > 0.8 * (double)products && written < 1.2 * (double)products);
}

/* A run that is too large is halved along the loop of both operands and their product. Near a diagonal, half
 * of an operand's rows meets all columns of the other operand. */
static void large_runs_are_halved_along_a_common_loop(void **state) {
    fixture *f = *state;
    enum { ROWS = 4000, WIDE = 32768, NARROW = 32, BAND = 5 };
    static const uint32_t beside[BAND] = {0, 3, 11, 40, 200};
    builder b;
    build(&b, f, "Wkij:sss", (const char *const[]){"Bik:ss:10", "Ckj:ss", "*", NULL}, "kij");
    uint32_t *crd = arena_new_n(&f->mem, uint32_t, (size_t)2 * BAND * ROWS);
    uint16_t *val = arena_new_n(&f->mem, uint16_t, (size_t)BAND * ROWS);
    uint32_t n = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t e = 0; e < BAND && i + beside[e] < ROWS; e++) {
            crd[2 * n] = i;
            crd[2 * n + 1] = i + beside[e];
            val[n++] = 1;
        }
    }
    tile_tensor operand[3] = {{.order = 0}};
    for (uint32_t t = 1; t < 3; t++)
        operand[t] = (tile_tensor){.name = b.s.tensors.at[t].name,
                                   .order = 2,
                                   .dim = {ROWS, ROWS},
                                   .nnz = n,
                                   .crd = crd,
                                   .val = val};
    const tile_operands in = {.operand = operand, .n = 3};
    tile_options options = {.mem_words = 1024, .bank_words = 1 << 16, .edge = {WIDE, WIDE, WIDE}};
    tile_candidate halved = {0}, cut = {0};
    assert_true(tile_expect(&b.s, &in, &options, &halved) && halved.complete);
    options.edge[b.s.loops.at[0].v - 1] = NARROW;
    assert_true(tile_expect(&b.s, &in, &options, &cut) && cut.complete);
    assert_true((double)halved.expected.runs < 1.1 * (double)cut.expected.runs);
    assert_true(halved.expected.work[TILE_LOAD] < 1.5 * cut.expected.work[TILE_LOAD]);
}

/* Rows present in only one of two operands cost no work, though each operand has half of all rows. */
static void operands_that_do_not_meet_take_no_work(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Wijk:sss", (const char *const[]){"Bik:ss", "Dij:ss", "*", NULL}, "ijk");
    uint32_t *crd[2] = {arena_new_n(&f->mem, uint32_t, 2 * MET), arena_new_n(&f->mem, uint32_t, 2 * MET)};
    for (uint32_t e = 0; e < MET; e++) {
        crd[0][2 * e] = e / 2;
        crd[1][2 * e] = e / 2 + MET / 2;
        crd[0][2 * e + 1] = crd[1][2 * e + 1] = e;
    }
    for (uint32_t meet = 0; meet < 2; meet++) {
        const tile_tensor operand[3] = {{.order = 0},
                                        met_tensor(f, b.s.tensors.at[1].name, crd[0], MET),
                                        met_tensor(f, b.s.tensors.at[2].name, crd[!meet], MET)};
        const tile_operands in = {.operand = operand, .n = 3};
        const tile_options options = {.mem_words = 1024, .bank_words = 1 << 16, .edge = {MET, MET, MET}};
        tile_candidate whole = {0};
        assert_true(tile_expect(&b.s, &in, &options, &whole));
        const double written = whole.expected.work[TILE_WRITE];
        assert_true(meet ? written > MET : written < 1);
    }
}

TEST_PART(plan_chosen, TEST(products_by_a_hub_are_expected), TEST(large_runs_are_halved_along_a_common_loop),
          TEST(operands_that_do_not_meet_take_no_work), TEST(a_sample_is_cut_along_each_loop_once),
          TEST(a_bounded_choice_estimates_the_whole), TEST(stated_edges_stay),
          TEST(workspaces_are_expected_where_they_are), TEST(chosen_edges_are_within_their_limits),
          TEST(edges_beyond_a_sample_are_narrowed), TEST(a_sample_has_the_share_of_its_work),
          TEST(nothing_counted_is_no_estimate), TEST(a_sample_of_all_work_is_cut),
          TEST(dense_levels_are_narrowed_along_one_loop), TEST(empty_operands_have_no_runs),
          TEST(kept_cuts_change_no_choice), TEST(kept_cuts_are_bounded))
