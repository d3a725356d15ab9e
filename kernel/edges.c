/* Edges of sub-tiles along named loops (--tile, --glb-tile), and edges left open by the options. */
#include "kernel/edges.h"
#include "frontend/language/language.h"
#include "kernel/chains.h"
#include "kernel/pack.h"
#include "support/refusals.h"

const char *compile_loops_text(const sam_statement *st, arena *mem) {
    const char *text = "";
    for (uint32_t i = 0; i < st->loops.len; i++)
        text = arena_printf(mem, "%s%s%s", text, i ? "," : "",
                            names_text(st->names, sam_var_at(st, st->loops.at[i])->name));
    return text;
}

/* Returns the loop of st with this name, or 0. */
static sam_var loop_named(const sam_statement *st, const char *name) {
    for (uint32_t l = 0; l < st->loops.len; l++) {
        if (strcmp(names_text(st->names, sam_var_at(st, st->loops.at[l])->name), name) == 0)
            return st->loops.at[l];
    }
    return (sam_var){0};
}

/* Fills edge[] for the loops of st; names of other loops are ignored. */
static void resolve(const compile_edges *edges, const sam_statement *st, uint32_t *edge) {
    for (uint32_t i = 0; i < edges->along.len; i++) {
        sam_var v = loop_named(st, edges->along.at[i].loop);
        if (v.v)
            edge[v.v - 1] = edges->along.at[i].edge;
    }
}

/* Finds the result's coordinates dropped by the graph, for tiling's count. */
static void note_droppers(const compile_lowered *k, tile_options *out) {
    for (uint32_t n = 0; n < k->sam.nodes.len; n++) {
        const sam_node_data *node = &k->sam.nodes.at[n];
        sam_var outer = fe_find_var(&k->statement, node->outer),
                inner = fe_find_var(&k->statement, node->inner);
        if (node->kind == SAM_CRDDROP && !node->compress && outer.v && inner.v)
            out->drops[outer.v - 1] = (uint8_t)inner.v;
    }
}

static bool is_unasked(const compile_options *o) {
    return !o->cutting.tile_auto && (compile_edges_open(o) || compile_copies_open(o));
}

/* Returns the step limit of an unrequested choice: at -O1 a quarter of a second. */
static uint64_t most_steps(const compile_options *o) {
    static const uint64_t steps[] = {0, UINT64_C(1) << 22, UINT64_C(1) << 26, 0};
    return is_unasked(o) ? steps[o->optimize] : 0;
}

/* Returns how streams are shared: on request, or by operands if the levels exceed the board's streams and its
 * profile supports shared streams. Results of requested statements have separate streams. */
static sam_sharing sharing_of(const compile_options *o, const pnr_board *board, const sam_graph *sam) {
    const sam_sharing asked = o->copies.streams;
    if (asked != SAM_SHARING_OPEN)
        return asked > SAM_SHARING_TENSORS && o->asked.statement ? SAM_SHARING_TENSORS : asked;
    return pnr_board_extended(board) && lower_count_loads(sam, SAM_SHARING_LEVELS) > board->glb_tiles
               ? SAM_SHARING_TENSORS
               : SAM_SHARING_LEVELS;
}

/* Returns by how much the processor's work exceeds an instruction a cycle, by --processor-time and the board.
 */
static double pace_of(const compile_options *o, const pnr_board *board) {
    const pnr_waits *w = &board->waits;
    if (o->running.processor == COMPILE_PROCESSOR_COUNT)
        return 1;
    const uint32_t end = o->running.processor == COMPILE_PROCESSOR_MOST;
    return tile_processor_pace(end, w->code[end], w->sram[end],
                               (double)w->interconnect[end] / host_cycles_ratio(board));
}

tile_options compile_tiling_of(const compile_options *o, const pnr_board *board, const compile_lowered *k) {
    const bool joins = o->asked.joins && compile_engines[o->target.engine].by_processor;
    const compile_host_price host = compile_host_price_of(o, board);
    tile_options out = {.tile = o->cutting.tile.all,
                        .glb_tile = o->cutting.glb_tile.all,
                        .mem_words = board->mem_words,
                        .bank_words = board->glb_bank_bytes / 2,
                        .vector_reducer = pnr_board_extended(board),
                        .sharing = sharing_of(o, board, &k->sam),
                        .driver = {.join = joins ? tile_join_cycles(o->tensors.dtype) : 0,
                                   .piece = joins ? tile_piece_cycles() : 0,
                                   .pace = pace_of(o, board),
                                   .asked = host.asked,
                                   .put = host.word,
                                   .word = compile_counts_host(o) ? host.word : 0},
                        .skips = pnr_board_extended(board) && o->mapping.skip != COMPILE_SKIP_OFF,
                        .stated = o->cutting.tile.stated,
                        .clip = is_unasked(o),
                        .table_words = lower_table_words(&k->sam),
                        .steps = most_steps(o),
                        .jobs = o->running.jobs};
    resolve(&o->cutting.tile, &k->statement, out.edge);
    resolve(&o->cutting.glb_tile, &k->statement, out.glb_edge);
    note_droppers(k, &out);
    return out;
}

