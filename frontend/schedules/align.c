/* align.c - the scales of operands and literals as unknowns of linear equations: a product has the sum of
 * its factors' scales, and terms of a sum have one scale. Equations are solved in the order of the walk over
 * the statement, each for an unknown that occurs once in the equation; all earlier equations are solved, and
 * a derived unknown is never made of itself. O(expressions * unknowns^2). */
#include "frontend/schedules/align.h"
#include "sam/operators.h"

#include <stdlib.h>

typedef struct {
    const sam_statement *s;
    fe_scales *all;
    diagnostics *d;
    const fe_use *use; /* of a statement of a program: which tensors are counts */
} aligning;

static bool refuse(const aligning *a, src_loc loc, const char *why, const char *help) {
    diag_error(a->d, loc, "E0184-scale", "%s", why);
    return diag_hint(a->d, "%s", help);
}

/* Returns the unknown that the equation is solved for: it has it once; better one that becomes a sum of the
 * others, and no difference. */
static uint32_t solved_for(const fe_scales *all, const fe_scale_sum *sum) {
    uint32_t found = all->n, unlike[2] = {0};
    for (uint32_t i = 0; i < all->n; i++)
        unlike[sum->times[i] > 0] += sum->times[i] != 0;
    for (uint32_t i = 0; i < all->n; i++) {
        const bool sums = unlike[sum->times[i] > 0] == 1;
        if (abs(sum->times[i]) == 1 && (found == all->n || (sums && unlike[sum->times[found] > 0] != 1)))
            found = i;
    }
    return found;
}

/* Makes two scales equal. */
static bool equate(const aligning *a, src_loc loc, const fe_scale_sum *one, const fe_scale_sum *other) {
    static const char why[] = "the scales of these terms cannot be aligned",
                      help[] = "state scales that are equal behind products, or leave one open (--scale T:N)";
    fe_scales *all = a->all;
    fe_scale_sum sum = fe_scale_resolved(all, fe_scale_plus(*one, other, -1));
    uint32_t unknowns = 0, last = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        unknowns += sum.times[i] != 0;
        last = sum.times[i] ? i : last;
    }
    if (!unknowns)
        return sum.constant == 0 || refuse(a, loc, why, help);
    const uint32_t at = solved_for(all, &sum);
    if (at == all->n && (unknowns > 1 || sum.constant % sum.times[last]))
        return refuse(a, loc, why, help);
    const uint32_t to = at == all->n ? last : at;
    const int times = sum.times[to];
    sum.times[to] = 0;
    all->sum[to] = (fe_scale_sum){.constant = 0};
    if (at == all->n)
        all->sum[to].constant = -sum.constant / times;
    else
        all->sum[to] = fe_scale_plus(all->sum[to], &sum, -times);
    all->of[to].how = FE_SCALE_DERIVED;
    return true;
}

static bool equate_zero(const aligning *a, src_loc loc, const fe_scale_sum *one) {
    const fe_scale_sum zero = {.constant = 0};
    return equate(a, loc, one, &zero);
}

static bool no_meaning(const aligning *a, const sam_expr_data *x) {
    const char *name = x->program ? x->program->name : sam_operation_name(sam_operation_of(x));
    diag_error(a->d, x->loc, "E0184-scale", "%s has no meaning for scaled integers", name);
    return diag_hint(a->d, "--dtype bf16 or --dtype int16 compute it");
}

static bool take_unknown(const aligning *a, src_loc loc, name_id tensor, sam_expr literal,
                         fe_scale_sum *out) {
    const uint32_t i = fe_scale_find(a->all, tensor, literal, loc);
    if (i == FE_SCALES_MOST)
        return refuse(a, loc, "too many operands and literals have scales", "divide the statement");
    if (i == a->all->n) {
        a->all->of[a->all->n++] = (fe_scale){.tensor = tensor,
                                             .literal = literal,
                                             .loc = loc,
                                             .number = literal.v ? sam_expr_at(a->s, literal)->literal : 0};
        a->all->sum[i] = fe_scale_alone(i);
    }
    *out = fe_scale_alone(i);
    return true;
}

static bool scale_of_access(const aligning *a, const sam_expr_data *x, fe_scale_sum *out) {
    const sam_tensor_data *t = sam_tensor_at(a->s, x->tensor);
    if (t->structure != SAM_VALUES || (a->use && a->use[x->tensor.v - 1].counts))
        return true;
    if (t->fill || (t->border.bounded && t->border.outside))
        return refuse(a, x->loc, "scaled integers have no fill but 0", "store the values, or --dtype bf16");
    return take_unknown(a, x->loc, sam_user_name(t), (sam_expr){0}, out);
}

