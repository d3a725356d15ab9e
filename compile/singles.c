/* singles.c - operands with a single coordinate along a longer index, found by the data before the type is
 * chosen.
 *
 * The parser reads the operand at 0 in place of the index (frontend/language/singles.c). Extents of all
 * operands are found only if an operand has a single coordinate.
 */
#include "compile/singles.h"
#include "compile/typing.h"
#include "frontend/language/language.h"
#include "kernel/operands.h"
#include "kernel/source.h"

/* Returns whether the data may have a single coordinate along an index of the access. */
static bool may_have_single(const typing *t, const sam_expr_data *x) {
    const sam_tensor_data *as = sam_tensor_at(&t->st, x->tensor);
    const char *name = names_text(t->ctx->names, sam_user_name(as));
    const compile_source from = compile_source_of(t->o, name);
    const compile_taken of = {as->name, name, as->order, 0, t->o->tensors.values, 0};
    uint32_t dim[SAM_MAX_ORDER];
    bool may = false, inferred;
    if (!as->order || compile_argument_for(&t->o->written.dimensions, name) ||
        !compile_find_shape(t->o, t->ctx, &from, &of, dim, &inferred))
        return false;
    for (uint32_t m = 0; m < as->order; m++)
        may = may || (!inferred && dim[m] == 1 && fe_is_plain_index(&t->st, x, m));
    return may;
}

/* Finds how far the indices of the operands run; 0: unknown, or stated otherwise. */
static const fe_extents *find_extents(typing *t) {
    compile_data data = {0};
    const compile_options *o =
        t->o->tensors.typing == COMPILE_TYPE_STATED ? t->o : typing_stated(t, TILE_DTYPE_INT16);
    fe_extents *of = arena_new_n(t->ctx->mem, fe_extents, t->st.tensors.len + 1);
    compile_read_operands(o, &t->quiet, &t->st, &data);
    for (uint32_t i = 0; data.operands.operand && i < t->st.tensors.len; i++) {
        const sam_tensor_data *as = &t->st.tensors.at[i];
        const tile_tensor *one = &data.operands.operand[i];
        const bool kept =
            one->dim_inferred ||
            compile_argument_for(&t->o->written.dimensions, names_text(t->ctx->names, sam_user_name(as)));
        for (uint32_t m = 0; m < as->order && i + 1 != t->st.result.v; m++)
            of[i].dim[m] = one->dim[m] == TILE_OPEN || (kept && one->dim[m] == 1) ? 0 : one->dim[m];
    }
    return of;
}

/* Parses the statement, whose literals may have fractions. */
static bool parse(typing *t) {
    return typing_parse(t->o, true, &t->quiet, &t->st) ||
           typing_parse(typing_stated(t, TILE_DTYPE_BF16), false, &t->quiet, &t->st);
}

const compile_options *compile_broadcast(const compile_options *o, compile_context *ctx) {
    typing t = {.o = o, .ctx = ctx, .quiet = *ctx};
    diagnostics unheard;
    bool may = false;
    diag_init(&unheard, ctx->mem);
    t.quiet.diag = &unheard;
    if (!parse(&t))
        return o; /* the mistake is reported where the statement is used */
    for (uint32_t e = 0; e < t.st.exprs.len && !may; e++)
        may = t.st.exprs.at[e].kind == SAM_EXPR_ACCESS && may_have_single(&t, &t.st.exprs.at[e]);
    if (!may)
        return o;
    const fe_singles all = fe_find_singles(&t.st, find_extents(&t), (src_loc){0}, ctx->diag);
    if (!all.len)
        return o;
    compile_options *own = arena_new(ctx->mem, compile_options);
    *own = *o;
    own->written.singles = all.at;
    own->written.n_singles = all.len;
    return own;
}
