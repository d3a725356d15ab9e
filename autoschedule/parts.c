/* parts.c - a kernel for each part of an operand that its format takes apart.
 *
 * In one kernel a sum of products takes longer than the one product, so an operand of parts is put together
 * again (docs/notebook/formats.md). But X = B * C is B0 * C + B1 * C: each product runs by itself, with the
 * levels that its part has in its own format, and the host adds the results.
 */
#include "autoschedule/parts.h"
#include "autoschedule/blocks.h"
#include "kernel/format_parts.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>

/* Choices for a part. */
typedef struct {
    const compile_search_in *by;
    compile_context *ctx;
    const compile_choosing *in;
    sam_tensor tensor;
    const tile_format *format; /* of the part */
    uint32_t part;
} choosing_part;

/* Makes the statement of the part: its tensor and its result have names of their own. */
static sam_statement statement_of(const choosing_part *c, const char *levels) {
    sam_statement s = *c->in->user;
    s.tensors.at = arena_new_n(c->ctx->mem, sam_tensor_data, s.tensors.len);
    memcpy(s.tensors.at, c->in->user->tensors.at, s.tensors.len * sizeof *s.tensors.at);
    sam_tensor_data *own = sam_tensor_at(&s, c->tensor), *result = sam_tensor_at(&s, s.result);
    own->name = names_intern(c->ctx->names, compile_part_name(c->ctx, c->in->user, c->tensor, c->part));
    result->name = names_intern(c->ctx->names, compile_part_name(c->ctx, c->in->user, s.result, c->part));
    const char *mode = strchr(levels, ':'); /* "ds:1,0" */
    for (uint32_t l = 0; l < own->order; l++) {
        char *end;
        own->level[l] = levels[l] == 'd' ? SAM_LEVEL_DENSE : SAM_LEVEL_COMPRESSED;
        own->mode[l] = (uint8_t)strtoul(mode + 1, &end, 10);
        mode = end;
    }
    return s;
}

/* Chooses kernels for a part, treated as an operand with the tensor's name and the part's format. Returns the
 * chip's predicted time, INFINITY if no kernels exist. */
static double choose_part(const choosing_part *c, compile_schedule *out) {
    compile_context *ctx = c->ctx;
    bool same;
    const char *name = compile_part_name(ctx, c->in->user, c->tensor, c->part),
               *levels = tile_format_scanned(c->format, ctx->mem, &same);
    sam_statement *s = arena_new(ctx->mem, sam_statement);
    *s = statement_of(c, levels);
    compile_options own = *c->by->options;
    own.written.formats = (text_vec){0};
    own.cutting.parts = COMPILE_PARTS_TOGETHER;
    fe_in in = *c->in->in;
    const char **formats = arena_new_n(ctx->mem, const char *, in.n_formats + 1);
    for (uint32_t i = 0; i < in.n_formats; i++) {
        formats[i] = in.formats[i];
        vec_push(ctx->mem, &own.written.formats, c->by->options->written.formats.at[i]);
    }
    formats[in.n_formats++] = arena_printf(ctx->mem, "%s:%s", name, levels);
    vec_push(ctx->mem, &own.written.formats, arena_printf(ctx->mem, "%s:%s", name, c->format->name));
    in.formats = formats;
    in.format_names = NULL;
    in.scans = NULL;
    compile_data data = *c->by->data;
    tile_tensor *operands = arena_new_n(ctx->mem, tile_tensor, data.operands.n);
    memcpy(operands, data.operands.operand, data.operands.n * sizeof *operands);
    for (uint32_t i = 0; i < data.operands.n; i++) {
        if (name_eq(operands[i].name, sam_tensor_at(s, c->tensor)->name))
            operands[c->tensor.v - 1] = operands[i];
    }
    data.operands.operand = operands;
    const compile_choosing open = {&in, s, c->in->board, NULL};
    const compile_search_in by = {
        .options = &own, .board = c->by->board, .data = &data, .share = c->by->share};
    compile_tilings unused;
    if (!fe_schedule(&in, s, ctx->mem, ctx->diag, &out->cin))
        return INFINITY;
    compile_choose(&own, ctx, &open, out);
    if (!compile_edges_open(&own))
        return compile_say_repacked(&own, ctx, s, &data) ? 0 : INFINITY; /* the time is not needed */
    compile_choose_by_data(&by, ctx, &open, out);
    if (!compile_choose_blocks(&by, ctx, &open, out))
        return INFINITY;
    for (uint32_t n = 0; n < out->cin.kernels.len; n++) {
        if (out->cin.kernels.at[n].on_host)
            return INFINITY;
    }
    const double cycles = compile_search(&by, ctx, &out->cin, &unused);
    if (!out->tilings.len)
        out->tilings = unused;
    return cycles;
}

