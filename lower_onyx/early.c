/* early.c - nets with tokens before the start of a run.
 *
 * The rules follow the primitives: a root of a dense level needs no input, a joiner and an operation need all
 * operands, a pass-through needs any input, and a memory needs all written streams: words from the global
 * buffer, or a level of the result. Each dropper output needs the input of its own number; a gate's outer
 * side, a net from the gate to itself, has no early token.
 */
#include "lower_onyx/lower_onyx.h"

/* Inputs of a cell that must have early tokens for its outputs to have early tokens. EARLY_MEMORY: the
 * settings decide. */
static const enum {
    EARLY_NONE,
    EARLY_ANY,
    EARLY_ALL,
    EARLY_OWN,
    EARLY_MEMORY
} early_rule[NET_MODES] = {
#define TILE_MODE(constant, name, tile, value, prefix, early, ...) [NET_MODE_##constant] = EARLY_##early,
#include "lower_onyx/tiles.def"
#undef TILE_MODE
};

/* Returns the inputs of a cell with early tokens: a bit for each connected port, and for each early port. */
static void inputs_of(const netlist *n, uint32_t cell, const bool *early, uint32_t *ports, uint32_t *have) {
    *ports = *have = 0;
    for (uint32_t i = 0; i < n->nets.len; i++) {
        const net_data *net = &n->nets.at[i];
        for (uint32_t s = 0; s < net->sinks.len; s++) {
            if (net->sinks.at[s].cell.v - 1 != cell || net_listens(n, net->sinks.at[s]))
                continue;
            *ports |= 1u << net->sinks.at[s].port;
            *have |= early[i] ? 1u << net->sinks.at[s].port : 0;
        }
    }
}

/* Returns whether `source`, an output, has early tokens. */
static bool sends_early(const netlist *n, net_pin source, const bool *early) {
    const uint32_t cell = source.cell.v - 1;
    const net_cell_data *c = &n->cells.at[cell];
    uint32_t ports, have;
    inputs_of(n, cell, early, &ports, &have);
    switch (early_rule[c->mode]) {
    case EARLY_MEMORY:
        if (net_config_of(n, c, "fiber_access_16_inst_read_scanner_dense"))
            return have || net_config_of(n, c, "fiber_access_16_inst_read_scanner_root");
        return have && have == ports;
    case EARLY_ALL:
        return have && have == ports;
    case EARLY_ANY:
        return have;
    case EARLY_OWN:
        return have >> source.port & 1;
    case EARLY_NONE:
        break;
    }
    return false;
}

void net_early(const netlist *n, bool *early) {
    memset(early, 0, sizeof *early * n->nets.len);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < n->nets.len; i++) {
            if (early[i] || !sends_early(n, n->nets.at[i].source, early))
                continue;
            early[i] = more = true;
        }
    }
}
