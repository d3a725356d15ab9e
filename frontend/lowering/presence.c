/* presence.c - operands that can be present together at a point of the iteration, and loops that may be empty
 * or that reach every coordinate.
 *
 * A union passes coordinates of only some of its operands; the others are then absent further inside (their
 * references are the empty token). The possible combinations decide whether an inner loop can be empty:
 * X(i,j) = B(i,j) + C(i,j) never meets an i without any j, because an i absent from B is in C. The set of
 * possible combinations is exact, with one flag per subset of the accesses, under two assumptions: operands
 * are independent of each other, and every stored coordinate of a compressed level has something below.
 *
 * The coordinate algebra decides intersections and unions (sam/coordinates.h). An operand without the loop's
 * variable has the same value at every coordinate: in intersections, and as a denominator, the operand takes
 * the other side's coordinates; in unions the operand would need all of them (fe_domain.bad). If a sum meets
 * the padding of dense levels, the addend is missing even beside all coordinates: the addend must be 0 in the
 * padding.
 */
#include "frontend/lowering/presence.h"
#include "frontend/language/statement.h"
#include "frontend/lowering/stepped.h"
#include "frontend/lowering/tiled.h"
#include "sam/coordinates.h"

/* Signs and sums of e do not change the coordinates of its operand. */
static sam_expr without_signs_and_sums(const sam_statement *s, sam_expr e) {
    while (sam_expr_at(s, e)->a.v && !sam_expr_at(s, e)->b.v)
        e = sam_expr_at(s, e)->a;
    return e;
}

static void chain_operands(const sam_statement *s, sam_expr e, bool unites, arena *mem, fe_exprs *operands) {
    sam_expr inner = without_signs_and_sums(s, e);
    const sam_expr_data *x = sam_expr_at(s, inner);
    if (x->b.v && sam_unites(s, inner, NULL) == unites) {
        chain_operands(s, x->a, unites, mem, operands);
        chain_operands(s, x->b, unites, mem, operands);
    } else {
        vec_push(mem, operands, inner);
    }
}

void fe_chain_operands(const sam_statement *s, sam_expr e, arena *mem, fe_exprs *operands) {
    chain_operands(s, e, sam_unites(s, without_signs_and_sums(s, e), NULL), mem, operands);
}

static bool is_one(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_LITERAL)
        return x->literal == 1;
    return x->kind == SAM_EXPR_ACCESS && sam_tensor_at(s, x->tensor)->ones &&
           sam_tensor_at(s, x->tensor)->order == 0;
}

bool fe_is_zero(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, without_signs_and_sums(s, e));
    if (x->kind == SAM_EXPR_LITERAL)
        return x->literal == 0;
    if (x->kind == SAM_EXPR_SUB)
        return is_one(s, x->a) && is_one(s, x->b);
    return x->kind == SAM_EXPR_MUL && (fe_is_zero(s, x->a) || fe_is_zero(s, x->b));
}

/* Context of a subexpression of an expression: a union; a union with an intersection inside, which leaves the
 * subexpression out with the rest of its term; and whether a term's reach is stated directly here. */
typedef struct {
    bool unites, meets_inside, reaches;
} above;

static void collect(fe_leaves *leaves, uint32_t *number, sam_expr e, above by, arena *mem) {
    const sam_expr_data *x = sam_expr_at(leaves->s, e);
    if (x->kind == SAM_EXPR_ACCESS) {
        number[e.v - 1] = leaves->list.len;
        vec_push(mem, &leaves->list,
                 (fe_leaf){.access = e,
                           .tensor = x->tensor,
                           .always_joined = !by.unites || (by.reaches && !by.meets_inside),
                           .reaches = by.reaches});
        return;
    }
    const bool unites = sam_unites(leaves->s, e, NULL),
               reach = leaves->s->general && x->kind == SAM_EXPR_CALL && x->operation == SAM_OPERATION_reach;
    /* A sum is computed where its term is present: inside, presence is given. */
    above inside = {by.unites || unites,
                    x->kind != SAM_EXPR_SUM && (by.meets_inside || (by.unites && x->b.v && !unites)), false};
    if (x->a.v)
        collect(leaves, number, x->a, inside, mem);
    inside.reaches = reach;
    if (x->b.v)
        collect(leaves, number, x->b, inside, mem);
}

