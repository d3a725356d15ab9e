/* Questions about a statement asked by several rooms. */
#include "sam/sam.h"

bool sam_is_result_var(const sam_statement *s, sam_var v) {
    for (uint32_t i = 0; i < sam_tensor_at(s, s->result)->order; i++) {
        if (s->result_index[i].v == v.v)
            return true;
    }
    return false;
}

sam_level_format sam_result_level(const sam_statement *s, sam_var v) {
    const sam_tensor_data *t = sam_tensor_at(s, s->result);
    for (uint32_t l = 0; l < t->order; l++) {
        if (s->result_index[t->mode[l]].v == v.v)
            return t->level[l];
    }
    return SAM_LEVEL_NONE;
}

uint64_t sam_vars_of(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    uint64_t vars = (x->a.v ? sam_vars_of(s, x->a) : 0) | (x->b.v ? sam_vars_of(s, x->b) : 0);
    for (uint32_t i = 0; x->kind == SAM_EXPR_ACCESS && i < sam_tensor_at(s, x->tensor)->order; i++)
        vars |= (uint64_t)1 << (x->index[i].v - 1);
    return vars;
}
