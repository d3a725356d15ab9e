/* onyx view of dense tiles: the bitstream in the folder as units, wires and registers for the page. */
#include "cli/view.h"
#include "dense/dense.h"
#include "dense/links.h"
#include "dense/units.h"

typedef struct {
    cli_session *s;
    const dense_design *design;
    dense_wiring wiring;
    cJSON *cells, *nets, *sites, *routes;
    uint32_t counts[NET_TILE_IO + 1];
} drawer;

/* ---- tiles ------------------------------------------------------------------------------------- */

static const char *mode_of(uint32_t units) {
    static const struct {
        uint32_t unit;
        const char *mode;
    } rows[] = {{DENSE_HAS_PE, "alu"},  {DENSE_HAS_POND, "pond"},        {DENSE_HAS_UB, "buffer"},
                {DENSE_HAS_RAM, "ram"}, {DENSE_HAS_VALID, "valid_bits"}, {DENSE_HAS_IO, "stream"}};
    const char *mode = "off";
    for (size_t i = sizeof rows / sizeof *rows; i-- > 0;)
        mode = units & rows[i].unit ? rows[i].mode : mode;
    return mode;
}

static const char *name_of(const drawer *w, uint32_t x, uint32_t y) {
    return arena_printf(&w->s->mem, "x%uy%u", x, y);
}

static void add_tile(drawer *w, const dense_tile *t) {
    const uint32_t units = dense_units_of(w->design, t);
    const double at[] = {t->x, t->y};
    if (!units)
        return;
    cJSON *cell = json_add_item(w->cells), *config = cJSON_CreateObject();
    cJSON_AddStringToObject(cell, "name", name_of(w, t->x, t->y));
    cJSON_AddStringToObject(cell, "mode", mode_of(units));
    for (uint32_t i = 0; i < t->settings.len; i++)
        cJSON_AddNumberToObject(config, t->settings.at[i].field->name, t->settings.at[i].value);
    cJSON_AddItemToObject(cell, "config", config);
    cJSON_AddItemToArray(w->sites, cJSON_CreateDoubleArray(at, 2));
    w->counts[t->kind]++;
}

/* ---- wires ------------------------------------------------------------------------------------- */

static const char *output_text(net_tile kind, uint32_t width, uint32_t place) {
    static const char *const io[DENSE_WIDTHS] = {"word", "bit"};
    return kind == NET_TILE_IO ? io[width] : dense_core_outputs[kind][width][place];
}

static dense_origin before(const drawer *w, const dense_link *l) {
    const dense_tile *t = dense_tile_at(w->design, l->x, l->y);
    if (l->port == DENSE_PORTS)
        return (dense_origin){.kind = DENSE_FROM_WIRE, .x = l->x, .y = 1, .side = PNR_NORTH};
    return dense_behind_box(&w->wiring, t, (dense_port)l->port,
                            dense_box_of(&w->wiring, t, (dense_port)l->port).select);
}

static bool is_drawn(const cJSON *hops, const double row[4]) {
    const cJSON *one;
    bool drawn = false;
    cJSON_ArrayForEach(one, hops) {
        bool same = true;
        for (int i = 0; i < 4; i++)
            same = same && cJSON_GetNumberValue(cJSON_GetArrayItem(one, i)) == row[i];
        drawn = drawn || same;
    }
    return drawn;
}

/* Adds the wires to a link's input, from its source on; wires of earlier links are there. */
static void add_hops(const drawer *w, const dense_link *l, dense_origin at, cJSON *hops) {
    const double row[] = {at.x, at.y, at.side, at.track,
                          at.kind == DENSE_FROM_WIRE && dense_wire_at(&w->wiring, at, l->width)->registered};
    if (at.kind != DENSE_FROM_WIRE || is_drawn(hops, row))
        return;
    add_hops(w, l, dense_behind_wire(&w->wiring, at, l->width), hops);
    cJSON_AddItemToArray(hops, cJSON_CreateDoubleArray(row, 5));
}

static cJSON *pin_json(const drawer *w, uint32_t x, uint32_t y, const char *port) {
    cJSON *pin = cJSON_CreateObject();
    cJSON_AddStringToObject(pin, "cell", name_of(w, x, y));
    cJSON_AddStringToObject(pin, "port", port);
    return pin;
}

