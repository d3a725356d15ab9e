/* Arrival times over wires and PEs, followed back from each register. No table has a row for a Pond, whose
 * words are read as late as those of a memory here; an IO tile takes words as in the analysis of streams. */
#include "dense/timing.h"

#include "boards/onyx/fabric.h"
#include "dense/units.h"
#include "pnr/delays.h"

typedef struct {
    const dense_design *design;
    const pnr_delays *d;
    dense_wiring wiring;
    uint32_t *wire, *core; /* arrivals plus 1, by switch-box output and by site; 0: unknown */
    uint8_t *inside;       /* by switch-box output, and by site behind: the walk is there, in a ring */
    bool ring;             /* a wire feeds itself within a cycle */
    arena *mem;
} timer;

enum { CHAIN_INPUTS = 2, PLACE_OF_POND = 3 };
static const dense_port operands[DENSE_OPERANDS] = {DENSE_PORT_PE_IN0,  DENSE_PORT_PE_IN1,
                                                    DENSE_PORT_PE_IN2,  DENSE_PORT_PE_BIT0,
                                                    DENSE_PORT_PE_BIT1, DENSE_PORT_PE_BIT2};

static uint32_t source_arrival(timer *t, dense_origin from, uint32_t width);

static uint32_t site_of(const timer *t, uint32_t x, uint32_t y) {
    return y * t->design->board->width + x;
}

static net_tile kind_at(const timer *t, dense_origin at) {
    return pnr_site_tile(t->design->board, at.x, at.y);
}

/* ---- inputs ------------------------------------------------------------------------------------ */

/* Returns whether an input's wire is in use, and its source. */
static bool is_wired(const timer *t, const dense_tile *tile, dense_port port, dense_origin *from) {
    const dense_box box = dense_box_of(&t->wiring, tile, port);
    *from = box.enable ? dense_behind_box(&t->wiring, tile, port, box.select)
                       : (dense_origin){.kind = DENSE_FROM_NONE};
    return dense_takes(t->design, tile, dense_units_of(t->design, tile), port) &&
           !dense_is_constant(t->design, tile, port) && from->kind != DENSE_FROM_NONE &&
           from->kind != DENSE_FROM_ZERO;
}

static uint32_t input_arrival(timer *t, const dense_tile *tile, dense_port port) {
    dense_origin from;
    return is_wired(t, tile, port, &from)
               ? source_arrival(t, from, dense_ports[port].width) + t->d->box[tile->kind]
               : 0;
}

static bool is_pond(const dense_tile *tile, dense_origin out, uint32_t width) {
    return tile->kind == NET_TILE_PE && (width == DENSE_WORD ? out.port == PLACE_OF_POND : out.port > 0);
}

/* Returns the latest input that passes through the tile within the cycle to this output; DENSE_PORTS: none.
 */
static dense_port latest_input(timer *t, const dense_tile *tile, dense_origin out, uint32_t width,
                               uint32_t *arrival) {
    static const dense_port chain[CHAIN_INPUTS] = {DENSE_PORT_MEM_IN0, DENSE_PORT_MEM_IN1};
    const bool pe = tile->kind == NET_TILE_PE;
    dense_instruction instruction;
    dense_port latest = DENSE_PORTS;
    *arrival = 0;
    if (is_pond(tile, out, width))
        return latest;
    if (pe)
        dense_instruction_of(t->design, tile, &instruction);
    for (uint32_t k = 0; k < (pe ? (uint32_t)DENSE_OPERANDS : CHAIN_INPUTS); k++) {
        const bool passes =
            pe ? instruction.mode[k] == DENSE_BYPASS
               : width == DENSE_WORD && out.port == k && dense_units_of(t->design, tile) & DENSE_HAS_UB;
        const uint32_t at = passes ? input_arrival(t, tile, pe ? operands[k] : chain[k]) : 0;
        if (at > *arrival) {
            *arrival = at;
            latest = pe ? operands[k] : chain[k];
        }
    }
    return latest;
}

/* ---- outputs and wires ------------------------------------------------------------------------- */