/* Checks that every loop named by the option belongs to some statement. */
static bool all_found(compile_context *ctx, const char *option, const compile_edges *edges,
                      const sam_statement *const *all, uint32_t n) {
    const char *loops = "";
    bool good = true;
    for (uint32_t s = 0; s < n; s++)
        loops = arena_printf(ctx->mem, "%s%s%s", loops, s ? "; " : "", compile_loops_text(all[s], ctx->mem));
    for (uint32_t i = 0; i < edges->along.len; i++) {
        const char *name = edges->along.at[i].loop;
        bool found = false;
        for (uint32_t s = 0; s < n && !found; s++)
            found = loop_named(all[s], name).v != 0;
        if (!found)
            compile_bad_value(ctx->diag, option, name, arena_printf(ctx->mem, "a loop of %s", loops));
        good = good && found;
    }
    return good;
}

bool compile_check_loops(const compile_options *o, compile_context *ctx, const sam_statement *const *all,
                         uint32_t n) {
    bool good = all_found(ctx, "--tile", &o->cutting.tile, all, n);
    return good && all_found(ctx, "--glb-tile", &o->cutting.glb_tile, all, n);
}

tile_driver compile_driver(const pnr_board *board, const compile_lowered *k, const tile_options *edges) {
    tile_driver out = edges->driver;
    out.ratio = host_cycles_ratio(board);
    out.loads = lower_count_loads(&k->hardware, edges->sharing);
    out.stores = lower_count_stores(&k->hardware, edges->sharing);
    return out;
}

static uint32_t widest_along(const compile_lowered *k, bool extended, sam_var v) {
    if ((k->statement.stepped | k->statement.single) >> (v.v - 1) & 1)
        return 1;
    return lower_widest(&k->hardware, sam_var_at(&k->statement, v)->name, extended);
}

static bool has_dense_level(const sam_statement *st, sam_var v) {
    for (uint32_t e = 1; e <= st->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(st, (sam_expr){e});
        const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(st, x->tensor) : NULL;
        for (uint32_t l = 0; t && l < t->order; l++) {
            if (x->index[t->mode[l]].v == v.v && t->level[l] == SAM_LEVEL_DENSE)
                return true;
        }
    }
    return false;
}

/* Margin of the model's error: a kernel limited by the processor gains nothing by copies. */
static const double WORTH = 0.9;

/* Inputs of a search of edges. */
typedef struct {
    const pnr_board *board;
    const compile_lowered *k;
    const tile_operands *data;
    uint32_t widest[TILE_MAX_VARS]; /* the widest edge of each variable */
    arena *mem;
    tile_cuts *cuts;
} search;

static tile_candidate choose(const search *s, const tile_options *from, tile_candidates *candidates) {
    tile_options with = *from;
    with.cuts = s->cuts;
    return tile_choose(&s->k->statement, s->data, &with, s->widest, s->mem, candidates);
}

/* Finds initial edges when the user wants fewer streams: the edges chosen without this wish, to start a short
 * search near them. */
static void begin_with_more(const search *s, compile_tiling *out) {
    for (sam_sharing i = SAM_SHARING_LEVELS; i < out->options.sharing; i++) {
        tile_options more = out->options;
        tile_candidates unused;
        more.room = out->rooms[i];
        if (!more.room.lockstep)
            continue;
        more.sharing = i;
        more.driver = compile_driver(s->board, s->k, &more);
        out->options.begin = choose(s, &more, &unused).edge;
    }
}

/* Chooses once more with fewer streams, if there is room, and takes the choice if the chip is expected to be
 * a tenth faster. `open`: the options before the first choice. */
