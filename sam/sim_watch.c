/* Counts of a watched run: moves by unit, tokens by edge. */
#include "sam/sim_watch.h"
#include "sam/sim_int.h"

sim_watch *sim_watch_begin(const sim_machine *m, const sam_sim_options *options, arena *mem) {
    const sam_graph *g = m->g;
    sim_watch *w = arena_new(mem, sim_watch);
    w->trace = options->trace;
    w->trace_context = options->trace_context;
    w->unit = arena_new_n(mem, sam_unit_statistics, g->nodes.len);
    w->edge = arena_new_n(mem, sam_edge_statistics, g->edges.len);
    w->queue = arena_new_n(m->mem, sim_queue *, g->edges.len);
    w->last_end = arena_new_n(m->mem, uint64_t, g->edges.len);
    for (uint32_t n = 0; n < g->nodes.len; n++) {
        w->unit[n].id = g->nodes.at[n].id;
        w->unit[n].label = sam_node_label(g, (sam_node){n + 1}, mem);
    }
    for (uint32_t i = 0; i < g->edges.len; i++) {
        const sam_edge_data *e = &g->edges.at[i];
        w->edge[i] = (sam_edge_statistics){.src = sam_node_at(g, e->src)->id,
                                           .dst = sam_node_at(g, e->dst)->id,
                                           .src_port = e->src_port,
                                           .dst_port = e->dst_port,
                                           .stream = e->stream};
        w->queue[i] = m->units[e->dst.v].in[e->dst_port];
        w->last_end[i] = w->queue[i]->end;
    }
    return w;
}

static sam_token_kind kind_of(sim_token t) {
    if (sim_is_number(t))
        return SAM_TOKEN_NUMBER;
    return sim_is_stop(t) ? SAM_TOKEN_STOP : t == SIM_EMPTY ? SAM_TOKEN_EMPTY : SAM_TOKEN_DONE;
}

/* Readers move before writers: a token of this cycle is still present, at most one. */
void sim_watch_queues(sim_machine *m) {
    sim_watch *w = m->watch;
    for (uint32_t i = 0; i < m->g->edges.len; i++) {
        const sim_queue *q = w->queue[i];
        if (q->end == w->last_end[i])
            continue;
        w->last_end[i] = q->end;
        uint32_t tokens = (uint32_t)(q->end - q->begin);
        sim_token t = q->at[(q->end - 1) & q->mask];
        sam_edge_statistics *e = &w->edge[i];
        sam_token_kind kind = kind_of(t);
        e->tokens[kind]++;
        e->high_water = tokens > e->high_water ? tokens : e->high_water;
        uint32_t value = kind == SAM_TOKEN_NUMBER ? t : kind == SAM_TOKEN_STOP ? sim_level(t) : 0;
        if (w->trace)
            w->trace(w->trace_context, &(sam_trace_event){m->cycle, e, kind, value});
    }
}

/* The first edge of a port stands for the port. */
static bool first_of_port(const sam_graph *g, uint32_t edge) {
    for (uint32_t i = 0; i < edge; i++)
        if (g->edges.at[i].src.v == g->edges.at[edge].src.v &&
            g->edges.at[i].src_port == g->edges.at[edge].src_port)
            return false;
    return true;
}

void sim_watch_end(const sim_machine *m, sam_sim_result *out) {
    const sam_graph *g = m->g;
    sim_watch *w = m->watch;
    for (uint32_t i = 0; i < g->edges.len; i++)
        for (int kind = 0; kind < SAM_TOKEN_KINDS && first_of_port(g, i); kind++)
            w->unit[g->edges.at[i].src.v - 1].tokens[kind] += w->edge[i].tokens[kind];
    out->units = w->unit;
    out->n_units = g->nodes.len;
    out->edges = w->edge;
    out->n_edges = g->edges.len;
}
