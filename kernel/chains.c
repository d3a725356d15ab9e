/* chains.c - how many bfloat16 terms a reducer adds one after the other.
 *
 * A sum of equal terms stands still at 256 of them, where half of the last of 8 bits is one term. A chain is
 * as long as the fullest fiber of an operand along the loop, where the sum is of products; as the loop
 * elsewhere. */
#include "kernel/chains.h"
#include "sam/operators.h"

enum { LONGEST_CHAIN = 128 };

static bool is_of_products(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    const bool is_product = x->kind == SAM_EXPR_ACCESS || x->kind == SAM_EXPR_MUL ||
                            x->kind == SAM_EXPR_SUM || x->kind == SAM_EXPR_NEG || x->kind == SAM_EXPR_LITERAL;
    return is_product && (!x->a.v || is_of_products(s, x->a)) && (!x->b.v || is_of_products(s, x->b));
}

/* Returns how many entries a matrix or a vector has at most along index m; UINT32_MAX of others. */
static uint32_t fullest_fiber(const tile_tensor *t, uint32_t m) {
    arena scratch = {0};
    uint32_t most = 0;
    if (t->order == 1)
        return t->nnz < UINT32_MAX ? (uint32_t)t->nnz : UINT32_MAX;
    if (t->order != 2 || t->dim[1 - m] == TILE_OPEN)
        return UINT32_MAX;
    uint32_t *n = arena_new_n(&scratch, uint32_t, (size_t)t->dim[1 - m] + 1);
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint32_t now = ++n[t->crd[e * 2 + 1 - m]];
        most = now > most ? now : most;
    }
    arena_free(&scratch);
    return most;
}

/* Returns how many terms a sum over the variable has. */
static uint32_t terms_along(const sam_statement *s, const tile_operands *in, sam_var v, uint32_t extent) {
    uint32_t terms = extent ? extent : UINT32_MAX;
    for (uint32_t e = 0; e < s->exprs.len && is_of_products(s, s->rhs); e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor) : NULL;
        for (uint32_t m = 0; t && m < t->order; m++) {
            const uint32_t n = x->index[m].v == v.v ? fullest_fiber(&in->operand[x->tensor.v - 1], m) : terms;
            terms = n < terms ? n : terms;
        }
    }
    return terms;
}

void compile_keep_chains_short(const sam_statement *s, const tile_operands *in, const uint32_t *extent,
                               uint32_t *widest) {
    uint64_t terms[TILE_MAX_VARS] = {0}, chain = 1;
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        const bool adds = x->kind == SAM_EXPR_SUM && x->operation == SAM_OPERATION_add;
        if (!adds || in->dtype != TILE_DTYPE_BF16 || s->uncut >> (x->var.v - 1) & 1 || terms[x->var.v - 1])
            continue;
        const uint32_t n = terms_along(s, in, x->var, extent[x->var.v - 1]);
        terms[x->var.v - 1] = n < widest[x->var.v - 1] ? n : widest[x->var.v - 1];
        chain *= terms[x->var.v - 1] ? terms[x->var.v - 1] : 1;
    }
    while (chain > LONGEST_CHAIN) {
        uint32_t longest = 0;
        for (uint32_t v = 1; v < TILE_MAX_VARS; v++)
            longest = terms[v] > terms[longest] ? v : longest;
        chain = (chain / terms[longest]) * (terms[longest] / 2);
        terms[longest] /= 2;
        const uint32_t edge = 1u << (31 - __builtin_clz((uint32_t)terms[longest]));
        widest[longest] = edge < widest[longest] ? edge : widest[longest];
    }
}