static void choose_shared(const search *s, const tile_options *open, compile_tiling *out) {
    for (sam_sharing i = open->sharing + 1; i < SAM_SHARINGS; i++) {
        compile_tiling turn = {.options = *open};
        memcpy(turn.rooms, out->rooms, sizeof turn.rooms);
        turn.options.room = out->rooms[i];
        if (!turn.options.room.lockstep)
            continue;
        turn.options.sharing = i;
        turn.options.driver = compile_driver(s->board, s->k, &turn.options);
        turn.expected = choose(s, &turn.options, &turn.candidates);
        turn.expected.sharing = i;
        for (uint32_t c = 0; c < turn.candidates.len; c++)
            turn.candidates.at[c].sharing = i;
        const bool limited = out->expected.limited || turn.expected.limited;
        if (turn.expected.edge && turn.expected.cost > 0 && turn.expected.cost < WORTH * out->expected.cost)
            *out = turn;
        out->expected.limited = limited;
    }
}

/* Sets the edges along uncut variables to their extents, if the data give the extents. */
static void leave_whole(const sam_statement *st, const uint32_t *extent, tile_options *edges) {
    for (uint32_t v = 0; v < st->vars.len && st->uncut >> v; v++) {
        if (!(st->uncut >> v & 1) || !extent[v])
            continue;
        edges->edge[v] = extent[v];
        edges->glb_edge[v] = extent[v]; /* which is none */
    }
}

/* Chooses edges by the data, if all operands are the user's: workspaces do not exist yet. A choice is never
 * refused by lowering, capacity or deadlock checks: docs/tiling.md. */
static bool choose_by_data(const compile_options *o, compile_context *ctx, const pnr_board *board,
                           const compile_lowered *k, compile_data *data, compile_tiling *out) {
    const sam_statement *st = &k->statement;
    search s = {.board = board, .k = k, .data = &data->packed, .mem = ctx->mem, .cuts = ctx->cuts};
    uint32_t *extent;
    if (!compile_pack_known(ctx, st, data))
        return false;
    if (!data->packed.operand)
        return true;
    if (!tile_known_extents(st, &data->packed, ctx->mem, ctx->diag, &extent))
        return false;
    if (compile_edges_open(o) || compile_engines[o->target.engine].by_processor)
        out->options.driver = compile_driver(board, k, &out->options);
    for (uint32_t l = 0; l < st->loops.len; l++) {
        sam_var v = st->loops.at[l];
        uint32_t most = widest_along(k, pnr_board_extended(board), v);
        most = most < COMPILE_MOST_EDGE ? most : COMPILE_MOST_EDGE;
        bool ends = compile_edges_open(o) && extent[v.v - 1] && has_dense_level(st, v);
        ends = ends || (st->uncut >> (v.v - 1) & 1 && extent[v.v - 1]);
        s.widest[v.v - 1] = ends && extent[v.v - 1] < most ? extent[v.v - 1] : most;
    }
    compile_keep_chains_short(st, &data->packed, extent, s.widest);
    leave_whole(st, extent, &out->options);
    begin_with_more(&s, out);
    const tile_options open = out->options;
    out->expected = choose(&s, &out->options, &out->candidates);
    choose_shared(&s, &open, out);
    memcpy(out->options.edge, out->expected.edge, sizeof out->options.edge);
    return true;
}

void compile_limit_edges(const compile_lowered *k, bool extended, tile_options *edges) {
    const sam_statement *st = &k->statement;
    for (uint32_t l = 0; l < st->loops.len; l++) {
        sam_var v = st->loops.at[l];
        uint32_t most = widest_along(k, extended, v);
        if ((st->stepped | st->single) >> (v.v - 1) & 1)
            edges->edge[v.v - 1] = 1;
        if (!edges->tile && !edges->edge[v.v - 1] && tile_edge(st, edges, v) > most)
            edges->edge[v.v - 1] = most;
    }
}

/* A dense level is as long as the edge: if the data give a loop's extent, no unrequested edge exceeds the
 * extent. `chosen`: the present edges were chosen. */
static void clip(const sam_statement *st, bool chosen, const uint32_t *extent, tile_options *edges) {
    for (uint32_t l = 0; l < st->loops.len && !edges->tile; l++) {
        sam_var v = st->loops.at[l];
        uint32_t most = extent[v.v - 1];
        if (most && (chosen || !edges->edge[v.v - 1]) && tile_edge(st, edges, v) > most &&
            has_dense_level(st, v))
            edges->edge[v.v - 1] = most;
    }
}

/* Notes the user's edges along uncut variables as unused. */
static void say_whole(const compile_options *o, compile_context *ctx, const sam_statement *st,
                      const uint32_t *extent) {
    uint32_t stated[TILE_MAX_VARS] = {0};
    resolve(&o->cutting.tile, st, stated);
    for (uint32_t v = 0; v < st->vars.len && st->uncut >> v; v++) {
        if (!(st->uncut >> v & 1) || !stated[v] || stated[v] >= extent[v])
            continue;
        diag_warning(ctx->diag, sam_expr_at(st, st->rhs)->loc, "E0358-whole-loop",
                     "an operation takes whole sums over %s here: its edge of %u is not used",
                     names_text(st->names, st->vars.at[v].name), stated[v]);
        diag_hint(ctx->diag, "a workspace for the sum may be cut: precompute(..) of the reduction");
    }
}

