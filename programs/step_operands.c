/* step_operands.c - operands of a statement of a program, from the tensors of a machine. */
#include "programs/step_operands.h"
#include "kernel/operands.h"
#include "sam/operators.h"

/* Returns whether the statement asks for the stored positions of the compressed tensor. */
static bool asks_for_stored(const fe_step *step, uint32_t tensor) {
    bool asked = false;
    for (uint32_t t = 0; t < step->statement.tensors.len; t++) {
        const sam_tensor_data *as = &step->statement.tensors.at[t];
        const bool how =
            as->structure == SAM_STORED || as->structure == SAM_COMPLEMENT || as->structure == SAM_POSITIONS;
        asked = asked || (step->use[t].shared == tensor && how && !sam_is_dense(as));
    }
    return asked;
}

bool compile_shows_fills(const compile_application *a, uint32_t tensor) {
    bool asked = false;
    for (uint32_t i = 0; i < a->plans.len && !a->program.tensors.at[tensor].changes; i++)
        asked = asked || asks_for_stored(a->plans.at[i].step, tensor);
    return asked;
}

bool compile_keeps_exact(const interpreter *m) {
    return m->reference && !m->in_dry_run;
}

/* Returns the tensor as the engine has it: without entries whose word is the fill. */
static tile_tensor stored_of(const tile_tensor *t, arena *mem) {
    tile_tensor words = *t;
    uint32_t *crd = arena_new_n(mem, uint32_t, t->nnz * t->order + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, t->nnz + 1);
    words.nnz = 0;
    for (uint64_t e = 0; e < t->nnz; e++) {
        if (t->val[e] == t->fill)
            continue;
        memcpy(crd + words.nnz * t->order, t->crd + e * t->order, t->order * sizeof *crd);
        val[words.nnz++] = t->val[e];
    }
    words.crd = crd;
    words.val = val;
    return words;
}

/* Saturated to the range of a scalar; the reference sees the exact number. */
static tile_tensor count_of(const interpreter *m, const tile_tensor *t, name_id name, arena *mem) {
    uint16_t *val = arena_new(mem, uint16_t);
    uint64_t n = 0;
    for (uint64_t e = 0; e < t->nnz; e++)
        n += t->val[e] != t->fill;
    double *original = arena_new(mem, double);
    *val = sam_literal_word(n < INT16_MAX ? (double)n : INT16_MAX, m->o->tensors.dtype == TILE_DTYPE_BF16);
    *original = (double)n;
    return (tile_tensor){.name = name, .nnz = 1, .val = val, .original = original, .original_as = val};
}

/* Returns a tensor with values wherever the step's operand had values in any run, or everywhere. */
static tile_tensor fullest(const interpreter *m, const fe_step *step, uint32_t tensor, arena *mem) {
    const compile_operand_profile *profile =
        compile_profile_of(&compile_plan_of_step(m->a, step)->dry_run, tensor);
    const tile_tensor *t = &m->of[tensor].t;
    if (profile)
        return profile->all;
    tile_tensor full = *t;
    uint32_t *crd = arena_new_n(mem, uint32_t, t->dim[0] + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, t->dim[0] + 1);
    for (full.nnz = 0; full.nnz < t->dim[0]; full.nnz++) {
        crd[full.nnz] = (uint32_t)full.nnz;
        val[full.nnz] = t->fill == 1 ? 2 : 1;
    }
    full.crd = crd;
    full.val = val;
    return full;
}

bool compile_operands_of(const interpreter *m, compile_context *ctx, const fe_step *step, compile_options *o,
                         compile_data *out) {
    const sam_statement *s = &step->statement;
    o->tensors.in_memory.at = NULL;
    o->tensors.in_memory.len = o->tensors.in_memory.cap = 0;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *data = &s->tensors.at[t];
        const fe_use *use = &step->use[t];
        const name_id name = data->called.v ? data->called : data->name;
        bool again = t + 1 == s->result.v;
        for (uint32_t i = 0; i < o->tensors.in_memory.len && !again; i++)
            again = strcmp(o->tensors.in_memory.at[i].name, names_text(ctx->names, name)) == 0;
        if (again)
            continue;
        tile_tensor now = m->of[use->shared].t;
        if (use->counts)
            now = count_of(m, &now, name, ctx->mem);
        else if (o->asked.fullest && now.order && m->a->program.tensors.at[use->shared].changes)
            now = fullest(m, step, use->shared, ctx->mem);
        else if (compile_keeps_exact(m) && now.order && !compile_shows_fills(m->a, use->shared) &&
                 asks_for_stored(step, use->shared))
            now = stored_of(&now, ctx->mem);
        vec_push(ctx->mem, &o->tensors.in_memory, (compile_in_memory){names_text(ctx->names, name), now});
    }
    return compile_read_operands(o, ctx, s, out);
}
