/* folds.c - functions of two values as reductions.
 *
 * A function whose body is one commutative operation with an identity is the reduction by that operation,
 * which the array has. Any other is folded by the host over the stored values of each fiber, in the order of
 * coordinates: a function of fibers, whose value stands at the first coordinate, with a sum around it. A
 * fiber that stores nothing gives 0.
 */
#include "frontend/language/folds.h"
#include "frontend/language/load.h"
#include "frontend/language/reductions.h"
#include "frontend/language/statement.h"
#include "sam/coordinates.h"

static bool stands_alone(const fe_parser *p, src_loc loc) {
    bool alone = false;
    for (uint32_t i = 0; i < p->alone.len; i++)
        alone = alone || p->alone.at[i] == loc.offset;
    return alone;
}

/* Returns the variable that the argument names and `of` has; 0: none. */
static sam_var named_by(const fe_parser *p, sam_expr argument, sam_expr of) {
    const sam_expr_data *x = sam_expr_at(p->s, argument);
    if (x->kind != SAM_EXPR_ACCESS || sam_tensor_at(p->s, x->tensor)->order || stands_alone(p, x->loc))
        return (sam_var){0};
    const sam_var v = fe_find_var(p->s, sam_tensor_at(p->s, x->tensor)->name);
    return v.v && fe_free_vars(p->s, of) >> (v.v - 1) & 1 ? v : (sam_var){0};
}

/* Removes the scalar that an argument was read as, unless it has other uses. */
static void forget(sam_statement *s, sam_expr argument) {
    const sam_tensor t = sam_expr_at(s, argument)->tensor;
    if (sam_count_reads(s, t, s->exprs.len) > 1)
        return;
    for (uint32_t i = t.v; i < s->tensors.len; i++)
        s->tensors.at[i - 1] = s->tensors.at[i];
    s->tensors.len--;
    for (uint32_t e = 0; e < s->exprs.len; e++)
        s->exprs.at[e].tensor.v -= s->exprs.at[e].tensor.v > t.v;
    *sam_expr_at(s, argument) =
        (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = sam_expr_at(s, argument)->loc};
}

void fe_take_folded(fe_parser *p, const fe_user_function *f, fe_exprs *arguments, fe_vars *vars) {
    const uint32_t n = arguments->len - 1;
    fe_vars found = {0};
    for (uint32_t i = 0; i < n && f->parameters == 2; i++) {
        const sam_var v = named_by(p, arguments->at[i], arguments->at[n]);
        if (v.v)
            vec_push(p->s->mem, &found, v);
    }
    if (!n || found.len < n)
        return;
    for (uint32_t i = 0; i < n; i++)
        forget(p->s, arguments->at[i]);
    arguments->at[0] = arguments->at[n];
    arguments->len = 1;
    *vars = found;
}

/* Returns whether the function of integers chooses one of its two parameters by comparing them: min or max.
 */
static bool chooses(const fe_user_function *f, fe_call *out) {
    const sam_statement *s = &f->s;
    const sam_expr_data *x = sam_expr_at(s, f->value), *yes = sam_expr_at(s, x->a),
                        *no = sam_expr_at(s, x->b);
    const bool choice = s->integers && x->kind == SAM_EXPR_CALL && x->operation == SAM_OPERATION_or &&
                        yes->kind == SAM_EXPR_CALL && yes->operation == SAM_OPERATION_when &&
                        no->kind == SAM_EXPR_CALL && no->operation == SAM_OPERATION_unless &&
                        yes->a.v == no->a.v;
    const sam_expr_data *by = sam_expr_at(s, choice ? yes->a : f->value);
    if (!choice || by->kind != SAM_EXPR_CALL || by->operation < SAM_OPERATION_lt ||
        by->operation > SAM_OPERATION_ge)
        return false;
    const uint32_t a = sam_expr_at(s, by->a)->tensor.v, b = sam_expr_at(s, by->b)->tensor.v,
                   chosen = sam_expr_at(s, yes->b)->tensor.v, other = sam_expr_at(s, no->b)->tensor.v;
    const bool less = by->operation <= SAM_OPERATION_le;
    *out = (fe_call){.name = f->name,
                     .operation = (chosen == a) == less ? SAM_OPERATION_min : SAM_OPERATION_max};
    return a && b && a != b && ((chosen == a && other == b) || (chosen == b && other == a));
}

