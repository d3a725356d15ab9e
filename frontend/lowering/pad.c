/* pad.c - levels padded by the host with explicit zeros, to keep mistakable empty fibers off the chip.
 *
 * A dense scanner sends a maybe for an absent reference, also among the coordinates. The chip's joiner takes
 * a maybe for the end of the fiber, and its repeater stops at a maybe in its signal. A dense level of a
 * possibly absent operand with used coordinates is therefore stored compressed, with all its coordinates: a
 * compressed scanner makes an empty fiber of a maybe.
 *
 * An intersection may have no coordinate. The chip's repeater then loses a reference if the fiber's stop
 * comes directly behind a higher one, its dropper loses the next coordinate if the fiber is an outer one, and
 * a dropper stalled by its writers shifts coordinates against each other. If all operands of the loop store
 * coordinate 0 in every fiber, the fiber has coordinate 0 for any data, and nothing is dropped. The zero has
 * entries below, down to a value 0: sums are unchanged, and the result has at most additional explicit zeros,
 * which the host removes. Coordinate 0 is chosen because dense levels have this coordinate and a full
 * sub-tile has room.
 *
 * A dense scanner sends a stop not preceded by a reference a level too low: no outer loop of a dense scanner
 * may be empty. The outer loop is padded; if the loop may still be empty, as where a term of a union is
 * absent, all inner scanned dense levels are stored compressed, with all their coordinates.
 *
 * Unchanged: the outermost loop, with its single fiber; inner sums without repeaters, since a reducer takes
 * empty fibers; a loop inside of a union's term that may be absent as a whole.
 */
#include "frontend/lowering/pad.h"
#include "frontend/language/cin.h"
#include "frontend/language/statement.h"
#include "frontend/lowering/locate.h"
#include "frontend/lowering/presence.h"
#include "sam/coordinates.h"

typedef struct {
    sam_statement *s;
    arena *mem;
    fe_leaves leaves;
} padding;

/* ---- dense levels of absent operands ---------------------------------------------------------- */

static bool may_be_absent(const padding *p, const fe_presence *presence, uint32_t leaf) {
    bool absent = !presence->possible && !p->leaves.list.at[leaf].always_joined;
    for (uint32_t set = 0; presence->possible && set < 1u << p->leaves.list.len; set++)
        absent |= presence->possible[set] && !(set >> leaf & 1);
    return absent;
}

/* Makes the level of an access with v whole, and compressed, if dense. */
static void store_whole(padding *p, sam_expr access, sam_var v) {
    sam_tensor_data *t = sam_tensor_at(p->s, sam_expr_at(p->s, access)->tensor);
    const uint32_t level = fe_level_of(p->s, access, v), bit = UINT32_C(1) << level;
    if (t->level[level] != SAM_LEVEL_DENSE)
        return;
    t->level[level] = SAM_LEVEL_COMPRESSED;
    t->whole |= bit;
    t->padded |= bit;
}

/* Counts the operands under e indexed by v. */
static uint32_t count_operands(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return fe_has_index(s, e, v);
    return (x->a.v ? count_operands(s, x->a, v) : 0) + (x->b.v ? count_operands(s, x->b, v) : 0);
}

/* Makes the dense levels along v under e whole, for possibly absent operands. */
static void make_absent_whole(padding *p, sam_expr e, sam_var v, const fe_presence *presence) {
    const sam_expr_data *x = sam_expr_at(p->s, e);
    if (x->kind == SAM_EXPR_ACCESS && fe_has_index(p->s, e, v) &&
        may_be_absent(p, presence, p->leaves.number[e.v - 1]))
        store_whole(p, e, v);
    if (x->a.v)
        make_absent_whole(p, x->a, v, presence);
    if (x->b.v)
        make_absent_whole(p, x->b, v, presence);
}

static bool has_repeated(const sam_statement *s, sam_expr e, sam_var v);

/* Returns whether coordinates of loop `at` are used: by a joiner, a repeater of other operands, a writer or
 * dropper, or an accumulator inside. */
static bool are_coordinates_used(const padding *p, const fe_scope *scope, uint32_t at) {
    const sam_var v = scope->vars.at[at];
    return count_operands(p->s, scope->body, v) > 1 || has_repeated(p->s, scope->body, v) ||
           fe_results_hang_on(p->s, &scope->vars, at);
}

/* ---- dense levels inside of possibly empty loops ---------------------------------------------- */

