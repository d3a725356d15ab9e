/* Numbers about a placed and routed design. */
#include "pnr/pnr_int.h"

uint32_t pnr_hpwl(const pnr_design *design) {
    uint32_t total = 0;
    for (uint32_t n = 0; n < design->net->nets.len; n++) {
        const net_data *net = &design->net->nets.at[n];
        pnr_site low = design->site.at[net->source.cell.v - 1], high = low;
        for (uint32_t s = 0; s < net->sinks.len; s++) {
            pnr_site at = design->site.at[net->sinks.at[s].cell.v - 1];
            low = (pnr_site){at.x < low.x ? at.x : low.x, at.y < low.y ? at.y : low.y};
            high = (pnr_site){at.x > high.x ? at.x : high.x, at.y > high.y ? at.y : high.y};
        }
        total += (uint32_t)(high.x - low.x + high.y - low.y);
    }
    return total;
}

uint32_t pnr_hops(const pnr_design *design) {
    uint32_t hops = 0;
    for (uint32_t n = 0; n < design->route.len; n++)
        hops += design->route.at[n].hops.len;
    return hops;
}

static uint32_t longest_path(const pnr_design *design) {
    uint32_t longest = 0;
    for (uint32_t n = 0; n < design->route.len; n++) {
        const pnr_route *r = &design->route.at[n];
        for (uint32_t s = 0; s < r->sinks.len; s++) {
            uint32_t length = 0;
            for (uint32_t i = r->sinks.at[s].hop; i != PNR_NO_HOP; i = r->hops.at[i].parent)
                length++;
            longest = length > longest ? length : longest;
        }
    }
    return longest;
}

static uint32_t fifo_pairs(const pnr_design *design) {
    uint32_t pairs = 0;
    for (uint32_t n = 0; n < design->route.len; n++)
        for (uint32_t i = 0; i < design->route.at[n].hops.len; i++)
            pairs += design->route.at[n].hops.at[i].fifo_start;
    return pairs;
}

static void add_tiles(cJSON *tiles, const char *name, uint32_t used, uint32_t have) {
    cJSON *row = cJSON_AddObjectToObject(tiles, name);
    cJSON_AddNumberToObject(row, "used", used);
    cJSON_AddNumberToObject(row, "have", have);
}

static void count_tiles(const pnr_design *design, cJSON *tiles) {
    uint32_t used[NET_TILE_IO + 1] = {0}, have[NET_TILE_IO + 1] = {0};
    for (uint32_t i = 0; i < design->net->cells.len; i++)
        used[pnr_cell_tile(&design->net->cells.at[i])]++;
    for (uint32_t y = 0; y < design->board->height; y++)
        for (uint32_t x = 0; x < design->board->width; x++)
            have[pnr_site_tile(design->board, x, y)]++;
    add_tiles(tiles, "pe", used[NET_TILE_PE], have[NET_TILE_PE]);
    add_tiles(tiles, "mem", used[NET_TILE_MEM], have[NET_TILE_MEM]);
    add_tiles(tiles, "io", used[NET_TILE_IO], have[NET_TILE_IO]);
}

/* ---- timing ---------------------------------------------------------------------------------- */

static const char *const kind_words[] = {"data", "ready and valid", "ready"};
static const char *const side_words[] = {"east", "south", "west", "north"};

static void add_net_name(cJSON *json, const pnr_design *design, uint32_t n) {
    const net_data *net = &design->net->nets.at[n];
    char id[16];
    cJSON_AddNumberToObject(json, "net", n);
    cJSON_AddStringToObject(json, "from", pnr_block_id(net_cell_at(design->net, net->source.cell), id));
}

static void add_path(cJSON *json, const pnr_timing_path *p) {
    cJSON *steps = cJSON_AddArrayToObject(json, "critical_path");
    for (uint32_t i = 0; i < p->steps.len; i++) {
        const pnr_timing_step *s = &p->steps.at[i];
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "what", s->what);
        if (s->on_hop) {
            cJSON_AddNumberToObject(row, "x", s->at.x);
            cJSON_AddNumberToObject(row, "y", s->at.y);
            cJSON_AddStringToObject(row, "side", side_words[s->side]);
            cJSON_AddNumberToObject(row, "track", s->track);
        }
        cJSON_AddNumberToObject(row, "delay_ps", s->delay_ps);
        cJSON_AddNumberToObject(row, "arrival_ps", s->arrival_ps);
        cJSON_AddItemToArray(steps, row);
    }
}

static const char *why_slow(const pnr_timing_path *p) {
    if (p->shared_trunk)
        return "branches share wires before they part: no FIFO may stand before a fork";
    if (p->kind == PNR_PATH_READY)
        return "ready crosses more switch boxes than one SplitFIFO apart";
    return "a stretch of wire has no room for a pair of registers";
}

static void add_exceptions(cJSON *json, const pnr_design *design, const pnr_timing *t) {
    cJSON *list = cJSON_AddArrayToObject(json, "exceptions");
    for (uint32_t i = 0; i < t->paths.len; i++) {
        const pnr_timing_path *p = &t->paths.at[i];
        if (p->delay_ps <= t->floor_ps)
            continue;
        cJSON *row = cJSON_CreateObject();
        add_net_name(row, design, p->net);
        cJSON_AddNumberToObject(row, "delay_ps", p->delay_ps);
        cJSON_AddStringToObject(row, "reason", why_slow(p));
        cJSON_AddItemToArray(list, row);
    }
}

