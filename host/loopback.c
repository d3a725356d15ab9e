/* A netlist of an input and an output a GLB tile, at fixed sites, routed and encoded as any other. */
#include "host/loopback.h"
#include "support/json.h"

static void add_cell(cJSON *cells, const char *mode, const char *name, uint32_t number) {
    cJSON *cell = json_add_item(cells);
    cJSON_AddStringToObject(cell, "name", name);
    cJSON_AddStringToObject(cell, "mode", mode);
    cJSON_AddStringToObject(cell, "tag", "I");
    cJSON_AddNumberToObject(cell, "number", number);
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(cell, "config"), "tile_en", 1);
    cJSON *stream = cJSON_AddObjectToObject(cell, "stream");
    cJSON_AddStringToObject(stream, "tensor", name);
    cJSON_AddNumberToObject(stream, "level", SAM_MODE_VALS);
    cJSON_AddNumberToObject(stream, "num_blocks", 1);
}

static void add_pin(cJSON *pin, const char *cell) {
    cJSON_AddStringToObject(pin, "cell", cell);
    cJSON_AddNumberToObject(pin, "port", 0);
}

/* Cells 2 g and 2 g + 1 are input and output of GLB tile g. */
static cJSON *netlist_of(uint32_t tiles, arena *mem) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON *cells = cJSON_AddArrayToObject(json, "cells"), *nets = cJSON_AddArrayToObject(json, "nets");
    for (uint32_t g = 0; g < tiles; g++) {
        const char *in = arena_printf(mem, "in%u", g), *out = arena_printf(mem, "out%u", g);
        add_cell(cells, "io_in", in, 2 * g);
        add_cell(cells, "io_out", out, 2 * g + 1);
        cJSON *net = json_add_item(nets);
        add_pin(cJSON_AddObjectToObject(net, "source"), in);
        add_pin(json_add_item(cJSON_AddArrayToObject(net, "sinks")), out);
    }
    return json;
}

bool host_loopback(const pnr_board *b, bool odd, arena *mem, diagnostics *d, bits_stream *out) {
    name_table names;
    netlist n;
    pnr_design design;
    bits_map *map;
    pnr_options o = pnr_options_default();
    pnr_site *sites = arena_new_n(mem, pnr_site, 2 * (size_t)b->glb_tiles);
    names_init(&names, mem);
    for (uint32_t g = 0; g < b->glb_tiles; g++) {
        sites[2 * g].x = (uint16_t)(2 * g + odd);
        sites[2 * g + 1].x = (uint16_t)(2 * g + !odd);
    }
    o.fixed = sites;
    o.fabric_only = true; /* odd columns have inputs, too */
    cJSON *json = netlist_of(b->glb_tiles, mem);
    const bool ok = net_from_json(json, &names, mem, d, &n) && net_check(&n, d) &&
                    pnr_place(&n, b, &o, mem, d, &design) && pnr_route_all(&design, &o, mem, d) &&
                    bits_map_read(b, mem, d, &map) && bits_encode(&design, map, mem, d, out);
    cJSON_Delete(json);
    return ok;
}
