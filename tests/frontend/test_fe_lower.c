/* frontend/: lowered graphs compute what the statement says, under the chip's writers and droppers, on random
 * data with empty rows; and they have the shape that the published graphs of the same kernels have. */
#include "tests/frontend/dense.h"
#include "tests/frontend/fe_case.h"
#include "tests/frontend/streams.h"

/* ---- values ---------------------------------------------------------------------------------- */

/* Walks the written levels; every stored coordinate must have something below it. */
typedef struct {
    const sam_statement *s;
    const written *w;
    const sam_tensor_data *t;
    const dense_tensor *shape;
    uint16_t *cells;
    uint32_t visited; /* values read */
    const char *what; /* the expression, for messages */
} reader;

static void require(const reader *r, bool condition, const char *why) {
    if (!condition)
        fail_msg("%s: %s", r->what, why);
}

static void read_level(reader *r, uint32_t level, uint32_t fiber, uint32_t *coordinate) {
    if (level == r->t->order) {
        uint32_t at[SAM_MAX_ORDER] = {0}, cell = 0;
        for (uint32_t l = 0; l < level; l++)
            at[r->t->mode[l]] = coordinate[l];
        for (uint32_t m = 0; m < level; m++)
            cell = cell * r->shape->dim[m] + at[m];
        require(r, fiber < r->w->vals.len, "a coordinate without a value");
        r->cells[cell] = (uint16_t)r->w->vals.at[fiber];
        r->visited++;
        return;
    }
    if (r->t->level[level] == SAM_LEVEL_DENSE) {
        uint32_t dim = r->shape->dim[r->t->mode[level]];
        for (coordinate[level] = 0; coordinate[level] < dim; coordinate[level]++)
            read_level(r, level + 1, fiber * dim + coordinate[level], coordinate);
        return;
    }
    const u32_vec *seg = &r->w->seg[level], *crd = &r->w->crd[level];
    require(r, fiber + 1 < seg->len, "a coordinate without a segment");
    if (level > 0)
        require(r, seg->at[fiber] < seg->at[fiber + 1], "a coordinate with nothing below it");
    for (uint32_t k = seg->at[fiber]; k < seg->at[fiber + 1]; k++) {
        if (k > seg->at[fiber])
            require(r, crd->at[k - 1] < crd->at[k], "coordinates out of order");
        coordinate[level] = crd->at[k];
        require(r, coordinate[level] < r->shape->dim[r->t->mode[level]], "a coordinate beyond the dimension");
        read_level(r, level + 1, k, coordinate);
    }
}

static void compare(const char *what, const sam_statement *s, const dense_data *data, const written *w) {
    reader r = {.what = what, .s = s, .w = w, .t = sam_tensor_at(s, s->result), .shape = &data->tensor[0]};
    r.cells = calloc(r.shape->cells, sizeof *r.cells);
    uint32_t coordinate[SAM_MAX_ORDER];
    read_level(&r, 0, 0, coordinate);
    /* A result without any coordinate may have one value: the sum over nothing. */
    if (r.visited != w->vals.len && !(r.visited == 0 && w->vals.len == 1))
        fail_msg("%s: %u values for %u places", what, w->vals.len, r.visited);
    for (uint32_t c = 0; c < r.shape->cells; c++) {
        if (r.cells[c] != r.shape->at[c])
            fail_msg("%s: cell %u: %u, expected %u", what, c, r.cells[c], r.shape->at[c]);
    }
    free(r.cells);
}

static void lower(fixture *f, const fe_case *c, bool drop, sam_statement *s, sam_graph *g) {
    fe_lower_options options = {.drop = drop};
    if (!fe_case_pack(f, c, s) || !fe_lower(s, &options, &f->mem, &f->diag, g) || !sam_check(g, &f->diag))
        fail_msg("%s\n%s", c->expression, fixture_printed(f));
}

/* ---- engines --------------------------------------------------------------------------------- */

static u32_vec copy_words(const uint32_t *from, uint32_t n, arena *mem) {
    u32_vec v = {0};
    for (uint32_t i = 0; i < n; i++)
        vec_push(mem, &v, from[i]);
    return v;
}

