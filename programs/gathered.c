/* gathered.c - statements that gather compare indices with coordinates (frontend/schedules/program_gather.c):
 * an index that is none would add nothing, unseen. So the reference looks at the indices of each run. */
#include "programs/gathered.h"
#include "kernel/gather.h"

/* Returns the access of indices that expression e compares with coordinates, which are *with; NULL: none. */
static const sam_expr_data *index_in(const fe_program *p, const fe_step *step, uint32_t e,
                                     const sam_expr_data **with) {
    const sam_statement *s = &step->statement;
    const sam_expr_data *x = &s->exprs.at[e];
    if (x->kind != SAM_EXPR_CALL || x->program || x->operation != SAM_OPERATION_eq)
        return NULL;
    const sam_expr_data *index = sam_expr_at(s, x->a);
    *with = sam_expr_at(s, x->b);
    if (index->kind != SAM_EXPR_ACCESS || (*with)->kind != SAM_EXPR_ACCESS)
        return NULL;
    const uint32_t tensor = step->use[(*with)->tensor.v - 1].shared;
    return tensor < p->tensors.len && p->tensors.at[tensor].made.coordinates ? index : NULL;
}

/* Returns the name of the tensor that is read along the coordinates. */
static const char *name_along(const sam_statement *s, const sam_expr_data *with) {
    const char *name = "the tensor";
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        for (uint32_t m = 0; x->kind == SAM_EXPR_ACCESS && x->tensor.v != with->tensor.v &&
                             m < sam_tensor_at(s, x->tensor)->order;
             m++) {
            if (x->index[m].v == with->index[0].v)
                name = names_text(s->names, sam_user_name(sam_tensor_at(s, x->tensor)));
        }
    }
    return name;
}

bool compile_check_indices(const interpreter *m, compile_context *ctx, const fe_step *step,
                           const compile_data *data) {
    const fe_program *p = &m->a->program;
    const sam_statement *s = &step->statement;
    bool ok = true;
    for (uint32_t e = 0; step->use && e < s->exprs.len && ok; e++) {
        const sam_expr_data *with, *index = index_in(p, step, e, &with);
        if (!index)
            continue;
        const sam_program of = {.name = name_along(s, with),
                                .entries = p->tensors.at[step->use[with->tensor.v - 1].shared].dim[0],
                                .of = {.fp = !s->integers}};
        ok = compile_check_index(s, &of, index, &data->operands.operand[index->tensor.v - 1], ctx->diag);
    }
    return ok;
}

bool compile_gathers_by(const fe_program *p, const fe_step *step, uint32_t tensor) {
    bool is = false;
    for (uint32_t e = 0; step->use && e < step->statement.exprs.len; e++) {
        const sam_expr_data *with, *index = index_in(p, step, e, &with);
        is = is || (index && step->use[index->tensor.v - 1].shared == tensor);
    }
    return is;
}
