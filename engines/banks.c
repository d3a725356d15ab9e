/* banks.c - --dispatch banks: for an operand with a format of banks, the host moves the coordinates of its
 * loop, in all operands with the loop and back in the result: each sub-tile along the loop holds coordinates
 * of a single copy. */
#include "engines/banks.h"
#include "kernel/formats.h"

/* An operand with a format of banks, and the stored tensor's mode of their index. */
typedef struct {
    tile_format format;
    sam_tensor tensor;
    uint32_t mode;
} banked_operand;

/* Finds the mode of a packed tensor equal to index `index` of the user's tensor, undivided. */
static bool find_mode(const sam_tensor_data *as, uint32_t index, uint32_t *mode) {
    for (*mode = 0; *mode < as->order; ++*mode) {
        if (as->view.source.v ? as->view.from[*mode].mode == index && as->view.from[*mode].divide == 1 &&
                                    !as->view.from[*mode].modulo
                              : *mode == index)
            return true;
    }
    return false;
}

/* Finds the first operand of -f with banks whose tensor occurs in the kernel. */
static bool find_operand(const compile_options *o, compile_context *ctx, const sam_statement *st,
                         banked_operand *out) {
    const tile_format *formats;
    if (!compile_host_formats(o, ctx, &formats))
        return false;
    *out = (banked_operand){.tensor = {0}};
    for (uint32_t i = 0; i < o->written.formats.len && !out->tensor.v; i++) {
        const size_t length = strcspn(o->written.formats.at[i], ":");
        if (!tile_banks(&formats[i]))
            continue;
        for (uint32_t t = 1; t <= st->tensors.len && !out->tensor.v; t++) {
            const char *name = names_text(ctx->names, sam_user_name(&st->tensors.at[t - 1]));
            if (t == st->result.v || strlen(name) != length ||
                strncmp(name, o->written.formats.at[i], length) != 0)
                continue;
            *out = (banked_operand){.format = formats[i], .tensor = {t}};
        }
    }
    return true;
}

static bool refuse(compile_context *ctx, const sam_tensor_data *as, const tile_format *f, const char *why) {
    diag_unmappable(ctx->diag, as->loc, "E0356-banks",
                    "--dispatch banks: index %s of %s, which %s has in banks, %s",
                    f->index[tile_banked_index(f)], names_text(ctx->names, sam_user_name(as)), f->name, why);
    return diag_hint(ctx->diag, "--dispatch sorted deals sub-tiles by their size");
}

/* Whether coordinates of the variable may be permuted, with unused coordinates in between. */
static bool may_move(const sam_statement *st, sam_var v) {
    const uint64_t bit = UINT64_C(1) << (v.v - 1);
    return !(st->uncut & bit) && !(st->exact & bit) && !st->everywhere &&
           (!st->general || sam_is_result_var(st, v));
}

/* Returns whether the tensor has the host's entries only at coordinate 0, which stays unchanged. */
static bool is_at_origin(const sam_tensor_data *as) {
    bool dense = false;
    for (uint32_t l = 0; l < as->order; l++)
        dense = dense || as->level[l] == SAM_LEVEL_DENSE;
    return as->ones && !dense;
}

/* Counts the operand's entries of each copy. */
static compile_bank_load load_of(compile_context *ctx, const tile_tensor *t, const banked_operand *operand,
                                 const uint32_t *bank, uint32_t copies) {
    uint64_t *load = arena_new_n(ctx->mem, uint64_t, copies);
    compile_bank_load all = {.index = operand->format.index[tile_banked_index(&operand->format)],
                             .banks = tile_banks(&operand->format),
                             .entries = t->nnz};
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint64_t now = ++load[bank[t->crd[e * t->order + operand->mode]] % copies];
        all.fullest = now > all.fullest ? now : all.fullest;
    }
    return all;
}

