/* A dense design as nodes and values: units of tiles, and a register node for each registered wire. */
#include "dense/load.h"

#include "boards/onyx/fabric.h"
#include "dense/units.h"
#include "dense/wires.h"

enum { UNKNOWN = 0, CORE_OUTPUTS = 4 };

typedef struct {
    uint32_t *wire;  /* value of a switch-box output, plus 1; UNKNOWN */
    uint8_t *inside; /* the walk is on this output */
    uint32_t *core;  /* values of the core outputs of a tile: [site][width][place] */
    dense_wiring wiring;
    dense_array *out;
    const dense_design *design;
    arena *mem;
    diagnostics *d;
} loader;

static uint32_t *core_value(const loader *l, uint32_t x, uint32_t y, uint32_t width, uint32_t place) {
    uint32_t site = y * l->design->board->width + x;
    return &l->core[(site * DENSE_WIDTHS + width) * CORE_OUTPUTS + place];
}

static uint32_t new_value(const loader *l) {
    return l->out->values++;
}

/* ---- routes ------------------------------------------------------------------------------------ */

static uint32_t value_of(loader *l, dense_origin from, uint32_t width);

/* Makes the register of a wire before looking for its driver: a ring with a register is legal. */
static uint32_t registered(loader *l, dense_origin at, uint32_t width, uint32_t number) {
    uint32_t value = new_value(l);
    l->wire[number] = value + 1;
    dense_node n = {.kind = DENSE_NODE_REGISTER, .x = at.x, .y = at.y, .out = {value}};
    n.is_bit = width == DENSE_BIT;
    n.in[0] = value_of(l, dense_behind_wire(&l->wiring, at, width), width);
    vec_push(l->mem, &l->out->nodes, n);
    return value;
}

static uint32_t wire_value(loader *l, dense_origin at, uint32_t width) {
    uint32_t number = dense_wire_number(l->design->board, at, width);
    if (l->wire[number] != UNKNOWN)
        return l->wire[number] - 1;
    if (dense_wire_at(&l->wiring, at, width)->registered)
        return registered(l, at, width, number);
    if (l->inside[number]) {
        diag_error(l->d, (src_loc){0}, "E0631-wire-loop",
                   "tile x%uy%u: switch-box output %s track %u feeds itself", at.x, at.y,
                   bits_side_name[at.side], at.track);
        diag_hint(l->d, "the selects of several tiles form a ring without a source");
        return 0;
    }
    l->inside[number] = 1;
    uint32_t value = value_of(l, dense_behind_wire(&l->wiring, at, width), width);
    l->inside[number] = 0;
    l->wire[number] = value + 1;
    return value;
}

static uint32_t value_of(loader *l, dense_origin from, uint32_t width) {
    if (from.kind == DENSE_FROM_WIRE)
        return wire_value(l, from, width);
    if (from.kind == DENSE_FROM_CORE && from.port < CORE_OUTPUTS)
        return *core_value(l, from.x, from.y, width, from.port);
    return from.kind == DENSE_FROM_IO ? *core_value(l, from.x, from.y, width, 0) : 0;
}

/* Returns the value at an input; a bit may be replaced by a constant, and a box that is not enabled gives 0.
 */
static uint32_t input(loader *l, const dense_tile *t, dense_port port) {
    const dense_port_row *row = &dense_ports[port];
    dense_box box = dense_box_of(&l->wiring, t, port);
    if (row->width == DENSE_BIT) {
        char name[80];
        snprintf(name, sizeof name, "%s_reg_sel", row->box + strlen("CB_"));
        if (dense_value(l->design, t, 0, name)) {
            snprintf(name, sizeof name, "%s_reg_value", row->box + strlen("CB_"));
            return dense_value(l->design, t, 0, name);
        }
    }
    return box.enable ? value_of(l, dense_behind_box(&l->wiring, t, port, box.select), row->width) : 0;
}

/* ---- nodes ------------------------------------------------------------------------------------- */

/* Gives the core output at `place` a value. */
static uint32_t drive(const loader *l, const dense_tile *t, uint32_t width, uint32_t place) {
    uint32_t *value = core_value(l, t->x, t->y, width, place);
    *value = new_value(l);
    return *value;
}

