/* lowered.c - see lowered.h. */
#include "tests/frontend/lowered.h"
#include "frontend/language/language.h"
#include "frontend/lowering/fill.h"
#include "frontend/lowering/locate.h"
#include "frontend/lowering/lowering.h"

#include "tests/frontend/dense.h"
#include "tests/frontend/streams.h"

/* ---- values ---------------------------------------------------------------------------------- */

/* Walks the written levels. Every stored coordinate must have something below it, except in a dense level and
 * where an operand is empty. */
typedef struct {
    const written *w;
    const sam_tensor_data *t;
    const dense_tensor *shape;
    bool empty_operands;
    uint16_t *cells;
    uint32_t visited; /* values read */
    const char *what; /* the statement and the engine, for messages */
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
    if (level > 0 && r->t->level[level - 1] == SAM_LEVEL_COMPRESSED && !r->empty_operands)
        require(r, seg->at[fiber] < seg->at[fiber + 1], "a coordinate with nothing below it");
    for (uint32_t k = seg->at[fiber]; k < seg->at[fiber + 1]; k++) {
        if (k > seg->at[fiber])
            require(r, crd->at[k - 1] < crd->at[k], "coordinates out of order");
        coordinate[level] = crd->at[k];
        require(r, coordinate[level] < r->shape->dim[r->t->mode[level]], "a coordinate beyond the dimension");
        read_level(r, level + 1, k, coordinate);
    }
}

static void compare(const char *what, const sam_statement *s, const dense_data *data, bool empty_operands,
                    const written *w) {
    reader r = {.what = what,
                .w = w,
                .t = sam_tensor_at(s, s->result),
                .shape = &data->tensor[0],
                .empty_operands = empty_operands};
    r.cells = calloc(r.shape->cells, sizeof *r.cells);
    uint32_t coordinate[SAM_MAX_ORDER];
    read_level(&r, 0, 0, coordinate);
    /* A result without coordinates may have a single value: the empty sum. */
    if (r.visited != w->vals.len && !(r.visited == 0 && w->vals.len == 1))
        fail_msg("%s: %u values for %u places", what, w->vals.len, r.visited);
    for (uint32_t c = 0; c < r.shape->cells; c++) {
        if (r.cells[c] != r.shape->at[c])
            fail_msg("%s: cell %u: %u, expected %u", what, c, r.cells[c], r.shape->at[c]);
    }
    free(r.cells);
}

/* ---- passes ---------------------------------------------------------------------------------- */

bool lowered_from_packed(fixture *f, const sam_statement *packed, fe_lower_options options, lowered *l) {
    l->packed = *packed;
    if (!fe_fill(&l->packed, &f->mem, &f->diag, &l->filled) || !fe_check_packed(&l->filled, &f->diag))
        return false;
    if (options.locate)
        fe_locate(&l->filled, &f->mem);
    return fe_lower(&l->filled, &options, &f->mem, &f->diag, &l->g) && sam_check(&l->g, &f->diag);
}

bool lowered_try(fixture *f, const fe_case *c, fe_lower_options options, lowered *l) {
    sam_statement packed;
    if (!fe_case_pack(f, c, &packed))
        return false;
    packed.integers = true;
    return lowered_from_packed(f, &packed, options, l);
}

void lowered_must(fixture *f, const fe_case *c, fe_lower_options options, lowered *l) {
    if (!lowered_try(f, c, options, l))
        fail_msg("%s\n%s", c->expression, fixture_printed(f));
}

uint32_t lowered_count(const sam_graph *g, sam_primitive kind) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++)
        n += g->nodes.at[i].kind == kind;
    return n;
}

/* ---- engines --------------------------------------------------------------------------------- */

static u32_vec copy_words(const uint32_t *from, uint32_t n, arena *mem) {
    u32_vec v = {0};
    for (uint32_t i = 0; i < n; i++)
        vec_push(mem, &v, from[i]);
    return v;
}

/* The timed simulator of sam/, on a graph unchanged or with binary joiners. */
static void simulate(fixture *f, const sam_graph *g, const sam_tensor_levels *operands, uint32_t n,
                     arena *mem, written *w) {
    sam_sim_result result;
    if (!sam_simulate(g, operands, n, NULL, &f->diag, &result))
        fail_msg("%s", fixture_printed(f));
    *w = (written){0};
    for (uint32_t l = 0; l < result.result.order; l++) {
        w->seg[l] = copy_words(result.result.level[l].seg, result.result.level[l].n_seg, mem);
        w->crd[l] = copy_words(result.result.level[l].crd, result.result.level[l].n_crd, mem);
    }
    for (uint32_t i = 0; i < result.result.n_vals; i++)
        vec_push(mem, &w->vals, result.result.vals[i]);
}

static void run_engine(fixture *f, lowered_engine e, const sam_graph *g, const sam_tensor_levels *operands,
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

uint32_t lowered_check(fixture *f, const lowered *l, lowered_engine first, bool empty_operands,
                       uint32_t runs) {
    static const uint32_t percents[] = {20, 50, 90, 0, 35, 70, 10, 90, 50, 5};
    const sam_statement *s = &l->filled;
    static dense_data room; /* some 800 KB, mapped once for all checks */
    dense_data *const data = &room;
    uint32_t trivial = 0;
    prng random = prng_seed(s->exprs.len + 64 * s->tensors.len);
    for (uint32_t run = 0; run < runs; run++) {
        arena mem = {0};
        uint32_t percent = percents[run % 10];
        if (!percent && !empty_operands)
            percent = 60;
        dense_random(s, &random, 1 + run % 6, percent, data);
        dense_evaluate(&l->packed, data);
        trivial += dense_is_constant(data);
        sam_tensor_levels operands[DENSE_MAX_TENSORS];
        for (uint32_t t = 1; t < s->tensors.len; t++)
            operands[t - 1] = dense_to_levels(s, data, (sam_tensor){t + 1}, &mem);
        for (lowered_engine e = first; e < ENGINES; e++) {
            written w;
            run_engine(f, e, &l->g, operands, s->tensors.len - 1, &mem, &w);
            const char *where = arena_printf(&mem, "%s, engine %d", fe_case_dump(f, s), (int)e);
            compare(where, s, data, percent == 0, &w);
        }
        arena_free(&mem);
    }
    return trivial;
}
