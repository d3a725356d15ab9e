/* A cycle of the links. What a link does depends on the fill of its FIFOs and registers alone, not on words:
 * each link keeps what it has done by that fill. */
#include "rtl_models/cycle/links.h"

enum { KEY_BITS = 63, KNOWN_BITS = 6 };
#define NO_KEY UINT64_MAX

/* A node in a cycle: its offer, and whether all its sinks have room. */
typedef struct link_node {
    bool ready, valid, take;
    uint16_t origin; /* the node whose word is offered */
} node;

void links_prepare(cycle_model *m, link *l) {
    const uint32_t bits = 1u + l->n_sinks + l->n_registers, known = bits < KNOWN_BITS ? bits : KNOWN_BITS;
    l->wide = bits > KEY_BITS;
    l->mask = (1u << known) - 1;
    l->key = NO_KEY;
    l->nodes = arena_new_n(m->mem, node, l->n_registers + 1u);
    l->known = arena_new_n(m->mem, link_step, (size_t)1 << known);
    for (uint32_t i = 0; i <= l->mask; i++)
        l->known[i].key = NO_KEY;
}

/* Puts the cycles since the sinks' states were decided to their accounts. */
void links_account(link *l, uint64_t now) {
    const uint64_t cycles = now - l->since;
    l->since = now;
    for (uint32_t s = 0; s < l->n_sinks; s++)
        l->sinks[s].cycles[l->sinks[s].now] += cycles;
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

/* Finds the actions of this cycle. */
static void solve(cycle_model *m, const link *l, link_step *step) {
    const node *nodes = l->nodes;
    if (!step->sinks) {
        step->sinks = arena_new_n(m->mem, sink_step, l->n_sinks + 1u);
        step->registers = arena_new_n(m->mem, register_step, l->n_registers + 1u);
    }
    step->moves = offer(l);
    step->takes = nodes[0].valid;
    step->full = 0;
    for (uint32_t s = 0; s < l->n_sinks; s++) {
        const link_sink *sink = &l->sinks[s];
        const bool there = sink->from ? nodes[sink->from].valid : some(l->from), has_room = room(sink->to);
        const bool arrives = nodes[sink->from].valid && has_room;
        const cycle_activity activity = cycle_activity_of(
            (arrives ? CYCLE_ARRIVES : 0) | (there ? CYCLE_OFFERED : 0) | (has_room ? CYCLE_ROOM : 0));
        step->sinks[s] = (sink_step){(uint8_t)activity, nodes[sink->from].origin};
        step->moves |= arrives;
    }
    for (uint32_t r = 0; r < l->n_registers; r++) {
        const link_register *reg = &l->registers[r];
        const node *before = &nodes[reg->from], *here = &nodes[r + 1];
        const bool loads = before->valid && here->take && (reg->full || reg->end || !here->ready);
        const bool full = loads || (reg->full && !here->ready);
        step->registers[r] = (register_step){loads, full, before->origin};
        if (full && !l->wide)
            step->full |= (uint64_t)1 << r;
    }
}

void links_change(cycle_model *m, link *l, uint64_t key) {
    link_step *step = &l->known[(key ^ (key >> KNOWN_BITS) * 5) & l->mask];
    if (!m->unaccounted)
        links_account(l, m->now);
    if (step->key != key || l->wide)
        solve(m, l, step);
    l->key = step->key = key;
    l->step = step;
    for (uint32_t s = 0; s < l->n_sinks; s++)
        l->sinks[s].now = (cycle_activity)step->sinks[s].activity;
}

static uint32_t word_of(const link *l, uint32_t origin) {
    return origin ? l->registers[origin - 1].value : token(l->from);
}

void links_tell(cycle_model *m, const link *l) {
    for (uint32_t s = 0; s < l->n_sinks; s++)
        m->watched.by(m->watched.context, m->now, l->net, s, l->sinks[s].now,
                      word_of(l, l->step->sinks[s].origin));
}

void links_move(cycle_model *m, link *l) {
    const link_step *step = l->step;
    for (uint32_t s = 0; s < l->n_sinks; s++) {
        if (step->sinks[s].activity == CYCLE_MOVES)
            push(m, l->sinks[s].to, word_of(l, step->sinks[s].origin));
    }
    for (uint32_t r = l->n_registers; r-- > 0;) { /* origins stand before r */
        const register_step *does = &step->registers[r];
        if (does->loads)
            l->registers[r].value = word_of(l, does->origin);
        l->registers[r].full = does->full;
    }
    l->full = step->full;
    if (step->takes)
        pop(m, l->from);
}