/* Makes the host's kernel that adds the results of n parts; only parts in `with` have results. */
static fe_kernel sum_of(const choosing_part *c, const bool *with, uint32_t n) {
    const sam_statement *user = c->in->user;
    arena *mem = c->ctx->mem;
    sam_statement s = {.mem = user->mem,
                       .names = user->names,
                       .vars = user->vars,
                       .result = {1},
                       .integers = user->integers};
    memcpy(s.result_index, user->result_index, sizeof s.result_index);
    const sam_tensor_data *result = sam_tensor_at(user, user->result);
    vec_push(mem, &s.tensors, *result);
    for (uint32_t m = 0; m < result->order; m++)
        vec_push(mem, &s.loops, user->result_index[m]);
    for (uint32_t p = 0; p < n; p++) {
        if (!with[p])
            continue;
        sam_tensor_data operand = *result;
        operand.name = names_intern(c->ctx->names, compile_part_name(c->ctx, user, user->result, p));
        vec_push(mem, &s.tensors, operand);
        sam_expr_data access = {.kind = SAM_EXPR_ACCESS, .loc = result->loc, .tensor = {s.tensors.len}};
        memcpy(access.index, user->result_index, sizeof access.index);
        vec_push(mem, &s.exprs, access);
        const sam_expr one = {s.exprs.len};
        if (s.rhs.v)
            vec_push(mem, &s.exprs,
                     ((sam_expr_data){.kind = SAM_EXPR_ADD, .loc = result->loc, .a = s.rhs, .b = one}));
        s.rhs = (sam_expr){s.exprs.len};
    }
    return (fe_kernel){.s = s, .on_host = true};
}

/* Adds the choices for a part to the whole program. */
static void add_kernels(arena *mem, const compile_schedule *part, compile_schedule *all) {
    for (uint32_t n = 0; n < part->cin.kernels.len; n++) {
        vec_push(mem, &all->cin.kernels, part->cin.kernels.at[n]);
        vec_push(mem, &all->chosen, n < part->chosen.len ? part->chosen.at[n] : NULL);
        vec_push(mem, &all->tilings, n < part->tilings.len ? part->tilings.at[n] : (compile_tiling){0});
    }
    for (uint32_t n = 0; n < part->dense.len; n++)
        vec_push(mem, &all->dense, part->dense.at[n]);
}

/* Notes that the host re-packs an operand that is put together and not in blocks. */
static bool say_whole(const choosing_part *c, const compile_schedule *s) {
    const name_id name = sam_tensor_at(c->in->user, c->tensor)->name;
    compile_options closed = *c->by->options;
    closed.optimize = 0;
    closed.cutting.parts = COMPILE_PARTS_TOGETHER;
    bool in_blocks = false;
    for (uint32_t n = 0; n < s->cin.kernels.len; n++) {
        const sam_statement *st = &s->cin.kernels.at[n].s;
        for (uint32_t t = 0; t < st->tensors.len; t++)
            in_blocks = in_blocks || (st->tensors.at[t].blocked && name_eq(st->tensors.at[t].name, name));
    }
    return in_blocks || compile_say_repacked(&closed, c->ctx, c->in->user, c->by->data);
}

bool compile_choose_parts(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                          compile_schedule *out) {
    tile_format format;
    choosing_part c = {by, ctx, in, {0}, NULL, 0};
    if (!compile_find_format_parts(by->options, ctx, in->user, &c.tensor, &format))
        return false;
    if (!c.tensor.v)
        return true;
    compile_schedule all = {.staged = NULL};
    compile_tilings unused;
    const bool asked = by->options->cutting.parts == COMPILE_PARTS_APART;
    const double whole = asked ? INFINITY : compile_search(by, ctx, &out->cin, &unused),
                 least = COMPILE_WORTH_SEVERAL * whole;
    const diagnostics before = *ctx->diag;
    bool with[SAM_MAX_ORDER] = {false};
    double cycles = 0;
    uint32_t filled = 0;
    for (c.part = 0; c.part < format.parts && (asked || cycles < least); c.part++) {
        const name_id name = names_find(ctx->names, compile_part_name(ctx, in->user, c.tensor, c.part));
        for (uint32_t i = 0; i < by->data->operands.n; i++)
            with[c.part] = with[c.part] || (name_eq(by->data->operands.operand[i].name, name) &&
                                            by->data->operands.operand[i].nnz);
        if (!with[c.part])
            continue;
        compile_schedule part = {.staged = NULL};
        c.format = format.part[c.part].format;
        cycles += choose_part(&c, &part);
        filled++;
        if (!part.cin.kernels.len)
            return false;
        add_kernels(ctx->mem, &part, &all);
    }
    if (!filled || !(asked || cycles < least)) {
        diag_return_to(ctx->diag, &before);
        return say_whole(&c, out);
    }
    vec_push(ctx->mem, &all.cin.kernels, sum_of(&c, with, format.parts));
    vec_push(ctx->mem, &all.chosen, NULL);
    *out = all;
    const char *name = names_text(ctx->names, sam_tensor_at(in->user, c.tensor)->name),
               *what = arena_printf(ctx->mem, "a kernel for each of %u %s of %s, whose results the host adds",
                                    filled, plural(filled, "part", "parts"), name);
    out->staged =
        asked ? what
              : arena_printf(ctx->mem, "%s: %.0f cycles predicted, %.0f put together", what, cycles, whole);
    return true;
}
