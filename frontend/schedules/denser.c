/* denser.c - T(i) of a compressed level becomes T(i) of a dense level, struct(T(i)) becomes T(i) != 0.
 *
 * A tensor of a program is a function of its coordinates (inline.c): a statement that asks for values alone
 * has the same values whatever is stored. */
#include "frontend/schedules/denser.h"
#include "frontend/language/calls.h"
#include "frontend/language/check.h"
#include "frontend/language/statement.h"
#include "frontend/schedules/inline.h"
#include "frontend/schedules/schedule.h"

#include "sam/operators.h"

bool fe_may_be_denser(const sam_tensor_data *t) {
    bool compressed = false;
    for (uint32_t l = 0; l < t->order; l++) {
        compressed = compressed || t->level[l] == SAM_LEVEL_COMPRESSED;
        if (t->level[l] > SAM_LEVEL_COMPRESSED)
            return false;
    }
    return compressed && t->order <= 2;
}

static bool asks_for_structure(const sam_tensor_data *t) {
    return t->structure == SAM_STORED || t->structure == SAM_COMPLEMENT;
}

/* Returns what a tensor of the statement has that a dense level has not. */
static const char *refuse_tensor(const fe_step *step, uint32_t t) {
    const sam_statement *s = &step->statement;
    const sam_tensor_data *as = &s->tensors.at[t];
    uint32_t others = 0;
    if (as->windowed || as->border.spare || as->blocked || as->region)
        return "a part of it is read, or it has a place";
    if (!fe_may_be_denser(as))
        return "it is no compressed vector or matrix";
    if (as->structure && (!asks_for_structure(as) || as->filled || as->order > 1))
        return "its stored coordinates are asked for";
    for (uint32_t i = 0; i < s->tensors.len; i++)
        others += i != t && step->use[i].shared == step->use[t].shared;
    return as->structure && others ? "its stored coordinates are asked for beside its values" : NULL;
}

/* Returns whether the operation looks at values alone. */
static bool is_of_values(const sam_expr_data *x) {
    const sam_operation of = (sam_operation)x->operation;
    return of <= SAM_OPERATION_square || (of >= SAM_OPERATION_addhigh && of <= SAM_OPERATION_lor) ||
           (of >= SAM_OPERATION_when && of <= SAM_OPERATION_times);
}

const char *fe_dense_refusal(const fe_step *step, uint32_t shared) {
    const sam_statement *s = &step->statement;
    const char *why = NULL;
    bool names = false;
    for (uint32_t t = 0; t < s->tensors.len && !why; t++) {
        const bool is = step->use[t].shared == shared && !step->use[t].counts;
        names = names || is;
        why = is ? refuse_tensor(step, t) : NULL;
    }
    if (!names || why)
        return why;
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        if ((x->kind == SAM_EXPR_CALL || x->kind == SAM_EXPR_SUM) && (x->program || !is_of_values(x)))
            return "a function may ask for more than values";
        if (x->kind == SAM_EXPR_DIV && !s->integers)
            return "a quotient of bf16 depends on which zeros are stored";
        for (uint32_t m = 0; x->kind == SAM_EXPR_ACCESS && m < sam_tensor_at(s, x->tensor)->order; m++)
            why = x->protocol[m] != SAM_BEST ? "a protocol is stated" : why;
    }
    return why;
}

/* Makes each access of the structure a comparison of the value with 0. */
static void compare(sam_statement *s, uint32_t t) {
    sam_tensor_data *data = &s->tensors.at[t];
    const sam_operation by = data->structure == SAM_STORED ? SAM_OPERATION_ne : SAM_OPERATION_eq;
    const uint32_t n = s->exprs.len;
    data->name = data->called;
    data->called = (name_id){0};
    data->structure = SAM_VALUES;
    data->fill = data->filled;
    data->filled = 0;
    for (uint32_t e = 0; e < n; e++) {
        const sam_expr_data access = s->exprs.at[e];
        if (access.kind != SAM_EXPR_ACCESS || access.tensor.v != t + 1)
            continue;
        const sam_expr value = fe_add_expr(s, access),
                       zero = fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = access.loc});
        s->exprs.at[e] = (sam_expr_data){
            .kind = SAM_EXPR_CALL, .loc = access.loc, .operation = (uint8_t)by, .a = value, .b = zero};
    }
}

bool fe_make_dense(fe_program *p, diagnostics *d, const fe_step *from, const bool *dense, fe_step *out) {
    const fe_in in = {.integers = from->statement.integers};
    *out = *from;
    fe_copy_statement(&from->statement, p->mem, &out->statement);
    sam_statement *s = &out->statement;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        if (from->use[t].counts || from->use[t].shared >= p->tensors.len || !dense[from->use[t].shared])
            continue;
        for (uint32_t l = 0; l < s->tensors.at[t].order; l++)
            s->tensors.at[t].level[l] = SAM_LEVEL_DENSE;
        if (s->tensors.at[t].structure)
            compare(s, t);
    }
    s->unites = NULL;
    s->n_unites = 0;
    fe_derive(s);
    return fe_check(s, d) && fe_schedule(&in, s, p->mem, d, &out->cin);
}
