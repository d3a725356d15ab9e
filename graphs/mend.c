/* What published graphs leave to the tools around them, done in the graph: each engine then runs it.
 *
 * - Of several results only the first one is kept.
 * - A dropper whose inner stream nobody reads takes coordinates from the result whose values, zeros of empty
 * fibers, are written all the same. Without it the result has explicit zeros, which nobody sees.
 * - A writer of a dense level that does not get every coordinate writes a compressed one.
 * - Coordinates that are held for the values that stand at them are these coordinates.
 * - An accumulator of points whose loops come once, in the order of its fibers, is a reducer of vectors, with
 * a dropper behind it for rows without a point.
 */
#include "graphs/graphs.h"
#include "kernel/lower.h"

static void say(compile_context *ctx, const sam_graph *g, sam_node n, const char *what) {
    diag_note(ctx->diag, sam_node_at(g, n)->loc, "%s %s", sam_node_label(g, n, ctx->mem), what);
}

static void cut_into(sam_graph *g, sam_node n) {
    for (uint32_t i = 0; i < g->edges.len; i++) {
        if (g->edges.at[i].dst.v == n.v)
            g->edges.at[i].src.v = 0;
    }
}

static void leave_other_results_out(compile_context *ctx, sam_graph *g) {
    for (uint32_t n = 1; n <= g->nodes.len; n++) {
        const sam_node h = {n};
        sam_node_data *writer = sam_node_at(g, h);
        if (writer->kind != SAM_FIBERWRITE || name_eq(writer->tensor, g->tensors.at[0].name))
            continue;
        say(ctx, g, h, "writes another result than the first of the graph: it is left out");
        cut_into(g, h);
        writer->kind = SAM_NONE;
    }
}

/* ---- droppers -------------------------------------------------------------------------------- */

/* Returns whether something else reads the port than droppers and writers, or with `anything` whether
 * something does. */
static bool is_heard(const sam_graph *g, sam_node n, uint32_t port, bool anything) {
    for (uint32_t i = 0; i < g->edges.len; i++) {
        const sam_edge_data *e = &g->edges.at[i];
        if (!e->src.v || e->src.v != n.v || e->src_port != port)
            continue;
        const sam_primitive to = sam_node_at(g, e->dst)->kind;
        if (anything || (to != SAM_CRDDROP && to != SAM_FIBERWRITE))
            return true;
    }
    return false;
}

/* Returns whether values are dropped, too; droppers of coordinates may then belong to the drop of values. */
static bool drops_values(const sam_graph *g) {
    for (uint32_t i = 0; i < g->edges.len; i++) {
        const sam_edge_data *e = &g->edges.at[i];
        if (e->src.v && e->stream == SAM_STREAM_VAL && sam_node_at(g, e->src)->kind == SAM_CRDDROP &&
            !sam_node_at(g, e->src)->compress)
            return true;
    }
    for (uint32_t n = 0; n < g->nodes.len; n++) {
        if (g->nodes.at[n].kind == SAM_REDUCE && g->nodes.at[n].compress)
            return true;
    }
    return false;
}

/* From the dropper on whose outer coordinates only writers read. */
static void leave_stray_droppers_out(compile_context *ctx, sam_graph *g) {
    bool again = !drops_values(g);
    while (again) {
        again = false;
        for (uint32_t n = 1; n <= g->nodes.len; n++) {
            const sam_node h = {n};
            const sam_node_data *dropper = sam_node_at(g, h);
            if (dropper->kind != SAM_CRDDROP || dropper->compress || is_heard(g, h, 1, true) ||
                is_heard(g, h, 0, false))
                continue;
            say(ctx, g, h, "drops coordinates whose values are written: without it these are zeros");
            compile_bypass(g, h);
            again = true;
        }
    }
}

/* ---- dense levels ---------------------------------------------------------------------------- */

static bool has_gaps(const sam_graph *g, const sam_edge_data *crd) {
    const sam_node_data *n = sam_node_at(g, crd->src);
    if (n->kind == SAM_FIBERLOOKUP)
        return n->format != SAM_LEVEL_DENSE;
    if (!sam_is_joiner(n->kind))
        return true;
    const bool meets = n->kind == SAM_INTERSECT;
    for (uint32_t port = 0; sam_edge_into(g, crd->src, port); port += 2) {
        if (has_gaps(g, sam_edge_into(g, crd->src, port)) == meets)
            return meets;
    }
    return !meets;
}

