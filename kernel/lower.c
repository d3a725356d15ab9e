/* Lowers a kernel of the schedule to a SAM graph, to a hardware-legal graph, and to the array's
 * primitives. */
#include "kernel/lower.h"
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "kernel/regions.h"
#include "sam/operators.h"

#include <inttypes.h>

/* Statements have no type: the graph's arithmetic gets the requested type. */
static void set_arithmetic(const compile_options *o, sam_graph *g) {
    for (uint32_t n = 0; n < g->nodes.len; n++) {
        sam_node_data *node = &g->nodes.at[n];
        bool computes = node->kind == SAM_ALU || node->kind == SAM_REDUCE ||
                        node->kind == SAM_VECTORREDUCER || (node->kind == SAM_CRDDROP && node->compress);
        node->fp = computes && o->tensors.dtype == TILE_DTYPE_BF16;
    }
}

/* The chip has no copies of loops. A schedule's copies of a loop become copies of the whole kernel, at least
 * *copies; copies hinted at by taco's units may be left out. */
static fe_kernel without_copies(const fe_kernel *kernel, compile_context *ctx, uint32_t *copies) {
    fe_kernel out = *kernel;
    out.tags.at = NULL;
    out.tags.len = out.tags.cap = 0;
    for (uint32_t t = 0; t < kernel->tags.len; t++) {
        const fe_tag *tag = &kernel->tags.at[t];
        const char *loop = names_text(kernel->s.names, sam_var_at(&kernel->s, tag->loop)->name);
        if (tag->copies > 1 && tag->hint)
            diag_note(ctx->diag, tag->loc, "on the chip the iterations of loop '%s' run one after the other",
                      loop);
        else if (tag->copies > 1)
            diag_note(ctx->diag, tag->loc,
                      "on the chip the whole kernel is copied, and not the body of loop '%s'", loop);
        if (!tag->hint && tag->copies > *copies)
            *copies = tag->copies;
    }
    return out;
}

/* A function of whole fibers has no graph: the host computes the function, between kernels. */
static bool has_fiber_function(compile_context *ctx, const sam_statement *s) {
    const sam_expr_data *x = sam_fiber_function_in(s, s->rhs);
    if (!x)
        return false;
    const char *name = x->program->name;
    diag_unmappable(ctx->diag, x->loc, "E0165-fiber-function",
                    "'%s' takes all values along an index at once, which no tile does", name);
    diag_hint(ctx->diag,
              "without a schedule, and without --functions none, the host does; in a schedule it is "
              "bind(%s(...), host)",
              name);
    return true;
}

/* Notes the slices that are cut though they should be kept. */
static void say_cut(compile_context *ctx, const sam_statement *s) {
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *data = &s->tensors.at[t];
        if (fe_is_sliced(data) && (!data->view.source.v || !name_eq(data->view.source, data->called)))
            diag_note(
                ctx->diag, data->loc,
                "the host cuts this part of %s: its loops run over other slices or loops are split, or a "
                "sum or a fill counts what is not in the slice",
                names_text(ctx->names, data->called));
    }
}

/* Notes the dense levels stored compressed by fe_pad, with all their coordinates. */
static void say_whole(compile_context *ctx, const sam_statement *s) {
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *data = &s->tensors.at[t];
        for (uint32_t l = 0; l < data->order && !data->ones; l++) {
            if (data->whole >> l & 1)
                diag_note(ctx->diag, data->loc,
                          "level %" PRIu32 " of %s, which is dense, is stored compressed, with all of its "
                          "coordinates: behind an empty fiber the chip's dense scanner gives a wrong stop",
                          l + 1, names_text(ctx->names, data->called.v ? data->called : data->name));
        }
    }
}

/* Records the loops with sub-tiles of a single coordinate, by --tile. */
static void note_single(const compile_options *o, bool chip, sam_statement *s) {
    for (uint32_t i = 0; i < o->cutting.tile.along.len && chip && o->optimize > 0; i++) {
        for (uint32_t v = 0; v < s->vars.len && o->cutting.tile.along.at[i].edge == 1; v++) {
            if (strcmp(names_text(s->names, s->vars.at[v].name), o->cutting.tile.along.at[i].loop) == 0)
                s->single |= UINT64_C(1) << v;
        }
    }
}