/* The timed simulator of sam/, on a graph as it is or with binary joiners. */
static void simulate(fixture *f, const sam_graph *g, const sam_tensor_levels *operands, uint32_t n,
                     arena *mem, written *w) {
    sam_sim_result result;
    if (!sam_simulate(g, operands, n, NULL, mem, &f->diag, &result))
        fail_msg("%s", fixture_printed(f));
    *w = (written){0};
    for (uint32_t l = 0; l < result.result.order; l++) {
        w->seg[l] = copy_words(result.result.level[l].seg, result.result.level[l].n_seg, mem);
        w->crd[l] = copy_words(result.result.level[l].crd, result.result.level[l].n_crd, mem);
    }
    for (uint32_t i = 0; i < result.result.n_vals; i++)
        vec_push(mem, &w->vals, result.result.vals[i]);
}

typedef enum { CHIP, TIMED, TIMED_BINARY, ENGINES } engine;

static void run_engine(fixture *f, engine e, const sam_graph *g, const sam_tensor_levels *operands,
                       uint32_t n, arena *mem, written *w) {
    sam_graph binary;
    switch (e) {
    case CHIP:
        run_streams(g, operands, n, mem, w);
        return;
    case TIMED:
        simulate(f, g, operands, n, mem, w);
        return;
    case TIMED_BINARY:
        if (!sam_to_binary_joiners(g, mem, &f->diag, &binary) || !sam_check(&binary, &f->diag))
            fail_msg("%s", fixture_printed(f));
        simulate(f, &binary, operands, n, mem, w);
        return;
    case ENGINES:
        break;
    }
    fail_msg("no engine");
}

/* Random data of growing size and density through every engine from `first` on. */
static void check_values(fixture *f, const char *what, const sam_statement *s, const sam_graph *g,
                         engine first, uint32_t runs) {
    dense_data *data = calloc(1, sizeof *data);
    prng random = prng_seed(s->exprs.len + 64 * s->tensors.len);
    for (uint32_t run = 0; run < runs; run++) {
        arena mem = {0};
        dense_random(s, &random, 1 + run % 6, (uint32_t[]){5, 20, 50, 90}[run % 4], data);
        dense_evaluate(s, data);
        sam_tensor_levels operands[DENSE_MAX_TENSORS];
        for (uint32_t t = 1; t < s->tensors.len; t++)
            operands[t - 1] = dense_to_levels(s, data, (sam_tensor){t + 1}, &mem);
        for (engine e = first; e < ENGINES; e++) {
            written w;
            run_engine(f, e, g, operands, s->tensors.len - 1, &mem, &w);
            compare(what, s, data, &w);
        }
        arena_free(&mem);
    }
    free(data);
}

