/* net_check.c - legality of a netlist of tiles, from tiles.def and the configuration alone. */
#include "lower_onyx/lower_onyx.h"

static const char *cell_name(const netlist *n, net_cell h) {
    return names_text(n->names, net_cell_at(n, h)->name);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void check_cell(const netlist *n, uint32_t index, diagnostics *d) {
    const net_cell_data *c = &n->cells.at[index];
    const char *name = names_text(n->names, c->name);
    for (uint32_t i = 0; i < index; i++) {
        const net_cell_data *other = &n->cells.at[i];
        if (name_eq(other->name, c->name)) {
            diag_error(d, c->loc, "E0441-cell", "two cells are named %s", name);
            diag_hint(d, "cells are found by name: make them unique");
        }
        if (other->number == c->number) {
            diag_error(d, c->loc, "E0441-cell", "cells %s and %s have the same number %u",
                       names_text(n->names, other->name), name, c->number);
            diag_hint(d, "numbers make the block ids of .packed files: make them unique");
        }
    }
    net_tile tile = net_mode_table[c->mode].tile;
    char tag = tile == NET_TILE_PE ? 'p' : tile == NET_TILE_MEM ? 'm' : 'I';
    if (c->tag != tag) {
        diag_error(d, c->loc, "E0441-cell", "cell %s in mode %s has tag '%c' instead of '%c'", name,
                   net_mode_table[c->mode].name, c->tag, tag);
        diag_hint(d, "p is a PE tile, m a memory tile, I an IO tile");
    }
    if (net_config_of(n, c, "tile_en") != 1 ||
        net_config_of(n, c, "mode") != net_mode_table[c->mode].chip_mode) {
        diag_error(d, c->loc, "E0441-cell", "cell %s: fields tile_en and mode must be 1 and %u for mode %s",
                   name, net_mode_table[c->mode].chip_mode, net_mode_table[c->mode].name);
        diag_hint(d, "tiles.def gives each mode's number");
    }
    for (uint32_t i = 1; i < c->config.len; i++) {
        if (strcmp(names_text(n->names, c->config.at[i - 1].field),
                   names_text(n->names, c->config.at[i].field)) >= 0) {
            diag_error(d, c->loc, "E0441-cell", "cell %s: field %s is out of order or twice", name,
                       names_text(n->names, c->config.at[i].field));
            diag_hint(d, "sort the fields by name");
        }
    }
}

/* ---- pins ------------------------------------------------------------------------------------ */

static const char *port_label(const netlist *n, net_pin pin, bool output) {
    const net_mode_info *mode = &net_mode_table[net_cell_at(n, pin.cell)->mode];
    if (pin.port >= (output ? 3 : 4))
        return NULL;
    return output ? mode->port_out[pin.port] : mode->port_in[pin.port];
}

static bool check_pin(const netlist *n, net_pin pin, bool output, diagnostics *d) {
    if (port_label(n, pin, output) != NULL)
        return true;
    const net_cell_data *c = net_cell_at(n, pin.cell);
    diag_error(d, c->loc, "E0442-pin", "cell %s: mode %s has no %s port %u", cell_name(n, pin.cell),
               net_mode_table[c->mode].name, output ? "output" : "input", pin.port);
    return diag_hint(d, "nodes.def lists the ports of each mode");
}

static void check_driver(const netlist *n, net_pin sink, net_pin source, net_pin *driver, diagnostics *d) {
    net_pin *first = &driver[(size_t)(sink.cell.v - 1) * 4 + sink.port];
    if (first->cell.v != 0) {
        diag_error(d, net_cell_at(n, sink.cell)->loc, "E0443-two-drivers",
                   "%s.%s is driven by %s.%s and by %s.%s", cell_name(n, sink.cell),
                   port_label(n, sink, false), cell_name(n, first->cell), port_label(n, *first, true),
                   cell_name(n, source.cell), port_label(n, source, true));
        diag_hint(d, "an input has exactly one driver");
    }
    *first = source;
}

static void check_net(const netlist *n, uint32_t index, net_pin *driver, diagnostics *d) {
    const net_data *net = &n->nets.at[index];
    if (!check_pin(n, net->source, true, d))
        return;
    if (net->sinks.len == 0) {
        diag_error(d, net_cell_at(n, net->source.cell)->loc, "E0444-net", "the net of %s.%s has no sink",
                   cell_name(n, net->source.cell), port_label(n, net->source, true));
        diag_hint(d, "leave nets without sinks out");
    }
    if (index > 0) {
        net_pin before = n->nets.at[index - 1].source;
        bool sorted = before.cell.v < net->source.cell.v ||
                      (before.cell.v == net->source.cell.v && before.port < net->source.port);
        if (!sorted) {
            diag_error(d, net_cell_at(n, net->source.cell)->loc, "E0444-net",
                       "the net of %s.%s is out of order or the second of that port",
                       cell_name(n, net->source.cell), port_label(n, net->source, true));
            diag_hint(d, "one net a source, sorted by cell and port");
        }
    }
    for (uint32_t i = 0; i < net->sinks.len; i++) {
        if (check_pin(n, net->sinks.at[i], false, d))
            check_driver(n, net->sinks.at[i], net->source, driver, d);
    }
}

/* ---- inputs a mode needs --------------------------------------------------------------------- */

enum { US_POS_IN, ADDR_IN, BLOCK_WR_IN, DATA_IN };

/* Returns whether a field of a memory tile's scanners and buffet is set, by the literal of its name. */
#define MEMORY_FIELD(n, c, name) (net_config_of(n, c, "fiber_access_16_inst_" name) != 0)

/* Returns whether a memory tile's scanners read the input port. */
static bool memory_needs(const netlist *n, const net_cell_data *c, uint8_t port) {
#define FIELD(name) MEMORY_FIELD(n, c, name)
    bool dense = FIELD("read_scanner_dense"), read_out = FIELD("read_scanner_block_mode");
    bool block_write = FIELD("write_scanner_block_mode");
    switch (port) {
    case US_POS_IN:
        return !FIELD("read_scanner_root") && !read_out;
    case ADDR_IN:
        return FIELD("read_scanner_skip") || (!dense && !block_write && FIELD("write_scanner_lowest_level") &&
                                              !FIELD("write_scanner_compressed"));
    case BLOCK_WR_IN:
        return block_write || FIELD("read_scanner_ahead");
    case DATA_IN:
        return !dense && !block_write;
    default:
        BUG("memory port %u", port);
    }
#undef FIELD
}

static bool needs(const netlist *n, const net_cell_data *c, uint8_t port) {
    if (net_mode_table[c->mode].port_in[port] == NULL)
        return false;
    if (c->mode == NET_MODE_FIBER_ACCESS)
        return memory_needs(n, c, port);
    if (c->mode == NET_MODE_VECTOR_REDUCE && port == 2) /* the port takes outer coordinates of matrices */
        return net_config_of(n, c, "vec_reduce_inst_inner") != 0;
    return c->mode != NET_MODE_REPEAT || port != 0 || net_config_of(n, c, "Repeat_inst_root") == 0;
}

static void check_inputs(const netlist *n, net_cell h, const net_pin *driver, diagnostics *d) {
    const net_cell_data *c = net_cell_at(n, h);
    for (uint8_t port = 0; port < 4; port++) {
        bool driven = driver[(size_t)(h.v - 1) * 4 + port].cell.v != 0;
        const char *label = net_mode_table[c->mode].port_in[port];
        if (needs(n, c, port) && !driven) {
            diag_error(d, c->loc, "E0445-open-input", "%s.%s is not driven", cell_name(n, h), label);
            diag_hint(d, "every stream a tile waits for needs a net, or the tile waits for ever");
        } else if (driven && !needs(n, c, port)) {
            diag_error(d, c->loc, "E0446-ignored-input",
                       "%s.%s is driven, but the tile's configuration ignores it", cell_name(n, h), label);
            diag_hint(d, "its driver would stall for ever: change the configuration or remove the net");
        }
    }
}

/* The chip's scanner makes no reference of its own for a value memory: its START state has no branch for
 * value memories. */
static void check_root(const netlist *n, const net_cell_data *c, diagnostics *d) {
    if (c->mode != NET_MODE_FIBER_ACCESS || !MEMORY_FIELD(n, c, "read_scanner_root") ||
        !MEMORY_FIELD(n, c, "read_scanner_lookup") || MEMORY_FIELD(n, c, "read_scanner_block_mode"))
        return;
    diag_error(d, c->loc, "E0431-root-lookup",
               "cell %s looks values up and is a root: the chip never answers",
               names_text(n->names, c->name));
    diag_hint(d, "lead it the position of a dense root with one coordinate, through a reducer");
}

bool net_check(const netlist *n, diagnostics *d) {
    uint32_t before = d->errors;
    net_pin *driver = arena_new_n(n->mem, net_pin, ((size_t)n->cells.len + 1) * 4);
    for (uint32_t i = 0; i < n->cells.len; i++)
        check_cell(n, i, d);
    for (uint32_t i = 0; i < n->cells.len; i++)
        check_root(n, &n->cells.at[i], d);
    for (uint32_t i = 0; i < n->nets.len; i++)
        check_net(n, i, driver, d);
    for (uint32_t i = 0; i < n->cells.len; i++)
        check_inputs(n, (net_cell){i + 1}, driver, d);
    return d->errors == before;
}
