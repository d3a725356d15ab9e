/* Rule 22: settings of wires that lead to no unit. Other tools leave wires enabled that nobody takes, without
 * effect; a register there, or a select of an output that is off, was meant for something. */
#include "dense/check_int.h"
#include "dense/wires.h"

enum { RULE_UNUSED = 22, SIDES = 4 };

/* Marks the outputs behind a wire, up to a unit. */
static void mark(const dense_wiring *w, dense_origin at, uint32_t width, bool *used) {
    const pnr_board *b = w->design->board;
    while (at.kind == DENSE_FROM_WIRE && !used[dense_wire_number(b, at, width)] &&
           dense_wire_at(w, at, width)->enable) {
        used[dense_wire_number(b, at, width)] = true;
        at = dense_behind_wire(w, at, width);
    }
}

static void mark_tile(const dense_wiring *w, const dense_tile *t, bool *used) {
    for (dense_port port = 0; port < DENSE_PORTS; port++) {
        const dense_box box = dense_box_of(w, t, port);
        if (dense_ports[port].tile == t->kind && box.enable)
            mark(w, dense_behind_box(w, t, port, box.select), dense_ports[port].width, used);
    }
    for (uint32_t width = 0; t->kind == NET_TILE_IO && width < DENSE_WIDTHS; width++)
        mark(w, (dense_origin){.kind = DENSE_FROM_WIRE, .x = t->x, .y = 1, .side = PNR_NORTH}, width, used);
}

static void check_wires(const dense_wiring *w, const dense_tile *t, const bool *used, diagnostics *d) {
    const uint32_t tracks = w->design->board->tracks;
    for (uint32_t i = 0; i < DENSE_WIDTHS * SIDES * tracks && t->kind != NET_TILE_IO; i++) {
        const dense_origin at = {
            .kind = DENSE_FROM_WIRE, .x = t->x, .y = t->y, .side = i / tracks % SIDES, .track = i % tracks};
        const uint32_t width = i / tracks / SIDES;
        const dense_wire *wire = dense_wire_at(w, at, width);
        if (used[dense_wire_number(w->design->board, at, width)] ||
            !(wire->registered || (wire->select && !wire->enable)))
            continue;
        dense_warn(d, t, RULE_UNUSED,
                   "a wire that no unit takes has a register, or a select while it is off");
        return;
    }
}

void dense_check_unused(const dense_wiring *w, diagnostics *d) {
    const pnr_board *b = w->design->board;
    arena scratch = {0};
    bool *used = arena_new_n(&scratch, bool, b->width * b->height * DENSE_WIDTHS * SIDES * b->tracks + 1);
    for (uint32_t i = 0; i < w->design->tiles.len; i++)
        mark_tile(w, &w->design->tiles.at[i], used);
    for (uint32_t i = 0; i < w->design->tiles.len; i++)
        check_wires(w, &w->design->tiles.at[i], used, d);
    arena_free(&scratch);
}
