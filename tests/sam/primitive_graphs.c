#include "tests/quota.h"
#include "tests/sam/graph_equal.h"
#include "tests/sam/illegal.h"
#include "tests/sam/primitive_cases.h"

/* ---- whole graphs over vectors and matrices -------------------------------------------------- */

enum { SIDE = 40 };

/* b(i), c(i) or B(i,j), C(i,j), zeros not stored, as a tree of compressed levels. */
typedef struct {
    uint16_t at[SIDE][SIDE];
} matrix;

static matrix random_matrix(prng *random, uint32_t per_mille) {
    matrix t = {0};
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t j = 0; j < SIDE; j++)
            if (prng_below(random, 1000) < per_mille)
                t.at[i][j] = (uint16_t)(1 + prng_below(random, prng_below(random, 2) ? 1000 : 2));
    return t;
}

/* Row 0 as a vector. */
static sam_tensor_levels pack_vector(fixture *f, const char *name, const matrix *t, bool is_dense) {
    u32_vec seg = {0}, crd = {0};
    u16_vec vals = {0};
    vec_push(&f->mem, &seg, 0);
    for (uint32_t i = 0; i < SIDE; i++) {
        if (!t->at[0][i] && !is_dense)
            continue;
        vec_push(&f->mem, &crd, i);
        vec_push(&f->mem, &vals, t->at[0][i]);
    }
    vec_push(&f->mem, &seg, crd.len);
    sam_tensor_levels out = {names_intern(&f->names, name), .order = 1, .vals = vals.at, .n_vals = vals.len};
    out.level[0] = (sam_level_data){SAM_LEVEL_COMPRESSED, SIDE, seg.at, crd.at, 2, crd.len};
    if (is_dense)
        out.level[0] = (sam_level_data){.format = SAM_LEVEL_DENSE, .dim = SIDE};
    return out;
}

static sam_tensor_levels pack_matrix(fixture *f, const char *name, const matrix *t) {
    u32_vec seg[2] = {{0}}, crd[2] = {{0}};
    u16_vec vals = {0};
    vec_push(&f->mem, &seg[0], 0);
    vec_push(&f->mem, &seg[1], 0);
    for (uint32_t i = 0; i < SIDE; i++) {
        uint32_t before = vals.len;
        for (uint32_t j = 0; j < SIDE; j++) {
            if (!t->at[i][j])
                continue;
            vec_push(&f->mem, &crd[1], j);
            vec_push(&f->mem, &vals, t->at[i][j]);
        }
        if (vals.len == before)
            continue;
        vec_push(&f->mem, &crd[0], i);
        vec_push(&f->mem, &seg[1], vals.len);
    }
    vec_push(&f->mem, &seg[0], crd[0].len);
    sam_tensor_levels out = {names_intern(&f->names, name), .order = 2, .vals = vals.at, .n_vals = vals.len};
    for (uint32_t l = 0; l < 2; l++)
        out.level[l] =
            (sam_level_data){SAM_LEVEL_COMPRESSED, SIDE, seg[l].at, crd[l].at, seg[l].len, crd[l].len};
    return out;
}

/* The result as a matrix; a vector is row 0. */
static matrix unpack(const sam_tensor_levels *x) {
    matrix t = {0};
    const sam_level_data *outer = &x->level[0], *inner = &x->level[1];
    bool is_dense = outer->format == SAM_LEVEL_DENSE;
    for (uint32_t p = 0; p < (is_dense ? outer->dim : outer->n_crd); p++) {
        uint32_t crd = is_dense ? p : outer->crd[p];
        if (x->order == 1)
            t.at[0][crd] = x->vals[p];
        for (uint32_t q = x->order == 2 ? inner->seg[p] : 1; x->order == 2 && q < inner->seg[p + 1]; q++)
            t.at[crd][inner->crd[q]] = x->vals[q];
    }
    return t;
}

static void read_graph(fixture *f, const char *text, sam_graph *g) {
    bool good = sam_parse("t.gv", text, strlen(text), &f->names, &f->diag, g) && sam_check(g, &f->diag);
    if (!good)
        print_error("%s\n%s\n", text, fixture_printed(f));
    assert_true(good);
}