/* Returns whether the function is one operation of its parameters by which the array reduces. */
static bool is_monoid(const fe_user_function *f, fe_call *out) {
    if (f->described)
        return false;
    const sam_expr_data *x = sam_expr_at(&f->s, f->value);
    if (x->a.v && x->b.v && chooses(f, out))
        return true;
    if (!x->a.v || !x->b.v || x->program || x->kind == SAM_EXPR_SUM)
        return false;
    const sam_expr_data *a = sam_expr_at(&f->s, x->a), *b = sam_expr_at(&f->s, x->b);
    const sam_operator *by = sam_operator_of(sam_operation_of(x), !f->s.integers);
    *out = (fe_call){.name = f->name, .operation = sam_operation_of(x)};
    return a->kind == SAM_EXPR_ACCESS && b->kind == SAM_EXPR_ACCESS && a->tensor.v != b->tensor.v &&
           by->commutative && by->monoid.given;
}

/* The call of a function that C computes, of two scalars. */
static sam_expr add_call(sam_statement *s, const fe_described *f) {
    sam_expr side[2];
    for (uint32_t i = 0; i < 2; i++) {
        vec_push(s->mem, &s->tensors, (sam_tensor_data){.name = names_intern(s->names, i ? "y" : "x")});
        side[i] = fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_ACCESS, .tensor = {i + 1}});
    }
    return fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_CALL,
                                          .a = side[0],
                                          .b = side[1],
                                          .operation = SAM_OPERATION_program,
                                          .program = f->program});
}

/* The program that folds the values of a fiber; NULL after an error. */
static sam_program *fold_of(fe_parser *p, const fe_user_function *f, src_loc loc) {
    sam_program *fold = arena_new(p->s->mem, sam_program);
    *fold = (sam_program){.name = f->name, .loc = loc, .parameters = 2, .takes_fiber = true, .s = f->s};
    sam_expr value = f->value;
    if (f->described) {
        fe_exprs none = {0};
        const sam_expr zero = fe_add_expr(p->s, (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = loc});
        vec_push(p->s->mem, &none, zero);
        vec_push(p->s->mem, &none, zero);
        if (!fe_apply_function(p->s, f, loc, &none, p->d).v) /* checks the function's type and C */
            return NULL;
        fold->s = (sam_statement){.mem = p->s->mem, .names = p->s->names, .integers = p->s->integers};
        value = add_call(&fold->s, f->described);
    }
    fold->of = (sam_operator){.fp = !p->s->integers, .program = fold};
    vec_push(p->s->mem, &fold->steps, ((sam_program_step){value, 0, SAM_STEP_RETURN}));
    return fold;
}

sam_expr fe_fold(fe_parser *p, const fe_user_function *f, src_loc loc, sam_expr e, const fe_vars *vars) {
    fe_call by;
    for (uint32_t i = 0; i < vars->len; i++) {
        if (!fe_may_sum_over(p, vars->at[i], loc))
            return fe_no_expr;
    }
    if (is_monoid(f, &by))
        return fe_add_sums(p, e, vars, &by, loc);
    sam_program *fold = fold_of(p, f, loc);
    for (uint32_t i = vars->len; fold && e.v && i-- > 0;) {
        sam_expr_data along = {.kind = SAM_EXPR_CALL, .loc = loc, .a = e, .var = vars->at[i]};
        along.operation = SAM_OPERATION_program;
        along.program = fold;
        e = fe_push_expr(p, along);
        if (e.v)
            e = fe_push_expr(p,
                             (sam_expr_data){.kind = SAM_EXPR_SUM, .loc = loc, .a = e, .var = vars->at[i]});
    }
    return fold ? e : fe_no_expr;
}

bool fe_check_folds(const sam_statement *s, diagnostics *d) {
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        if (!sam_takes_fiber(x) || !x->program->steps.len || !sam_fill_of(s, x->a))
            continue;
        diag_error(d, x->loc, "E0152-function",
                   "%s reduces stored values, and here what is not stored is not 0", x->program->name);
        return diag_hint(d, "min, max, sum, prod and the operators of docs/operators.md reduce all values");
    }
    return true;
}
