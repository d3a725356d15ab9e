/* lower_scope.c - the loops of a scope, outermost first, and the sums moved out into them. */
#include "frontend/language/statement.h"
#include "frontend/lowering/lower_int.h"

/* Moves sums that are factors of e out: a * sum(k, b) = sum(k, a * b). Adds their variables to `moved`; a sum
 * over a variable in `taken` or `moved` stays. */
static sam_expr absorb_sums(lowering *w, sam_expr e, const fe_vars *taken, fe_vars *moved) {
    sam_expr_data x = *sam_expr_at(w->s, e);
    if (x.kind == SAM_EXPR_SUM && !x.operation && !fe_lists_var(taken, x.var) &&
        !fe_lists_var(moved, x.var)) {
        vec_push(w->mem, moved, x.var);
        return absorb_sums(w, x.a, taken, moved);
    }
    if (x.kind != SAM_EXPR_MUL && x.kind != SAM_EXPR_NEG)
        return e;
    x.a = absorb_sums(w, x.a, taken, moved);
    if (x.b.v)
        x.b = absorb_sums(w, x.b, taken, moved);
    vec_push(w->mem, &w->s->exprs, x);
    return (sam_expr){w->s->exprs.len};
}

/* Refuses sums left inside a body whose values would meet nothing. */
static bool no_sums_remain(lowering *w, sam_expr body, sam_var empty_loop) {
    fe_exprs remaining = {0};
    fe_inner_sums(w->s, body, w->mem, &remaining);
    if (!remaining.len)
        return true;
    diag_unmappable(w->d, sam_expr_at(w->s, remaining.at[0])->loc, "E0126-partial-sum",
                    "this sum is a part of an expression inside loop '%s', which may meet no coordinate at "
                    "all; the sum would then yield a zero that nothing else matches",
                    fe_var_text(w->s, empty_loop));
    return diag_hint(
        w->d, "compute the sum as a statement of its own; a sum that is only multiplied may stay if no "
              "other sum there runs over the same variable");
}

/* Without exact stops, and with a possibly empty loop: returns the loops still to iterate after sums that are
 * factors of the body became loops of the scope. */
static bool move_sums(lowering *w, fe_scope *scope, const loops *done, fe_vars *todo) {
    uint32_t empty = lower_first_empty(done, 0, done->len);
    if (w->options->exact_stops || empty == done->len)
        return true;
    scope->body = absorb_sums(w, scope->body, &scope->vars, todo);
    for (uint32_t i = 0; i < todo->len; i++)
        vec_push(w->mem, &scope->vars, todo->at[i]);
    return no_sums_remain(w, scope->body, done->at[empty].var);
}

bool lower_scope(lowering *w, fe_scope *scope, fe_presence *presence, loops *done) {
    fe_vars todo = scope->vars;
    uint8_t operation = scope->operation;
    while (todo.len) {
        fe_scope inner = {.vars = todo, .body = scope->body};
        fe_scope_order(w->s, &inner);
        for (uint32_t i = 0; i < todo.len; i++) {
            if (!lower_loop(w, scope->body, todo.at[i], presence, done))
                return false;
            done->at[done->len - 1].operation = operation;
        }
        todo = (fe_vars){0};
        operation = SAM_OPERATION_add; /* absorb_sums moves no other reduction */
        if (!move_sums(w, scope, done, &todo))
            return false;
    }
    return true;
}