/* parse(dump(g)) is g. */
static void assert_text_keeps(fixture *f, const sam_graph *g) {
    sam_graph again;
    const char *text = graph_text(g, &f->mem);
    assert_true(sam_parse("again", text, strlen(text), &f->names, &f->diag, &again));
    assert_true(graphs_equal(g, &again));
}

/* The result; short FIFOs do not change the result. */
static matrix simulate(fixture *f, const char *text, const sam_tensor_levels *operands, uint32_t n) {
    const sam_sim_options bounded = {.fifo_depth = 2};
    sam_graph g;
    sam_sim_result free_run, result;
    read_graph(f, text, &g);
    assert_text_keeps(f, &g);
    bool good = sam_simulate(&g, operands, n, NULL, &f->diag, &free_run) &&
                sam_simulate(&g, operands, n, &bounded, &f->diag, &result);
    if (!good)
        print_error("%s\n%s\n", text, fixture_printed(f));
    assert_true(good);
    matrix found = unpack(&free_run.result), again = unpack(&result.result);
    assert_memory_equal(&found, &again, sizeof found);
    return found;
}

#define SCAN(id, t, how) id " [type=" how " index=i tensor=" t " mode=0 format=compressed root=true]\n"

#define WRITERS                                                                                              \
    "w [type=fiberwrite index=i tensor=x mode=0 format=compressed] u [type=fiberwrite tensor=x mode=vals]\n" \
    "vb [type=arrayvals tensor=b] vc [type=arrayvals tensor=c]\n"

#define JOIN(stream)                                                                                         \
    "b -> n [type=" stream " comment=in_b] b -> n [type=ref comment=in_b]\n"                                 \
    "c -> n [type=" stream " comment=in_c] c -> n [type=ref comment=in_c]\n"                                 \
    "n -> vb [type=ref comment=out_b] n -> vc [type=ref comment=out_c] n -> w [type=crd]\n"

#define COMBINE(op) "op [type=" op "] vb -> op [type=val] vc -> op [type=val] op -> u [type=val]\n"

#define RUNS_OF(how)                                                                                         \
    "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "bvlookup words=" how)                            \
        SCAN("c", "c", "bvlookup words=" how) WRITERS "n [type=bvintersect index=i words=runs]\n" JOIN("bv") \
            COMBINE("mul") "}"