static const fe_case kernels[] = {
    {"x(i) = b(i)", {0}, NULL},
    {"x(i) = b(i) * c(i)", {0}, NULL},
    {"x(i) = b(i) + c(i)", {0}, NULL},
    {"x(i) = b(i) - c(i)", {0}, NULL},
    {"x(i) = b(i) * c(i) * d(i)", {0}, NULL},
    {"x(i) = b(i) + c(i) + d(i)", {0}, NULL},
    {"x(i) = b(i) - c(i) - d(i) + e(i)", {0}, NULL},
    {"x(i) = b(i) - (c(i) - d(i))", {0}, NULL},
    {"x(i) = -b(i) + c(i)", {0}, NULL},
    {"x(i) = -b(i) - c(i)", {0}, NULL},
    {"x(i) = 3 * b(i) - c(i) * 2 * -1", {0}, NULL},
    {"x(i) = 4 - b(i)", {"b:d"}, NULL},
    {"x(i) = (b(i) + c(i)) * d(i)", {0}, NULL},
    {"x(i) = (b(i) * c(i) + d(i)) * (e(i) - b(i))", {0}, NULL},
    {"x(i) = a * b(i)", {0}, NULL},
    {"x(i) = b(i) * c(i)", {"c:d"}, NULL},
    {"x(i) = b(i) + c(i)", {"c:d"}, NULL},
    {"x(i) = b(i) + c(i)", {"c:d", "x:d"}, NULL},
    {"x(i) = b(i)", {"b:d", "x:d"}, NULL},
    {"x = b(i)", {0}, NULL},
    {"x = b(i) * c(i)", {0}, NULL},
    {"x = a * b(i) * c(i)", {0}, NULL},
    {"x = a + b(i) * c(i)", {0}, NULL},
    {"x = a * sum(i, b(i)) - 7", {0}, NULL},
    {"x = a * b", {0}, NULL},
    {"X(i,j) = B(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j)", {"B:ds"}, NULL},
    {"X(i,j) = B(i,j)", {"B:sd"}, NULL},
    {"X(i,j) = B(i,j)", {"B:sd", "X:sd"}, NULL},
    {"X(i,j) = B(i,j)", {"B:dd", "X:dd"}, NULL},
    {"X(i,j) = B(j,i)", {"B:ss:1,0"}, NULL},
    {"X(i,j) = B(j,i)", {"X:ss:1,0"}, NULL},
    {"X(i,j) = B(i,j) * C(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j)", {"C:dd"}, NULL},
    {"X(i,j) = B(i,j) * C(i,j)", {"B:ds"}, NULL},
    {"X(i,j) = B(i,j) + C(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) + C(i,j)", {"B:ds"}, NULL},
    {"X(i,j) = B(i,j) + C(i,j)", {"B:dd", "C:sd", "X:dd"}, NULL},
    {"X(i,j) = B(i,j) + C(i,j) + D(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j) * D(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j) + D(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j) + D(i,j) * E(i,j)", {0}, NULL},
    {"X(i,j) = (B(i,j) + C(i,j)) * D(i,j)", {0}, NULL},
    {"X(i,j) = (B(i,j) + C(i,j)) * (D(i,j) - B(i,j))", {0}, NULL},
    {"X(i,j) = b(i) * c(j)", {0}, NULL},
    {"X(i,j) = B(i,j) * c(i)", {0}, NULL},
    {"X(i,j) = B(i,j) * c(j)", {0}, NULL},
    {"X(i,j) = B(i,j) + c(i)", {"B:dd"}, NULL},
    {"X(i,j) = B(i,j) + D(i,j) * c(i)", {0}, NULL},
    {"X(i,j,k) = B(i,j,k)", {0}, NULL},
    {"X(i,j,k) = B(i,j,k) * C(i,j,k)", {0}, NULL},
    {"X(i,j,k) = B(i,j,k) + C(i,j,k)", {0}, NULL},
    {"X(i,j,k) = D(i,j,k) + B(i,k) * c(j)", {0}, NULL},
    {"X(i,j,k) = B(i,j,k) * C(i,j)", {"B:sds"}, NULL},
    {"X(i,j,k) = B(i,j,k) * C(i,j,k) - D(i,j,k)", {"B:dss", "C:sds"}, NULL},
    {"x(i) = B(i,j)", {0}, NULL},
    {"x(i) = B(i,j) * c(j)", {0}, NULL},
    {"x(i) = B(i,j) * c(j)", {"B:ds", "x:d"}, NULL},
    {"x(i) = B(i,j) * c(j)", {"c:d"}, NULL},
    {"x(j) = B(i,j) * c(i)", {"B:ss:1,0"}, NULL},
    {"x(j) = B(i,j) * c(i)", {0}, "reorder(i,j)"},
    {"x(i) = B(i,j) * C(i,j)", {0}, NULL},
    {"x(i) = b(i) + B(i,j) * c(j)", {0}, NULL},
    {"y(i) = b(i) - A(i,j) * x(j)", {0}, NULL},
    {"x(i) = a * B(j,i) * c(j) + e * d(i)", {"B:ss:1,0"}, NULL},
    {"x(i) = B(i,j) * c(j) - D(i,k) * e(k)", {0}, NULL},
    {"x(i) = B(i,j) * c(j) + D(i,j) * e(j)", {0}, NULL},
    {"x(i) = B(i,j) * C(j,k) * d(k)", {0}, NULL},
    {"x(i) = sum(j, B(i,j) * (c(j) + d(j)))", {0}, NULL},
    {"x(i) = sum(j, B(i,j) * 2 - C(i,j))", {0}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"B:ds", "C:ss:1,0", "X:ds"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"B:dd", "C:dd:1,0", "X:dd"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"B:dd", "C:ss:1,0"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"X:ss:1,0", "C:ss:1,0"}, "reorder(j,i,k)"},
    {"X(i,j) = B(i,k) * C(k,j)", {0}, "reorder(i,k,j)"},
    {"X(i,j) = B(i,k) * B(k,j)", {0}, "reorder(i,k,j)"},
    {"X(i,j) = B(i,j) * B(i,j)", {0}, NULL},
    {"X(i,j) = -B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL},
    {"X(i,j) = D(i,j) + B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL},
    {"X(i,j) = B(i,j) * C(i,k) * D(k,j)", {"D:ss:1,0"}, NULL},
    {"X(i,j) = B(i,j) * C(i,k) * D(j,k)", {"C:dd", "D:dd"}, NULL},
    {"X(i,j) = B(i,j,k) * C(i,j,k)", {0}, NULL},
    {"X(i,j) = B(i,j,k) * C(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j,k) * c(k)", {0}, NULL},
    {"X(i,j) = B(i,j,k) * c(k)", {"B:sds"}, NULL},
    {"X(i,k) = B(i,j,k) * c(j)", {0}, "reorder(i,j,k)"},
    {"X(i,j,k) = B(i,j,l) * C(k,l)", {0}, NULL},
    {"x = B(i,j,k) * C(i,j,k)", {0}, NULL},
    {"x(i) = c(i) * sum(j, B(i,j))", {0}, NULL},
    {"x(i) = -c(i) * sum(j, B(i,j) * d(j)) * sum(k, e(k))", {0}, NULL},
    {"X(i,j) = B(i,j) * sum(k, C(i,k) * D(k,j))", {"D:ss:1,0"}, NULL},
    {"X(i,j) = 5 * B(i,j) * -sum(k, C(i,k) * D(k,j))", {"D:ss:1,0"}, NULL},
};

enum { RUNS = 24 };

static void graphs_compute_what_the_statement_says(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (int drop = 0; drop < 2; drop++) {
            sam_statement s;
            sam_graph g;
            lower(f, &kernels[k], drop, &s, &g);
            check_values(f, kernels[k].expression, &s, &g, CHIP, RUNS);
        }
    }
}