/* The scales required of an operation's operands, and the scale of its result. */
typedef enum { NO_MEANING, FIRST, SECOND, SUM_OF, TWICE, EQUAL, COMPARED, TRUTH, SHIFTED } scale_rule;

static scale_rule rule_of(sam_operation op) {
    static const uint8_t rules[SAM_OPERATIONS] = {
        [SAM_OPERATION_add] = EQUAL,    [SAM_OPERATION_sub] = EQUAL,    [SAM_OPERATION_max] = EQUAL,
        [SAM_OPERATION_min] = EQUAL,    [SAM_OPERATION_smax] = EQUAL,   [SAM_OPERATION_smin] = EQUAL,
        [SAM_OPERATION_rem] = EQUAL,    [SAM_OPERATION_mul] = SUM_OF,   [SAM_OPERATION_times] = SUM_OF,
        [SAM_OPERATION_square] = TWICE, [SAM_OPERATION_neg] = FIRST,    [SAM_OPERATION_abs] = FIRST,
        [SAM_OPERATION_relu] = FIRST,   [SAM_OPERATION_reach] = FIRST,  [SAM_OPERATION_when] = SECOND,
        [SAM_OPERATION_eq] = COMPARED,  [SAM_OPERATION_ne] = COMPARED,  [SAM_OPERATION_lt] = COMPARED,
        [SAM_OPERATION_le] = COMPARED,  [SAM_OPERATION_gt] = COMPARED,  [SAM_OPERATION_ge] = COMPARED,
        [SAM_OPERATION_land] = TRUTH,   [SAM_OPERATION_lor] = TRUTH,    [SAM_OPERATION_unless] = SECOND,
        [SAM_OPERATION_shl] = SHIFTED,  [SAM_OPERATION_ashr] = SHIFTED,
    };
    return (scale_rule)rules[op];
}

/* A reduction has the scale of its operand. */
static bool reduces(sam_operation op) {
    const scale_rule rule = rule_of(op);
    return (rule == EQUAL && op != SAM_OPERATION_sub && op != SAM_OPERATION_rem) || rule == TRUTH;
}

static bool walk(const aligning *a, sam_expr e, fe_scale_sum *out);

static bool scale_of_operation(const aligning *a, const sam_expr_data *x, scale_rule rule,
                               fe_scale_sum *out) {
    const fe_scale_sum zero = {.constant = 0};
    fe_scale_sum one = zero, other = zero;
    if (rule == NO_MEANING || x->program)
        return no_meaning(a, x);
    if (!walk(a, x->a, &one) || (x->b.v && !walk(a, x->b, &other)))
        return false;
    switch (rule) {
    case EQUAL:
        *out = one;
        return equate(a, x->loc, &one, &other);
    case COMPARED:
        *out = zero;
        return equate(a, x->loc, &one, &other);
    case SHIFTED:
        *out = one;
        return equate_zero(a, x->loc, &other);
    case SUM_OF:
        *out = fe_scale_plus(one, &other, 1);
        return true;
    case TWICE:
        *out = fe_scale_plus(one, &one, 1);
        return true;
    case TRUTH:
        *out = zero;
        return true;
    case FIRST:
    case SECOND:
    case NO_MEANING:
        break;
    }
    *out = rule == FIRST ? one : other;
    return true;
}

static bool walk(const aligning *a, sam_expr e, fe_scale_sum *out) {
    const sam_expr_data *x = sam_expr_at(a->s, e);
    *out = (fe_scale_sum){.constant = 0};
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        return scale_of_access(a, x, out);
    case SAM_EXPR_LITERAL:
        return take_unknown(a, x->loc, (name_id){0}, e, out);
    case SAM_EXPR_SUM:
        if (!reduces((sam_operation)x->operation))
            return no_meaning(a, x);
        return scale_of_operation(a, x, x->operation == SAM_OPERATION_lor ? TRUTH : FIRST, out);
    case SAM_EXPR_NEG:
        return scale_of_operation(a, x, FIRST, out);
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
        return scale_of_operation(a, x, EQUAL, out);
    case SAM_EXPR_MUL:
        return scale_of_operation(a, x, SUM_OF, out);
    case SAM_EXPR_DIV:
        return no_meaning(a, x);
    case SAM_EXPR_CALL:
        return scale_of_operation(a, x, rule_of((sam_operation)x->operation), out);
    case SAM_EXPR_NONE:
        break;
    }
    BUG("expression kind %d", (int)x->kind);
}

