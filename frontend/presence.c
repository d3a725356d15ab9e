/* presence.c - which operands can be present together at a point of the iteration, and whether a loop can run
 * empty there.
 *
 * A union passes coordinates that only some of its operands have; the others are then absent further inside
 * (their references are the empty token). So whether an inner loop can be empty depends on which combinations
 * occur: X(i,j) = B(i,j) + C(i,j) never meets an i without any j, because an i that lacks B has C. The set of
 * possible combinations is kept exactly, as one flag per subset of the accesses; operands are taken as
 * independent of each other, and every stored coordinate of a compressed level as having something below it.
 */
#include "frontend/fe_int.h"

bool fe_has_index(const sam_statement *s, sam_expr access, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, access);
    for (uint32_t i = 0; i < sam_tensor_at(s, x->tensor)->order; i++) {
        if (x->index[i].v == v.v)
            return true;
    }
    return false;
}

static void collect(fe_leaves *leaves, uint32_t *number, sam_expr e, bool under_addition, arena *mem) {
    const sam_expr_data *x = sam_expr_at(leaves->s, e);
    if (x->kind == SAM_EXPR_ACCESS) {
        number[e.v - 1] = leaves->list.len;
        vec_push(mem, &leaves->list,
                 (fe_leaf){.access = e, .tensor = x->tensor, .always_joined = !under_addition});
        return;
    }
    bool addition = under_addition || x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB;
    if (x->a.v)
        collect(leaves, number, x->a, addition, mem);
    if (x->b.v)
        collect(leaves, number, x->b, addition, mem);
}

fe_leaves fe_collect_leaves(const sam_statement *s, arena *mem) {
    fe_leaves leaves = {.s = s};
    uint32_t *number = arena_new_n(mem, uint32_t, s->exprs.len);
    collect(&leaves, number, s->rhs, false, mem);
    leaves.number = number;
    return leaves;
}

fe_presence fe_presence_start(const fe_leaves *leaves, arena *mem) {
    fe_presence p = {0};
    if (leaves->list.len <= FE_EXACT_LEAVES) {
        p.possible = arena_new_n(mem, uint8_t, 1u << leaves->list.len);
        p.possible[(1u << leaves->list.len) - 1] = 1;
    }
    return p;
}

/* ---- the domain of a loop -------------------------------------------------------------------- */

static fe_domain leaf_domain(const fe_leaves *leaves, const fe_leaf *leaf, bool present, sam_var v) {
    if (!fe_has_index(leaves->s, leaf->access, v))
        return (fe_domain){.universe = true, .full = true, .nonempty = true};
    const sam_tensor_data *t = sam_tensor_at(leaves->s, leaf->tensor);
    bool dense = t->level[leaf->level] == SAM_LEVEL_DENSE;
    bool fiber_nonempty = dense || leaf->level == 0 || t->level[leaf->level - 1] == SAM_LEVEL_COMPRESSED;
    return (fe_domain){.full = present && dense, .nonempty = present && fiber_nonempty};
}

static fe_domain meet(fe_domain a, fe_domain b) {
    sam_expr bad = a.bad.v ? a.bad : b.bad;
    if (a.universe || b.universe) {
        fe_domain d = a.universe ? b : a;
        d.bad = bad;
        return d;
    }
    return (fe_domain){
        .full = a.full && b.full, .nonempty = (a.full && b.nonempty) || (b.full && a.nonempty), .bad = bad};
}

static fe_domain join(fe_domain a, fe_domain b, sam_expr addition) {
    fe_domain d = {.universe = a.universe && b.universe,
                   .full = a.full || b.full,
                   .nonempty = a.nonempty || b.nonempty,
                   .bad = a.bad.v ? a.bad : b.bad};
    bool one_lacks_v = a.universe != b.universe;
    if (one_lacks_v && !(a.universe ? b : a).full && !d.bad.v)
        d.bad = addition;
    return d;
}

