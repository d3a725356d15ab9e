/* Report of a run that stopped moving: the waiting units and their causes. */
#include "sam/sim_units.h"

static uint32_t fill(const sim_queue *q) {
    return (uint32_t)(q->end - q->begin);
}

/* The first full queue that blocks the unit, or NULL. Skip requests never block: a scanner without room for
 * coordinates takes none, and must not keep its intersecter from making room. */
static const sim_queue *full_queue(const sim_machine *m, const sim_unit *u) {
    uint32_t ports = u->kind == SAM_INTERSECT ? 1 + u->n_in / 2 : u->n_out;
    for (uint32_t port = 0; port < ports && port < u->n_out; port++)
        for (uint32_t i = 0; i < u->out[port].n; i++)
            if (m->fifo_depth && fill(u->out[port].to[i]) >= m->fifo_depth)
                return u->out[port].to[i];
    return NULL;
}

bool sim_has_room(const sim_machine *m, const sim_unit *u) {
    return !full_queue(m, u);
}

/* Why a unit does not move: a full queue's reader, or whoever should fill its first empty input. */
typedef struct {
    sam_node node; /* 0: for nobody */
    const sim_queue *full;
    uint32_t empty; /* input, where full is NULL */
} wait;

static wait waits_for(const sim_machine *m, sam_node n) {
    const sim_unit *u = &m->units[n.v];
    const sim_queue *full = full_queue(m, u);
    if (full)
        return (wait){full->sink, full, 0};
    for (uint32_t i = 0; i < u->n_in; i++)
        if (!sim_has(u->in[i]) && u->in[i]->source.v)
            return (wait){u->in[i]->source, NULL, i};
    return (wait){{0}, NULL, 0};
}

/* Returns a queue's contents, as "3 tokens, next S0". */
static const char *holds_text(const sim_queue *q, arena *mem) {
    return arena_printf(mem, "%u %s, next %s", fill(q), plural(fill(q), "token", "tokens"),
                        sim_token_text(mem, sim_head(q)));
}

/* ", input 1 holds ..." for each nonempty input. */
static const char *inputs_text(const sim_unit *u, arena *mem) {
    const char *text = "";
    for (uint32_t i = 0; i < u->n_in; i++)
        if (sim_has(u->in[i]))
            text = arena_printf(mem, "%s, input %u holds %s", text, i, holds_text(u->in[i], mem));
    return text;
}

static uint32_t input_of(const sim_unit *u, const sim_queue *q) {
    uint32_t i = 0;
    while (i + 1 < u->n_in && u->in[i] != q)
        i++;
    return i;
}

static void note_wait(const sim_machine *m, sam_node n, wait w) {
    arena *mem = m->d->mem;
    const sim_unit *u = &m->units[n.v], *other = &m->units[w.node.v];
    const char *who = sam_node_label(m->g, n, mem), *whom = sam_node_label(m->g, w.node, mem);
    src_loc loc = sam_node_at(m->g, n)->loc;
    if (w.full)
        diag_note(m->d, loc, "%s waits for %s: input %u of that is full with %s", who, whom,
                  input_of(other, w.full), holds_text(w.full, mem));
    else
        diag_note(m->d, loc, "%s waits for %s%s: input %u is empty%s", who, whom,
                  other->done ? ", which is done" : "", w.empty, inputs_text(u, mem));
}

/* Follows the waiting from a writer for n steps: the result lies in the cycle if a cycle is reached. */
static sam_node walk(const sim_machine *m, sam_node from, uint32_t steps) {
    for (; steps; steps--) {
        sam_node next = waits_for(m, from).node;
        if (!next.v || m->units[next.v].done)
            return (sam_node){0};
        from = next;
    }
    return from;
}

void sim_report_stuck(const sim_machine *m) {
    sam_node n = {0};
    for (uint32_t v = m->g->nodes.len; v > 0; v--)
        if (sim_is_writer(m->units[v].kind) && !m->units[v].done)
            n.v = v;
    diag_error(m->d, sam_node_at(m->g, n)->loc, "E0230-deadlock",
               "nothing moves after %llu %s, %s is not done", (unsigned long long)m->cycle,
               plural(m->cycle, "cycle", "cycles"), sam_node_label(m->g, n, m->mem));
    sam_node first = walk(m, n, m->g->nodes.len);
    if (first.v && m->fifo_depth)
        diag_hint(m->d, "these wait for each other: deeper FIFOs, or none with a bound");
    else
        diag_hint(m->d, "a stream ends early or a primitive's inputs do not belong together");
    if (first.v)
        n = first;
    while (n.v && !m->units[n.v].done) {
        wait w = waits_for(m, n);
        if (!w.node.v)
            return;
        note_wait(m, n, w);
        n = w.node;
        if (n.v == first.v)
            return;
    }
}