/* Returns the name before the colon of "B:8"; none without a colon. */
static name_id stated_name(name_table *names, const char *text) {
    const char *colon = strchr(text, ':');
    return colon ? names_intern_n(names, text, (size_t)(colon - text)) : (name_id){0};
}

static bool has_operand(const sam_statement *s, name_id name) {
    bool has = false;
    for (uint32_t t = 0; t < s->tensors.len; t++)
        has = has || (t + 1 != s->result.v && name_eq(sam_user_name(&s->tensors.at[t]), name));
    return has;
}

static bool refuse_stated(const aligning *a, const char *text) {
    diag_error(a->d, (src_loc){0}, "E0903-option-value", "--scale %s names no operand", text);
    return diag_hint(a->d, "the scale of the result is derived from those of the operands");
}

static bool take_stated(const aligning *a, name_id name, const char *text) {
    fe_scale_sum own;
    if (!take_unknown(a, (src_loc){0}, name, (sam_expr){0}, &own))
        return false;
    const uint32_t i = fe_scale_find(a->all, name, (sam_expr){0}, (src_loc){0});
    a->all->of[i].how = FE_SCALE_STATED;
    a->all->sum[i] = (fe_scale_sum){.constant = atoi(strchr(text, ':') + 1)};
    return true;
}

bool fe_scales_align(const sam_statement *s, const char *const *stated, uint32_t n, diagnostics *d,
                     fe_scales *out) {
    const aligning a = {.s = s, .all = out, .d = d};
    *out = (fe_scales){0};
    for (uint32_t i = 0; i < n; i++) {
        const name_id name = stated_name(s->names, stated[i]);
        if (!name.v || !has_operand(s, name))
            return refuse_stated(&a, stated[i]);
        if (!take_stated(&a, name, stated[i]))
            return false;
    }
    return walk(&a, s->rhs, &out->result);
}

/* ---- programs ---------------------------------------------------------------------------------- */

static bool align_swap(const aligning *a, const fe_program *p, const fe_step *step) {
    fe_scale_sum one, other;
    const name_id first = p->tensors.at[step->swap[0]].name, second = p->tensors.at[step->swap[1]].name;
    return take_unknown(a, step->loc, first, (sam_expr){0}, &one) &&
           take_unknown(a, step->loc, second, (sam_expr){0}, &other) && equate(a, step->loc, &one, &other);
}

/* The scale of a condition is no tensor's. */
static bool align_statement(const aligning *of, const fe_step *step) {
    aligning a = *of;
    const sam_statement *s = a.s = &step->statement;
    fe_scale_sum made, own;
    a.use = step->use;
    if (!walk(&a, s->rhs, &made))
        return false;
    return step->kind != FE_STEP_ASSIGN ||
           (take_unknown(&a, step->loc, sam_user_name(sam_tensor_at(s, s->result)), (sam_expr){0}, &own) &&
            equate(&a, step->loc, &own, &made));
}

static bool align_steps(const aligning *a, const fe_program *p, const fe_steps *steps) {
    bool good = true;
    for (uint32_t i = 0; i < steps->len && good; i++) {
        const fe_step *step = &steps->at[i];
        if (step->kind == FE_STEP_SWAP)
            good = align_swap(a, p, step);
        else if (step->kind == FE_STEP_ASSIGN || (step->kind == FE_STEP_REPEAT && step->until))
            good = align_statement(a, step);
        good = good && align_steps(a, p, &step->body);
    }
    return good;
}

bool fe_scales_align_program(const fe_program *p, const char *const *stated, uint32_t n, diagnostics *d,
                             fe_scales *out) {
    const aligning a = {.all = out, .d = d};
    *out = (fe_scales){.program = true};
    for (uint32_t i = 0; i < n; i++) {
        const name_id name = stated_name(p->names, stated[i]);
        if (!name.v || fe_program_find(p, name) == p->tensors.len)
            return refuse_stated(&a, stated[i]);
        if (!take_stated(&a, name, stated[i]))
            return false;
    }
    return align_steps(&a, p, &p->steps);
}