/* Makes the scanned dense levels along v under e whole. `located`: the statement after fe_locate. */
static void make_scanned_whole(padding *p, sam_expr e, sam_var v, const sam_statement *located) {
    const sam_expr_data *x = sam_expr_at(p->s, e);
    if (x->kind == SAM_EXPR_ACCESS && fe_has_index(p->s, e, v) &&
        !(sam_expr_at(located, e)->located >> (v.v - 1) & 1))
        store_whole(p, e, v);
    const sam_expr operand[] = {x->a, x->b};
    for (int i = 0; i < 2 && operand[i].v; i++)
        make_scanned_whole(p, operand[i], v, located);
}

/* Returns whether e has a dense level along v. */
static bool is_dense_along(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return fe_has_index(s, e, v) &&
               sam_tensor_at(s, x->tensor)->level[fe_level_of(s, e, v)] == SAM_LEVEL_DENSE;
    return (x->a.v && is_dense_along(s, x->a, v)) || (x->b.v && is_dense_along(s, x->b, v));
}

/* Returns whether the loop runs over one dense level alone, whose scanner gives a maybe for an absent
 * reference and no empty fiber. */
static bool is_dense_alone(const padding *p, sam_expr body, sam_var v) {
    return count_operands(p->s, body, v) == 1 && is_dense_along(p->s, body, v);
}

/* Tokens that enter a loop from outside: a stop directly behind a stop; a maybe in place of a reference. */
typedef struct {
    bool stops, maybe;
} arrivals;

/* Makes dense levels of loop `at` whole if their scanner receives mistakable tokens, and returns the tokens
 * that enter the inner loop. */
static arrivals make_loop_whole(padding *p, const fe_scope *scope, uint32_t at, const fe_presence *presence,
                                arrivals in, const sam_statement *located) {
    const sam_var v = scope->vars.at[at];
    if (in.stops)
        make_scanned_whole(p, scope->body, v, located);
    const bool empty = in.maybe || !fe_domain_of(&p->leaves, presence, scope->body, v).nonempty;
    return is_dense_alone(p, scope->body, v) ? (arrivals){in.stops, empty}
                                             : (arrivals){in.stops || empty, false};
}

/* `located`: the statement after fe_locate; NULL: consider only absent operands. */
static void make_scope_whole(padding *p, sam_expr sum, fe_presence presence, arrivals in,
                             const sam_statement *located) {
    fe_scope scope = sum.v ? fe_sum_scope(p->s, sum, p->mem) : fe_outer_scope(p->s, p->mem);
    fe_scope_order(p->s, &scope);
    for (uint32_t i = 0; i < scope.vars.len; i++) {
        if (located)
            in = make_loop_whole(p, &scope, i, &presence, in, located);
        else if (are_coordinates_used(p, &scope, i))
            make_absent_whole(p, scope.body, scope.vars.at[i], &presence);
        presence = fe_presence_inside(&p->leaves, &presence, scope.body, scope.vars.at[i], p->mem);
    }
    in = (arrivals){in.stops || in.maybe, false};
    fe_exprs inner = {0};
    fe_inner_sums(p->s, scope.body, p->mem, &inner);
    for (uint32_t i = 0; i < inner.len; i++)
        make_scope_whole(p, inner.at[i], presence, in, located);
}

/* ---- padding --------------------------------------------------------------------------------- */

/* Returns whether some operand under e is repeated along v. */
static bool has_repeated(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return !fe_has_index(s, e, v);
    return (x->a.v && has_repeated(s, x->a, v)) || (x->b.v && has_repeated(s, x->b, v));
}

/* Returns whether some operand of a sum inside e is repeated along the sum's variable. */
static bool has_repeating_sum(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return (x->kind == SAM_EXPR_SUM && has_repeated(s, x->a, x->var)) ||
           (x->a.v && has_repeating_sum(s, x->a)) || (x->b.v && has_repeating_sum(s, x->b));
}

/* Returns whether some operand is repeated along loop `at` or an inner loop. Operands repeated inside come in
 * fibers of loop `at`; if the first fibers are empty, the chip's repeater loses a reference, too. */
static bool has_repeated_inside(const padding *p, const fe_scope *scope, sam_expr repeated, uint32_t at) {
    while (at < scope->vars.len && !has_repeated(p->s, repeated, scope->vars.at[at]))
        at++;
    return at < scope->vars.len || has_repeating_sum(p->s, scope->body);
}

/* Sets, or clears, the mark of the compressed levels along v of the operands under e. Whole levels keep the
 mark.
 */
static void mark(sam_statement *s, sam_expr e, sam_var v, bool padded) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS && fe_has_index(s, e, v)) {
        sam_tensor_data *t = sam_tensor_at(s, x->tensor);
        uint32_t level = fe_level_of(s, e, v), bit = UINT32_C(1) << level;
        if (t->level[level] == SAM_LEVEL_COMPRESSED && !(t->whole & bit))
            t->padded = padded ? t->padded | bit : t->padded & ~bit;
    }
    if (x->a.v)
        mark(s, x->a, v, padded);
    if (x->b.v)
        mark(s, x->b, v, padded);
}