/* Adds the net of the links from `first` on that have one output; returns the next link. */
static uint32_t add_net(const drawer *w, const dense_links *links, uint32_t first) {
    const dense_link *l = &links->at[first];
    cJSON *net = json_add_item(w->nets), *route = json_add_item(w->routes), *sinks, *hops;
    const net_tile kind = pnr_site_tile(w->design->board, l->from_x, l->from_y);
    uint32_t next = first;
    cJSON_AddItemToObject(net, "source",
                          pin_json(w, l->from_x, l->from_y, output_text(kind, l->width, l->place)));
    sinks = cJSON_AddArrayToObject(net, "sinks");
    cJSON_AddStringToObject(route, "id", arena_printf(&w->s->mem, "e%u%s", first, l->width ? " (bits)" : ""));
    hops = cJSON_AddArrayToObject(route, "hops");
    for (; next < links->len && dense_same_output(&links->at[next], l); next++) {
        const dense_link *one = &links->at[next];
        cJSON_AddItemToArray(sinks,
                             pin_json(w, one->x, one->y,
                                      one->port == DENSE_PORTS ? output_text(NET_TILE_IO, one->width, 0)
                                                               : dense_ports[one->port].name));
        add_hops(w, one, before(w, one), hops);
    }
    return next;
}

/* ---- the report -------------------------------------------------------------------------------- */

/* The members of a kernel's report that the page shows. */
static cJSON *report_json(const drawer *w, const cJSON *report, uint32_t words, const dense_timing *timing) {
    static const char *const same[] = {"board", "check", "time_us"};
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(report, "dense_program")),
               *engine = cJSON_GetStringValue(cJSON_GetObjectItem(report, "engine"));
    cJSON *json = cJSON_CreateObject(), *tiles;
    cJSON_AddBoolToObject(json, "dense", true);
    cJSON_AddStringToObject(json, "expression", name ? name : "dense tiles");
    cJSON_AddStringToObject(json, "engine", engine ? engine : "none");
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        if (cJSON_HasObjectItem(report, same[i]))
            cJSON_AddItemToObject(json, same[i], cJSON_Duplicate(cJSON_GetObjectItem(report, same[i]), true));
    }
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(json, "cycles"), "total",
                            cJSON_GetNumberValue(cJSON_GetObjectItem(report, "cycles")));
    cJSON_AddNumberToObject(json, "fmax_mhz", 1e6 / timing->period_ps);
    tiles = cJSON_AddObjectToObject(json, "tiles");
    cJSON_AddNumberToObject(tiles, "pe", w->counts[NET_TILE_PE]);
    cJSON_AddNumberToObject(tiles, "mem", w->counts[NET_TILE_MEM]);
    cJSON_AddNumberToObject(tiles, "io", w->counts[NET_TILE_IO]);
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(json, "bitstream"), "words", words);
    return json;
}

/* ---- all --------------------------------------------------------------------------------------- */

static cJSON *kernel_json(drawer *w, const cJSON *report, uint32_t words, const dense_timing *timing) {
    const dense_links links = dense_links_of(w->design, &w->s->mem);
    cJSON *json = cJSON_CreateObject(), *wired = cJSON_CreateObject();
    w->cells = cJSON_AddArrayToObject(wired, "cells");
    w->nets = cJSON_AddArrayToObject(wired, "nets");
    w->sites = cJSON_CreateArray();
    w->routes = cJSON_CreateArray();
    for (uint32_t i = 0; i < w->design->tiles.len; i++)
        add_tile(w, &w->design->tiles.at[i]);
    for (uint32_t i = 0; i < links.len;)
        i = add_net(w, &links, i);
    cJSON_AddStringToObject(json, "name", "");
    cJSON_AddItemToObject(json, "report", report_json(w, report, words, timing));
    cJSON_AddArrayToObject(json, "verdict");
    cJSON_AddItemToObject(json, "netlist", wired);
    cJSON_AddItemToObject(json, "sites", w->sites);
    cJSON_AddItemToObject(json, "routes", w->routes);
    cJSON_AddItemToObject(json, "timing", dense_timing_report(timing));
    return json;
}

cJSON *cli_view_dense(cli_session *s, const char *folder, const cJSON *report, const pnr_board *board) {
    const char *path = arena_printf(&s->mem, "%s/design.bs", folder);
    dense_design design;
    dense_timing timing;
    bits_stream bits;
    bits_map *map;
    if (!bits_map_read(board, &s->mem, &s->diag, &map) || !bits_read(path, &s->mem, &s->diag, &bits) ||
        !dense_decode(&bits, board, map, &s->diag, &design) || !dense_time(&design, &s->diag, &timing))
        return NULL;
    drawer w = {.s = s, .design = &design, .wiring = dense_wire_up(&design, &s->mem)};
    return kernel_json(&w, report, bits.words.len, &timing);
}