/* x(i) = b(i) * c(i), or + according to the graph. */
static const struct {
    const char *name, *text;
    bool adds, dense_c;
} vectors[] = {
    {"skipping",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "fiberlookup") SCAN("c", "c", "fiberlookup")
         WRITERS
     "n [type=intersect index=i]\n" JOIN(
         "crd") "n -> b [type=skip comment=skip_b] n -> c [type=skip comment=skip_c]\n" COMBINE("mul") "}",
     false, false},
    {"skipping on one side",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "fiberlookup") SCAN("c", "c", "fiberlookup")
         WRITERS
     "n [type=intersect index=i]\n" JOIN("crd") "n -> c [type=skip comment=skip_c]\n" COMBINE("mul") "}",
     false, false},
    {"skipping in a dense level",
     "digraph { comment=\"x=s0,b=s0,c=d0\" " SCAN(
         "b", "b",
         "fiberlookup") "c [type=fiberlookup index=i tensor=c mode=0 format=dense root=true]\n" WRITERS
                        "n [type=intersect index=i]\n" JOIN("crd") "n -> b [type=skip comment=skip_b] n -> c "
                                                                   "[type=skip comment=skip_c]\n" COMBINE(
                                                                       "mul") "}",
     false, true},
    {"bit vectors",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "bvlookup") SCAN("c", "c", "bvlookup") WRITERS
     "n [type=bvintersect index=i]\n" JOIN("bv") COMBINE("mul") "}",
     false, false},
    {"bit vectors, union",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "bvlookup width=16")
         SCAN("c", "c", "bvlookup width=16") WRITERS "n [type=bvunion index=i width=16]\n" JOIN("bv")
             COMBINE("add") "}",
     true, false},
    {"blocks", RUNS_OF("blocks"), false, false},
    {"blocks and runs, union",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "bvlookup words=runs")
         SCAN("c", "c", "bvlookup words=blocks") WRITERS "n [type=bvunion index=i words=blocks]\n" JOIN("bv")
             COMBINE("add") "}",
     true, false},
    {"one bit vector converted",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "bvlookup width=7") SCAN("s", "c", "fiberlookup")
         WRITERS "c [type=bvconvert index=i width=7] s -> c [type=crd]\n"
                 "n [type=bvintersect index=i width=7]\n" JOIN("bv") COMBINE("mul") "}",
     false, false},
    {"both bit vectors converted, union",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("r", "b", "fiberlookup") SCAN("s", "c", "fiberlookup")
         WRITERS
     "b [type=bvconvert index=i width=3] r -> b [type=crd] c [type=bvconvert index=i width=3] s -> c "
     "[type=crd]\n"
     "n [type=bvunion index=i width=3]\n" JOIN("bv") COMBINE("add") "}",
     true, false},
    {"located in a compressed level",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "fiberlookup") SCAN("n", "c", "locate") WRITERS
     "b -> n [type=crd] b -> n [type=ref]\n"
     "n -> w [type=crd] n -> vb [type=ref] n -> vc [type=ref comment=out_c]\n" COMBINE("mul") "}",
     false, false},
    {"located in a dense level",
     "digraph { comment=\"x=s0,b=s0,c=d0\" " SCAN("b", "b", "fiberlookup") WRITERS
     "n [type=locate index=i tensor=c mode=0 format=dense root=true] b -> n [type=crd] b -> n [type=ref]\n"
     "n -> w [type=crd] n -> vb [type=ref] n -> vc [type=ref comment=out_c]\n" COMBINE("mul") "}",
     false, true},
    {"stored in an array",
     "digraph { comment=\"x=d0,b=s0,c=s0\" " SCAN("b", "b", "fiberlookup") SCAN(
         "c", "c", "fiberlookup") "n [type=intersect index=i] vb [type=arrayvals tensor=b] vc "
                                  "[type=arrayvals tensor=c]\n"
                                  "b -> n [type=crd comment=in_b] b -> n [type=ref comment=in_b]\n"
                                  "c -> n [type=crd comment=in_c] c -> n [type=ref comment=in_c]\n"
                                  "n -> vb [type=ref comment=out_b] n -> vc [type=ref comment=out_c]\n"
                                  "u [type=arraystore tensor=x in0=i] n -> u [type=crd]\n" COMBINE("mul") "}",
     false, false},
};

/* Operands of a seed, each with one of ten densities. */
static void random_operands(uint64_t seed, const uint32_t densities[10], matrix *b, matrix *c) {
    prng random = prng_seed(seed);
    *b = random_matrix(&random, densities[seed % 10]);
    *c = random_matrix(&random, densities[(7 * seed + 3) % 10]);
}

static uint16_t combined(bool adds, uint16_t b, uint16_t c) {
    return (uint16_t)(adds ? b + c : (uint32_t)b * c);
}

/* Counts a result of one value as trivial. */
static void expect_found(const matrix *found, const matrix *expected, uint32_t rows, void *shown) {
    assert_memory_equal(found, expected, sizeof *found);
    quota_add(shown, true, quota_constant(expected->at, (size_t)rows * SIDE, sizeof *expected->at[0]));
}

/* Operands of n seeds; few results may be of one value. */
static void expect_shown(uint32_t n, void (*one)(fixture *f, uint32_t seed, void *shown)) {
    quota q = {0};
    each_afresh(n, one, &q);
    assert_false(quota_failed(&q));
}

static void expect_vector(fixture *f, uint32_t seed, void *shown) {
    static const uint32_t densities[10] = {0, 200, 600, 1000, 80, 300, 900, 250, 400, 700};
    matrix b, c;
    random_operands(seed, densities, &b, &c);
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        matrix expected = {0};
        sam_tensor_levels operands[] = {pack_vector(f, "b", &b, false),
                                        pack_vector(f, "c", &c, vectors[v].dense_c)};
        matrix found = simulate(f, vectors[v].text, operands, 2);
        for (uint32_t i = 0; i < SIDE; i++)
            expected.at[0][i] = combined(vectors[v].adds, b.at[0][i], c.at[0][i]);
        expect_found(&found, &expected, 1, shown);
    }
}

