/* The slowest paths of a placed design between registers, with the nodes between which a register would cut
 * each path: for the search of registers.c. Delays are those of timing.c, which judges the result. */
#include "dense/place_int.h"

#include "pnr/delays.h"

/* Where a signal comes from: the node of its last register or unit, its arrival, and the registers that links
 * into units on the way had. */
typedef struct {
    uint32_t node, arrival;
    int32_t had;
    bool known, inside;
} signal;

typedef struct {
    const dense_placing *p;
    const uint32_t *const *first_hop; /* by width and net: the node of the first hop */
    pnr_delays d;
    signal *hop[DENSE_WIDTHS], *pe; /* by hop node; by tile, of the output of its PE */
    u32_vec *into;                  /* by tile: its links, as sinks of their nets */
    dense_cuts *cuts;
    uint32_t limit, period;
    arena *mem;
} timer;

static net_tile kind_of(const timer *t, uint32_t tile) {
    return t->p->from.tiles.at[tile].kind;
}

static signal signal_of_source(timer *t, uint32_t link);

/* ---- ends of paths ----------------------------------------------------------------------------- */

/* A path ends `delay` behind a signal; a register anywhere before `node` would cut it. */
static void end_path(timer *t, const signal *s, uint32_t delay, uint32_t node, int32_t had) {
    const uint32_t arrival = s->arrival + delay;
    t->period = arrival > t->period ? arrival : t->period;
    if (arrival > t->limit && s->node != node)
        vec_push(t->mem, t->cuts, ((dense_cut){s->node, node, s->had + had}));
}

/* ---- wires ------------------------------------------------------------------------------------- */

static uint32_t node_before(const timer *t, uint32_t width, uint32_t net, uint32_t hop) {
    const uint32_t parent = t->p->routed[width].route.at[net].hops.at[hop].parent;
    return parent == PNR_NO_HOP ? dense_unit_node(dense_source_unit(t->p, t->p->first[width].at[net]))
                                : t->first_hop[width][net] + parent;
}

/* Returns the signal behind a hop, and behind its register. */
static signal signal_of_hop(timer *t, uint32_t width, uint32_t net, uint32_t hop) {
    const pnr_hop *h = &t->p->routed[width].route.at[net].hops.at[hop];
    const uint32_t node = t->first_hop[width][net] + hop;
    const net_tile kind = pnr_site_tile(t->p->from.board, h->x, h->y);
    if (t->hop[width][node].known)
        return t->hop[width][node];
    signal s = h->parent == PNR_NO_HOP ? signal_of_source(t, t->p->first[width].at[net])
                                       : signal_of_hop(t, width, net, h->parent);
    s.arrival += h->from_core ? 0 : t->d.data[kind];
    if (h->registered) {
        end_path(t, &s, 0, node_before(t, width, net, hop), 0);
        s = (signal){.node = node, .arrival = t->d.rmux[kind]};
    }
    s.known = true;
    t->hop[width][node] = s;
    return s;
}

static signal signal_at_sink(timer *t, uint32_t link, uint32_t *last) {
    uint32_t net, sink;
    const uint32_t width = t->p->from.links.at[link].width;
    dense_net_of_link(t->p, link, &net, &sink);
    const uint32_t hop = t->p->routed[width].route.at[net].sinks.at[sink].hop;
    *last =
        hop == PNR_NO_HOP ? dense_unit_node(dense_source_unit(t->p, link)) : t->first_hop[width][net] + hop;
    return hop == PNR_NO_HOP ? signal_of_source(t, link) : signal_of_hop(t, width, net, hop);
}

/* ---- units ------------------------------------------------------------------------------------- */

/* Takes the later signal. */
static void join(signal *s, signal other) {
    if (other.arrival > s->arrival)
        *s = other;
}

/* Returns whether a link is a chain's, which passes a buffer to the output of the same number. */
static bool is_chain(const timer *t, uint32_t link) {
    const dense_link *l = &t->p->from.links.at[link];
    const dense_tile *to = &t->p->from.tiles.at[t->p->tile_of[1].at[link]];
    return (l->port == DENSE_PORT_MEM_IN0 || l->port == DENSE_PORT_MEM_IN1) &&
           (dense_units_of(&t->p->from, to) & DENSE_HAS_UB);
}

/* Returns whether an input takes the output of the other unit of its PE tile: a Pond's, or the PE's. */
static bool is_inner(const timer *t, uint32_t tile, dense_port port) {
    enum { INNER = 20 };
    const dense_port_row *row = &dense_ports[port];
    const dense_tile *at = &t->p->from.tiles.at[tile];
    char name[80];
    snprintf(name, sizeof name, "%s_enable", row->box);
    const bool on = row->last > INNER && dense_value(&t->p->from, at, row->feature, name);
    snprintf(name, sizeof name, "%s_sel", row->box);
    return on && dense_value(&t->p->from, at, row->feature, name) == INNER;
}

/* A link ends at a memory, at an IO tile, or at the register of an operand; into a PE, and along a chain of
 * buffers, it goes on. Returns whether it does. */