static uint32_t core_delay(const timer *t, const dense_tile *tile, dense_origin out, uint32_t width) {
    return t->d->core[is_pond(tile, out, width) ? NET_TILE_MEM : tile->kind];
}

/* The word and the bit of a PE are as late as its latest operand; a Pond reads whatever arrives. */
static uint32_t core_arrival(timer *t, dense_origin out, uint32_t width) {
    const pnr_board *b = t->design->board;
    const dense_tile *tile = dense_tile_at(t->design, out.x, out.y);
    const uint32_t site = site_of(t, out.x, out.y),
                   behind = b->width * b->height * DENSE_WIDTHS * 4 * b->tracks + site;
    uint32_t arrival = 0;
    if (!tile || is_pond(tile, out, width))
        return tile ? core_delay(t, tile, out, width) : 0;
    if (tile->kind == NET_TILE_PE && t->core[site])
        return t->core[site] - 1;
    t->ring = t->ring || t->inside[behind];
    if (t->inside[behind])
        return 0;
    t->inside[behind] = 1;
    latest_input(t, tile, out, width, &arrival);
    t->inside[behind] = 0;
    arrival += core_delay(t, tile, out, width);
    t->core[site] = arrival + 1;
    return arrival;
}

/* Returns the arrival at a switch-box output, before its register. */
static uint32_t wire_arrival(timer *t, dense_origin at, uint32_t width) {
    const uint32_t number = dense_wire_number(t->design->board, at, width);
    const dense_origin from = dense_behind_wire(&t->wiring, at, width);
    if (t->wire[number])
        return t->wire[number] - 1;
    t->ring = t->ring || t->inside[number];
    if (t->inside[number])
        return 0;
    t->inside[number] = 1;
    const uint32_t arrival =
        source_arrival(t, from, width) + (from.kind == DENSE_FROM_CORE ? 0 : t->d->data[kind_at(t, at)]);
    t->inside[number] = 0;
    t->wire[number] = arrival + 1;
    return arrival;
}

static bool is_registered(const timer *t, dense_origin at, uint32_t width) {
    return at.kind == DENSE_FROM_WIRE && dense_wire_at(&t->wiring, at, width)->registered;
}

static uint32_t source_arrival(timer *t, dense_origin from, uint32_t width) {
    if (is_registered(t, from, width))
        return t->d->rmux[kind_at(t, from)];
    if (from.kind == DENSE_FROM_WIRE)
        return wire_arrival(t, from, width);
    if (from.kind == DENSE_FROM_CORE)
        return core_arrival(t, from, width);
    return from.kind == DENSE_FROM_IO ? t->d->launch[NET_TILE_IO] : 0;
}

/* ---- ends of paths ----------------------------------------------------------------------------- */

/* The end of a path: an input of a tile, an IO tile's, or a register on a wire. */
typedef struct {
    const char *what;
    dense_origin from, at; /* at: the end's tile, or wire */
    uint32_t width, delay, arrival;
} path_end;

static void consider(timer *t, path_end *worst, path_end end) {
    if (end.from.kind == DENSE_FROM_NONE || end.from.kind == DENSE_FROM_ZERO)
        return;
    end.arrival = source_arrival(t, end.from, end.width) + end.delay;
    if (end.arrival > worst->arrival)
        *worst = end;
}

/* An operand without a register is no end: its path goes on through the PE. */
static void end_at_inputs(timer *t, const dense_tile *tile, path_end *worst) {
    dense_instruction pe;
    dense_origin from;
    dense_instruction_of(t->design, tile, &pe);
    for (dense_port port = 0; port < DENSE_PORTS; port++) {
        bool passes = false;
        for (uint32_t k = 0; k < DENSE_OPERANDS && tile->kind == NET_TILE_PE; k++)
            passes = passes || (operands[k] == port && pe.mode[k] == DENSE_BYPASS);
        if (dense_ports[port].tile == tile->kind && !passes && is_wired(t, tile, port, &from))
            consider(t, worst,
                     (path_end){.what = dense_ports[port].name,
                                .from = from,
                                .at = {.x = tile->x, .y = tile->y},
                                .width = dense_ports[port].width,
                                .delay = t->d->box[tile->kind]});
    }
}

