/* Placement: equal lanes by copying one (lanes.c), any other netlist cell by cell (start.c, whole.c,
 * anneal.c).
 */
#include "boards/onyx/fabric.h"
#include "pnr/place_task.h"

pnr_options pnr_options_default(void) {
    return (pnr_options){.seed = 1, .pipeline = PNR_PIPELINE_EXHAUSTIVE};
}

/* The chip's IO tile does not gate its output by its sinks' joined ready: an early ready branch would take a
 * token twice. The IO tile of onyx-ext gates its output (docs/boards.md). */
static bool io_fan_out_allowed(const netlist *n, const pnr_board *b, const pnr_options *o, diagnostics *d) {
    const bool allowed = o->fabric_only || o->io_fan_out || pnr_board_extended(b);
    bool good = true;
    for (uint32_t i = 0; i < n->nets.len && !allowed; i++) {
        const net_cell_data *source = net_cell_at(n, n->nets.at[i].source.cell);
        char id[16];
        if (pnr_cell_tile(source) != NET_TILE_IO || n->nets.at[i].sinks.len < 2)
            continue;
        diag_unmappable(d, source->loc, "E0511-io-fanout",
                        "input %s feeds %u sinks, but the chip cannot broadcast from an IO tile",
                        pnr_block_id(source, id), n->nets.at[i].sinks.len);
        diag_hint(d, "load the stream once per sink, or send it through a PE or MEM tile first");
        good = false;
    }
    return good;
}

/* Returns whether a net leads from a row with a late flush to a row with an early flush: an old token would
 * enter behind the flush. */
static bool meets_flush(const net_data *net, const pnr_site *at) {
    bool meets = false;
    for (uint32_t s = 0; s < net->sinks.len; s++) {
        const uint32_t y = at[net->sinks.at[s].cell.v - 1].y;
        meets = meets || (y && y <= ONYX_NEAR_ROWS);
    }
    return meets && at[net->source.cell.v - 1].y > ONYX_NEAR_ROWS;
}

/* Binds sources of tokens before the flush to the rows with an early flush. */
static const pnr_region *near_regions(const place_task *t, const bool *early) {
    const netlist *n = t->net;
    const pnr_board *b = t->board;
    const pnr_options *o = t->options;
    pnr_region *region = arena_new_n(t->mem, pnr_region, n->cells.len + 1);
    for (uint32_t c = 0; c < n->cells.len; c++)
        region[c] = o->region ? o->region[c] : (pnr_region){.x0 = PNR_FREE};
    for (uint32_t i = 0; i < n->nets.len; i++) {
        pnr_region *r = &region[n->nets.at[i].source.cell.v - 1];
        if (!early[i])
            continue;
        if (r->x0 == PNR_FREE)
            *r = (pnr_region){0, 0, (uint16_t)(b->width - 1), (uint16_t)(b->height - 1)};
        r->y1 = r->y1 < ONYX_NEAR_ROWS ? r->y1 : ONYX_NEAR_ROWS;
    }
    return region;
}

static bool any_meets_flush(const netlist *n, const bool *early, const pnr_site *at) {
    bool any = false;
    for (uint32_t i = 0; i < n->nets.len; i++)
        any = any || (early[i] && meets_flush(&n->nets.at[i], at));
    return any;
}

/* Places the netlist, and places again with the source among the rows with an early flush if an old token
 * could pass the flush. */
static bool place(const place_task *t, pnr_stats *stats, pnr_site *at) {
    bool *early = arena_new_n(t->mem, bool, t->net->nets.len + 1);
    pnr_options near = *t->options;
    place_task again = *t;
    int64_t cost;
    if (!place_lanes(t, stats, at) && !place_whole(t, stats, at, &cost))
        return false;
    net_early(t->net, early);
    if (near.fabric_only || !any_meets_flush(t->net, early, at))
        return true;
    near.region = near_regions(t, early);
    again.options = &near;
    return place_whole(&again, stats, at, &cost);
}

bool pnr_place(const netlist *n, const pnr_board *b, const pnr_options *o, arena *mem, diagnostics *d,
               pnr_design *out) {
    double start = seconds_now();
    *out = (pnr_design){.net = n,
                        .board = b,
                        .fabric_only = o->fabric_only,
                        .io_fan_out = o->io_fan_out,
                        .own_tiles = o->own_tiles,
                        .mhz = o->mhz,
                        .no_pairs = o->pipeline == PNR_PIPELINE_NONE,
                        .flush = o->flush,
                        .stats.seed = o->seed};
    if (!pnr_fits(n, b, o, d) || !io_fan_out_allowed(n, b, o, d))
        return false;
    arena scratch = {0};
    pnr_site *at = arena_new_n(&scratch, pnr_site, n->cells.len);
    place_task task = {.net = n, .board = b, .options = o, .lanes = 1, .mem = &scratch, .d = d};
    bool good = place(&task, &out->stats, at);
    for (uint32_t c = 0; good && c < n->cells.len; c++)
        vec_push(mem, &out->site, at[c]);
    arena_free(&scratch);
    out->stats.place_seconds = seconds_now() - start;
    return good;
}