cJSON *pnr_timing_report(const pnr_design *design, const pnr_timing *t) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "period_ps", t->period_ps);
    cJSON_AddNumberToObject(json, "fmax_mhz", t->period_ps ? 1e6 / t->period_ps : 0);
    cJSON_AddNumberToObject(json, "floor_ps", t->floor_ps);
    if (t->corner) {
        cJSON *corner = cJSON_AddObjectToObject(json, "corner");
        cJSON_AddStringToObject(corner, "name", t->corner);
        cJSON_AddNumberToObject(corner, "period_ps", t->corner_ps);
        cJSON_AddNumberToObject(corner, "fmax_mhz", t->corner_ps ? 1e6 / t->corner_ps : 0);
    }
    cJSON *limit = cJSON_AddObjectToObject(json, "limited_by");
    if (t->worst_net == PNR_NO_HOP) {
        cJSON_AddStringToObject(limit, "kind", "core");
        cJSON_AddStringToObject(limit, "why", "the inside of a tile is slower than every net");
    } else {
        const pnr_timing_path *p = &t->paths.at[t->worst_net];
        cJSON_AddStringToObject(limit, "kind", kind_words[p->kind]);
        add_net_name(limit, design, p->net);
        bool at_floor = p->delay_ps <= t->floor_ps;
        cJSON_AddStringToObject(limit, "why", at_floor ? "no design is faster" : why_slow(p));
        add_path(json, p);
    }
    cJSON *bins = cJSON_AddArrayToObject(json, "slack_histogram");
    for (int i = 0; i < PNR_SLACK_BINS; i++)
        cJSON_AddItemToArray(bins, cJSON_CreateNumber(t->histogram[i]));
    add_exceptions(json, design, t);
    return json;
}

/* Adds the timing of a routed design on a board with delays; nothing otherwise. */
static void add_timing(const pnr_design *design, cJSON *json) {
    arena mem = {0};
    diagnostics d;
    pnr_timing t;
    diag_init(&d, &mem);
    if (design->route.len && pnr_sta(design, &mem, &d, &t)) {
        cJSON *timing = pnr_timing_report(design, &t);
        cJSON_AddNumberToObject(json, "fmax_mhz", 1e6 / t.period_ps);
        cJSON_AddItemToObject(json, "timing", timing);
    }
    arena_free(&mem);
}

static void add_balance(const pnr_design *design, cJSON *json) {
    arena mem = {0};
    pnr_imbalance_vec starved = {0};
    cJSON *list = cJSON_AddArrayToObject(json, "starved_joins");
    pnr_balance(design, &mem, &starved);
    for (uint32_t i = 0; i < starved.len; i++) {
        const pnr_imbalance *b = &starved.at[i];
        char id[16];
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "join", pnr_block_id(&design->net->cells.at[b->join], id));
        cJSON_AddStringToObject(row, "fork", pnr_block_id(&design->net->cells.at[b->fork], id));
        cJSON_AddNumberToObject(row, "latency", b->latency);
        cJSON_AddNumberToObject(row, "room", b->room);
        cJSON_AddItemToArray(list, row);
    }
    arena_free(&mem);
}

/* Adds, by flush group from the west, the flush of its cells, null for an empty group. The firmware's
 * crossbar uses the list. */
static void add_flush_groups(const pnr_design *design, cJSON *json) {
    const pnr_board *b = design->board;
    cJSON *list = cJSON_AddArrayToObject(json, "flush_groups");
    for (uint32_t x0 = 0; x0 < b->width; x0 += b->flush_columns) {
        uint32_t c = 0;
        while (c < design->site.len && design->site.at[c].x - x0 >= b->flush_columns)
            c++;
        cJSON_AddItemToArray(list, c < design->site.len ? cJSON_CreateNumber(design->flush[c])
                                                        : cJSON_CreateNull());
    }
}

cJSON *pnr_report(const pnr_design *design) {
    const pnr_stats *s = &design->stats;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "board", design->board->name);
    cJSON_AddNumberToObject(json, "seed", (double)s->seed);
    cJSON_AddNumberToObject(json, "cells", design->net->cells.len);
    cJSON_AddNumberToObject(json, "nets", design->net->nets.len);
    count_tiles(design, cJSON_AddObjectToObject(json, "tiles"));
    cJSON_AddNumberToObject(json, "hpwl", pnr_hpwl(design));
    cJSON_AddNumberToObject(json, "hops", pnr_hops(design));
    cJSON_AddNumberToObject(json, "longest_path", longest_path(design));
    cJSON_AddNumberToObject(json, "fifo_pairs", fifo_pairs(design));
    cJSON_AddNumberToObject(json, "moves", s->moves);
    cJSON_AddNumberToObject(json, "route_iterations", s->route_iterations);
    cJSON_AddNumberToObject(json, "refined_hops", s->refined_hops);
    cJSON_AddNumberToObject(json, "repaired_nets", s->repaired_nets);
    cJSON_AddNumberToObject(json, "seeds", s->seeds);
    cJSON_AddNumberToObject(json, "lanes", s->lanes);
    cJSON_AddBoolToObject(json, "out_of_time", s->out_of_time);
    if (design->flush)
        add_flush_groups(design, json);
    add_timing(design, json);
    add_balance(design, json);
    cJSON *seconds = cJSON_AddObjectToObject(json, "seconds");
    cJSON_AddNumberToObject(seconds, "place", s->place_seconds);
    cJSON_AddNumberToObject(seconds, "route", s->route_seconds);
    return json;
}
