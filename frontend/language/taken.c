/* taken.c - unstored values along an index that a function takes.
 *
 * An expression is full along a set of variables: wherever the expression has a value, every coordinate of
 * these variables has one. An operand is full along the levels behind its last compressed one, and along its
 * missing variables. An intersection is full where both operands are; likewise a union, unless one operand is
 * present everywhere. The fold over the coordinate algebra applies these rules.
 */
#include "frontend/language/taken.h"
#include "sam/coordinates.h"

static void full_operand(void *context, sam_expr access, void *out) {
    const sam_statement *s = context;
    const sam_expr_data *x = sam_expr_at(s, access);
    const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
    uint64_t full = UINT64_MAX;
    bool dense = true;
    for (uint32_t l = t->order; l-- > 0;) {
        dense = dense && t->level[l] == SAM_LEVEL_DENSE;
        if (!dense)
            full &= ~(UINT64_C(1) << (x->index[t->mode[l]].v - 1));
    }
    *(uint64_t *)out = full;
}

static void full_absent(void *context, sam_expr access, void *out) {
    (void)context;
    (void)access;
    *(uint64_t *)out = 0;
}

static void meet(void *context, sam_expr of, void *a, const void *b) {
    (void)context;
    (void)of;
    *(uint64_t *)a &= *(const uint64_t *)b;
}

static void unite(void *context, sam_expr of, void *a, const void *b) {
    const uint64_t x = *(uint64_t *)a, y = *(const uint64_t *)b;
    (void)context;
    (void)of;
    *(uint64_t *)a = x == UINT64_MAX || y == UINT64_MAX ? UINT64_MAX : x & y;
}

static sam_taken taken_by(sam_statement *s, const sam_expr_data *x) {
    static const uint64_t everywhere = UINT64_MAX;
    const sam_fold_by by = {sizeof everywhere, &everywhere, full_operand, meet, unite, full_absent};
    arena mem = {0};
    sam_algebra algebra = {.mem = &mem};
    const sam_coordinates c = sam_coordinates_of(&algebra, s, x->a, NULL);
    uint64_t full = everywhere;
    if (c.set.v)
        sam_fold(&algebra, c.set, &by, s, &full);
    arena_free(&mem);
    return full == everywhere           ? SAM_TAKES_ALL
           : full >> (x->var.v - 1) & 1 ? SAM_TAKES_FIBER
                                        : SAM_TAKES_STORED;
}

void fe_find_taken(sam_statement *s) {
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        if (sam_takes_fiber(&s->exprs.at[e]) && s->exprs.at[e].var.v)
            s->exprs.at[e].takes = taken_by(s, &s->exprs.at[e]);
    }
}