static void end_at_wires(timer *t, const dense_tile *tile, path_end *worst) {
    const uint32_t tracks = t->design->board->tracks;
    for (uint32_t i = 0; i < DENSE_WIDTHS * 4 * tracks; i++) {
        const dense_origin at = {
            .kind = DENSE_FROM_WIRE, .x = tile->x, .y = tile->y, .side = i / tracks % 4, .track = i % tracks};
        const uint32_t width = i / tracks / 4;
        if (!is_registered(t, at, width))
            continue;
        const dense_origin from = dense_behind_wire(&t->wiring, at, width);
        consider(t, worst,
                 (path_end){.what = "register",
                            .from = from,
                            .at = at,
                            .width = width,
                            .delay = from.kind == DENSE_FROM_CORE ? 0 : t->d->data[tile->kind]});
    }
}

static void end_at_io(timer *t, const dense_tile *tile, path_end *worst) {
    const dense_origin below = {.kind = DENSE_FROM_WIRE, .x = tile->x, .y = 1, .side = PNR_NORTH};
    for (uint32_t width = 0; width < DENSE_WIDTHS; width++) {
        if (dense_wire_at(&t->wiring, below, width)->enable)
            consider(t, worst,
                     (path_end){.what = width == DENSE_WORD ? "word" : "bit",
                                .from = below,
                                .at = {.x = tile->x, .y = tile->y},
                                .width = width,
                                .delay = t->d->capture[NET_TILE_IO]});
    }
}

static path_end find_worst(timer *t, uint32_t *slowest_core) {
    path_end worst = {0};
    *slowest_core = 0;
    for (uint32_t i = 0; i < t->design->tiles.len; i++) {
        const dense_tile *tile = &t->design->tiles.at[i];
        const uint32_t units = dense_units_of(t->design, tile);
        const uint32_t core = tile->kind == NET_TILE_IO ? t->d->launch[NET_TILE_IO]
                              : units & DENSE_HAS_POND  ? t->d->core[NET_TILE_MEM]
                                                        : t->d->core[tile->kind];
        *slowest_core = units && core > *slowest_core ? core : *slowest_core;
        if (tile->kind == NET_TILE_PE || tile->kind == NET_TILE_MEM) {
            end_at_inputs(t, tile, &worst);
            end_at_wires(t, tile, &worst);
        }
        if (units & DENSE_HAS_IO)
            end_at_io(t, tile, &worst);
    }
    return worst;
}

/* ---- the path in steps ------------------------------------------------------------------------- */

static void push(timer *t, dense_timing *out, const char *what, dense_origin at, uint32_t delay) {
    vec_push(t->mem, &out->steps,
             ((dense_path_step){what, at.kind == DENSE_FROM_WIRE, at.x, at.y, at.side, at.track, delay, 0}));
}

/* Adds the steps before an end, the last first. */
static void draw(timer *t, dense_origin at, uint32_t width, dense_timing *out) {
    for (uint32_t most = 0; most < UINT16_MAX; most++) {
        const dense_tile *tile = dense_tile_at(t->design, at.x, at.y);
        uint32_t arrival;
        if (is_registered(t, at, width) || at.kind == DENSE_FROM_IO) {
            const bool io = at.kind == DENSE_FROM_IO;
            push(t, out, io ? "IO tile" : "from a register", at,
                 io ? t->d->launch[NET_TILE_IO] : t->d->rmux[kind_at(t, at)]);
            return;
        }
        if (at.kind == DENSE_FROM_WIRE) {
            const dense_origin from = dense_behind_wire(&t->wiring, at, width);
            push(t, out, "wire", at, from.kind == DENSE_FROM_CORE ? 0 : t->d->data[kind_at(t, at)]);
            at = from;
            continue;
        }
        if (!tile)
            return;
        push(t, out, tile->kind == NET_TILE_PE ? "PE" : "memory", at, core_delay(t, tile, at, width));
        const dense_port port = latest_input(t, tile, at, width, &arrival);
        if (port == DENSE_PORTS || !is_wired(t, tile, port, &at))
            return;
        push(t, out, dense_ports[port].name, (dense_origin){.x = tile->x, .y = tile->y},
             t->d->box[tile->kind]);
        width = dense_ports[port].width;
    }
}

