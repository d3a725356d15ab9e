/* early.c - nets that carry tokens before a run is started.
 *
 * The rules are those of the primitives: a root of a dense level needs nothing, a joiner and an operation
 * need all their operands, what passes one input on alone needs any of them, and a memory needs all that is
 * written to it: words from the global buffer, or a level of the result. A dropper's outputs need the input of
 * their own number each, so that a gate's outer side, a net from it to itself, never has any.
 */
#include "lower_onyx/lower_onyx.h"

/* Which inputs of a cell must have early tokens for its outputs to have some. With EARLY_MEMORY the settings
 * say. */
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

/* Says which inputs of a cell have early tokens: a bit for each connected port, and for each early one. */
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