/* For one combination of present leaves, a bit each; `exact` as fe_presence. */
static fe_domain domain_in(const fe_leaves *leaves, sam_expr e, sam_var v, uint32_t present, bool exact) {
    const sam_expr_data *x = sam_expr_at(leaves->s, e);
    switch (x->kind) {
    case SAM_EXPR_ACCESS: {
        uint32_t n = leaves->number[e.v - 1];
        const fe_leaf *leaf = &leaves->list.at[n];
        return leaf_domain(leaves, leaf, exact ? present >> n & 1 : leaf->always_joined, v);
    }
    case SAM_EXPR_NEG:
    case SAM_EXPR_SUM:
        return domain_in(leaves, x->a, v, present, exact);
    case SAM_EXPR_MUL:
    case SAM_EXPR_DIV:
        return meet(domain_in(leaves, x->a, v, present, exact), domain_in(leaves, x->b, v, present, exact));
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
        return join(domain_in(leaves, x->a, v, present, exact), domain_in(leaves, x->b, v, present, exact),
                    e);
    case SAM_EXPR_LITERAL:
    case SAM_EXPR_NONE:
        break;
    }
    return (fe_domain){.universe = true, .full = true, .nonempty = true};
}

fe_domain fe_domain_of(const fe_leaves *leaves, const fe_presence *p, sam_expr e, sam_var v) {
    if (!p->possible)
        return domain_in(leaves, e, v, 0, false);
    fe_domain all = {.universe = true, .full = true, .nonempty = true};
    for (uint32_t set = 0; set < 1u << leaves->list.len; set++) {
        if (!p->possible[set])
            continue;
        fe_domain d = domain_in(leaves, e, v, set, true);
        all.universe = d.universe;
        all.full = all.full && d.full;
        all.nonempty = all.nonempty && d.nonempty;
        if (!all.bad.v)
            all.bad = d.bad;
    }
    return all;
}

/* ---- presence inside a loop ------------------------------------------------------------------ */

/* What an expression passes at one coordinate of v: nothing (leaves == 0), or the references of `leaves`. */
typedef struct {
    bool universe; /* no operand has v */
    uint32_t leaves;
} passed;

/* At a coordinate that exactly the leaves `having` have. An operand that does not pass it as a whole passes
 * no reference, also not those of its leaves that have it: a product of two of which one is missing. */
static passed pass(const fe_leaves *leaves, sam_expr e, sam_var v, uint32_t having) {
    const sam_expr_data *x = sam_expr_at(leaves->s, e);
    if (x->kind == SAM_EXPR_ACCESS) {
        bool has_v = fe_has_index(leaves->s, e, v);
        return (passed){.universe = !has_v, .leaves = has_v ? having & 1u << leaves->number[e.v - 1] : 0};
    }
    if (!x->a.v)
        return (passed){.universe = true};
    passed a = pass(leaves, x->a, v, having);
    if (!x->b.v)
        return a;
    passed b = pass(leaves, x->b, v, having);
    if (a.universe || b.universe)
        return a.universe ? b : a;
    bool both = x->kind == SAM_EXPR_MUL || x->kind == SAM_EXPR_DIV;
    return (passed){.leaves = both && !(a.leaves && b.leaves) ? 0 : a.leaves | b.leaves};
}

/* The leaves under e that have v, and those of them whose next level is dense. */
static void scanned_leaves(const fe_leaves *leaves, sam_expr e, sam_var v, uint32_t *scanned,
                           uint32_t *dense) {
    const sam_expr_data *x = sam_expr_at(leaves->s, e);
    if (x->kind == SAM_EXPR_ACCESS && fe_has_index(leaves->s, e, v)) {
        uint32_t n = leaves->number[e.v - 1];
        const fe_leaf *leaf = &leaves->list.at[n];
        *scanned |= 1u << n;
        if (sam_tensor_at(leaves->s, leaf->tensor)->level[leaf->level] == SAM_LEVEL_DENSE)
            *dense |= 1u << n;
    }
    if (x->a.v)
        scanned_leaves(leaves, x->a, v, scanned, dense);
    if (x->b.v)
        scanned_leaves(leaves, x->b, v, scanned, dense);
}

fe_presence fe_presence_inside(const fe_leaves *leaves, const fe_presence *p, sam_expr e, sam_var v,
                               arena *mem) {
    fe_presence inside = {0};
    if (!p->possible)
        return inside;
    inside.possible = arena_new_n(mem, uint8_t, 1u << leaves->list.len);
    uint32_t scanned = 0, dense = 0;
    scanned_leaves(leaves, e, v, &scanned, &dense);
    for (uint32_t set = 0; set < 1u << leaves->list.len; set++) {
        if (!p->possible[set])
            continue;
        uint32_t must = set & dense, may = set & scanned & ~dense;
        for (uint32_t some = may;; some = (some - 1) & may) { /* every subset of `may` */
            passed here = pass(leaves, e, v, must | some);
            if (here.leaves)
                inside.possible[(set & ~scanned) | here.leaves] = 1;
            if (some == 0)
                break;
        }
    }
    return inside;
}
