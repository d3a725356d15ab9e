/* balance.c - reconvergent paths of a netlist, and the FIFO room that their shorter branches lack.
 *
 * Tokens leave a tile together at a fork (a broadcast, or a scanner's coordinates and references). At a join,
 * the earlier path waits for the later path. Meanwhile the earlier path holds at most its room. When the
 * earlier path is full, the fork stalls, and the pipeline on the later path runs empty. A pin lacks as many
 * tokens as the slowest other pin is late (cycles from the fork) beyond the room of its own path. A path
 * through a memory tile turns tokens into fibers: the path is late, but the fork's tokens do not count its
 * contents, and the path is never a short branch.
 *
 * Each fork takes one pass over the cells in topological order: O(forks * pins).
 */
#include "lower_onyx/lower_onyx.h"
#include "support/least.h"

/* Cycles from the first token in to the first token out; tokens in all FIFOs of a PE tile, and in one
 * FIFO. */
enum { PINS = 4, PE_LATENCY = 3, MEM_LATENCY = 10, PE_ROOM = 4, FIFO_ROOM = 2, NOT_SHORT = 1 << 20 };

/* A scanner reads positions from the segments alone; its coordinates come this much later on short fibers. */
enum { COORD_PORT = 1, COORD_LATENCY = 16 };

typedef struct {
    bool reached;
    uint32_t latency; /* cycles from the fork, at most */
    uint32_t room;    /* cycles until the fork stalls at a token a cycle, at least */
} path;

typedef struct {
    const netlist *net;
    u32_vec order;   /* cells, sources first */
    u32_vec *driven; /* by cell: its nets */
    path *pin, *cell;
    uint32_t *lacks; /* by pin */
} balancer;

static bool is_memory(const netlist *n, uint32_t cell) {
    return net_mode_table[n->cells.at[cell].mode].tile == NET_TILE_MEM;
}

static void leave(balancer *b, uint32_t cell) {
    for (uint32_t k = 0; k < b->driven[cell].len; k++) {
        const net_data *net = &b->net->nets.at[b->driven[cell].at[k]];
        bool late = b->net->cells.at[cell].mode == NET_MODE_FIBER_ACCESS && net->source.port == COORD_PORT;
        path out = b->cell[cell];
        out.latency += late ? COORD_LATENCY : 0;
        out.room += late ? COORD_LATENCY : 0; /* the token has not left before */
        for (uint32_t s = 0; s < net->sinks.len; s++)
            if (!net_listens(b->net, net->sinks.at[s]) && !net_chains(b->net, net->sinks.at[s]))
                b->pin[(net->sinks.at[s].cell.v - 1) * PINS + net->sinks.at[s].port] = out;
    }
}

/* Derives the state of the cell's outputs from its inputs; false if the fork does not reach the cell. */
static bool arrive(balancer *b, uint32_t cell) {
    path out = {false, 0, NOT_SHORT}, *pin = &b->pin[cell * PINS];
    for (uint32_t p = 0; p < PINS; p++) {
        if (!pin[p].reached)
            continue;
        out.reached = true;
        out.latency = pin[p].latency > out.latency ? pin[p].latency : out.latency;
        out.room = least(pin[p].room, out.room);
        uint32_t room = pin[p].room + FIFO_ROOM;
        for (uint32_t q = 0; q < PINS; q++) {
            if (q == p || !pin[q].reached || pin[q].latency <= room)
                continue;
            uint32_t *lacks = &b->lacks[cell * PINS + p];
            *lacks = pin[q].latency - room > *lacks ? pin[q].latency - room : *lacks;
        }
    }
    bool memory = is_memory(b->net, cell);
    b->cell[cell] = (path){out.reached, out.latency + (memory ? MEM_LATENCY : PE_LATENCY),
                           memory ? NOT_SHORT : least(out.room + PE_ROOM, NOT_SHORT)};
    return out.reached;
}

static void from_fork(balancer *b, uint32_t at) {
    uint32_t cells = b->net->cells.len;
    memset(b->pin, 0, sizeof *b->pin * cells * PINS);
    b->cell[b->order.at[at]] = (path){true, 0, FIFO_ROOM};
    leave(b, b->order.at[at]);
    for (uint32_t i = at + 1; i < b->order.len; i++) {
        if (arrive(b, b->order.at[i]))
            leave(b, b->order.at[i]);
    }
}

void net_balance(const netlist *n, arena *mem, net_shortage_vec *out) {
    arena scratch = {0};
    uint32_t cells = n->cells.len;
    balancer b = {.net = n,
                  .driven = arena_new_n(&scratch, u32_vec, cells + 1),
                  .pin = arena_new_n(&scratch, path, cells * PINS + 1),
                  .cell = arena_new_n(&scratch, path, cells + 1),
                  .lacks = arena_new_n(&scratch, uint32_t, cells * PINS + 1)};
    net_sort_cells(n, &scratch, &b.order, b.driven);
    for (uint32_t i = 0; i < b.order.len; i++) {
        if (n->cells.at[b.order.at[i]].mode !=
            NET_MODE_IO_IN) /* scanners store a load, regardless of its other sinks */
            from_fork(&b, i);
    }
    out->len = 0;
    for (uint32_t i = 0; i < n->nets.len; i++) {
        for (uint32_t s = 0; s < n->nets.at[i].sinks.len; s++) {
            net_pin sink = n->nets.at[i].sinks.at[s];
            uint32_t lacks = b.lacks[(sink.cell.v - 1) * PINS + sink.port];
            if (lacks)
                vec_push(mem, out, (net_shortage){i, s, lacks});
        }
    }
    arena_free(&scratch);
}
