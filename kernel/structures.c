/* structures.c - operands made by the host from the stored coordinates of other tensors. */
#include "kernel/structures.h"
#include "support/refusals.h"

/* A complement of a matrix is worth its entries up to the first number, and up to the factor times the
 * entries of all operands: a mask looks the others up in what the matrix stores. */
enum { COMPLEMENT_MOST = 1 << 26, COMPLEMENT_FEW = 1 << 12, COMPLEMENT_TIMES = 4 };

/* Whether the complement leaves the entry out. */
static bool is_omitted(const sam_tensor_data *data, uint16_t word) {
    return data->structure == SAM_COMPLEMENT || word != data->filled;
}

/* Removes fill entries of a dense tensor, since it has all of them or none. */
static void drop_fills(arena *mem, uint16_t fill, tile_tensor *t) {
    uint32_t *crd = arena_new_n(mem, uint32_t, t->nnz * t->order + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, t->nnz + 1);
    uint64_t n = 0;
    for (uint64_t e = 0; e < t->nnz; e++) {
        if (t->val[e] == fill)
            continue;
        memcpy(crd + n * t->order, t->crd + e * t->order, t->order * sizeof *crd);
        val[n++] = t->val[e];
    }
    t->nnz = n;
    t->crd = crd;
    t->val = val;
}

/* Makes values of the coordinates of one mode of stored entries. */
static bool make_positions(const compile_options *o, compile_context *ctx, const sam_tensor_data *data,
                           tile_tensor *t) {
    const bool bf16 = o->tensors.dtype == TILE_DTYPE_BF16;
    uint16_t *val = arena_new_n(ctx->mem, uint16_t, t->nnz + 1);
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint32_t at = t->crd[e * t->order + data->position.along] + data->position.first;
        val[e] = sam_literal_word(at, bf16);
        if (at > INT16_MAX || sam_word_number(val[e], bf16) != at) {
            diag_error(ctx->diag, data->loc, "E0154-semiring", "position %u of %s is no value of %s", at,
                       names_text(ctx->names, sam_user_name(data)), bf16 ? "bf16" : "int16");
            return diag_hint(ctx->diag, "int16 has positions up to 32767, bf16 all up to 256");
        }
    }
    t->val = val;
    return true;
}

/* Makes an entry of each coordinate, once. */
static bool take_coordinates(compile_context *ctx, tile_tensor *t, uint64_t n, const uint32_t *crd,
                             uint16_t one) {
    const tile_tensor as = *t;
    double *original = arena_new_n(ctx->mem, double, n + 1);
    uint16_t *val = arena_new_n(ctx->mem, uint16_t, n + 1);
    const char *from = names_text(ctx->names, as.name);
    if (!tile_from_entries(as.name, as.order, as.dim, n, crd, original, TILE_DTYPE_BF16, from, ctx->mem,
                           ctx->diag, t))
        return false;
    for (uint64_t e = 0; e < t->nnz; e++)
        val[e] = one;
    t->val = val;
    return true;
}

/* Makes ones wherever levels lead to a value: at all coordinates of the innermost dense levels, below every
 * stored coordinate of the levels around. O(coordinates). */
static bool make_reached(compile_context *ctx, const sam_tensor_data *data, const uint32_t *dim, uint16_t one,
                         tile_tensor *t) {
    uint32_t around = t->order;
    while (around && data->level[around - 1] == SAM_LEVEL_DENSE)
        around--;
    memcpy(t->dim, dim, sizeof *dim * t->order);
    uint32_t *crd = arena_new_n(ctx->mem, uint32_t, (t->nnz + 1) * t->order + 1);
    memcpy(crd, t->crd, sizeof *crd * t->nnz * t->order);
    uint64_t n = around ? t->nnz : 1;
    for (uint64_t e = 0; e < n; e++) {
        for (uint32_t l = around; l < t->order; l++)
            crd[e * t->order + data->mode[l]] = 0;
    }
    if (around < t->order && !take_coordinates(ctx, t, n, crd, one))
        return false;
    memcpy(crd, t->crd, sizeof *crd * t->nnz * t->order);
    n = t->nnz;
    for (uint32_t l = around; l < t->order; l++) {
        const uint32_t mode = data->mode[l];
        const uint64_t fibers = n;
        uint32_t *all = arena_new_n(ctx->mem, uint32_t, fibers * dim[mode] * t->order + 1);
        n = 0;
        for (uint64_t f = 0; f < fibers; f++) {
            for (uint32_t c = 0; c < dim[mode]; c++, n++) {
                memcpy(all + n * t->order, crd + f * t->order, sizeof *crd * t->order);
                all[n * t->order + mode] = c;
            }
        }
        crd = all;
    }
    return take_coordinates(ctx, t, n, crd, one);
}

/* Stores a value of the operand wherever its levels lead, as its mask does: else a sub-tile with a piece of a
 * dense fiber without entries would lack the fiber. O(coordinates). */
static void store_reached(arena *mem, const tile_tensor *mask, uint16_t fill, tile_tensor *t) {
    const size_t size = sizeof *t->crd * t->order;
    uint16_t *val = arena_new_n(mem, uint16_t, mask->nnz + 1);
    uint64_t next = 0;
    for (uint64_t e = 0; e < mask->nnz; e++) {
        const bool stored =
            next < t->nnz && memcmp(mask->crd + e * t->order, t->crd + next * t->order, size) == 0;
        val[e] = stored ? t->val[next++] : fill;
    }
    const name_id name = t->name;
    *t = *mask;
    t->name = name;
    t->val = val;
}