static void vector_products_agree_with_loops(void **state) {
    (void)state;
    expect_shown(60, expect_vector);
}

#define LEVEL(id, t, mode, index, how, more)                                                                 \
    id " [type=" how " index=" index " tensor=" t " mode=" mode " format=compressed " more "]\n"

/* The values joined by nj, combined, and stored with the coordinates of ni and nj. */
#define COMBINED                                                                                             \
    "vb [type=arrayvals tensor=B] vc [type=arrayvals tensor=C]\n"                                            \
    "nj -> vb [type=ref comment=out_B] nj -> vc [type=ref comment=out_C]\n"                                  \
    "vb -> op [type=val] vc -> op [type=val] op -> u [type=val] ni -> w0 [type=crd] nj -> w1 [type=crd]\n"   \
    "w0 [type=fiberwrite index=i tensor=X mode=0 format=compressed]\n"                                       \
    "w1 [type=fiberwrite index=j tensor=X mode=1 format=compressed]\n"                                       \
    "u [type=fiberwrite tensor=X mode=vals]\n"

#define ROWS(scanner, stream)                                                                                \
    "digraph { comment=\"X=ss01,B=ss01,C=ss01\"\n" LEVEL("bi", "B", "0", "i", scanner, "root=true")          \
        LEVEL("ci", "C", "0", "i", scanner, "root=true") LEVEL("bj", "B", "1", "j", scanner, "")             \
            LEVEL("cj", "C", "1", "j", scanner,                                                              \
                  "") "bi -> ni [type=" stream " comment=in_B] bi -> ni [type=ref comment=in_B]\n"           \
                      "ci -> ni [type=" stream " comment=in_C] ci -> ni [type=ref comment=in_C]\n"           \
                      "ni -> bj [type=ref comment=out_B] ni -> cj [type=ref comment=out_C]\n"

#define JOINED(b, c, stream)                                                                                 \
    b " -> nj [type=" stream " comment=in_B] " b " -> nj [type=ref comment=in_B]\n" c " -> nj [type=" stream \
      " comment=in_C] " c " -> nj [type=ref comment=in_C]\n"

/* X(i,j) = B(i,j) * C(i,j), or +: both levels by the same scanner and joiner. */
#define MATRICES(scanner, joiner, stream, op, skips)                                                         \
    ROWS(scanner, stream)                                                                                    \
    "ni [type=" joiner " index=i] nj [type=" joiner " index=j] op [type=" op                                 \
    "]\n" JOINED("bj", "cj", stream) COMBINED skips "}"

/* X = B + C, whose rows are converted to bit vectors, fiber after fiber. */
#define CONVERTED                                                                                            \
    ROWS("fiberlookup", "crd")                                                                               \
    "ni [type=union index=i] nj [type=bvunion index=j width=3] op [type=add]\n"                              \
    "kb [type=bvconvert index=j width=3] kc [type=bvconvert index=j width=3] bj -> kb [type=crd] cj -> kc "  \
    "[type=crd]\n" JOINED("kb", "kc", "bv") COMBINED "}"

/* x(j) = sum over i of B(i,j) * c(i): values scattered into a dense vector. */
#define SCATTER                                                                                              \
    "digraph { comment=\"x=d0,B=ss01,c=s0\"\n" LEVEL("bi", "B", "0", "i", "fiberlookup", "root=true")        \
        LEVEL("n", "c", "0", "i", "locate", "root=true") LEVEL(                                              \
            "bj", "B", "1", "j", "fiberlookup",                                                              \
            "") "bi -> n [type=crd] bi -> n [type=ref] n -> bj [type=ref] n -> r [type=ref comment=out_c]\n" \
                "bj -> s [type=crd] s [type=repsiggen index=j] s -> r [type=repsig] r [type=repeat index=j " \
                "tensor=c]\n"                                                                                \
                "vb [type=arrayvals tensor=B] bj -> vb [type=ref] vc [type=arrayvals tensor=c] r -> vc "     \
                "[type=ref]\n"                                                                               \
                "op [type=mul] vb -> op [type=val] vc -> op [type=val]\n"                                    \
                "u [type=arraystore tensor=x op=add in0=j] bj -> u [type=crd] op -> u [type=val] }"