/* Adds a node without inputs, which are set once all outputs have values. */
static dense_node *add(const loader *l, const dense_tile *t, dense_node_kind kind) {
    vec_push(l->mem, &l->out->nodes,
             (dense_node){.kind = kind, .x = t->x, .y = t->y, .late = t->y > ONYX_NEAR_ROWS});
    return &l->out->nodes.at[l->out->nodes.len - 1];
}

/* Returns the initial words of the memory: each register of a line takes its lanes in turn. */
static const uint16_t *sram_contents(const loader *l, const dense_tile *t) {
    uint16_t *word = arena_new_n(l->mem, uint16_t, DENSE_LINES * DENSE_LANES);
    uint8_t *lane = arena_new_n(l->mem, uint8_t, DENSE_LINES);
    for (uint32_t i = 0; i < t->contents.words.len; i++) {
        const bits_word *w = &t->contents.words.at[i];
        uint32_t line = (bits_feature(w->address) - 1) * 256 + bits_reg(w->address);
        word[line * DENSE_LANES + lane[line]++ % DENSE_LANES] = (uint16_t)w->data;
    }
    return word;
}

static const uint16_t *pond_contents(const loader *l, const dense_tile *t) {
    uint16_t *word = arena_new_n(l->mem, uint16_t, DENSE_POND_WORDS);
    for (uint32_t i = 0; i < t->contents.words.len; i++)
        word[bits_reg(t->contents.words.at[i].address) % DENSE_POND_WORDS] =
            (uint16_t)t->contents.words.at[i].data;
    return word;
}

static void add_pe_tile(const loader *l, const dense_tile *t, uint32_t units) {
    if (units & DENSE_HAS_PE) {
        dense_instruction *pe = arena_new(l->mem, dense_instruction);
        dense_node *n = add(l, t, DENSE_NODE_PE);
        dense_instruction_of(l->design, t, pe);
        n->config = pe;
        n->out[0] = drive(l, t, DENSE_WORD, 0);
        n->out[1] = drive(l, t, DENSE_BIT, 0);
    }
    if (units & DENSE_HAS_POND) {
        dense_pond *pond = arena_new(l->mem, dense_pond);
        dense_node *n = add(l, t, DENSE_NODE_POND);
        dense_pond_of(l->design, t, pond);
        n->config = pond;
        n->contents = pond_contents(l, t);
        n->out[0] = drive(l, t, DENSE_WORD, 3);
        n->out[1] = drive(l, t, DENSE_BIT, 1);
        n->out[2] = drive(l, t, DENSE_BIT, 2);
    }
}

static void add_ub(const loader *l, const dense_tile *t) {
    dense_ub *ub = arena_new(l->mem, dense_ub);
    dense_node *n = add(l, t, DENSE_NODE_UB);
    dense_ub_of(l->design, t, ub);
    n->config = ub;
    for (uint32_t p = 0; p < 2; p++) {
        n->out[p] = drive(l, t, DENSE_WORD, p);
        n->out[p + 2] = drive(l, t, DENSE_BIT, p);
    }
}

static void add_mem_tile(const loader *l, const dense_tile *t, uint32_t units) {
    if (units & DENSE_HAS_UB)
        add_ub(l, t);
    if (units & DENSE_HAS_RAM) {
        dense_node *n = add(l, t, DENSE_NODE_RAM);
        n->contents = sram_contents(l, t);
        n->out[0] = drive(l, t, DENSE_WORD, 0);
        n->out[1] = drive(l, t, DENSE_BIT, 0);
        n->out[2] = drive(l, t, DENSE_BIT, 1);
    }
    if (units & DENSE_HAS_VALID) {
        dense_generator *valid = arena_new(l->mem, dense_generator);
        dense_node *n = add(l, t, DENSE_NODE_VALID);
        *valid = dense_generator_of(l->design, t, DENSE_GENERATOR_VALID);
        n->config = valid;
        n->out[0] = drive(l, t, DENSE_BIT, 2);
    }
}