/* Two sums inside a result that may lose coordinates: the inner reducer's stops matter to the outer one, so
 * this needs droppers that keep levels. */
static void nested_sums_need_droppers_that_keep_levels(void **state) {
    const fe_case mttkrp = {"X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", {0}, NULL};
    sam_statement s;
    sam_graph g;
    lower(*state, &mttkrp, false, &s, &g);
    check_values(*state, mttkrp.expression, &s, &g, TIMED, RUNS);
}

/* ---- random statements ----------------------------------------------------------------------- */

typedef struct {
    prng random;
    arena *mem;
    uint32_t tensors;
    const char *format[FE_CASE_FORMATS];
} writer;

/* A tensor over a random subset of i, j, k in this order, with a format for it. */
static const char *random_access(writer *w) {
    if (w->tensors == FE_CASE_FORMATS)
        return "a";
    char name = (char)('B' + w->tensors), index[8] = {0}, level[4] = {0};
    for (uint32_t v = 0, n = 0; v < 3; v++) {
        if (prng_below(&w->random, 10) < 4)
            continue;
        index[2 * n] = "ijk"[v];
        index[2 * n + 1] = ',';
        level[n++] = prng_below(&w->random, 4) ? 's' : 'd';
    }
    index[strlen(index) ? strlen(index) - 1 : 0] = 0;
    w->format[w->tensors++] = arena_printf(w->mem, "%c:%s", name, level);
    return arena_printf(w->mem, "%c(%s)", name, index);
}

static const char *random_expr(writer *w, uint32_t depth) {
    uint32_t kind = depth ? prng_below(&w->random, 12) : 0;
    if (kind < 3)
        return random_access(w);
    if (kind == 3)
        return arena_printf(w->mem, "-%s", random_expr(w, depth - 1));
    if (kind == 4)
        return arena_printf(w->mem, "(%s * %u)", random_expr(w, depth - 1), 1 + prng_below(&w->random, 5));
    const char *operator= kind<8 ? "*" : kind<10 ? "+" : "-";
    const char *a = random_expr(w, depth - 1);
    return arena_printf(w->mem, "(%s %s %s)", a, operator, random_expr(w, depth - 1));
}