static void draw_path(timer *t, const path_end *worst, dense_timing *out) {
    uint32_t arrival = 0;
    push(t, out, worst->what, worst->at, worst->delay);
    draw(t, worst->from, worst->width, out);
    for (uint32_t i = 0; 2 * i + 1 < out->steps.len; i++) {
        const dense_path_step other = out->steps.at[i];
        out->steps.at[i] = out->steps.at[out->steps.len - 1 - i];
        out->steps.at[out->steps.len - 1 - i] = other;
    }
    for (uint32_t i = 0; i < out->steps.len; i++)
        out->steps.at[i].arrival_ps = arrival += out->steps.at[i].delay_ps;
    BUG_IF(arrival != worst->arrival, "the path is %u ps by its steps and %u ps by arrival", arrival,
           worst->arrival);
}

/* ---- all --------------------------------------------------------------------------------------- */

static timer timer_of(const dense_design *design, const pnr_delays *d, arena *mem) {
    const pnr_board *b = design->board;
    const uint32_t sites = b->width * b->height, wires = sites * DENSE_WIDTHS * 4 * b->tracks;
    timer t = {.design = design, .d = d, .mem = mem, .wiring = dense_wire_up(design, mem)};
    t.wire = arena_new_n(mem, uint32_t, wires + 1);
    t.core = arena_new_n(mem, uint32_t, sites + 1);
    t.inside = arena_new_n(mem, uint8_t, wires + sites + 1);
    return t;
}

static uint32_t longer(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

bool dense_time(const dense_design *design, diagnostics *d, dense_timing *out) {
    pnr_delays delays;
    uint32_t core;
    *out = (dense_timing){0};
    if (!pnr_read_delays(design->board, d, &delays))
        return false;
    timer t = timer_of(design, &delays, d->mem);
    const path_end worst = find_worst(&t, &out->core_ps);
    if (t.ring)
        return diag_error(d, (src_loc){0}, "E0631-wire-loop",
                          "a wire feeds itself within a cycle: no clock is slow enough");
    if (worst.arrival)
        draw_path(&t, &worst, out);
    out->period_ps = longer(worst.arrival, out->core_ps);
    out->corner = pnr_read_corner(design->board, &delays);
    if (out->corner) {
        timer other = timer_of(design, &delays, d->mem);
        out->corner_ps = find_worst(&other, &core).arrival;
        out->corner_ps = longer(out->corner_ps, core);
    }
    return true;
}

static void add_period(cJSON *json, uint32_t period_ps) {
    cJSON_AddNumberToObject(json, "period_ps", period_ps);
    cJSON_AddNumberToObject(json, "fmax_mhz", period_ps ? 1e6 / period_ps : 0);
}

static void add_step(cJSON *list, const dense_path_step *s) {
    static const char *const side_words[] = {"east", "south", "west", "north"};
    cJSON *row = json_add_item(list);
    cJSON_AddStringToObject(row, "what", s->what);
    cJSON_AddNumberToObject(row, "x", s->x);
    cJSON_AddNumberToObject(row, "y", s->y);
    if (s->on_wire) {
        cJSON_AddStringToObject(row, "side", side_words[s->side]);
        cJSON_AddNumberToObject(row, "track", s->track);
    }
    cJSON_AddNumberToObject(row, "delay_ps", s->delay_ps);
    cJSON_AddNumberToObject(row, "arrival_ps", s->arrival_ps);
}

cJSON *dense_timing_report(const dense_timing *t) {
    cJSON *json = cJSON_CreateObject();
    add_period(json, t->period_ps);
    if (t->corner) {
        cJSON *corner = cJSON_AddObjectToObject(json, "corner");
        cJSON_AddStringToObject(corner, "name", t->corner);
        add_period(corner, t->corner_ps);
    }
    cJSON *list = cJSON_AddArrayToObject(json, "critical_path");
    for (uint32_t i = 0; i < t->steps.len; i++)
        add_step(list, &t->steps.at[i]);
    return json;
}
