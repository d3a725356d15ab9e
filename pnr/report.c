/* Numbers about a placed and routed design. */
#include "pnr/pnr_int.h"

const char *pnr_block_id(const net_cell_data *cell, char buffer[16]) {
    snprintf(buffer, 16, "%c%u", cell->tag, cell->number);
    return buffer;
}

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
    cJSON *seconds = cJSON_AddObjectToObject(json, "seconds");
    cJSON_AddNumberToObject(seconds, "place", s->place_seconds);
    cJSON_AddNumberToObject(seconds, "route", s->route_seconds);
    return json;
}