static const struct {
    const char *name, *text;
    bool adds;
} matrices[] = {
    {"bit tree", MATRICES("bvlookup", "bvintersect", "bv", "mul", ""), false},
    {"bit tree, union", MATRICES("bvlookup", "bvunion", "bv", "add", ""), true},
    {"runs", MATRICES("bvlookup words=runs", "bvintersect words=runs", "bv", "mul", ""), false},
    {"runs, union", MATRICES("bvlookup words=runs", "bvunion words=runs", "bv", "add", ""), true},
    {"blocks, union", MATRICES("bvlookup words=blocks", "bvunion words=runs", "bv", "add", ""), true},
    {"converted rows", CONVERTED, true},
    {"skipping",
     MATRICES("fiberlookup", "intersect", "crd", "mul",
              "ni -> bi [type=skip comment=skip_B] ni -> ci [type=skip comment=skip_C]\n"
              "nj -> bj [type=skip comment=skip_B] nj -> cj [type=skip comment=skip_C]\n"),
     false},
};

static void expect_matrix(fixture *f, uint32_t seed, void *shown) {
    static const uint32_t densities[10] = {0, 100, 500, 1000, 20, 300, 900, 150, 400, 700};
    matrix b, c;
    random_operands(seed, densities, &b, &c);
    sam_tensor_levels operands[] = {pack_matrix(f, "B", &b), pack_matrix(f, "C", &c)};
    for (size_t v = 0; v < sizeof matrices / sizeof *matrices; v++) {
        matrix expected, found = simulate(f, matrices[v].text, operands, 2);
        for (uint32_t i = 0; i < SIDE; i++)
            for (uint32_t j = 0; j < SIDE; j++)
                expected.at[i][j] = combined(matrices[v].adds, b.at[i][j], c.at[i][j]);
        expect_found(&found, &expected, SIDE, shown);
    }
}

static void matrix_products_agree_with_loops(void **state) {
    (void)state;
    expect_shown(50, expect_matrix);
}

static void expect_scattered(fixture *f, uint32_t seed, void *shown) {
    prng random = prng_seed(seed);
    matrix b = random_matrix(&random, 200), c = random_matrix(&random, 400), expected = {0};
    sam_tensor_levels operands[] = {pack_matrix(f, "B", &b), pack_vector(f, "c", &c, false)};
    matrix found = simulate(f, SCATTER, operands, 2);
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t j = 0; j < SIDE; j++)
            expected.at[0][j] = (uint16_t)(expected.at[0][j] + (uint32_t)b.at[i][j] * c.at[0][i]);
    expect_found(&found, &expected, 1, shown);
}

static void stores_add_up_what_is_scattered(void **state) {
    (void)state;
    expect_shown(50, expect_scattered);
}

/* Coordinates absent from the other side are skipped. */
static void skipping_saves_cycles(void **state) {
    fixture *f = *state;
    matrix b = {0}, c = {0};
    for (uint32_t i = 0; i < SIDE / 2; i++)
        b.at[0][i] = 1;
    for (uint32_t i = SIDE / 2 - 1; i < SIDE; i++)
        c.at[0][i] = 1;
    sam_tensor_levels operands[] = {pack_vector(f, "b", &b, false), pack_vector(f, "c", &c, false)};
    sam_graph skipping, plain;
    sam_sim_result fast, slow;
    read_graph(f, vectors[0].text, &skipping);
    read_graph(f, vectors[0].text, &plain);
    for (uint32_t i = 0; i < plain.edges.len; i++)
        if (plain.edges.at[i].stream == SAM_STREAM_SKIP)
            plain.edges.at[i].src.v = 0;
    assert_true(sam_simulate(&skipping, operands, 2, NULL, &f->diag, &fast));
    assert_true(sam_simulate(&plain, operands, 2, NULL, &f->diag, &slow));
    assert_int_equal(fast.result.n_vals, 1);
    assert_int_equal(slow.result.n_vals, 1);
    assert_true(fast.cycles < 16);
    assert_true(slow.cycles > SIDE / 2);
}

