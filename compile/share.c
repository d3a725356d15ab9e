/* From a netlist to a bitstream; and several kernels on one array. Their netlists stand beside each other and
 * have no wire in common; the flush that starts one clears what the others hold, and streams that nobody
 * starts move nothing. */
#include "compile/share.h"
#include "compile/batches.h"
#include "compile/cycle_load.h"
#include "compile/folder.h"
#include "compile/stages.h"
#include "lower_onyx/join.h"

/* Binds the stores that are to stand beside a load, and the loads to where they stand. The regions are
 * `before`, or NULL, but for these. */
static const pnr_region *bind_beside(compile_context *ctx, const compile_array *a, const pnr_region *before) {
    pnr_region *region = arena_new_n(ctx->mem, pnr_region, a->net.cells.len + 1);
    for (uint32_t c = 0; c < a->net.cells.len; c++)
        region[c] = before ? before[c] : (pnr_region){.x0 = PNR_FREE};
    for (uint32_t i = 0; i < a->beside.len; i += 2) {
        const uint32_t store = a->beside.at[i], load = a->beside.at[i + 1];
        const uint16_t x = a->design.site.at[load].x;
        region[load] = (pnr_region){x, 0, x, 0};
        region[store] = (pnr_region){(uint16_t)(x + 1), 0, (uint16_t)(x + 1), 0};
    }
    return region;
}

/* Places and routes; with `beside` it places twice, since where the loads want to stand shows in the first.
 */
static bool route_once(const compile_options *o, compile_context *ctx, const pnr_board *board, bool beside,
                       compile_array *a, compile_times *times) {
    pnr_options how = compile_pnr_options(o, ctx, a, board);
    const double start = seconds_now();
    compile_stage(ctx, "placing", 0);
    bool ok = pnr_place(&a->net, board, &how, ctx->mem, ctx->diag, &a->design);
    if (ok && beside) {
        how.region = bind_beside(ctx, a, how.region);
        ok = pnr_place(&a->net, board, &how, ctx->mem, ctx->diag, &a->design);
    }
    const double placed = seconds_now();
    times->place += placed - start;
    compile_stage(ctx, "routing", 0);
    ok = ok && pnr_route_all(&a->design, &how, ctx->mem, ctx->diag) && compile_balance(o, ctx, a) &&
         pnr_check(&a->design, ctx->diag) && pnr_sta(&a->design, ctx->mem, ctx->diag, &a->timing);
    times->route += seconds_now() - placed;
    return ok;
}

bool compile_route(const compile_options *o, compile_context *ctx, const pnr_board *board, compile_array *a,
                   compile_times *times) {
    compile_context own = *ctx;
    diagnostics unheard;
    times->place = times->route = 0;
    diag_init(&unheard, ctx->mem);
    own.diag = &unheard;
    return (a->beside.len && route_once(o, &own, board, true, a, times)) ||
           route_once(o, ctx, board, false, a, times);
}

bool compile_encode(compile_context *ctx, const char *folder, const pnr_design *design, compile_bits *b) {
    const char *file = arena_printf(ctx->mem, "%s/bitstream.bs", folder);
    bits_stream again;
    uint32_t unknown = 0;
    bool ok = bits_map_read(design->board, ctx->mem, ctx->diag, &b->map) &&
              bits_encode(design, b->map, ctx->mem, ctx->diag, &b->stream) &&
              bits_write(&b->stream, file, ctx->diag) && bits_read(file, ctx->mem, ctx->diag, &again) &&
              bits_decode(&again, design->board, b->map, ctx->names, ctx->mem, ctx->diag, &b->decoded_net,
                          &b->decoded, &unknown) &&
              bits_same(&b->decoded, design, ctx->diag);
    if (!ok)
        remove(file);
    return ok;
}

/* Blocks of a run that the store at an IO column takes. */
static uint32_t blocks_at(const pnr_design *design, uint32_t column) {
    uint32_t blocks = 0;
    for (uint32_t c = 0; c < design->net->cells.len; c++) {
        const net_cell_data *cell = &design->net->cells.at[c];
        if (cell->mode == NET_MODE_IO_OUT && design->site.at[c].x == column)
            blocks = cell->num_blocks;
    }
    return blocks;
}

bool compile_find_early(compile_context *ctx, const compile_programmed *p, uint32_t *stores) {
    compile_streams decoded;
    cycle_stream outputs[64] = {0};
    bool early[64];
    cycle_design model;
    compile_streams_of(p->decoded, 0, &decoded);
    for (uint32_t i = 0; i < decoded.n_out; i++)
        outputs[i] = (cycle_stream){.cell = decoded.out_cell[i],
                                    .blocks = blocks_at(p->design, decoded.out_column[i])};
    *stores = 0;
    if (!cycle_load(p->decoded, p->map, ctx->mem, ctx->diag, &model) ||
        !cycle_find_early(&model, outputs, decoded.n_out, early, ctx->diag))
        return false;
    for (uint32_t i = 0; i < decoded.n_out; i++) {
        if (early[i])
            *stores |= 1u << decoded.out_column[i] / p->design->board->columns_per_glb_tile;
    }
    return true;
}

/* ---- several kernels --------------------------------------------------------------------------- */

bool compile_may_share(compile_context *ctx, const compile_kernel *k) {
    const compile_programmed p = {
        .design = &k->array.design, .decoded = &k->bits.decoded, .map = k->bits.map, .bits = &k->bits.stream};
    compile_context own = *ctx;
    diagnostics unheard;
    uint32_t early = 0;
    diag_init(&unheard, ctx->mem);
    own.diag = &unheard;
    return !k->array.apart && compile_find_early(&own, &p, &early) && !early;
}

