/* sample.c - blocks of coordinates in place of all coordinates. Within a block all entries stay:
 * sub-tiles up to a block's length keep their content. Pairing is exact, since a loop's blocks are equal
 * for all operands. */
#include "tiling/sample.h"

enum { BLOCKS = 8 };

/* Blocks of `width` coordinates, in a range of `extent`. */
typedef struct {
    uint32_t extent, width;
    uint32_t start[BLOCKS]; /* multiples of the width: sub-tiles keep their boundaries */
} blocks;

/* Returns the blocks, which are apart: the range is longer than all of them. */
static blocks spread(uint32_t extent, uint32_t width) {
    blocks b = {extent, width, {0}};
    for (uint32_t k = 0; k < BLOCKS; k++)
        b.start[k] = (uint32_t)((uint64_t)extent * k / BLOCKS / width) * width;
    return b;
}

/* Finds the position of a coordinate in the sample; false: absent. */
static bool kept(const blocks *b, uint32_t at, uint32_t *out) {
    uint32_t block = BLOCKS;
    for (uint32_t k = 0; k < BLOCKS; k++)
        block = at - b->start[k] < b->width ? k : block;
    if (block < BLOCKS)
        *out = block * b->width + (at - b->start[block]);
    return block < BLOCKS;
}

/* An operand of the statement, and the variables of its access; NULL: no access. */
static const sam_expr_data *access_of(const sam_statement *s, uint32_t tensor) {
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        if (x->kind == SAM_EXPR_ACCESS && x->tensor.v == tensor + 1)
            return x;
    }
    return NULL;
}

/* Returns the operand's mode along v, or -1. */
static int mode_along(const sam_statement *s, uint32_t tensor, uint32_t order, sam_var v) {
    const sam_expr_data *x = access_of(s, tensor);
    for (uint32_t m = 0; x && m < order; m++) {
        if (x->index[m].v == v.v)
            return (int)m;
    }
    return -1;
}

static uint64_t entries_along(const tile_sampled *a, sam_var v, uint64_t *all) {
    uint64_t along = 0;
    *all = 0;
    for (uint32_t t = 0; t < a->statement.tensors.len; t++) {
        const tile_tensor *its = &a->in.operand[t];
        along += mode_along(&a->statement, t, its->order, v) >= 0 ? its->nnz : 0;
        *all += access_of(&a->statement, t) ? its->nnz : 0;
    }
    return along;
}

static tile_tensor cut_tensor(const tile_tensor *t, const sam_expr_data *x, sam_var v, blocks b, arena *mem) {
    tile_tensor out = *t;
    u32_vec crd = {0};
    u16_vec val = {0};
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint32_t *from = &t->crd[e * t->order];
        uint32_t at[SAM_MAX_ORDER];
        bool inside = true;
        for (uint32_t m = 0; m < t->order; m++) {
            at[m] = from[m];
            inside = inside && (x->index[m].v != v.v || kept(&b, from[m], &at[m]));
        }
        for (uint32_t m = 0; inside && m < t->order; m++)
            vec_push(mem, &crd, at[m]);
        if (inside)
            vec_push(mem, &val, t->val[e]);
    }
    for (uint32_t m = 0; m < t->order; m++)
        out.dim[m] = x->index[m].v == v.v ? BLOCKS * b.width : t->dim[m];
    out.nnz = val.len;
    out.crd = crd.at;
    out.val = val.at;
    return out;
}

/* Returns the number of places of the operand's variables that earlier operands with v have, too. */
static double other_chances(const tile_sampled *a, uint32_t tensor, sam_var v) {
    const tile_tensor *its = &a->in.operand[tensor];
    const sam_expr_data *x = access_of(&a->statement, tensor);
    double chances = 1;
    for (uint32_t m = 0; m < its->order; m++) {
        bool met = false;
        for (uint32_t t = 0; t < tensor && x->index[m].v != v.v; t++) {
            const uint32_t order = a->in.operand[t].order;
            met = met || (mode_along(&a->statement, t, order, v) >= 0 &&
                          mode_along(&a->statement, t, order, x->index[m]) >= 0);
        }
        chances *= met && its->dim[m] ? its->dim[m] : 1;
    }
    return chances;
}

/* Coordinates of a variable whose matches are counted. */
enum { MOST_COUNTED = 1 << 20 };

/* Work in the blocks, and everywhere. */
typedef struct {
    double inside, all;
} busyness;

/* Adds the matches of all operands with v that are expected at each coordinate of v, if other coordinates are
 * independent. */