static uint64_t cycles_of(fixture *f, const char *text, const sam_tensor_levels *operands) {
    sam_graph g;
    sam_sim_result result;
    read_graph(f, text, &g);
    assert_text_keeps(f, &g);
    assert_true(sam_simulate(&g, operands, 2, NULL, &f->diag, &result));
    return result.cycles;
}

/* b has ones in the first half, c in the second. A run takes a cycle, and a block, whatever their length. */
static void runs_and_blocks_take_a_cycle_each(void **state) {
    matrix b = {0}, c = {0};
    for (uint32_t i = 0; i < SIDE; i++)
        (i < SIDE / 2 ? &b : &c)->at[0][i] = 1;
    const sam_tensor_levels operands[] = {pack_vector(*state, "b", &b, false),
                                          pack_vector(*state, "c", &c, false)};
    assert_true(cycles_of(*state, RUNS_OF("runs"), operands) < 10);
    assert_true(cycles_of(*state, RUNS_OF("blocks"), operands) < 10);
}

#define LIST(more)                                                                                           \
    "digraph { comment=\"X=ss01,B=ss01,c=s0\"\n" LEVEL("bi", "B", "0", "i", "fiberlookup",                   \
                                                       "root=true " more) LEVEL("ci", "c", "0", "i",         \
                                                                                "fiberlookup", "root=true")  \
        LEVEL("bj", "B", "1", "j", "fiberlookup",                                                            \
              "") "n [type=intersect index=i] s [type=repsiggen index=j] r [type=repeat index=j tensor=c]\n" \
                  "bi -> n [type=crd comment=in_B] bi -> n [type=ref comment=in_B]\n"                        \
                  "ci -> n [type=crd comment=in_c] ci -> n [type=ref comment=in_c]\n"                        \
                  "n -> bj [type=ref comment=out_B] bj -> s [type=crd] s -> r [type=repsig]\n"               \
                  "n -> r [type=ref comment=out_c] vb [type=arrayvals tensor=B] vc [type=arrayvals "         \
                  "tensor=c]\n"                                                                              \
                  "bj -> vb [type=ref] r -> vc [type=ref] op [type=mul] vb -> op [type=val] vc -> op "       \
                  "[type=val]\n"                                                                             \
                  "w0 [type=fiberwrite index=i tensor=X mode=0 format=compressed] n -> w0 [type=crd]\n"      \
                  "w1 [type=fiberwrite index=j tensor=X mode=1 format=compressed] bj -> w1 [type=crd]\n"     \
                  "u [type=fiberwrite tensor=X mode=vals] op -> u [type=val] }"

/* Only the last row meets c: a list is read entry by entry up to there, rows of segments are passed by. */
static void lists_are_read_entry_by_entry(void **state) {
    matrix b = {0}, c = {0};
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        b.at[i / SIDE][i % SIDE] = 1;
    c.at[0][SIDE - 1] = 1;
    const sam_tensor_levels operands[] = {pack_matrix(*state, "B", &b), pack_vector(*state, "c", &c, false)};
    const uint64_t list = cycles_of(*state, LIST("singletons=1"), operands);
    assert_true(list > SIDE * SIDE && list < SIDE * SIDE + 2 * SIDE);
    assert_true(cycles_of(*state, LIST(""), operands) < 3 * SIDE);
}

/* ---- the check ------------------------------------------------------------------------------- */