static bool pass(timer *t, uint32_t link, signal *s) {
    const dense_link *l = &t->p->from.links.at[link];
    const uint32_t tile = t->p->tile_of[1].at[link], unit = dense_unit_node(dense_sink_unit(t->p, link));
    const net_tile kind = kind_of(t, tile);
    const int32_t had = (int32_t)dense_had(t->p, link);
    uint32_t last;
    *s = signal_at_sink(t, link, &last);
    s->known = s->inside = false;
    const bool goes_on = (dense_is_operand(t->p, l) && !t->p->delayed[link]) || is_chain(t, link);
    if (!goes_on)
        end_path(t, s, kind == NET_TILE_IO ? t->d.capture[kind] : t->d.box[kind],
                 t->p->delayed[link] ? last : unit, t->p->delayed[link] ? 0 : had);
    s->arrival += t->d.box[kind];
    s->had += had;
    return goes_on;
}

/* A Pond's word or bit is an operand of its PE, and the PE's word is written to its Pond. */
static void join_pond(timer *t, uint32_t tile, signal *s) {
    static const dense_port ports[] = {DENSE_PORT_PE_IN0, DENSE_PORT_PE_IN1, DENSE_PORT_PE_IN2,
                                       DENSE_PORT_PE_BIT0};
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        if (is_inner(t, tile, ports[i]))
            join(s, (signal){.node = dense_unit_node(DENSE_UNITS * tile),
                             .arrival = t->d.core[NET_TILE_MEM] + t->d.box[NET_TILE_PE]});
    }
}

/* The word and the bit of a PE come of its latest operand without a register. */
static signal signal_of_pe(timer *t, uint32_t tile) {
    signal s = {.node = dense_unit_node(DENSE_UNITS * tile)}, in;
    if (t->pe[tile].known || t->pe[tile].inside)
        return t->pe[tile];
    t->pe[tile].inside = true;
    for (uint32_t i = 0; i < t->into[tile].len; i++) {
        if (pass(t, t->into[tile].at[i], &in))
            join(&s, in);
    }
    join_pond(t, tile, &s);
    s.arrival += t->d.core[NET_TILE_PE];
    s.known = true;
    t->pe[tile] = s;
    if (is_inner(t, tile, DENSE_PORT_POND_IN0) || is_inner(t, tile, DENSE_PORT_POND_IN1))
        end_path(t, &s, t->d.box[NET_TILE_PE], dense_unit_node(DENSE_UNITS * tile), 0);
    return s;
}

static signal signal_of_source(timer *t, uint32_t link) {
    const dense_link *l = &t->p->from.links.at[link];
    const uint32_t tile = t->p->tile_of[0].at[link];
    const net_tile kind = kind_of(t, tile);
    const bool pond = kind == NET_TILE_PE && (l->width == DENSE_WORD ? l->place > 1 : l->place > 0);
    if (kind == NET_TILE_PE && !pond)
        return signal_of_pe(t, tile);
    signal s = {.node = dense_unit_node(dense_source_unit(t->p, link))}, in;
    for (uint32_t i = 0; l->width == DENSE_WORD && i < t->into[tile].len; i++) {
        const uint32_t other = t->into[tile].at[i], port = l->place ? DENSE_PORT_MEM_IN1 : DENSE_PORT_MEM_IN0;
        if (is_chain(t, other) && t->p->from.links.at[other].port == port && pass(t, other, &in))
            join(&s, in);
    }
    s.arrival += kind == NET_TILE_IO ? t->d.launch[kind] : t->d.core[NET_TILE_MEM];
    return s;
}

/* ---- all --------------------------------------------------------------------------------------- */

uint32_t dense_find_cuts(const dense_placing *p, const uint32_t *const first_hop[DENSE_WIDTHS],
                         uint32_t nodes, uint32_t limit, arena *mem, dense_cuts *out) {
    arena scratch = {0};
    timer t = {.p = p, .first_hop = first_hop, .cuts = out, .limit = limit, .mem = mem};
    diagnostics quiet;
    diag_init(&quiet, &scratch);
    out->len = 0;
    const bool known = pnr_read_delays(p->from.board, &quiet, &t.d);
    t.pe = arena_new_n(&scratch, signal, p->from.tiles.len + 1);
    t.into = arena_new_n(&scratch, u32_vec, p->from.tiles.len + 1);
    for (uint32_t width = 0; width < DENSE_WIDTHS; width++)
        t.hop[width] = arena_new_n(&scratch, signal, nodes);
    for (uint32_t i = 0; i < p->from.links.len; i++)
        vec_push(&scratch, &t.into[p->tile_of[1].at[i]], i);
    for (uint32_t i = 0; i < p->from.tiles.len; i++) {
        signal s;
        if (kind_of(&t, i) == NET_TILE_PE)
            signal_of_pe(&t, i);
        for (uint32_t k = 0; kind_of(&t, i) != NET_TILE_PE && k < t.into[i].len; k++)
            pass(&t, t.into[i].at[k], &s);
    }
    arena_free(&scratch);
    return known ? t.period : 0;
}