static bool join(compile_context *ctx, const compile_kernels *all, diagnostics *d, netlist *out) {
    const netlist **parts = arena_new_n(ctx->mem, const netlist *, all->len);
    for (uint32_t i = 0; i < all->len; i++)
        parts[i] = &all->at[i]->array.net;
    return net_join(parts, all->len, ctx->mem, d, out);
}

bool compile_fit_together(const compile_options *o, compile_context *ctx, const compile_kernels *all,
                          bool one_of) {
    enum { LOADS = 2 };
    const pnr_options rules = {.own_tiles = o->buffers > 1};
    const pnr_board *board = &all->at[0]->board;
    pnr_resource table[PNR_RESOURCES];
    diagnostics unheard;
    netlist net;
    diag_init(&unheard, ctx->mem);
    if (all->len > FW_PARTS_MOST || !join(ctx, all, &unheard, &net) ||
        !pnr_fits(&net, board, &rules, &unheard))
        return false;
    pnr_count_resources(&net, board, table);
    return table[LOADS].need + one_of <= table[LOADS].have;
}

/* What the deadlock analysis reads of a kernel: its own netlist, with the pairs that its routes have here. */
static bool find_deadlock(const compile_options *o, compile_context *ctx, const compile_array *shared,
                          uint32_t first_net, compile_array *own) {
    compile_array view = *own;
    view.design = shared->design;
    view.design.route.at += first_net;
    bool ok = compile_find_deadlock(o, ctx, &view);
    own->liveness = view.liveness;
    return ok;
}

/* Gives kernel `i` the array that all share. */
static bool take_part(const compile_options *o, compile_context *ctx, const compile_kernels *all, uint32_t i,
                      const compile_array *shared, uint32_t first_net) {
    compile_kernel *k = all->at[i];
    compile_array *a = &k->array;
    if (!find_deadlock(o, ctx, shared, first_net, a))
        return false;
    a->design = shared->design;
    a->timing = shared->timing;
    a->part = i;
    a->parts = all->len;
    a->one_of = shared->one_of;
    return compile_write_netlist(ctx, k->folder, shared->design.net) &&
           compile_write_design(ctx, k->folder, &a->design) &&
           compile_encode(ctx, k->folder, &a->design, &k->bits);
}

static bool loads_at_first_tile(const pnr_design *design) {
    bool any = false;
    for (uint32_t c = 0; c < design->net->cells.len; c++)
        any = any || (design->net->cells.at[c].mode == NET_MODE_IO_IN &&
                      design->site.at[c].x < design->board->columns_per_glb_tile);
    return any;
}

/* Adds the streams of a pair, level by level, those of one copy; each stands beside one other. */
static void add_beside(compile_context *ctx, const compile_pair *p, compile_array *a) {
    const netlist *n = &a->net;
    for (uint32_t s = 0; s < n->cells.len; s++) {
        const net_cell_data *store = &n->cells.at[s];
        if (store->mode != NET_MODE_IO_OUT || store->part != p->from || !name_eq(store->tensor, p->stored))
            continue;
        for (uint32_t l = 0; l < n->cells.len; l++) {
            const net_cell_data *load = &n->cells.at[l];
            bool free = load->mode == NET_MODE_IO_IN && load->part == p->to &&
                        name_eq(load->tensor, p->loaded) && load->level == store->level;
            for (uint32_t i = 0; i < a->beside.len; i++)
                free = free && a->beside.at[i] != (i % 2 ? l : s);
            if (!free)
                continue;
            vec_push(ctx->mem, &a->beside, s);
            vec_push(ctx->mem, &a->beside, l);
        }
    }
}

static void list_beside(compile_context *ctx, const compile_pairs *pairs, compile_array *a) {
    a->beside.len = 0;
    for (uint32_t i = 0; i < pairs->len; i++)
        add_beside(ctx, &pairs->at[i], a);
}

bool compile_make_again(const compile_options *o, compile_context *ctx, compile_kernel *k, bool one_of,
                        const compile_pairs *pairs, compile_times *times) {
    const compile_array before = k->array;
    compile_array *a = &k->array;
    compile_context own = *ctx;
    diagnostics unheard;
    *times = (compile_times){0};
    a->one_of = one_of;
    list_beside(ctx, pairs, a);
    if (!a->beside.len && !(one_of && loads_at_first_tile(&a->design)))
        return true;
    diag_init(&unheard, ctx->mem);
    own.diag = &unheard;
    if (!compile_route(o, &own, &k->board, a, times)) {
        *a = before;
        return true;
    }
    return compile_find_deadlock(o, ctx, a) && compile_write_design(ctx, k->folder, &a->design) &&
           compile_encode(ctx, k->folder, &a->design, &k->bits);
}

bool compile_share(const compile_options *o, compile_context *ctx, const compile_kernels *all, bool one_of,
                   const compile_pairs *pairs, compile_times *times) {
    compile_array *shared = arena_new(ctx->mem, compile_array);
    compile_context own = *ctx;
    diagnostics unheard;
    uint32_t net = 0;
    diag_init(&unheard, ctx->mem);
    own.diag = &unheard;
    shared->one_of = one_of;
    if (!join(ctx, all, ctx->diag, &shared->net))
        return false;
    list_beside(ctx, pairs, shared);
    if (!compile_route(o, &own, &all->at[0]->board, shared, times))
        return true;
    bool ok = true;
    for (uint32_t i = 0; i < all->len && ok; i++) {
        ok = take_part(o, ctx, all, i, shared, net);
        net += all->at[i]->array.net.nets.len;
    }
    return ok;
}
