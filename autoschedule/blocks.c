/* blocks.c - operands that are stored in blocks: the loops go from block to block, and then through one.
 *
 * A format such as BCSR divides every index by the size of a block: i becomes i0 = i div 4, over the blocks,
 * and i1 = i mod 4, in one of them. The same split of the loops gives the kernel the levels of the format, so
 * that only blocks have coordinates to load and to join, and what is in them is scanned side by side
 * (frontend/lowering/locate.c). Two orders of the loops are tried: sums over blocks outermost, which the host
 * may step (frontend/lowering/stepped.c), or inside of the result's loops.
 */
#include "autoschedule/blocks.h"
#include "kernel/format_parts.h"

enum { MAX_SPLIT = 64 }; /* variables in the set */

/* A statement whose operands are in blocks, and by variable - 1 the size of a block, 0: none. */
typedef struct {
    sam_statement s;
    uint32_t size[MAX_SPLIT];
} blocked;

/* Assigns the blocks of a tensor to the variables of its access. Returns false if sizes conflict. */
static bool split_access(blocked *b, const tile_format *f, const sam_var *index) {
    uint64_t seen = 0;
    for (uint32_t l = 0; l < f->order; l++) {
        const uint32_t v = index[f->level[l].sum.term[0].index].v - 1, size = f->level[l].sum.term[0].divide;
        if ((seen >> v & 1) || (b->size[v] && b->size[v] != size))
            return false;
        seen |= UINT64_C(1) << v;
        b->size[v] = size;
    }
    return true;
}

static sam_level_format scanned(tile_kind kind) {
    return kind == TILE_KIND_DENSE ? SAM_LEVEL_DENSE : SAM_LEVEL_COMPRESSED;
}

static void set_levels(sam_tensor_data *t, const tile_format *f) {
    t->blocked = true;
    for (uint32_t l = 0; l < f->order; l++) {
        t->level[l] = scanned(f->level[l].kind);
        t->inner[l] = scanned(f->level[f->order + l].kind);
        t->mode[l] = (uint8_t)f->level[l].sum.term[0].index;
    }
}

/* Returns the format for scanning an operand as a whole: its own or, for a format with parts, the format of
 * the part in blocks; NULL if no part is in blocks. */
static const tile_format *whole_format(const tile_format *f) {
    const tile_format *blocks = NULL;
    for (uint32_t p = 0; f && p < f->parts && !blocks; p++)
        blocks = compile_is_blocked(f->part[p].format) ? f->part[p].format : NULL;
    return f && f->parts ? blocks : f;
}

/* Gives operands stored in blocks (-f) their levels. Returns whether any operand is in blocks, and all fit.
 */
static bool block_operands(compile_context *ctx, const compile_options *o, blocked *b) {
    tile_formats all = {0};
    bool any = false;
    if (!compile_read_formats(ctx, &o->written.format_files, &all))
        return false;
    for (uint32_t e = 1; e <= b->s.exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(&b->s, (sam_expr){e});
        if (x->kind != SAM_EXPR_ACCESS)
            continue;
        sam_tensor_data *t = sam_tensor_at(&b->s, x->tensor);
        const char *text = compile_argument_for(&o->written.formats,
                                                names_text(ctx->names, t->called.v ? t->called : t->name));
        const tile_format *f = text ? whole_format(tile_format_find(&all, text)) : NULL;
        if (!f || !compile_is_blocked(f) || f->order != t->order)
            continue;
        if (t->windowed || t->structure || !split_access(b, f, x->index))
            return false;
        set_levels(t, f);
        any = true;
    }
    return any;
}

/* Stores the result in blocks, too, if all loops of the result are split. */
static void block_result(blocked *b) {
    sam_tensor_data *t = sam_tensor_at(&b->s, b->s.result);
    for (uint32_t m = 0; m < t->order; m++) {
        if (!b->size[b->s.result_index[m].v - 1])
            return;
    }
    t->blocked = t->order > 0;
    for (uint32_t l = 0; l < t->order; l++) {
        t->level[l] = SAM_LEVEL_COMPRESSED;
        t->inner[l] = SAM_LEVEL_DENSE;
    }
}

/* Sets of loops, in their order. */
typedef enum { OUTER_SUMS, OUTER_RESULTS, WHOLE_SUMS, INNER_RESULTS, INNER_SUMS, LOOP_SETS } loop_set;