bool compile_lower_sam(const compile_options *o, bool chip, compile_context *ctx, const fe_kernel *kernel,
                       compile_lowered *out) {
    out->regions = chip && strcmp(o->target.profile, PNR_PROFILE) != 0;
    const fe_lower_options lower = {.drop = true,
                                    .exact_stops = !chip,
                                    .pad = chip,
                                    .locate = o->optimize > 0,
                                    .counts = chip && !out->regions};
    fe_kernel whole;
    if (o->cutting.slices == COMPILE_SLICES_KEPT) {
        if (fe_keep(kernel, ctx->mem, &whole))
            kernel = &whole;
        say_cut(ctx, &kernel->s);
    }
    out->copies = 0;
    const fe_kernel asked = chip ? without_copies(kernel, ctx, &out->copies) : *kernel;
    sam_statement expanded;
    sam_graph once;
    if (has_fiber_function(ctx, &kernel->s) || !fe_expand(kernel, ctx->mem, ctx->diag, &expanded))
        return false;
    note_single(o, chip, &expanded);
    expanded.tiled = chip || o->sam.memory; /* scanners run to the edge of a sub-tile */
    if (chip) {
        fe_separate(&expanded);
        if (!fe_distribute(&expanded, !out->regions || o->tried.met_first, ctx->diag))
            return false;
    }
    if (!fe_build(&expanded, &lower, ctx->mem, ctx->diag, &out->statement, &once) ||
        !fe_unroll(&asked, &once, ctx->mem, ctx->diag, &out->sam))
        return false;
    say_whole(ctx, &out->statement);
    set_arithmetic(o, &out->sam);
    return sam_check(&out->sam, ctx->diag);
}

void compile_bypass(sam_graph *g, sam_node n) {
    sam_edge_data *in[2] = {0};
    for (uint32_t i = 0; i < g->edges.len; i++) {
        if (g->edges.at[i].src.v && g->edges.at[i].dst.v == n.v)
            in[g->edges.at[i].dst_port] = &g->edges.at[i];
    }
    for (uint32_t i = 0; i < g->edges.len; i++) {
        sam_edge_data *e = &g->edges.at[i];
        if (e->src.v != n.v)
            continue;
        const sam_edge_data *from = in[e->src_port];
        e->src = from->src;
        e->src_port = from->src_port;
    }
    in[0]->src.v = in[1]->src.v = 0;
    sam_node_at(g, n)->kind = SAM_NONE;
}

/* Removes droppers of values, absent from the chip: both of their streams keep their length without them, and
 * the host leaves zeros out. */
static void keep_zeros(compile_context *ctx, sam_graph *g) {
    for (uint32_t n = 1; n <= g->nodes.len; n++) {
        const sam_node_data *dropper = sam_node_at(g, (sam_node){n});
        if (dropper->kind != SAM_CRDDROP || !dropper->compress)
            continue;
        diag_note(ctx->diag, dropper->loc, "%s: the chip drops no values; the host leaves zeros out",
                  sam_node_label(g, (sam_node){n}, ctx->mem));
        compile_bypass(g, (sam_node){n});
    }
}

bool compile_make_legal(compile_context *ctx, compile_lowered *k) {
    sam_graph joined;
    if (!sam_to_binary_joiners(&k->sam, ctx->mem, ctx->diag, &joined))
        return false;
    keep_zeros(ctx, &joined);
    if (k->regions)
        compile_join_regions(&k->statement, &joined);
    return sam_remove_broadcasts(&joined, ctx->mem, ctx->diag, &k->hardware) &&
           sam_check(&k->hardware, ctx->diag);
}

bool compile_lower_onyx(compile_context *ctx, const compile_lowered *k, const tile_options *edges,
                        bool extended, onyx_graph **out) {
    const sam_statement *st = &k->statement;
    uint32_t n = st->loops.len;
    lower_piece *pieces = arena_new_n(ctx->mem, lower_piece, n + 1);
    for (uint32_t l = 0; l < n; l++) {
        sam_var v = st->loops.at[l];
        pieces[l] = (lower_piece){sam_var_at(st, v)->name, tile_edge(st, edges, v)};
    }
    const lower_options options = {.tile_edge = n ? tile_longest(st, edges, NULL) : 1,
                                   .edges = pieces,
                                   .n_edges = n,
                                   .extended = extended,
                                   .sharing = extended ? edges->sharing : SAM_SHARING_OPEN,
                                   .skips = extended && edges->skips};
    return lower_run(&k->hardware, &options, ctx->mem, ctx->diag, out) && lower_check(*out, ctx->diag);
}