static void illegal_uses_are_refused(void **state) {
#define BASE                                                                                                 \
    "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "fiberlookup") SCAN("c", "c", "fiberlookup")      \
        WRITERS "n [type=intersect index=i]\n" JOIN("crd") COMBINE("mul")
#define STORE(tensors, to)                                                                                   \
    "digraph { comment=\"" tensors                                                                           \
    "\" " SCAN("b", "b",                                                                                     \
               "fiberlookup") "v [type=arrayvals tensor=b] b -> v [type=ref] s [type=arraystore tensor=" to  \
                              "] b -> s [type=crd] v -> s [type=val]\n"
    static const illegal_graph bad[] = {
        {BASE "n -> b [type=skip comment=skip_c] }", "E0218-skip",
         "intersect i (node n) sends skip requests to fiberlookup i: b0 (node b), which does not feed its "
         "operand 1"},
        {BASE "n -> b [type=skip comment=skip_b] b -> z [type=crd] z [type=repsiggen] }", "E0218-skip",
         "fiberlookup i: b0 (node b) leaves out what repsiggen (node z) needs"},
        {BASE "n -> b [type=crd src_port=3 dst_port=1] }", "E0211-stream-type",
         "input port 1 of fiberlookup i: b0 (node b) carries skip, not crd"},
        {BASE "n -> z [type=crd src_port=3] z [type=repsiggen] }", "E0211-stream-type",
         "output port 3 of intersect i (node n) carries skip, not crd"},
        {STORE("x=d0,b=s0",
               "x in0=i") "w [type=fiberwrite index=i tensor=x mode=0 format=dense] b -> w [type=crd] }",
         "E0216-writer", "mode 0 of the result x: 1 writer, expected none beside the arraystore"},
        {STORE("x=d0,b=s0,c=d0", "c in0=i") "}", "E0215-tensor",
         "arraystore c (node s) stores into c, which is no dense result"},
        {BASE "n -> b [type=skip src_port=1] }", "E0211-stream-type",
         "output port 1 of intersect i (node n) carries ref, not skip"},
        {BASE "n -> b [type=skip src_port=5] }", "E0210-arity",
         "intersect i (node n) has 2 operands, an edge leaves port 5"},
        {BASE "s [type=arraystore tensor=x in0=i] b -> s [type=crd] op -> s [type=val] }", "E0215-tensor",
         "arraystore x (node s) stores into x, which is no dense result"},
        {STORE("x=d0,b=s0", "x") "}", "E0217-missing-attribute", "arraystore x (node s) has no in0"},
        {"digraph { comment=\"x=none,b=d0\" b [type=bvlookup index=i tensor=b mode=0 format=dense root=true] "
         "}",
         "E0215-tensor", "bvlookup i: b0 (node b) makes bit vectors of a dense level"},
        {"digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "bvlookup words=runs")
             SCAN("c", "c", "bvlookup") WRITERS "n [type=bvunion index=i words=runs]\n" JOIN("bv")
                 COMBINE("add") "}",
         "E0211-stream-type", "bvunion i (node n) joins words of runs, not of bits"},
        {"digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN(
             "b", "b", "bvlookup words=blocks") "k [type=broadcast] " SCAN("c", "c", "bvlookup words=blocks")
             WRITERS
         "n [type=bvunion index=i]\n"
         "b -> k [type=bv] k -> n [type=bv comment=in_b] b -> n [type=ref comment=in_b]\n"
         "c -> n [type=bv comment=in_c] c -> n [type=ref comment=in_c]\n"
         "n -> vb [type=ref comment=out_b] n -> vc [type=ref comment=out_c] n -> w [type=crd]\n" COMBINE(
             "add") "}",
         "E0211-stream-type", "bvunion i (node n) joins words of bits, not of blocks"},
        {"digraph { comment=\"x=none,b=s0\" " SCAN("b", "b", "fiberlookup singletons=1") "}", "E0215-tensor",
         "fiberlookup i: b0 (node b) has 1 level of singletons below, but b has 1 level"},
        {"digraph { comment=\"x=none,b=s0\" " SCAN(
             "b", "b", "fiberlookup") "s [type=serialize] b -> s [type=crd] b -> s [type=ref] }",
         "E0211-stream-type", "serialize (node s) joins crd and ref"},
        {"digraph { comment=\"x=none,b=s0\" " SCAN(
             "b", "b", "fiberlookup") "r [type=vectorreducer depth=2] b -> r [type=crd dst_port=0] b -> r "
                                      "[type=crd dst_port=1] }",
         "E0212-undriven", "vectorreducer (node r) has no edge into port 2"},
    };
    (void)state;
    each_afresh(sizeof bad / sizeof *bad, expect_illegal, (void *)bad);
}

TEST_PART(primitive_graphs, TEST(vector_products_agree_with_loops), TEST(matrix_products_agree_with_loops),
          TEST(stores_add_up_what_is_scattered), TEST(skipping_saves_cycles),
          TEST(runs_and_blocks_take_a_cycle_each), TEST(lists_are_read_entry_by_entry),
          TEST(illegal_uses_are_refused))