static const char *loops_of(const blocked *b, loop_set set, const char *list, arena *mem) {
    for (uint32_t l = 0; l < b->s.loops.len; l++) {
        const sam_var v = b->s.loops.at[l];
        const bool split = b->size[v.v - 1] != 0, result = sam_is_result_var(&b->s, v),
                   inner = set == INNER_RESULTS || set == INNER_SUMS,
                   of_result = set == OUTER_RESULTS || set == INNER_RESULTS;
        if (result != of_result || (inner && !split) || (!result && !inner && split != (set == OUTER_SUMS)))
            continue;
        list = arena_printf(mem, "%s%s%s%s", list, *list ? "," : "",
                            names_text(b->s.names, sam_var_at(&b->s, v)->name),
                            split ? (inner ? "1" : "0") : "");
    }
    return list;
}

/* Returns the schedule through the blocks with the sets of loops, the first set outermost. */
static const char *schedule_of(const blocked *b, const loop_set *order, arena *mem) {
    const char *splits = "", *loops = "";
    for (uint32_t v = 1; v <= b->s.vars.len; v++) {
        const char *name = names_text(b->s.names, sam_var_at(&b->s, (sam_var){v})->name);
        if (b->size[v - 1])
            splits = arena_printf(mem, "%ssplit(%s,%s0,%s1,%u), ", splits, name, name, name, b->size[v - 1]);
    }
    for (uint32_t n = 0; n < LOOP_SETS; n++)
        loops = loops_of(b, order[n], loops, mem);
    return arena_printf(mem, "%sreorder(%s)", splits, loops);
}

/* Returns whether the predicted time in blocks is lower; if true, stores the better order of the loops. */
static bool is_faster(const compile_search_in *all, compile_context *ctx, const compile_choosing *in,
                      const blocked *b, compile_schedule *out) {
    static const loop_set orders[][LOOP_SETS] = {
        {OUTER_SUMS, OUTER_RESULTS, INNER_RESULTS, WHOLE_SUMS, INNER_SUMS},
        {OUTER_RESULTS, INNER_RESULTS, OUTER_SUMS, WHOLE_SUMS, INNER_SUMS}};
    const compile_choosing split = {in->in, &b->s, in->board, NULL};
    compile_search_in by = *all;
    compile_tilings unused;
    by.share = 1 + sizeof orders / sizeof *orders; /* a search takes its share of the steps */
    const double whole = compile_search(&by, ctx, &out->cin, &unused);
    double least = whole;
    for (uint32_t n = 0; n < sizeof orders / sizeof *orders; n++) {
        const char *schedule = schedule_of(b, orders[n], ctx->mem);
        compile_schedule made = {0};
        if (!compile_choose_with(by.options, ctx, &split, schedule, &made))
            continue;
        const double cycles = compile_search(&by, ctx, &made.cin, &unused);
        if (!(cycles < least))
            continue;
        least = cycles;
        *out = made;
        out->chosen.at[0] = arena_printf(
            ctx->mem, "in blocks, -s \"%s\": %.0f cycles predicted, %.0f re-packed", schedule, cycles, whole);
    }
    return least < whole;
}

bool compile_choose_blocks(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                           compile_schedule *out) {
    if (!compile_blocks_open(by->options) || !by->options->written.formats.len)
        return true;
    blocked b = {.s = *in->user};
    b.s.tensors.at = arena_new_n(ctx->mem, sam_tensor_data, b.s.tensors.len);
    memcpy(b.s.tensors.at, in->user->tensors.at, b.s.tensors.len * sizeof *b.s.tensors.at);
    const bool any = b.s.vars.len <= MAX_SPLIT && block_operands(ctx, by->options, &b);
    if (any)
        block_result(&b);
    if (any && is_faster(by, ctx, in, &b, out))
        return true;
    compile_options closed = *by->options;
    sam_tensor apart;
    tile_format unused;
    if (!compile_find_format_parts(by->options, ctx, in->user, &apart, &unused))
        return false;
    closed.optimize = 0;
    closed.cutting.parts =
        apart.v ? COMPILE_PARTS_APART : COMPILE_PARTS_TOGETHER; /* for operands with parts, parts.c prints the
                                                                 * note */
    return compile_say_repacked(&closed, ctx, in->user, by->data);
}
