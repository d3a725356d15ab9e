/* .route files as settings of switch boxes, connection boxes and registers. */
#include "boards/onyx/fabric.h"
#include "dense/packed_int.h"

#include <stdlib.h>

typedef enum { NODE_PORT, NODE_ARRIVES, NODE_LEAVES, NODE_REGISTER, NODE_MUX } node_kind;

typedef struct {
    node_kind kind;
    uint32_t x, y, side, track, width;
    pnr_word name; /* of a port */
} node;

typedef struct {
    pnr_reader text;
    dense_design *design;
} reader;

/* ---- lines ------------------------------------------------------------------------------------- */

static bool read_side(pnr_word w, node *out) {
    for (out->side = 0; out->side < 4; out->side++) {
        if (w.length > 3 && pnr_word_is((pnr_word){w.at + 3, w.length - 3}, bits_side_name[out->side]))
            return true;
    }
    return false;
}

/* Reads the numbers of the last words, as many as `to` has. */
static bool read_numbers(const pnr_reader *r, uint32_t first, uint32_t *const to[], uint32_t n) {
    bool good = r->words.len == first + n;
    for (uint32_t i = 0; good && i < n; i++)
        good = pnr_word_number(r->words.at[first + i], to[i]);
    return good;
}

static bool read_words(const pnr_reader *r, node *out) {
    const pnr_word *w = r->words.at;
    uint32_t leaves = 0, number = 0;
    if (r->words.len < 5)
        return false;
    if (pnr_word_is(w[0], "PORT")) {
        out->kind = NODE_PORT;
        out->name = w[1];
        return read_numbers(r, 2, (uint32_t *const[]){&out->x, &out->y, &out->width}, 3);
    }
    if (pnr_word_is(w[0], "SB")) {
        const bool good = read_numbers(
            r, 1, (uint32_t *const[]){&out->track, &out->x, &out->y, &out->side, &leaves, &out->width}, 6);
        out->kind = leaves ? NODE_LEAVES : NODE_ARRIVES;
        return good && leaves < 2;
    }
    if (pnr_word_is(w[0], "REG")) {
        out->kind = NODE_REGISTER;
        return read_side(w[1], out) &&
               read_numbers(r, 2, (uint32_t *const[]){&out->track, &out->x, &out->y, &out->width}, 4);
    }
    out->kind = NODE_MUX;
    return pnr_word_is(w[0], "RMUX") && w[1].length == 3 && w[1].at[1] == '_' &&
           pnr_word_number((pnr_word){w[1].at, 1}, &out->side) &&
           pnr_word_number((pnr_word){w[1].at + 2, 1}, &number) &&
           read_numbers(r, 2, (uint32_t *const[]){&out->x, &out->y, &out->width}, 3) &&
           (out->track = number, true);
}

static bool read_node(reader *r, node *out) {
    const pnr_board *b = r->design->board;
    *out = (node){0};
    if (!pnr_read_line(&r->text) || !read_words(&r->text, out) ||
        (out->width != 1 && out->width != DENSE_WORD_BITS) || out->x >= b->width || out->y >= b->height ||
        out->side > 3 || out->track >= b->tracks)
        return pnr_wrong(&r->text, pnr_line_word(&r->text),
                         "expected a PORT, SB, REG or RMUX node of the board");
    out->width = out->width == 1 ? DENSE_BIT : DENSE_WORD;
    return true;
}

/* ---- settings ---------------------------------------------------------------------------------- */

static bool wrong(const reader *r, const char *what) {
    return pnr_wrong(&r->text, pnr_line_word(&r->text), what);
}

/* Returns the tile of a node, made if missing. */
static dense_tile *tile_of(reader *r, const node *n) {
    dense_design *design = r->design;
    for (uint32_t i = 0; i < design->tiles.len; i++) {
        if (design->tiles.at[i].x == n->x && design->tiles.at[i].y == n->y)
            return &design->tiles.at[i];
    }
    vec_push(r->text.mem, &design->tiles,
             ((dense_tile){.x = n->x, .y = n->y, .kind = pnr_site_tile(design->board, n->x, n->y)}));
    return &design->tiles.at[design->tiles.len - 1];
}

static void set_wire(reader *r, const node *n, dense_wire_field what, uint32_t value) {
    dense_tile *t = tile_of(r, n);
    const dense_origin at = {.kind = DENSE_FROM_WIRE, .side = n->side, .track = n->track};
    const bits_field *f = dense_find_wire_field(r->design->map, t->kind, what, at, n->width);
    if (f)
        dense_set(t, f, value, r->text.mem);
}