static void add_tile(const loader *l, const dense_tile *t) {
    uint32_t units = dense_units_of(l->design, t);
    if (units && !dense_flush_is_hard(l->design, t))
        diag_error(l->d, t->loc, "E0981-dense-stream",
                   "tile x%uy%u is not flushed by the hard wire, which alone the model has", t->x, t->y);
    if (t->kind == NET_TILE_PE)
        add_pe_tile(l, t, units);
    if (t->kind == NET_TILE_MEM)
        add_mem_tile(l, t, units);
    if (!(units & DENSE_HAS_IO))
        return;
    dense_node *n = add(l, t, DENSE_NODE_INPUT);
    n->out[0] = drive(l, t, DENSE_WORD, 0);
    n->out[1] = drive(l, t, DENSE_BIT, 0);
    add(l, t, DENSE_NODE_OUTPUT);
}

/* ---- inputs ------------------------------------------------------------------------------------ */

/* The ports of a node's inputs, in their order; DENSE_PORTS: none. */
static const dense_port node_ports[][DENSE_INS] = {
    [DENSE_NODE_PE] = {DENSE_PORT_PE_IN0, DENSE_PORT_PE_IN1, DENSE_PORT_PE_IN2, DENSE_PORT_PE_BIT0,
                       DENSE_PORT_PE_BIT1, DENSE_PORT_PE_BIT2},
    [DENSE_NODE_POND] = {DENSE_PORT_POND_IN0, DENSE_PORT_POND_IN1, DENSE_PORTS, DENSE_PORTS, DENSE_PORTS,
                         DENSE_PORTS},
    [DENSE_NODE_UB] = {DENSE_PORT_MEM_IN2, DENSE_PORT_MEM_IN3, DENSE_PORT_MEM_IN0, DENSE_PORT_MEM_IN1,
                       DENSE_PORTS, DENSE_PORTS},
    [DENSE_NODE_RAM] = {DENSE_PORT_MEM_IN0, DENSE_PORT_MEM_IN2, DENSE_PORT_MEM_BIT0, DENSE_PORT_MEM_BIT1,
                        DENSE_PORTS, DENSE_PORTS},
};

static void connect(loader *l, uint32_t node) {
    const dense_node n = l->out->nodes.at[node];
    const dense_tile *t = dense_tile_at(l->design, n.x, n.y);
    const dense_origin below = {.kind = DENSE_FROM_WIRE, .x = n.x, .y = 1, .side = PNR_NORTH, .track = 0};
    uint32_t in[DENSE_INS] = {0};
    for (uint32_t k = 0; k < DENSE_INS; k++) {
        if (n.kind == DENSE_NODE_OUTPUT && k < DENSE_WIDTHS)
            in[k] = wire_value(l, below, k);
        else if (n.kind == DENSE_NODE_PE || n.kind == DENSE_NODE_POND || n.kind == DENSE_NODE_UB ||
                 n.kind == DENSE_NODE_RAM)
            in[k] = node_ports[n.kind][k] == DENSE_PORTS ? 0 : input(l, t, node_ports[n.kind][k]);
    }
    memcpy(l->out->nodes.at[node].in, in, sizeof in);
}

bool dense_load(const dense_design *design, diagnostics *d, dense_array *out) {
    const pnr_board *b = design->board;
    uint32_t errors = d->errors, sites = b->width * b->height;
    *out = (dense_array){.values = 2};
    loader l = {.design = design, .mem = d->mem, .d = d, .out = out};
    l.wiring = dense_wire_up(design, d->mem);
    l.wire = arena_new_n(d->mem, uint32_t, sites * DENSE_WIDTHS * 4 * b->tracks);
    l.inside = arena_new_n(d->mem, uint8_t, sites * DENSE_WIDTHS * 4 * b->tracks);
    l.core = arena_new_n(d->mem, uint32_t, sites * DENSE_WIDTHS * CORE_OUTPUTS);
    for (uint32_t i = 0; i < design->tiles.len; i++)
        add_tile(&l, &design->tiles.at[i]);
    for (uint32_t i = 0, units = out->nodes.len; i < units; i++)
        connect(&l, i);
    return d->errors == errors;
}