static void add_matches(const tile_sampled *a, sam_var v, blocks b, busyness *work) {
    arena scratch = {0};
    double *matches = arena_new_n(&scratch, double, b.extent), *own = arena_new_n(&scratch, double, b.extent);
    for (uint32_t c = 0; c < b.extent; c++)
        matches[c] = 1;
    for (uint32_t t = 0; t < a->in.n; t++) {
        const tile_tensor *its = &a->in.operand[t];
        const int mode = mode_along(&a->statement, t, its->order, v);
        if (mode < 0)
            continue;
        const double chances = other_chances(a, t, v);
        memset(own, 0, sizeof *own * b.extent);
        for (uint64_t e = 0; e < its->nnz; e++)
            own[its->crd[e * its->order + (uint32_t)mode]]++;
        for (uint32_t c = 0; c < b.extent; c++)
            matches[c] *= own[c] / chances;
    }
    for (uint32_t c = 0; c < b.extent; c++) {
        uint32_t unused;
        work->all += matches[c];
        work->inside += kept(&b, c, &unused) ? matches[c] : 0;
    }
    arena_free(&scratch);
}

/* Returns the share of work in the blocks: where few coordinates have most entries (hubs, full rows), a share
 * of the coordinates says little. */
static double share_of(const tile_sampled *a, sam_var v, blocks b) {
    busyness work = {0, 0};
    uint32_t operands = 0;
    for (uint32_t t = 0; t < a->in.n; t++) {
        const tile_tensor *its = &a->in.operand[t];
        const int mode = mode_along(&a->statement, t, its->order, v);
        operands += mode >= 0;
        for (uint64_t e = 0; mode >= 0 && e < its->nnz; e++) {
            uint32_t unused;
            work.inside += kept(&b, its->crd[e * its->order + (uint32_t)mode], &unused);
        }
        work.all += mode >= 0 ? (double)its->nnz : 0;
    }
    if (operands > 1 && b.extent <= MOST_COUNTED)
        add_matches(a, v, b, &work);
    return work.inside > 0 ? work.inside / work.all : (double)(BLOCKS * b.width) / b.extent;
}

/* Leaves blocks of the variable in all operands. */
static void cut_along(tile_sampled *a, sam_var v, blocks b, arena *mem) {
    tile_tensor *cut = arena_new_n(mem, tile_tensor, a->in.n + 1);
    a->share *= share_of(a, v, b);
    for (uint32_t t = 0; t < a->in.n; t++) {
        cut[t] = a->in.operand[t];
        if (mode_along(&a->statement, t, cut[t].order, v) >= 0)
            cut[t] = cut_tensor(&a->in.operand[t], access_of(&a->statement, t), v, b, mem);
    }
    a->in.operand = cut;
    a->statement.vars.at[v.v - 1].extent = BLOCKS * b.width;
    a->cut = true;
}

/* Returns the largest power of two up to n. */
static uint32_t power_below(double n) {
    uint32_t p = 1;
    while (2.0 * p <= n)
        p *= 2;
    return p;
}

void tile_sample(const sam_statement *s, const tile_operands *in, uint64_t most, arena *mem,
                 tile_sampled *out) {
    arena unused = {0};
    diagnostics quiet;
    uint32_t *extent;
    uint64_t done = s->uncut, all = 0;
    *out = (tile_sampled){*s, *in, 1, false};
    diag_init(&quiet, &unused);
    if (!tile_known_extents(s, in, mem, &quiet, &extent)) {
        arena_free(&unused);
        return;
    }
    arena_free(&unused);
    out->statement.vars.at = arena_new_n(mem, sam_var_data, s->vars.len + 1);
    if (s->vars.len)
        memcpy(out->statement.vars.at, s->vars.at, sizeof *s->vars.at * s->vars.len);
    for (uint32_t round = 0; round < s->loops.len; round++) {
        uint64_t best = 0;
        sam_var along = {0};
        for (uint32_t l = 0; l < s->loops.len; l++) {
            sam_var v = s->loops.at[l];
            uint64_t its = entries_along(out, v, &all);
            if (done >> (v.v - 1) & 1 || its <= best)
                continue;
            best = its;
            along = v;
        }
        if (!along.v || all <= most)
            return;
        done |= UINT64_C(1) << (along.v - 1);
        const uint32_t whole = extent[along.v - 1];
        const uint32_t width = power_below((double)whole * (double)most / (double)all / BLOCKS);
        if (whole > BLOCKS * width)
            cut_along(out, along, spread(whole, width), mem);
    }
}
