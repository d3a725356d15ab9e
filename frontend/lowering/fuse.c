/* fuse.c - fusion of two loops by `fuse`, if one level can hold both of their variables.
 *
 * If i and j occur together in every access, the coordinate (i * extent of j + j) of one level in their place
 * gives the same values at the same points: joiners compare both coordinates at once, and a matrix is a
 * vector. The host stores operands in this form, and splits the result (sam_view.fused). A fused level is
 * dense if all of its source levels are dense, since only then every coordinate is present.
 */
#include "frontend/lowering/fuse.h"
#include "frontend/language/relations.h"
#include "frontend/language/statement.h"
#include "frontend/language/words.h"

/* Returns whether an access has all of the variables, once each, or none; and if all, whether the host may
 * store its tensor otherwise. */
static bool all_or_none(const sam_statement *s, sam_tensor of, const sam_var *index, uint64_t vars) {
    const sam_tensor_data *t = sam_tensor_at(s, of);
    uint64_t has = 0;
    bool once = true;
    for (uint32_t m = 0; m < t->order; m++) {
        once = once && !(has & vars & fe_bit(index[m]));
        has |= fe_bit(index[m]);
    }
    return !(has & vars) || ((has & vars) == vars && once && !t->view.source.v && !t->ones && !t->blocked);
}

/* Returns the body of a sum over one of the variables, if all others are summed directly inside; otherwise
 * none. */
static sam_expr inside_sums(const sam_statement *s, sam_expr sum, uint64_t vars) {
    const uint8_t operation = sam_expr_at(s, sum)->operation;
    while (vars) {
        const sam_expr_data *x = sam_expr_at(s, sum);
        if (x->kind != SAM_EXPR_SUM || !(vars & fe_bit(x->var)) || x->operation != operation)
            return (sam_expr){0};
        vars &= ~fe_bit(x->var);
        sum = x->a;
    }
    return sum;
}

/* Returns whether the variables stand together everywhere under h. */
static bool stand_together(const sam_statement *s, sam_expr h, uint64_t vars) {
    const sam_expr_data *x = sam_expr_at(s, h);
    if (x->kind == SAM_EXPR_ACCESS)
        return !x->located && !x->aligned && !x->scanned && all_or_none(s, x->tensor, x->index, vars);
    if (x->kind == SAM_EXPR_SUM && (vars & fe_bit(x->var))) {
        const sam_expr inside = inside_sums(s, h, vars);
        return inside.v && stand_together(s, inside, vars);
    }
    return (!x->a.v || stand_together(s, x->a, vars)) && (!x->b.v || stand_together(s, x->b, vars));
}

static bool fit_together(const sam_statement *s, uint64_t vars) {
    return !s->rows && !s->stepped && !s->single && all_or_none(s, s->result, s->result_index, vars) &&
           stand_together(s, s->rhs, vars);
}

/* Returns whether a loop is a loop of the expression, by its present name, or a fusion of several. */
static bool is_whole(const fe_kernel *k, sam_var v) {
    const fe_relation *r = fe_making(k, v);
    return !r || (r->kind == FE_BOUND && is_whole(k, r->var[0])) || fe_is_fused(k, r);
}

/* Coordinates of a fused loop have 31 bits. */
static bool is_short(uint64_t outer, uint64_t inner) {
    return outer && inner && outer <= INT32_MAX / inner;
}

bool fe_is_fused(const fe_kernel *k, const fe_relation *r) {
    return r->kind == FE_FUSE && is_whole(k, r->var[0]) && is_whole(k, r->var[1]) &&
           is_short(fe_known_extent(k, r->var[0]), fe_known_extent(k, r->var[1])) &&
           fit_together(&k->s, fe_roots_of(k, r->var[2]));
}

fe_fusion fe_fusion_of(const fe_kernel *k, sam_var v) {
    fe_fusion is = {.times = 0};
    const sam_var own = v;
    for (const fe_relation *r; (r = fe_replacing(k, v)) && (r->kind == FE_BOUND || fe_is_fused(k, r));) {
        const bool fused = r->kind == FE_FUSE;
        if (fused && !is.times) {
            is.times = 1;
            is.extent = fe_known_extent(k, v);
        }
        if (fused && v.v == r->var[0].v)
            is.times *= fe_known_extent(k, r->var[1]);
        v = fused ? r->var[2] : r->var[1];
    }
    for (const fe_relation *r; (r = fe_making(k, v));)
        v = r->var[0];
    is.first = v;
    is.extent = v.v == own.v ? 0 : is.extent;
    return is;
}

bool fe_stand_together(const fe_kernel *k) {
    bool some = false;
    for (uint32_t l = 0; l < k->s.loops.len; l++) {
        for (uint32_t before = 0; before < l && !some; before++)
            some = fit_together(&k->s, fe_bit(k->s.loops.at[l]) | fe_bit(k->s.loops.at[before]));
    }
    return some;
}

/* Lists the loops that can be fused with loop v and were not listed before, v first. */
static void list_with(const fe_kernel *k, sam_var v, uint64_t *listed, arena *mem, fe_vars *out) {
    uint64_t extent = fe_known_extent(k, v), vars = fe_bit(v);
    vec_push(mem, out, v);
    for (uint32_t l = 0; l < k->s.loops.len; l++) {
        const sam_var other = k->s.loops.at[l];
        const uint32_t own = fe_known_extent(k, other);
        if (other.v == v.v || *listed & fe_bit(other) || !is_short(extent, own) ||
            !fit_together(&k->s, vars | fe_bit(other)))
            continue;
        vars |= fe_bit(other);
        extent *= own;
        vec_push(mem, out, other);
    }
    *listed |= vars;
}

const char *fe_fusing(const fe_kernel *k, arena *mem) {
    const char *text = NULL;
    uint64_t listed = 0;
    uint32_t made = 0;
    for (uint32_t l = 0; l < k->s.loops.len; l++) {
        const sam_var v = k->s.loops.at[l];
        fe_vars with = {0};
        if (listed & fe_bit(v))
            continue;
        list_with(k, v, &listed, mem, &with);
        const char *loop = fe_var_text(&k->s, v);
        for (uint32_t i = 1; i < with.len; i++) {
            const char *fused = fe_unused_name(&k->s, "f", &made, mem);
            text = arena_printf(mem, "%s%sfuse(%s,%s,%s)", text ? text : "", text ? ", " : "", loop,
                                fe_var_text(&k->s, with.at[i]), fused);
            loop = fused;
        }
    }
    return text;
}