static void compress_result(compile_context *ctx, sam_graph *g) {
    sam_graph_tensor *result = &g->tensors.at[0];
    for (uint32_t n = 1; n <= g->nodes.len; n++) {
        const sam_node h = {n};
        sam_node_data *writer = sam_node_at(g, h);
        const sam_edge_data *crd = writer->kind == SAM_FIBERWRITE ? sam_edge_into(g, h, 0) : NULL;
        if (!crd || writer->mode < 0 || writer->format != SAM_LEVEL_DENSE ||
            !name_eq(writer->tensor, result->name) || !has_gaps(g, crd))
            continue;
        say(ctx, g, h, "is dense, and does not get every coordinate: it is written compressed");
        writer->format = SAM_LEVEL_COMPRESSED;
        result->level[sam_storage_level(result, writer->mode)] = SAM_LEVEL_COMPRESSED;
    }
}

const sam_edge_data *compile_around(const sam_graph *g, const sam_edge_data *crd, sam_edge_data *out) {
    const sam_edge_data *ref = sam_edge_into(g, crd->src, 0);
    if (sam_is_joiner(sam_node_at(g, crd->src)->kind))
        return compile_around(g, ref, out);
    if (!ref || sam_node_at(g, crd->src)->kind != SAM_FIBERLOOKUP)
        return NULL;
    if (sam_node_at(g, ref->src)->kind == SAM_REPEAT)
        return sam_edge_into(g, sam_edge_into(g, ref->src, 1)->src, 0);
    *out = *ref;
    out->src_port = 0;
    return out;
}

/* ---- accumulators ---------------------------------------------------------------------------- */

/* Finds a stream of coordinates before its holders for further loops. */
static const sam_edge_data *unheld(const sam_graph *g, const sam_edge_data *crd) {
    while (crd && sam_node_at(g, crd->src)->kind == SAM_CRDHOLD)
        crd = sam_edge_into(g, crd->src, crd->src_port);
    return crd;
}

/* The loops of an accumulator of vectors: its own loop, the summed loop, and the loop around the summed loop,
 * if any. */
typedef struct {
    sam_edge_data own, outer;
    bool has_outer;
} accumulated;

static bool find_loops(const sam_graph *g, sam_node h, accumulated *out) {
    sam_edge_data made[2];
    const bool two = sam_attribute_of(g, h, "in1").v != 0;
    const sam_edge_data *own = unheld(g, sam_edge_into(g, h, 0));
    if (sam_attribute_of(g, h, "in2").v || !own)
        return false;
    out->own = *own;
    const sam_edge_data *summed = compile_around(g, own, &made[0]);
    if (!summed)
        return false;
    const sam_edge_data *outer = compile_around(g, summed, &made[1]);
    out->has_outer = outer != NULL;
    if (two != out->has_outer)
        return false;
    if (!two)
        return true;
    out->outer = *outer;
    const sam_edge_data *said = unheld(g, sam_edge_into(g, h, 1));
    sam_edge_data none;
    return said && said->src.v == outer->src.v && said->src_port == outer->src_port &&
           !compile_around(g, outer, &none);
}

/* Moves the readers of a port to a port of another node. */
static void move_readers(sam_graph *g, sam_node from, uint32_t port, sam_node to, uint8_t to_port) {
    for (uint32_t i = 0; i < g->edges.len; i++) {
        sam_edge_data *e = &g->edges.at[i];
        if (e->src.v && e->src.v == from.v && e->src_port == port) {
            e->src = to;
            e->src_port = to_port;
        }
    }
}

/* A coordinate is held until its values have come, and here each coordinate has a single value. */
static void leave_holders_of_values_out(sam_graph *g) {
    for (uint32_t n = 1; n <= g->nodes.len; n++) {
        const sam_node h = {n};
        const bool holds = sam_node_at(g, h)->kind == SAM_CRDHOLD;
        const sam_edge_data *crd = holds ? sam_edge_into(g, h, 0) : NULL;
        const sam_edge_data *val = holds ? sam_edge_into(g, h, 1) : NULL;
        if (!crd || !val || sam_node_at(g, val->src)->kind != SAM_ARRAYVALS)
            continue;
        const sam_edge_data *ref = sam_edge_into(g, val->src, 0);
        if (ref && ref->src.v == crd->src.v && crd->src_port == 0)
            compile_bypass(g, h);
    }
}

/* Removes holders of coordinates without readers. */
static void remove_holders(sam_graph *g) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t n = 1; n <= g->nodes.len; n++) {
            const sam_node h = {n};
            if (sam_node_at(g, h)->kind != SAM_CRDHOLD || is_heard(g, h, 0, true) || is_heard(g, h, 1, true))
                continue;
            cut_into(g, h);
            sam_node_at(g, h)->kind = SAM_NONE;
            again = true;
        }
    }
}