fe_leaves fe_collect_leaves(const sam_statement *s, arena *mem) {
    fe_leaves leaves = {.s = s};
    uint32_t *number = arena_new_n(mem, uint32_t, s->exprs.len);
    collect(&leaves, number, s->rhs, (above){0}, mem);
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

/* ---- broadcasts inside their term ------------------------------------------------------------ */

static bool dense_along(const sam_statement *s, sam_expr access, sam_var v) {
    return sam_level_is_whole(sam_tensor_at(s, sam_expr_at(s, access)->tensor), fe_level_of(s, access, v));
}

/* Returns whether e has no coordinate of u where its operands indexed by v are absent. */
static bool ends_with(const sam_statement *s, sam_expr e, sam_var u, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return fe_has_index(s, e, u) && fe_has_index(s, e, v);
    if (!x->b.v)
        return x->a.v && ends_with(s, x->a, u, v);
    if (!sam_unites(s, e, NULL))
        return ends_with(s, x->a, u, v) || ends_with(s, x->b, u, v);
    uint64_t bit = (uint64_t)1 << (u.v - 1);
    bool a = fe_free_vars(s, x->a) & bit, b = fe_free_vars(s, x->b) & bit;
    return (a || b) && (!a || ends_with(s, x->a, u, v)) && (!b || ends_with(s, x->b, u, v));
}

/* Returns whether every operand of e indexed by v has all its coordinates. */
static bool all_dense_along(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return !fe_has_index(s, e, v) || dense_along(s, e, v);
    return (!x->a.v || all_dense_along(s, x->a, v)) && (!x->b.v || all_dense_along(s, x->b, v));
}

bool fe_repeats_inside(const fe_leaves *leaves, sam_expr term, sam_expr access, sam_var v) {
    const sam_statement *s = leaves->s;
    const sam_expr_data *x = sam_expr_at(s, access);
    if (leaves->list.at[leaves->number[access.v - 1]].reaches)
        return false;
    if (is_one(s, access))
        return true; /* determines where its term is present */
    if (fe_has_index(s, access, v) || all_dense_along(s, term, v))
        return false;
    for (uint32_t i = 0; i < sam_tensor_at(s, x->tensor)->order; i++) {
        sam_var u = x->index[i];
        if (fe_loop_position(s, u) > fe_loop_position(s, v) && !ends_with(s, term, u, v))
            return true;
    }
    return false;
}

/* ---- the domain of a loop -------------------------------------------------------------------- */

static const fe_domain everything = {.universe = true, .full = true, .nonempty = true, .corner = true};

/* One combination of present leaves, a bit each; `exact` as fe_presence. */
typedef struct {
    const fe_leaves *leaves;
    sam_var v;
    uint32_t present;
    bool exact;
} moment;

/* Result of the fold for a set: the loop's range, and the first union with a side without v, whose chain of
 * unions must reach all coordinates by another side. */
typedef struct {
    fe_domain runs;
    sam_expr missing;
} reached;

static void reach_stored(void *context, sam_expr e, void *out) {
    const moment *m = context;
    reached *r = out;
    const sam_statement *s = m->leaves->s;
    *r = (reached){.runs = everything};
    if (!fe_has_index(s, e, m->v))
        return;
    uint32_t n = m->leaves->number[e.v - 1], level = fe_level_of(s, e, m->v);
    const fe_leaf *leaf = &m->leaves->list.at[n];
    bool present = m->exact ? m->present >> n & 1 : leaf->always_joined;
    bool dense = dense_along(s, e, m->v);
    const sam_tensor_data *t = sam_tensor_at(s, leaf->tensor);
    bool corner = dense || (t->padded >> level & 1);
    bool fiber_nonempty =
        corner || fe_is_outermost(s, e, m->v) || t->level[level - 1] == SAM_LEVEL_COMPRESSED;
    r->runs = (fe_domain){
        .full = present && dense, .nonempty = present && fiber_nonempty, .corner = present && corner};
}

/* The chain of unions ends here. */
static fe_domain end_chain(const moment *m, const reached *r) {
    fe_domain d = r->runs;
    if (r->missing.v && !d.bad.v && !(d.full && !fe_meets_padding(m->leaves->s, m->v)))
        d.bad = r->missing;
    return d;
}

static void reach_both(void *context, sam_expr e, void *left, const void *right) {
    reached *r = left;
    (void)e;
    fe_domain a = end_chain(context, r), b = end_chain(context, right);
    sam_expr bad = a.bad.v ? a.bad : b.bad;
    bool corner = a.corner && b.corner;
    if (a.universe || b.universe)
        *r = (reached){.runs = a.universe ? b : a};
    else
        *r = (reached){.runs = {.full = a.full && b.full,
                                .nonempty = corner || (a.full && b.nonempty) || (b.full && a.nonempty),
                                .corner = corner}};
    r->runs.bad = bad;
}

/* A denominator without v takes the numerator's coordinates, whose fill is 0. */
static void reach_either(void *context, sam_expr e, void *left, const void *right) {
    const moment *m = context;
    const sam_statement *s = m->leaves->s;
    const sam_expr_data *x = sam_expr_at(s, e);
    reached *r = left;
    const reached a = *r, *b = right;
    bool lacks_a = a.runs.universe, lacks_b = b->runs.universe;
    r->missing = a.missing.v ? a.missing : b->missing;
    if (lacks_a || lacks_b)
        r->runs = lacks_a ? b->runs : a.runs;
    else
        r->runs = (fe_domain){.full = a.runs.full || b->runs.full,
                              .nonempty = a.runs.nonempty || b->runs.nonempty,
                              .corner = a.runs.corner || b->runs.corner,
                              .bad = a.runs.bad.v ? a.runs.bad : b->runs.bad};
    uint32_t needed;
    sam_unites(s, e, &needed);
    if (x->kind == SAM_EXPR_CALL && x->operation == SAM_OPERATION_reach) /* reaches all if possible */
        needed = m->exact || lacks_b || !dense_along(s, x->b, m->v);
    bool needs_all =
        x->kind == SAM_EXPR_DIV && !sam_fill_of(s, x->a) ? lacks_a : needed >> (lacks_a ? 0 : 1) & 1;
    if (lacks_a != lacks_b && needs_all && !r->missing.v && !fe_is_zero(s, lacks_a ? x->a : x->b))
        r->missing = e;
}

static fe_domain domain_in(const sam_algebra *algebra, sam_set set, moment m) {
    static const reached all = {.runs = {true, true, true, true, {0}}};
    static const sam_fold_by by = {sizeof all, &all, reach_stored, reach_both, reach_either, NULL};
    reached r;
    sam_fold(algebra, set, &by, &m, &r);
    return end_chain(&m, &r);
}

fe_domain fe_domain_of(const fe_leaves *leaves, const fe_presence *p, sam_expr e, sam_var v) {
    arena scratch = {0};
    sam_algebra algebra = {.mem = &scratch};
    sam_set where = sam_joined_of(&algebra, leaves->s, e);
    fe_domain all = p->possible ? everything : domain_in(&algebra, where, (moment){leaves, v, 0, false});
    for (uint32_t set = 0; p->possible && set < 1u << leaves->list.len; set++) {
        if (!p->possible[set])
            continue;
        fe_domain d = domain_in(&algebra, where, (moment){leaves, v, set, true});
        all.universe = d.universe;
        all.full = all.full && d.full;
        all.nonempty = all.nonempty && d.nonempty;
        all.corner = all.corner && d.corner;
        if (!all.bad.v)
            all.bad = d.bad;
    }
    arena_free(&scratch);
    return all;
}

/* ---- presence inside a loop ------------------------------------------------------------------ */

/* Content passed by an expression at one coordinate of v: nothing (leaves == 0), or the references of
 * `leaves`. */
typedef struct {
    bool universe; /* no operand has v */
    uint32_t leaves;
} passed;

/* At a coordinate of v present in exactly the leaves `having`. */
typedef struct {
    const fe_leaves *leaves;
    sam_var v;
    uint32_t having;
    uint32_t repeated; /* out: the leaves repeated inside their term */
    arena *mem;
} passing;

static uint32_t repeated_leaves(const passing *p, sam_expr term, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(p->leaves->s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return fe_repeats_inside(p->leaves, term, e, p->v) ? 1u << p->leaves->number[e.v - 1] : 0;
    return (x->a.v ? repeated_leaves(p, term, x->a) : 0) | (x->b.v ? repeated_leaves(p, term, x->b) : 0);
}

static passed pass(passing *p, sam_expr e);

/* Where two terms meet, each repeats its own operands. */
static passed pass_union(passing *p, sam_expr e) {
    fe_exprs terms = {0};
    fe_chain_operands(p->leaves->s, e, p->mem, &terms);
    passed all = {.universe = true}, here[FE_EXACT_LEAVES];
    uint32_t joined = 0;
    for (uint32_t i = 0; i < terms.len; i++) {
        passed term = pass(p, terms.at[i]);
        if (term.universe)
            continue;
        terms.at[joined] = terms.at[i];
        here[joined++] = term;
        all.universe = false;
        all.leaves |= term.leaves;
    }
    for (uint32_t i = 0; i < joined && joined > 1; i++) {
        uint32_t repeated = repeated_leaves(p, terms.at[i], terms.at[i]) & ~p->repeated; /* not yet */
        p->repeated |= repeated;
        all.leaves |= here[i].leaves ? repeated : 0;
    }
    return all;
}

/* An operand that does not pass as a whole passes no reference, not even of its leaves with the coordinate: a
 * product of two factors, one missing. */
static passed pass(passing *p, sam_expr e) {
    const sam_statement *s = p->leaves->s;
    e = without_signs_and_sums(s, e);
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS) {
        bool has_v = fe_has_index(s, e, p->v);
        return (passed){.universe = !has_v,
                        .leaves = has_v ? p->having & 1u << p->leaves->number[e.v - 1] : 0};
    }
    if (!x->b.v)
        return (passed){.universe = true};
    if (sam_unites(s, e, NULL))
        return pass_union(p, e);
    passed a = pass(p, x->a), b = pass(p, x->b);
    if (a.universe || b.universe)
        return a.universe ? b : a;
    return (passed){.leaves = a.leaves && b.leaves ? a.leaves | b.leaves : 0};
}

/* The leaves under e with v, and the dense ones among them. */
static void scanned_leaves(const fe_leaves *leaves, sam_expr e, sam_var v, uint32_t *scanned,
                           uint32_t *dense) {
    const sam_expr_data *x = sam_expr_at(leaves->s, e);
    if (x->kind == SAM_EXPR_ACCESS && fe_has_index(leaves->s, e, v)) {
        uint32_t bit = 1u << leaves->number[e.v - 1];
        *scanned |= bit;
        if (dense_along(leaves->s, e, v))
            *dense |= bit;
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
    arena scratch = {0};
    for (uint32_t set = 0; set < 1u << leaves->list.len; set++) {
        if (!p->possible[set])
            continue;
        uint32_t must = set & dense, may = set & scanned & ~dense;
        for (uint32_t some = may;; some = (some - 1) & may) { /* goes through the subsets of `may` */
            passing at = {leaves, v, must | some, 0, &scratch};
            uint32_t here = pass(&at, e).leaves;
            if (here)
                inside.possible[(set & ~scanned & ~at.repeated) | (set & here)] = 1;
            if (some == 0)
                break;
        }
    }
    arena_free(&scratch);
    return inside;
}
