/* Reconvergent paths after routing. The tokens of a fork that meet again at a join wait for the slower path;
 * meanwhile the faster path has to hold one token a cycle, or the fork stalls and the kernel runs below one
 * token a cycle. SplitFIFO pairs change both sides, so this is judged on the routed design: a path is too
 * short when its room (tokens its FIFOs hold) is less than the latency (cycles) of another path from the same
 * fork to the same join.
 *
 * From docs/notebook/fidelity.md's figures: a PE takes at most 3 cycles to its first output and holds at
 * least 4 tokens, two in each FIFO; a pair takes 1 and holds 2. A MEM tile decouples its inputs from its
 * outputs: paths end there. For each fork one pass over the pins in topological order: O(forks * pins). Cells
 * on a cycle are not judged.
 */
#include "pnr/pnr_int.h"

enum { PORTS = 4, CELL_LATENCY = 3, CELL_ROOM = 4, FIFO_ROOM = 2 };

typedef struct {
    uint32_t latency, room;
} path_bounds;

typedef struct {
    const pnr_design *design;
    u32_vec order;         /* cells, sources first */
    u32_vec *driven;       /* by cell: its nets */
    uint32_t *reached;     /* by cell: fork + 1 whose paths are in at */
    uint32_t *pin_reached; /* by cell * PORTS + port, the same */
    path_bounds *at, *pin; /* outputs: most latency, least room; inputs: of the driver */
} balancer;

/* Hands the bounds at a cell's outputs on to the inputs of the next cells. */
static void leave(balancer *b, uint32_t cell, uint32_t fork) {
    const u32_vec *nets = &b->driven[cell];
    for (uint32_t k = 0; k < nets->len; k++) {
        const net_data *net = &b->design->net->nets.at[nets->at[k]];
        const pnr_route *r = &b->design->route.at[nets->at[k]];
        for (uint32_t s = 0; s < r->sinks.len; s++) {
            uint32_t to = net->sinks.at[s].cell.v - 1, pin = to * PORTS + net->sinks.at[s].port % PORTS;
            uint32_t pairs = pnr_pairs_to(r, s);
            if (net_listens(b->design->net, net->sinks.at[s]) || net_chains(b->design->net, net->sinks.at[s]))
                continue;
            b->reached[to] = b->pin_reached[pin] = fork + 1;
            b->pin[pin] = (path_bounds){b->at[cell].latency + pairs, b->at[cell].room + 2 * pairs};
        }
    }
}

/* Derives the bounds of the cell's outputs from its reached inputs; *worst is the shortest path too short for
 * another. */
static void arrive(balancer *b, uint32_t cell, uint32_t fork, pnr_imbalance *worst) {
    path_bounds out = {0, UINT32_MAX};
    for (uint32_t i = cell * PORTS; i < (cell + 1) * PORTS; i++) {
        if (b->pin_reached[i] != fork + 1)
            continue;
        out.latency = b->pin[i].latency > out.latency ? b->pin[i].latency : out.latency;
        out.room = b->pin[i].room < out.room ? b->pin[i].room : out.room;
        for (uint32_t k = cell * PORTS; k < (cell + 1) * PORTS; k++) {
            uint32_t room = b->pin[k].room + FIFO_ROOM, latency = b->pin[i].latency;
            if (k != i && b->pin_reached[k] == fork + 1 && latency > room &&
                latency - room > worst->latency - worst->room)
                *worst = (pnr_imbalance){fork, cell, latency, room};
        }
    }
    b->at[cell] = (path_bounds){out.latency + CELL_LATENCY, out.room + CELL_ROOM};
}

static bool forks(const balancer *b, uint32_t cell) {
    uint32_t sinks = 0;
    for (uint32_t k = 0; k < b->driven[cell].len; k++)
        sinks += b->design->net->nets.at[b->driven[cell].at[k]].sinks.len;
    return sinks > 1;
}

void pnr_balance(const pnr_design *design, arena *mem, pnr_imbalance_vec *out) {
    uint32_t cells = design->net->cells.len;
    arena scratch = {0};
    balancer b = {.design = design};
    b.driven = arena_new_n(&scratch, u32_vec, cells + 1);
    b.reached = arena_new_n(&scratch, uint32_t, cells + 1);
    b.at = arena_new_n(&scratch, path_bounds, cells + 1);
    b.pin_reached = arena_new_n(&scratch, uint32_t, cells * PORTS + 1);
    b.pin = arena_new_n(&scratch, path_bounds, cells * PORTS + 1);
    pnr_imbalance *worst = arena_new_n(&scratch, pnr_imbalance, cells + 1); /* by join */
    net_sort_cells(design->net, &scratch, &b.order, b.driven);
    for (uint32_t i = 0; i < b.order.len && design->route.len; i++) {
        uint32_t fork = b.order.at[i];
        if (!forks(&b, fork))
            continue;
        b.at[fork] = (path_bounds){0, FIFO_ROOM};
        leave(&b, fork, fork);
        for (uint32_t k = i + 1; k < b.order.len; k++) {
            uint32_t cell = b.order.at[k];
            if (b.reached[cell] != fork + 1)
                continue;
            arrive(&b, cell, fork, &worst[cell]);
            if (pnr_cell_tile(&design->net->cells.at[cell]) == NET_TILE_PE)
                leave(&b, cell, fork);
        }
    }
    out->len = 0;
    for (uint32_t c = 0; c < cells; c++)
        if (worst[c].latency)
            vec_push(mem, out, worst[c]);
    arena_free(&scratch);
}

uint32_t pnr_pairs_to(const pnr_route *r, uint32_t sink) {
    uint32_t pairs = 0;
    for (uint32_t h = r->sinks.at[sink].hop; h != PNR_NO_HOP; h = r->hops.at[h].parent)
        pairs += r->hops.at[h].fifo_start;
    return pairs;
}
