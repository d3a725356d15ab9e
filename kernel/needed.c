/* needed.c - finds coordinates of an operand unneeded by the statement.
 *
 * If the set of the whole right side is empty without a stored entry of an access, whatever the other
 * accesses store, entries of other operands at such coordinates have no effect: a factor, or a mask, is
 * missing.
 */
#include "kernel/needed.h"
#include "sam/coordinates.h"

typedef struct {
    const sam_statement *s;
    sam_expr without;
} asked;

/* Everything is stored except one access. */
static void is_stored(void *context, sam_expr access, void *out) {
    const asked *a = context;
    *(bool *)out = access.v != a->without.v;
}

static bool is_needed(const sam_algebra *algebra, sam_set set, const sam_statement *s, sam_expr access) {
    static const bool everything = true;
    const sam_fold_by by = {.size = sizeof(bool),
                            .all = &everything,
                            .stored = is_stored,
                            .meet = sam_in_both,
                            .unite = sam_in_either};
    bool any = true;
    sam_fold(algebra, set, &by, &(asked){s, access}, &any);
    return !any;
}

/* Finds the indices of an access among those of another. Returns false for a missing index. */
static bool find_modes(const sam_expr_data *of, uint32_t order, const sam_expr_data *in, uint32_t in_order,
                       uint8_t *mode) {
    for (uint32_t m = 0; m < order; m++) {
        uint8_t at = 0;
        while (at < in_order && in->index[at].v != of->index[m].v)
            at++;
        if (at == in_order)
            return false;
        mode[m] = at;
    }
    return true;
}

/* Returns the only access of a tensor, NULL for several. */
static const sam_expr_data *only_access(const sam_statement *st, sam_tensor t) {
    const sam_expr_data *only = NULL;
    for (uint32_t e = 0; e < st->exprs.len; e++) {
        const sam_expr_data *x = &st->exprs.at[e];
        if (x->kind != SAM_EXPR_ACCESS || x->tensor.v != t.v)
            continue;
        if (only)
            return NULL;
        only = x;
    }
    return only;
}

void compile_find_needed(const sam_statement *st, sam_tensor t, const tile_tensor *operands, arena *mem,
                         tile_joint *all) {
    const sam_expr_data *own = only_access(st, t);
    const uint32_t order = sam_tensor_at(st, t)->order;
    tile_needed *needed = arena_new_n(mem, tile_needed, st->exprs.len);
    sam_algebra algebra = {.mem = mem};
    all->needed = needed;
    all->n_needed = 0;
    for (uint32_t m = 0; m < order; m++) {
        all->same[m] = (uint8_t)m;
        for (uint32_t n = m; own && n-- > 0;)
            all->same[m] = own->index[n].v == own->index[m].v ? (uint8_t)n : all->same[m];
    }
    const sam_coordinates whole = sam_coordinates_of(&algebra, st, st->rhs, NULL);
    for (uint32_t e = 1; e <= st->exprs.len && own && whole.set.v; e++) {
        const sam_expr_data *x = sam_expr_at(st, (sam_expr){e});
        const sam_tensor_data *as = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(st, x->tensor) : NULL;
        if (!as || x == own || as->windowed || sam_is_complement(as) || as->ones || !as->order)
            continue;
        tile_needed *next = &needed[all->n_needed];
        next->t = &operands[x->tensor.v - 1];
        if (find_modes(x, as->order, own, order, next->mode) &&
            is_needed(&algebra, whole.set, st, (sam_expr){e}))
            all->n_needed++;
    }
}