static const char *random_statement(writer *w) {
    static const char *const results[] = {"x", "x(i)", "x(j)", "X(i,j)", "X(i,k)", "X(i,j,k)"};
    return arena_printf(w->mem, "%s = %s", results[prng_below(&w->random, 6)], random_expr(w, 3));
}

/* Loops i, j, k as far as they are used. */
static const char *alphabetical(const char *expression, arena *mem) {
    const char *list = "";
    for (const char *v = "ijk"; *v; v++) {
        if (strchr(expression, *v))
            list = arena_printf(mem, "%s%s%c", list, *list ? "," : "", *v);
    }
    return *list ? arena_printf(mem, "reorder(%s)", list) : NULL;
}

/* Every random statement is either refused with a reason or computed right. */
static void random_statements_are_refused_or_computed(void **state) {
    static const char *const reasons[] = {
        "E0105-result-index", "E0109-ambiguous-sum", "E0120-constant",   "E0122-broadcast-addition",
        "E0123-reducer",      "E0125-loop-order",    "E0126-partial-sum"};
    fixture *f = *state;
    uint32_t computed = 0, statements = 4000;
    for (uint32_t n = 0; n < statements; n++) {
        fixture *own;
        fixture_set_up((void **)&own);
        writer w = {.random = prng_seed(n), .mem = &own->mem};
        fe_case c = {.expression = random_statement(&w)};
        memcpy(c.format, w.format, sizeof c.format);
        if (n % 3 == 0)
            c.schedule = alphabetical(c.expression, &own->mem);
        sam_statement s;
        sam_graph g;
        fe_lower_options options = {.drop = n % 2};
        if (fe_case_pack(own, &c, &s) && fe_lower(&s, &options, &own->mem, &own->diag, &g)) {
            assert_true(fe_check_packed(&s, &own->diag) && sam_check(&g, &own->diag));
            uint32_t reducers = 0;
            for (uint32_t i = 0; i < g.nodes.len; i++)
                reducers += g.nodes.at[i].kind == SAM_REDUCE;
            check_values(own, c.expression, &s, &g, reducers > 1 ? TIMED : CHIP, 4);
            computed++;
        } else {
            bool known = false;
            assert_true(own->diag.list.len > 0);
            for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
                known = known || !strcmp(own->diag.list.at[0].code, reasons[i]);
            if (!known)
                fail_msg("%s\n%s", c.expression, fixture_printed(own));
        }
        fixture_tear_down((void **)&own);
    }
    print_message("%u of %u random statements were lowered\n", computed, statements);
    assert_true(computed > statements / 5);
    (void)f;
}

/* ---- shape ----------------------------------------------------------------------------------- */

typedef struct {
    fe_case c;
    uint32_t scan, repeat, intersect, unite, alu, reduce, drop, write, array;
} shape;

/* The primitive counts of the SAM paper's Table 1 as its compiler emits them, with droppers. Two differ on
 * purpose: residual and mattransmul have one dropper there, which removes coordinates whose values stay. */
static const shape shapes[] = {
    {{"x(i) = B(i,j) * c(j)", {0}, NULL}, 3, 1, 1, 0, 1, 1, 1, 2, 2},
    {{"X(i,j) = B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL}, 4, 2, 1, 0, 1, 1, 2, 3, 2},
    {{"X(i,j) = B(i,j) * C(i,k) * D(j,k)", {0}, NULL}, 6, 3, 3, 0, 2, 1, 2, 3, 3},
    {{"x = B(i,j,k) * C(i,j,k)", {0}, NULL}, 6, 0, 3, 0, 1, 3, 0, 1, 2},
    {{"X(i,j) = B(i,j,k) * c(k)", {0}, NULL}, 4, 2, 1, 0, 1, 1, 2, 3, 2},
    {{"X(i,j,k) = B(i,j,l) * C(k,l)", {0}, NULL}, 5, 3, 1, 0, 1, 1, 3, 4, 2},
    {{"X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", {0}, NULL}, 7, 5, 3, 0, 2, 2, 3, 3, 3},
    {{"x(i) = b(i) - C(i,j) * d(j)", {0}, NULL}, 4, 1, 1, 1, 2, 1, 0, 2, 3},
    {{"x(i) = a * B(j,i) * c(j) + e * d(i)", {"B:ss:1,0"}, NULL}, 4, 4, 1, 1, 4, 1, 0, 2, 5},
    {{"X(i,j) = B(i,j) + C(i,j)", {0}, NULL}, 4, 0, 0, 2, 1, 0, 0, 3, 2},
    {{"X(i,j) = B(i,j) + C(i,j) + D(i,j)", {0}, NULL}, 6, 0, 0, 2, 2, 0, 0, 3, 3},
    {{"X(i,j,k) = B(i,j,k) + C(i,j,k)", {0}, NULL}, 6, 0, 0, 3, 1, 0, 0, 4, 2},
};

static uint32_t count(const sam_graph *g, sam_primitive kind) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++)
        n += g->nodes.at[i].kind == kind;
    return n;
}

