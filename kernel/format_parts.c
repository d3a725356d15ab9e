/* format_parts.c - operands whose format splits them into parts, with a kernel for each part where possible.
 */
#include "kernel/format_parts.h"
#include "tiling/queries.h"

/* Returns the number of the tensor's factors in the products of h; more than 1 for other expressions with the
 tensor.
 */
static uint32_t count_factors(const sam_statement *s, sam_expr h, sam_tensor t) {
    const sam_expr_data *x = sam_expr_at(s, h);
    if (x->kind == SAM_EXPR_ACCESS)
        return x->tensor.v == t.v;
    if (x->kind == SAM_EXPR_LITERAL)
        return 0;
    if (x->kind == SAM_EXPR_NEG || (x->kind == SAM_EXPR_SUM && !x->operation))
        return count_factors(s, x->a, t);
    return x->kind == SAM_EXPR_MUL ? count_factors(s, x->a, t) + count_factors(s, x->b, t) : 2;
}

const char *compile_part_name(const compile_context *ctx, const sam_statement *st, sam_tensor t,
                              uint32_t part) {
    const char *name = names_text(ctx->names, sam_tensor_at(st, t)->name);
    return arena_printf(ctx->mem, "%s_%u", name, part);
}

/* Whether the names of the parts and of their results are free. */
static bool are_free(const compile_context *ctx, const sam_statement *st, sam_tensor t, uint32_t parts) {
    bool is_free = true;
    for (uint32_t p = 0; p < parts; p++) {
        const name_id own = names_find(ctx->names, compile_part_name(ctx, st, t, p)),
                      result = names_find(ctx->names, compile_part_name(ctx, st, st->result, p));
        for (uint32_t u = 0; u < st->tensors.len; u++)
            is_free = is_free && !(own.v && name_eq(st->tensors.at[u].name, own)) &&
                      !(result.v && name_eq(st->tensors.at[u].name, result));
    }
    return is_free;
}

/* Whether a kernel for each part is allowed. */
static bool is_open(const compile_options *o) {
    const bool stated =
        o->cutting.parts == COMPILE_PARTS_APART && !o->asked.statement && !o->written.schedule.len;
    return stated || (o->cutting.parts == COMPILE_PARTS_AUTO && compile_blocks_open(o));
}

bool compile_find_format_parts(const compile_options *o, compile_context *ctx, const sam_statement *st,
                               sam_tensor *tensor, tile_format *format) {
    const tile_format *formats;
    *tensor = (sam_tensor){0};
    if (!is_open(o) && o->cutting.parts != COMPILE_PARTS_APART)
        return true;
    if (!compile_host_formats(o, ctx, &formats))
        return false;
    for (uint32_t t = 1; t <= st->tensors.len && is_open(o) && !tensor->v; t++) {
        const sam_tensor_data *as = &st->tensors.at[t - 1];
        for (uint32_t i = 0; i < o->written.formats.len && t != st->result.v; i++) {
            const char *name = names_text(ctx->names, as->name);
            const size_t length = strcspn(o->written.formats.at[i], ":");
            const bool its = strlen(name) == length && strncmp(name, o->written.formats.at[i], length) == 0;
            if (!its || !formats[i].parts || formats[i].parts > SAM_MAX_ORDER || as->windowed ||
                as->structure || as->called.v || st->general || st->everywhere ||
                formats[i].order != as->order || count_factors(st, st->rhs, (sam_tensor){t}) != 1 ||
                !are_free(ctx, st, (sam_tensor){t}, formats[i].parts))
                continue;
            *tensor = (sam_tensor){t};
            *format = formats[i];
        }
    }
    if (tensor->v || o->cutting.parts != COMPILE_PARTS_APART)
        return true;
    const src_loc loc = sam_expr_at(st, st->rhs)->loc;
    diag_unmappable(
        ctx->diag, loc, "E0357-parts",
        "--parts apart: this is no product with one operand that -f takes apart, in loops that no "
        "schedule states");
    return diag_hint(ctx->diag, "parts are files, too: B.stored/0 and B.stored/1 (onyx help storage)");
}

bool compile_add_parts(const compile_options *o, compile_context *ctx, const sam_statement *st,
                       tile_tensor *data, uint32_t *n) {
    sam_tensor tensor;
    tile_format format;
    if (!compile_find_format_parts(o, ctx, st, &tensor, &format))
        return false;
    tile_tensor rest = tensor.v ? data[tensor.v - 1] : (tile_tensor){0};
    for (uint32_t p = 0; tensor.v && p < format.parts; p++) {
        tile_take_part(&format.part[p], ctx->mem, &rest, &data[*n]);
        data[(*n)++].name = names_intern(ctx->names, compile_part_name(ctx, st, tensor, p));
    }
    return true;
}