/* A switch-box output takes an output of its tile, or an arriving wire. */
static bool leave(reader *r, const node *before, const node *n) {
    uint32_t select = 0, number = 0;
    bool good = before->x == n->x && before->y == n->y && before->width == n->width && n->y > 0;
    if (good && before->kind == NODE_PORT) {
        good = dense_find_output(pnr_site_tile(r->design->board, n->x, n->y), before->name, &number) &&
               number < DENSE_POND_INSIDE && number / DENSE_PLACES == n->width;
        select = ONYX_SELECTS + number % DENSE_PLACES;
    } else {
        good = good && before->kind == NODE_ARRIVES &&
               pnr_switch_select(r->design->board, (pnr_side)before->side, before->track, (pnr_side)n->side,
                                 n->track, &select);
    }
    if (!good)
        return wrong(r, "no wire of the switch box leads here from the line before");
    set_wire(r, n, DENSE_WIRE_ENABLE, 1);
    set_wire(r, n, DENSE_WIRE_SELECT, select);
    return true;
}

/* A register and its mux are behind the output of the line before. */
static bool pass(reader *r, const node *before, const node *n) {
    if (before->x != n->x || before->y != n->y || before->side != n->side || before->track != n->track)
        return wrong(r, "the wire of the line before is another");
    if (n->kind == NODE_REGISTER)
        set_wire(r, n, DENSE_WIRE_RMUX, 1);
    return true;
}

/* A wire arrives at the tile beside its switch box, or below an IO tile. */
static bool arrive(reader *r, const node *before, const node *n) {
    uint32_t x = 0, y = 0;
    const bool there =
        pnr_neighbour(r->design->board, before->x, before->y,
                      before->kind == NODE_PORT ? PNR_SOUTH : (pnr_side)before->side, &x, &y) &&
        x == n->x && y == n->y;
    const bool io = before->kind == NODE_PORT && before->y == 0 && n->side == PNR_NORTH;
    return (there && (io || (before->kind == NODE_MUX && before->track == n->track &&
                             n->side == (uint32_t)pnr_opposite((pnr_side)before->side)))) ||
           wrong(r, "the wire of the line before does not arrive here");
}

/* An input takes an arriving wire, or an output of its own tile; an IO tile the wire that leaves to it. */
static bool enter(reader *r, const node *before, const node *n) {
    const net_tile kind = pnr_site_tile(r->design->board, n->x, n->y);
    dense_port port;
    uint32_t width;
    if (!dense_find_input(kind, n->name, &port, &width) || width != n->width)
        return wrong(r, "this tile has no such input");
    if (port == DENSE_PORTS)
        return (before->kind == NODE_MUX && before->x == n->x && before->y == 1 &&
                before->side == PNR_NORTH && before->track == 0) ||
               wrong(r, "the wire of the line before does not lead to the IO tile");
    if (before->x != n->x || before->y != n->y || (before->kind != NODE_ARRIVES && before->kind != NODE_PORT))
        return wrong(r, "the wire of the line before does not arrive here");
    dense_set_box(r->design->map, tile_of(r, n), port,
                  before->kind == NODE_PORT ? dense_ports[port].last - 1u
                                            : bits_cb_select(before->side, before->track),
                  r->text.mem);
    return true;
}

static bool take(reader *r, const node *before, const node *n) {
    switch (n->kind) {
    case NODE_PORT:
        return enter(r, before, n);
    case NODE_ARRIVES:
        return arrive(r, before, n);
    case NODE_LEAVES:
        return leave(r, before, n);
    case NODE_REGISTER:
    case NODE_MUX:
        break;
    }
    return pass(r, before, n);
}

/* ---- segments ---------------------------------------------------------------------------------- */

static bool read_segment(reader *r, uint32_t nodes) {
    node before = {0}, n;
    for (uint32_t i = 0; i < nodes; i++, before = n) {
        if (!read_node(r, &n))
            return false;
        if (i ? !take(r, &before, &n) : n.kind == NODE_LEAVES || n.kind == NODE_MUX)
            return i ? false : wrong(r, "a segment begins at a port, a register, or where a wire arrives");
    }
    return true;
}

/* Sorts tiles that routes have added. */
bool dense_read_routes(const char *path, dense_design *design, diagnostics *d) {
    reader r = {.design = design};
    uint32_t nodes = 0, number = 0;
    if (!pnr_reader_open(&r.text, path, "E0544-route-syntax", d->mem, d))
        return false;
    while (pnr_read_line(&r.text)) {
        const pnr_word *w = r.text.words.at;
        const uint32_t n = r.text.words.len;
        if (n == 0 || (n == 6 && pnr_word_is(w[0], "Net") && pnr_word_is(w[1], "ID")))
            continue;
        if (n != 4 || !pnr_word_is(w[0], "Segment") || !pnr_word_number(w[1], &number) ||
            !pnr_word_number(w[3], &nodes))
            return wrong(&r, "expected 'Net ID: eN Segment Size: n' or 'Segment: k Size: n'");
        if (!read_segment(&r, nodes))
            return false;
    }
    if (design->tiles.len)
        qsort(design->tiles.at, design->tiles.len, sizeof *design->tiles.at, dense_by_place);
    return true;
}