/* Adds a reducer of vectors with the operation of an accumulator. */
static sam_node add_reducer(sam_graph *g, sam_node accumulator) {
    const sam_node reducer = sam_add_node(g, SAM_VECTORREDUCER);
    const sam_node_data *old = sam_node_at(g, accumulator);
    sam_node_data *data = sam_node_at(g, reducer);
    data->loc = old->loc;
    data->alu = old->alu;
    data->fp = old->fp;
    data->index = sam_attribute_of(g, accumulator, "in0");
    return reducer;
}

/* Finds the nested loops of an accumulator of matrices: its own two loops, and around them the summed loop
 * alone. */
static bool find_matrix(const sam_graph *g, sam_node h, accumulated *out) {
    sam_edge_data made[3];
    const sam_edge_data *own = unheld(g, sam_edge_into(g, h, 0)), *said = unheld(g, sam_edge_into(g, h, 1));
    if (sam_attribute_of(g, h, "in2").v || !own || !said)
        return false;
    out->own = *own;
    const sam_edge_data *outer = compile_around(g, own, &made[0]);
    if (!outer || said->src.v != outer->src.v || said->src_port != outer->src_port)
        return false;
    out->outer = *outer;
    const sam_edge_data *summed = compile_around(g, outer, &made[1]);
    return summed && !compile_around(g, summed, &made[2]);
}

static void accumulate_matrices(sam_graph *g, sam_node h, const accumulated *loops) {
    const sam_edge_data val = *sam_edge_into(g, h, 2);
    const sam_node reducer = add_reducer(g, h);
    sam_node_at(g, reducer)->depth = 2;
    cut_into(g, h);
    move_readers(g, h, 2, reducer, 2);
    move_readers(g, h, 1, reducer, 0);
    move_readers(g, h, 0, reducer, 1);
    sam_add_edge(g, loops->outer.src, loops->outer.src_port, reducer, 0, SAM_STREAM_CRD);
    sam_add_edge(g, loops->own.src, loops->own.src_port, reducer, 1, SAM_STREAM_CRD);
    sam_add_edge(g, val.src, val.src_port, reducer, 2, SAM_STREAM_VAL);
}

static void accumulate_vectors(sam_graph *g, sam_node h, const accumulated *loops) {
    const uint32_t values = 1 + loops->has_outer;
    const sam_edge_data val = *sam_edge_into(g, h, values);
    const sam_node reducer = add_reducer(g, h);
    cut_into(g, h);
    move_readers(g, h, values, reducer, 1);
    if (loops->has_outer) {
        const sam_node dropper = sam_add_node(g, SAM_CRDDROP);
        sam_node_at(g, dropper)->loc = sam_node_at(g, h)->loc;
        sam_node_at(g, dropper)->outer = sam_attribute_of(g, h, "in1");
        sam_node_at(g, dropper)->inner = sam_attribute_of(g, h, "in0");
        move_readers(g, h, 1, dropper, 0);
        move_readers(g, h, 0, dropper, 1);
        sam_add_edge(g, loops->outer.src, loops->outer.src_port, dropper, 0, SAM_STREAM_CRD);
        sam_add_edge(g, reducer, 0, dropper, 1, SAM_STREAM_CRD);
    } else {
        move_readers(g, h, 0, reducer, 0);
    }
    sam_add_edge(g, loops->own.src, loops->own.src_port, reducer, 0, SAM_STREAM_CRD);
    sam_add_edge(g, val.src, val.src_port, reducer, 1, SAM_STREAM_VAL);
}

static void accumulate_in_order(compile_context *ctx, sam_graph *g) {
    for (uint32_t n = 1; n <= g->nodes.len; n++) {
        const sam_node h = {n};
        accumulated loops = {0};
        if (sam_node_at(g, h)->kind != SAM_SPACCUMULATOR)
            continue;
        if (find_loops(g, h, &loops)) {
            say(ctx, g, h, "adds up the points of vectors that come in order: a reducer of vectors does");
            accumulate_vectors(g, h, &loops);
        } else if (find_matrix(g, h, &loops)) {
            say(ctx, g, h, "adds up the points of matrices that come in order: a reducer of matrices does");
            accumulate_matrices(g, h, &loops);
        } else {
            continue;
        }
        sam_node_at(g, h)->kind = SAM_NONE;
        remove_holders(g);
    }
}

void compile_mend_graph(compile_context *ctx, sam_graph *g) {
    leave_other_results_out(ctx, g);
    leave_holders_of_values_out(g);
    accumulate_in_order(ctx, g);
    leave_stray_droppers_out(ctx, g);
    compress_result(ctx, g);
}