/* Makes the operands, and edges at the ends of the copies' pieces. */
static void move_operands(compile_context *ctx, const compile_kernel *k, const uint32_t *extent,
                          compile_banked *out) {
    const sam_statement *st = &k->lowered.statement;
    const uint32_t v = out->var.v - 1, n = st->tensors.len;
    tile_tensor *moved = arena_new_n(ctx->mem, tile_tensor, n);
    for (uint32_t t = 0; t < n; t++) {
        const sam_var *index = sam_index_of(st, (sam_tensor){t + 1});
        uint32_t modes = 0;
        moved[t] = k->data.packed.operand[t];
        for (uint32_t m = 0; m < st->tensors.at[t].order; m++)
            modes |= index[m].v == out->var.v ? UINT32_C(1) << m : 0;
        if (t + 1 == st->result.v || !modes)
            continue;
        if (!is_at_origin(&st->tensors.at[t]))
            tile_move(&k->data.packed.operand[t], modes, out->dealt.to, out->dealt.extent,
                      k->data.packed.dtype, ctx->mem, &moved[t]);
        for (uint32_t m = 0; m < st->tensors.at[t].order; m++)
            moved[t].dim[m] = modes >> m & 1 ? out->dealt.extent : moved[t].dim[m];
    }
    sam_var_data *vars = arena_new_n(ctx->mem, sam_var_data, st->vars.len);
    for (uint32_t u = 0; u < st->vars.len; u++) {
        vars[u] = st->vars.at[u];
        vars[u].extent = u == v ? out->dealt.extent : extent[u];
    }
    out->statement = *st;
    out->statement.vars.at = vars;
    out->operands = (tile_operands){moved, n, k->data.packed.dtype};
    tile_options *tiling = &out->tiling;
    const uint32_t edge = tile_edge(st, tiling, out->var),
                   glb = tiling->glb_edge[v] ? tiling->glb_edge[v] : tiling->glb_tile;
    tiling->glb_edge[v] = glb % edge ? glb - glb % edge + edge : glb;
    tiling->dealt = out->var;
    tiling->groups = k->array.copies;
}

bool compile_deal_banks(const compile_options *o, compile_context *ctx, compile_kernel *k,
                        const uint32_t *extent, compile_banked *out) {
    const sam_statement *st = &k->lowered.statement;
    banked_operand operand;
    *out = (compile_banked){.tiling = k->tiling.options};
    if (k->array.dispatch.how != TILE_DISPATCH_BANKS || k->array.copies < 2)
        return true;
    if (!find_operand(o, ctx, st, &operand))
        return false;
    if (!operand.tensor.v) { /* another kernel of the expression has the operand */
        k->array.dispatch.how = TILE_DISPATCH_LOAD;
        return true;
    }
    const sam_tensor_data *as = sam_tensor_at(st, operand.tensor);
    if (!find_mode(as, tile_banked_index(&operand.format), &operand.mode))
        return refuse(ctx, as, &operand.format, "is cut in two by the loops");
    out->var = sam_index_of(st, operand.tensor)[operand.mode];
    if (!may_move(st, out->var))
        return refuse(ctx, as, &operand.format, "is one whose coordinates count where they are");
    const uint32_t n = extent[out->var.v - 1];
    const tile_tensor *t = &k->data.packed.operand[operand.tensor.v - 1];
    const uint32_t *bank = tile_bank_of(t, operand.mode, &operand.format, n, ctx->mem);
    if (!tile_deal(bank, n, k->array.copies, tile_edge(st, &out->tiling, out->var), ctx->mem, &out->dealt))
        return refuse(ctx, as, &operand.format, "has too many coordinates");
    move_operands(ctx, k, extent, out);
    k->array.dispatch.load = load_of(ctx, t, &operand, bank, k->array.copies);
    k->array.dispatch.load.operand = names_text(ctx->names, sam_user_name(as));
    return out->is = true;
}

void compile_take_back(compile_context *ctx, const compile_banked *b, const uint32_t *extent,
                       tile_tensor *result) {
    uint32_t modes = 0;
    const tile_tensor got = *result;
    for (uint32_t m = 0; m < got.order; m++)
        modes |= b->statement.result_index[m].v == b->var.v ? UINT32_C(1) << m : 0;
    if (modes)
        tile_move(&got, modes, b->dealt.from, extent[b->var.v - 1], b->operands.dtype, ctx->mem, result);
}