tile_options compile_cuts_of(const compile_options *o, compile_context *ctx, const compile_lowered *k,
                             const uint32_t *extent, uint32_t array_words) {
    const sam_statement *st = &k->statement;
    tile_options out = {.tile = o->cutting.tile.all,
                        .mem_words = array_words,
                        .vector_reducer = true,
                        .stated = o->cutting.tile.stated};
    resolve(&o->cutting.tile, st, out.edge);
    note_droppers(k, &out);
    say_whole(o, ctx, st, extent);
    for (uint32_t l = 0; l < st->loops.len; l++) {
        const uint32_t v = st->loops.at[l].v - 1, edge = tile_edge(st, &out, st->loops.at[l]);
        out.edge[v] = (st->stepped | st->single) >> v & 1 ? 1 : edge < extent[v] ? edge : extent[v];
    }
    leave_whole(st, extent, &out);
    return out;
}

/* Returns the extents of the loops from the present user operands; 0: unknown. */
static uint32_t *partial_extents(const sam_statement *st, const tile_operands *in, arena *mem) {
    uint32_t *extent = arena_new_n(mem, uint32_t, st->vars.len + 1);
    for (uint32_t e = 1; e <= st->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(st, (sam_expr){e});
        const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(st, x->tensor) : NULL;
        for (uint32_t i = 0; t && !t->view.source.v && !t->windowed && i < in->n; i++) {
            const tile_tensor *data = &in->operand[i];
            for (uint32_t m = 0; m < t->order && name_eq(data->name, t->name); m++) {
                uint32_t *most = &extent[x->index[m].v - 1];
                *most = data->dim[m] != TILE_OPEN && data->dim[m] > *most ? data->dim[m] : *most;
            }
        }
    }
    return extent;
}

/* Adapts the edges to the data. */
static bool fit_to_extents(const compile_options *o, compile_context *ctx, const sam_statement *st,
                           compile_data *data, tile_options *edges) {
    uint32_t *extent = NULL;
    if (!compile_pack_known(ctx, st, data))
        return false;
    if (!data->packed.operand && st->uncut && o->running.executes) {
        diag_refuse(ctx->diag, DIAG_UNMAPPABLE, DIAG_REFUSED_WHOLE_SUM, sam_expr_at(st, st->rhs)->loc,
                    "an operation takes whole sums here, but of a workspace nothing says before the run how "
                    "far they go, and sub-tiles might cut them");
        return diag_hint(ctx->diag,
                         "let the workspace hold the finished sums: precompute the reduction, too");
    }
    if (!data->packed.operand) {
        if (o->optimize) /* workspaces have edges, too */
            clip(st, false, partial_extents(st, &data->operands, ctx->mem), edges);
        return true;
    }
    if (!tile_known_extents(st, &data->packed, ctx->mem, ctx->diag, &extent))
        return false;
    if (o->optimize)
        clip(st, o->cutting.tile_auto || compile_edges_open(o), extent, edges);
    say_whole(o, ctx, st, extent);
    leave_whole(st, extent, edges);
    return true;
}

bool compile_choose_edges(const compile_options *o, compile_context *ctx, const pnr_board *board,
                          const compile_lowered *k, compile_data *data, compile_tiling *out) {
    bool wanted = o->cutting.tile_auto || (compile_edges_open(o) && !out->expected.edge);
    if (wanted && !choose_by_data(o, ctx, board, k, data, out))
        return false;
    if (!fit_to_extents(o, ctx, &k->statement, data, &out->options))
        return false;
    compile_limit_edges(k, pnr_board_extended(board), &out->options);
    return true;
}

const char *compile_edges_text(const sam_statement *st, const uint32_t *edge, arena *mem) {
    const char *text = "";
    bool same = true;
    for (uint32_t l = 0; l < st->loops.len; l++) {
        sam_var v = st->loops.at[l];
        same = same && edge[v.v - 1] == edge[st->loops.at[0].v - 1];
        text = arena_printf(mem, "%s%s%s:%u", text, l ? "," : "",
                            names_text(st->names, sam_var_at(st, v)->name), edge[v.v - 1]);
    }
    return same && st->loops.len ? arena_printf(mem, "%u", edge[st->loops.at[0].v - 1]) : text;
}