static void graphs_have_the_published_primitive_counts(void **state) {
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const shape *e = &shapes[k];
        sam_statement s;
        sam_graph g;
        lower(*state, &e->c, true, &s, &g);
        const uint32_t expected[] = {e->scan,   e->repeat, e->intersect, e->unite, e->alu,
                                     e->reduce, e->drop,   e->write,     e->array};
        const sam_primitive kind[] = {SAM_FIBERLOOKUP, SAM_REPEAT,  SAM_INTERSECT,  SAM_UNION,    SAM_ALU,
                                      SAM_REDUCE,      SAM_CRDDROP, SAM_FIBERWRITE, SAM_ARRAYVALS};
        for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
            if (count(&g, kind[i]) != expected[i])
                fail_msg("%s: %u %s, expected %u", e->c.expression, count(&g, kind[i]),
                         sam_primitive_table[kind[i]].type, expected[i]);
        }
    }
}

static void droppers_stand_only_where_a_fiber_may_be_empty(void **state) {
    static const struct {
        fe_case c;
        uint32_t plain, dropping; /* droppers without and with options.drop */
    } expected[] = {
        {{"X(i,j) = B(i,j)", {0}, NULL}, 0, 0},
        {{"X(i,j) = B(i,j)", {"B:ds"}, NULL}, 1, 1},
        {{"X(i,j) = B(i,j) * C(i,j)", {0}, NULL}, 1, 1},
        {{"X(i,j) = B(i,j) * C(i,j)", {"C:sd"}, NULL}, 0, 0},
        {{"X(i,j) = B(i,j) * c(i)", {0}, NULL}, 0, 0},
        {{"X(i,j,k) = B(i,j,k) * C(i,j,k)", {0}, NULL}, 2, 2},
        {{"X(i,j) = B(i,j) * C(i,j) + D(i,j)", {0}, NULL}, 1, 1},
        {{"X(i,j) = B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL}, 0, 2},
        {{"X(i,j) = B(i,k) * C(k,j)", {"B:dd", "C:dd:1,0"}, NULL}, 0, 0},
        {{"X(i,j) = B(i,k) * C(k,j)", {0}, "reorder(i,k,j)"}, 1, 1},
        {{"X(i,j) = B(i,j) * C(i,k) * D(k,j)", {"D:ss:1,0"}, NULL}, 2, 2},
        {{"y(i) = b(i) - A(i,j) * x(j)", {0}, NULL}, 0, 0},
    };
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        sam_statement s;
        sam_graph g;
        lower(*state, &expected[k].c, false, &s, &g);
        assert_int_equal(count(&g, SAM_CRDDROP), expected[k].plain);
        lower(*state, &expected[k].c, true, &s, &g);
        assert_int_equal(count(&g, SAM_CRDDROP), expected[k].dropping);
    }
}

/* The graph of a kernel as DOT: what the later stages and the published tools read. */
static void a_lowered_graph_survives_its_text_form(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        sam_statement s;
        sam_graph g, back;
        lower(f, &kernels[k], true, &s, &g);
        char *text = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        sam_dump(&g, out);
        fclose(out);
        if (!sam_parse("graph", text, length, &f->names, &f->mem, &f->diag, &back))
            fail_msg("%s\n%s", kernels[k].expression, fixture_printed(f));
        if (!sam_equal(&g, &back))
            fail_msg("%s: parse(dump(g)) differs from g", kernels[k].expression);
        free(text);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect_refusal(fixture *f, fe_case c, const char *expected) {
    diag_init(&f->diag, &f->mem);
    sam_statement s;
    sam_graph g;
    if (!fe_case_pack(f, &c, &s))
        fail_msg("%s", fixture_printed(f));
    if (fe_lower(&s, &(fe_lower_options){0}, &f->mem, &f->diag, &g))
        fail_msg("lowered: %s", c.expression);
    assert_string_equal(fixture_printed(f), expected);
}

static void what_cannot_be_lowered_says_why(void **state) {
    fixture *f = *state;
    expect_refusal(f, (fe_case){"x = 3 * 4", {0}, NULL},
                   "<expression>:1:5: does not fit: the result is a constant [E0120-constant]\n"
                   "    x = 3 * 4\n"
                   "        ^~~~~\n"
                   "    help: the array computes with tensors: name at least one operand\n");
    expect_refusal(f, (fe_case){"x(i) = b(i) / c(i)", {0}, NULL},
                   "<expression>:1:8: does not fit: the array has no divider [E0121-division]\n"
                   "    x(i) = b(i) / c(i)\n"
                   "           ^~~~~~~~~~~\n"
                   "    help: multiply by a tensor of reciprocals\n");
    expect_refusal(
        f, (fe_case){"X(i,j) = B(i,j) + c(i)", {0}, NULL},
        "<expression>:1:10: does not fit: one side of this addition is indexed by 'j', the other has the "
        "same value for every 'j' [E0122-broadcast-addition]\n"
        "    X(i,j) = B(i,j) + c(i)\n"
        "             ^~~~~~~~~~~~~\n"
        "    help: the result is dense along 'j': store the indexed side dense there (format d)\n");
    expect_refusal(f, (fe_case){"X(i,j) = B(i,k) * C(k,j)", {"X:ss", "B:ss:1,0", "C:ss"}, "reorder(k,i,j)"},
                   "<expression>:1:14: does not fit: the sum over 'k' has two or more result loops inside "
                   "it: it would accumulate a matrix [E0123-reducer]\n"
                   "    X(i,j) = B(i,k) * C(k,j)\n"
                   "                 ^\n"
                   "    help: sum innermost: -s \"reorder(i,j,k)\"\n");
    expect_refusal(f, (fe_case){"X(j,i) = B(i,j) * C(i,j)", {"X:ds:1,0"}, "reorder(i,j)"},
                   "<expression>:1:1: error: level 0 of X is dense, but loop 'i' does not reach every "
                   "coordinate of it [E0124-dense-result]\n"
                   "    X(j,i) = B(i,j) * C(i,j)\n"
                   "    ^~~~~~\n"
                   "    help: store it compressed: -f X:ss:1,0\n");
    expect_refusal(f, (fe_case){"x(i) = a(i) * (b(i) - sum(j, C(i,j) * d(j)))", {0}, NULL},
                   "<expression>:1:23: does not fit: this sum is a part of an expression inside loop 'i', "
                   "which may meet no coordinate at all; the sum would then yield a zero that nothing else "
                   "matches [E0126-partial-sum]\n"
                   "    x(i) = a(i) * (b(i) - sum(j, C(i,j) * d(j)))\n"
                   "                          ^~~~~~~~~~~~~~~~~~~~~\n"
                   "    help: compute the sum as a statement of its own; a sum that is only multiplied may "
                   "stay if no other sum there runs over the same variable\n");
    expect_refusal(
        f, (fe_case){"X(i,j) = B(i,k) * C(k,j) * D(j,l)", {0}, "reorder(i,k,j,l)"},
        "<expression>:1:32: does not fit: the sum over 'l' runs inside loop 'k', which may meet no "
        "coordinate at all, and its values are then accumulated with other coordinates [E0126-partial-sum]\n"
        "    X(i,j) = B(i,k) * C(k,j) * D(j,l)\n"
        "                                   ^\n"
        "    help: make the sums the innermost loops with -s \"reorder(...)\"\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(graphs_compute_what_the_statement_says),
        TEST(nested_sums_need_droppers_that_keep_levels),
        TEST(random_statements_are_refused_or_computed),
        TEST(graphs_have_the_published_primitive_counts),
        TEST(droppers_stand_only_where_a_fiber_may_be_empty),
        TEST(a_lowered_graph_survives_its_text_form),
        TEST(what_cannot_be_lowered_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
