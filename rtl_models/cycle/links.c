/* A cycle of the links. What a link does depends on the fill of its FIFOs and registers alone, not on words:
 * each link keeps what it has done by that fill. */
#include "rtl_models/cycle/links.h"

enum { KEY_BITS = 63 };
#define NO_KEY UINT64_MAX

/* A node in a cycle: its offer, and whether all its sinks have room. */
typedef struct link_node {
    bool ready, valid, take;
    uint16_t origin; /* the node whose word is offered */
} node;

void links_prepare(cycle_model *m, link *l) {
    const uint32_t bits = 1u + l->n_sinks + l->n_registers,
                   known = bits < LINKS_KNOWN_BITS ? bits : LINKS_KNOWN_BITS;
    l->wide = bits > KEY_BITS;
    l->n_key_sinks = l->wide ? 1 : l->n_sinks;
    l->mask = (1u << known) - 1;
    l->key = NO_KEY;
    l->to = l->n_sinks ? l->sinks->to : &m->fifos[WALL];
    l->nodes = arena_new_n(m->mem, node, l->n_registers + 1u);
    l->word = arena_new_n(m->mem, uint32_t, l->n_registers + 1u);
    l->known = arena_new_n(m->mem, link_step, (size_t)1 << known);
    for (uint32_t i = 0; i <= l->mask; i++)
        l->known[i].key = NO_KEY;
    l->step = l->known;
}

/* Puts the cycles of a step to the accounts of the sinks. */
static void account_step(link *l, link_step *step) {
    for (uint32_t s = 0; step->cycles && s < l->n_sinks; s++)
        l->sinks[s].cycles[step->sinks[s].activity] += step->cycles;
    step->cycles = 0;
}

void links_account(link *l, uint64_t now) {
    if (l->since < now)
        links_count(l, now);
    for (; l->open; l->open = l->open->next) {
        account_step(l, l->open);
        l->open->open = false;
    }
}

/* Ready goes backward, valid forward; only the source gates its valid with ready. */
static bool offer(const link *l) {
    node *nodes = l->nodes;
    bool moves = false;
    for (uint32_t n = 0; n <= l->n_registers; n++)
        nodes[n] = (node){.ready = true};
    for (uint32_t s = 0; s < l->n_sinks; s++)
        nodes[l->sinks[s].from].ready &= room(l->sinks[s].to);
    for (uint32_t r = l->n_registers; r-- > 0;) {
        const link_register *reg = &l->registers[r];
        nodes[r + 1].take = !reg->full || (nodes[r + 1].ready && !reg->start);
        nodes[reg->from].ready &= nodes[r + 1].take;
    }
    nodes[0].valid = some(l->from) && nodes[0].ready;
    moves |= nodes[0].valid;
    for (uint32_t r = 0; r < l->n_registers; r++) {
        const link_register *reg = &l->registers[r];
        const node *before = &nodes[reg->from];
        nodes[r + 1].valid = reg->full || (before->valid && !reg->end);
        nodes[r + 1].origin = reg->full || reg->end ? (uint16_t)(r + 1) : before->origin;
        moves |= (before->valid && nodes[r + 1].take) || (reg->full && nodes[r + 1].ready);
    }
    return moves;
}

/* Finds the actions of this cycle on the sinks. */
static void solve_sinks(const link *l, link_step *step) {
    const node *nodes = l->nodes;
    step->n_pushes = 0;
    for (uint32_t s = 0; s < l->n_sinks; s++) {
        const link_sink *sink = &l->sinks[s];
        const bool there = sink->from ? nodes[sink->from].valid : some(l->from), has_room = room(sink->to);
        const bool arrives = nodes[sink->from].valid && has_room;
        const cycle_activity activity = cycle_activity_of(
            (arrives ? CYCLE_ARRIVES : 0) | (there ? CYCLE_OFFERED : 0) | (has_room ? CYCLE_ROOM : 0));
        step->sinks[s] = (sink_step){(uint8_t)activity, nodes[sink->from].origin};
        step->moves |= arrives;
        if (activity == CYCLE_MOVES)
            step->pushes[step->n_pushes++] = (link_push){sink->to, nodes[sink->from].origin};
    }
}

/* Finds the actions of this cycle on the registers, the last first: origins stand before. */
static void solve_registers(const link *l, link_step *step) {
    step->n_loads = 0;
    step->full = 0;
    for (uint32_t r = l->n_registers; r-- > 0;) {
        link_register *reg = &l->registers[r];
        const node *before = &l->nodes[reg->from], *here = &l->nodes[r + 1];
        const bool loads = before->valid && here->take && (reg->full || reg->end || !here->ready);
        reg->filled = loads || (reg->full && !here->ready);
        if (loads)
            step->loads[step->n_loads++] = (link_load){(uint16_t)(r + 1), before->origin};
        if (reg->filled && !l->wide)
            step->full |= (uint64_t)1 << r;
    }
}

void links_solve(cycle_model *m, link *l, link_step *step, uint64_t key) {
    account_step(l, step);
    if (!step->sinks) {
        step->sinks = arena_new_n(m->mem, sink_step, l->n_sinks + 1u);
        step->pushes = arena_new_n(m->mem, link_push, l->n_sinks + 1u);
        step->loads = arena_new_n(m->mem, link_load, l->n_registers + 1u);
    }
    for (uint32_t r = 0; r < l->n_registers && !l->wide; r++)
        l->registers[r].full = l->full >> r & 1;
    step->moves = offer(l);
    step->takes = l->nodes[0].valid;
    solve_sinks(l, step);
    solve_registers(l, step);
    step->key = l->wide ? NO_KEY : key;
}

void links_fill(link *l) {
    for (uint32_t r = 0; r < l->n_registers; r++)
        l->registers[r].full = l->registers[r].filled;
}

static void tell(cycle_model *m, const link *l) {
    for (uint32_t s = 0; s < l->n_sinks; s++) {
        const sink_step *at = &l->step->sinks[s];
        m->watched.by(m->watched.context, m->now, l->net, s, (cycle_activity)at->activity,
                      at->origin ? l->word[at->origin] : token(l->from));
    }
}

const link_step *links_decide_apart(cycle_model *m, link *l) {
    if (m->unaccounted)
        l->since = m->now;
    const link_step *step = links_decide(m, l, m->now);
    if (m->unaccounted)
        l->since = m->now + 1;
    if (m->watched.by)
        tell(m, l);
    return step;
}