/* Makes the ones of a structure from the user's tensor: at its stored coordinates, at absent coordinates, or
 * at its fill. */
static bool make_structure(const compile_options *o, compile_context *ctx, const sam_tensor_data *data,
                           const uint32_t *dim, tile_tensor *t) {
    uint64_t cells = 1, kept = 0, next = 0;
    const uint16_t one = sam_literal_word(1, o->tensors.dtype == TILE_DTYPE_BF16);
    if (data->structure == SAM_REACHED)
        return make_reached(ctx, data, dim, one, t);
    if (data->structure == SAM_POSITIONS)
        return make_positions(o, ctx, data, t);
    if (data->structure == SAM_STORED) {
        uint16_t *val = arena_new_n(ctx->mem, uint16_t, t->nnz + 1);
        for (uint64_t e = 0; e < t->nnz; e++)
            val[e] = one;
        t->val = val;
        return true;
    }
    for (uint32_t m = 0; m < t->order && cells <= COMPLEMENT_MOST; m++)
        cells *= dim[m];
    if (cells > COMPLEMENT_MOST) {
        diag_refuse(ctx->diag, DIAG_UNMAPPABLE, DIAG_REFUSED_COMPLEMENT, data->loc,
                    "not struct(%s) has %llu coordinates, of which the host would store nearly all",
                    names_text(ctx->names, sam_user_name(data)), (unsigned long long)cells);
        return diag_hint(ctx->diag, "a tensor of at most %d has a complement", COMPLEMENT_MOST);
    }
    for (uint64_t e = 0; e < t->nnz; e++)
        next += is_omitted(data, t->val[e]);
    uint32_t *crd = arena_new_n(ctx->mem, uint32_t, (cells - next) * t->order + 1);
    uint16_t *val = arena_new_n(ctx->mem, uint16_t, cells - next + 1);
    next = 0;
    for (uint64_t cell = 0; cell < cells; cell++) {
        uint32_t at[SAM_MAX_ORDER];
        uint64_t rest = cell;
        for (uint32_t m = t->order; m-- > 0; rest /= dim[m])
            at[m] = (uint32_t)(rest % dim[m]);
        if (next < t->nnz && memcmp(at, t->crd + next * t->order, sizeof *at * t->order) == 0 &&
            is_omitted(data, t->val[next++]))
            continue;
        memcpy(crd + kept * t->order, at, sizeof *at * t->order);
        val[kept++] = one;
    }
    memcpy(t->dim, dim, sizeof *dim * t->order);
    t->crd = crd;
    t->val = val;
    t->nnz = kept;
    return true;
}

/* Refuses a complement that is far larger than what the statement stores; another attempt looks up, or has no
 * mask and makes the complement. A program's statement has no other attempt. */
static bool is_worthwhile(const compile_options *o, compile_context *ctx, const sam_statement *st,
                          const tile_tensor *all, uint32_t t, const uint32_t *dim) {
    const sam_tensor_data *data = &st->tensors.at[t];
    double cells = 1, stored = 0;
    if (data->structure != SAM_COMPLEMENT || data->order < 2 || o->tried.keeps_absent || o->asked.statement)
        return true;
    for (uint32_t m = 0; m < data->order; m++)
        cells *= dim[m];
    for (uint32_t u = 1; u < st->tensors.len; u++)
        stored += (double)all[u].nnz;
    return cells < COMPLEMENT_FEW || cells < COMPLEMENT_TIMES * stored ||
           diag_refuse(ctx->diag, DIAG_UNMAPPABLE, DIAG_REFUSED_COMPLEMENT, data->loc,
                       "not struct(%s) has %.0f coordinates, and all operands have %.0f",
                       names_text(ctx->names, sam_user_name(data)), cells, stored);
}

/* Returns the handle of the operand that a mask stands beside, as x + mask (graphs/masks.c). */
static uint32_t operand_of_mask(const sam_statement *st, uint32_t mask) {
    for (uint32_t e = 0; e < st->exprs.len; e++) {
        const sam_expr_data *x = &st->exprs.at[e];
        const sam_expr_data *b = x->kind == SAM_EXPR_ADD ? sam_expr_at(st, x->b) : NULL;
        if (b && b->kind == SAM_EXPR_ACCESS && b->tensor.v == mask)
            return sam_expr_at(st, x->a)->tensor.v;
    }
    BUG("a mask without an operand");
}

bool compile_make_structures(const compile_options *o, compile_context *ctx, const sam_statement *st,
                             const uint32_t *extent, tile_tensor *all) {
    for (uint32_t t = 1; t <= st->tensors.len; t++) {
        const sam_tensor_data *data = sam_tensor_at(st, (sam_tensor){t});
        uint32_t dim[SAM_MAX_ORDER] = {0};
        if (!data->structure)
            continue;
        if (data->structure < SAM_FILLED && sam_is_dense(data))
            drop_fills(ctx->mem, data->filled, &all[t - 1]);
        for (uint32_t m = 0; m < data->order; m++)
            dim[m] = extent[sam_access_of(st, (sam_tensor){t})->index[m].v - 1];
        if (!is_worthwhile(o, ctx, st, all, t - 1, dim) || !make_structure(o, ctx, data, dim, &all[t - 1]))
            return false;
        if (data->structure == SAM_REACHED)
            store_reached(ctx->mem, &all[t - 1], data->filled, &all[operand_of_mask(st, t) - 1]);
    }
    return true;
}