/* Returns whether some operand under e is dense along a loop inside of loop v: its scanner may get a stop
 * first. */
static bool has_dense_inside(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    for (uint32_t l = 0; x->kind == SAM_EXPR_ACCESS && l < sam_tensor_at(s, x->tensor)->order; l++) {
        const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
        if (t->level[l] == SAM_LEVEL_DENSE &&
            fe_loop_position(s, x->index[t->mode[l]]) > fe_loop_position(s, v))
            return true;
    }
    return (x->a.v && has_dense_inside(s, x->a, v)) || (x->b.v && has_dense_inside(s, x->b, v));
}

/* Returns whether the loop is never empty, after padding if needed. `outermost`: of all loops; `repeated`:
 * the loops iterate over its operands and repeat them. */
static bool pad_loop(padding *p, const fe_scope *scope, uint32_t at, bool outermost, sam_expr repeated,
                     const fe_presence *presence) {
    sam_expr body = scope->body;
    sam_var v = scope->vars.at[at];
    bool alone = p->s->singly && scope->operation != SAM_OPERATION_add && !sam_is_result_var(p->s, v);
    bool matters = alone || (!outermost && (fe_results_hang_on(p->s, &scope->vars, at) ||
                                            has_repeated_inside(p, scope, repeated, at)));
    if (fe_domain_of(&p->leaves, presence, body, v).nonempty)
        return true;
    if (!(matters || has_dense_inside(p->s, body, v)))
        return false;
    mark(p->s, body, v, true);
    bool nonempty = fe_domain_of(&p->leaves, presence, body, v).nonempty;
    if (!nonempty)
        mark(p->s, body, v, false);
    return nonempty;
}

/* Returns whether vectors are added up inside of the outermost loop, one of the result: the accumulator's
 * holder needs a coordinate of the loop even if empty. */
static bool adds_vectors(const padding *p, const fe_vars *loops) {
    uint32_t at = 1;
    while (at < loops->len && sam_is_result_var(p->s, loops->at[at]))
        at++;
    return loops->len && sam_is_result_var(p->s, loops->at[0]) && fe_results_hang_on(p->s, loops, at);
}

/* Returns whether only products and signs lie between e and an inner sum. */
static bool is_factor(const sam_statement *s, sam_expr e, sam_expr sum) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return e.v == sum.v || ((x->kind == SAM_EXPR_MUL || x->kind == SAM_EXPR_NEG) &&
                            (is_factor(s, x->a, sum) || (x->b.v && is_factor(s, x->b, sum))));
}

/* The loops in the lowering's order. `product`: the product around the sum, if lowering moves the sum's loops
 * out to possibly empty loops. */
static void pad_scope(padding *p, sam_expr sum, sam_expr product, fe_presence presence) {
    fe_scope scope = sum.v ? fe_sum_scope(p->s, sum, p->mem) : fe_outer_scope(p->s, p->mem);
    bool moves = product.v != 0;
    product = moves ? product : scope.body;
    fe_scope_order(p->s, &scope);
    for (uint32_t i = 0; i < scope.vars.len; i++) {
        moves =
            !pad_loop(p, &scope, i, !sum.v && i == 0 && !adds_vectors(p, &scope.vars), product, &presence) ||
            moves;
        presence = fe_presence_inside(&p->leaves, &presence, scope.body, scope.vars.at[i], p->mem);
    }
    fe_exprs inner = {0};
    fe_inner_sums(p->s, scope.body, p->mem, &inner);
    for (uint32_t i = 0; i < inner.len; i++) {
        bool out = moves && is_factor(p->s, scope.body, inner.at[i]);
        pad_scope(p, inner.at[i], out ? product : (sam_expr){0}, presence);
    }
}

void fe_pad(sam_statement *s, bool locates, arena *mem) {
    fe_keep_joins(s, mem);
    padding p = {.s = s, .mem = mem, .leaves = fe_collect_leaves(s, mem)};
    make_scope_whole(&p, (sam_expr){0}, fe_presence_start(&p.leaves, mem), (arrivals){0}, NULL);
    pad_scope(&p, (sam_expr){0}, (sam_expr){0}, fe_presence_start(&p.leaves, mem));
    sam_statement located;
    fe_copy_statement(s, mem, &located);
    if (locates)
        fe_locate(&located, mem);
    make_scope_whole(&p, (sam_expr){0}, fe_presence_start(&p.leaves, mem), (arrivals){0}, &located);
    s->unites = NULL;
}
