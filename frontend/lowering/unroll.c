/* unroll.c - fe_unroll: several copies of a loop's body (section 4.6.4 of the dissertation).
 *
 * The coordinates and references of loop v are dealt out in turn, token by token, to the copies; the outputs
 * of the copies are collected in the same turn. A stream inside of the loop has a depth: the loops between v
 * and its tokens. What it has for one iteration of v is a sub-tree of as many levels, and a serializer
 * collects one sub-tree at a time.
 *
 * A node is copied if all its inputs come from the loop, and if its output has one sub-tree for each input
 * sub-tree. Nodes that add up over v, drop coordinates of v or write are not copied: serializers precede
 * them, and reducers and writers receive the same streams as without copies. Loops are treated from the
 * innermost on; parallelizers and serializers of inner loops are ordinary nodes of the body. O(nodes x
 * copies).
 */
#include "frontend/lowering/unroll.h"
#include "frontend/language/statement.h"

enum { OUTSIDE = -1, MAX_NODES = 1 << 16 };

/* The edges at each node: edges of node n are list[first[n - 1]] to list[first[n] - 1]. */
typedef struct {
    uint32_t *first, *list;
} adjacency;

typedef struct {
    const sam_graph *in;
    sam_graph *out;
    arena *mem;
    name_id loop;
    uint32_t copies;
    int *depth;      /* by edge of in: of its stream below the loop, or OUTSIDE */
    bool *copied;    /* by node - 1 */
    sam_node *first; /* by node - 1: its first copy in out; the others follow */
    sam_node *fork; /* by edge: the parallelizer or serializer of its source port; on the port's first edge */
    uint32_t *port_of; /* by edge: the first edge of the same port */
    adjacency ins, outs;
} unrolling;

static const sam_edge_data *edge(const unrolling *u, uint32_t e) {
    return &u->in->edges.at[e];
}

/* Returns whether the node iterates over the loop: its streams are dealt out, without copies of the node. */
static bool iterates(const unrolling *u, sam_node n) {
    const sam_node_data *node = sam_node_at(u->in, n);
    if (!name_eq(node->index, u->loop))
        return false;
    return node->kind == SAM_FIBERLOOKUP || node->kind == SAM_INTERSECT || node->kind == SAM_UNION ||
           node->kind == SAM_REPSIGGEN || node->kind == SAM_REPEAT || node->kind == SAM_LOCATE ||
           node->kind == SAM_BVLOOKUP || node->kind == SAM_BVINTERSECT || node->kind == SAM_BVUNION;
}

/* Depth of output `port` of a copied node, whose inputs have depth in[]; OUTSIDE: no copies possible. */
static int depth_of(const unrolling *u, sam_node n, uint8_t port, const int *in) {
    switch (sam_node_at(u->in, n)->kind) {
    case SAM_FIBERLOOKUP:
    case SAM_BVLOOKUP:
        return in[0] + 1;
    case SAM_REPEAT:
    case SAM_LOCATE:
        return in[1];
    case SAM_REPSIGGEN:
    case SAM_INTERSECT:
    case SAM_UNION:
    case SAM_BVINTERSECT:
    case SAM_BVUNION:
    case SAM_ARRAYVALS:
    case SAM_ALU:
    case SAM_BROADCAST:
    case SAM_PARALLELIZE:
    case SAM_SERIALIZE:
        return in[0];
    case SAM_REDUCE: /* over a loop inside of v */
        return in[0] >= 1 ? in[0] - 1 : OUTSIDE;
    case SAM_VECTORREDUCER: /* likewise: the loop around its outermost coordinates */
        return in[0] >= 2 ? in[port] - 1 : OUTSIDE;
    case SAM_CRDDROP: /* of a loop inside of v */
        return in[0] >= 1 ? in[port] : OUTSIDE;
    case SAM_NONE:
    case SAM_FIBERWRITE:
    case SAM_ARRAYSTORE:
    case SAM_CRDHOLD:
    case SAM_SPACCUMULATOR:
    case SAM_BVCONVERT:
    case SAM_PRIMITIVES:
        break;
    }
    return OUTSIDE;
}

/* Returns whether all inputs of n have a depth; fills in[] by port. */
static bool inputs_inside(const unrolling *u, sam_node n, int *in) {
    for (uint32_t i = u->ins.first[n.v - 1]; i < u->ins.first[n.v]; i++) {
        uint32_t e = u->ins.list[i];
        if (u->depth[e] == OUTSIDE)
            return false;
        if (i == u->ins.first[n.v - 1])
            in[0] = u->depth[e]; /* operand 0 may be a constant, the others have equal depth */
        in[edge(u, e)->dst_port] = u->depth[e];
    }
    return u->ins.first[n.v - 1] < u->ins.first[n.v];
}

static void visit(unrolling *u, sam_node n) {
    int in[UINT8_MAX + 1];
    bool dealt = iterates(u, n), inside = !dealt && inputs_inside(u, n, in);
    u->copied[n.v - 1] = inside && depth_of(u, n, 0, in) != OUTSIDE;
    for (uint32_t i = u->outs.first[n.v - 1]; i < u->outs.first[n.v]; i++) {
        uint32_t e = u->outs.list[i];
        if (dealt)
            u->depth[e] = iterates(u, edge(u, e)->dst) ? OUTSIDE : 0;
        else if (u->copied[n.v - 1])
            u->depth[e] = depth_of(u, n, edge(u, e)->src_port, in);
    }
}

/* Puts sources before destinations, by Kahn's algorithm. */
static void visit_all(unrolling *u) {
    uint32_t n_nodes = u->in->nodes.len, n_ready = 0;
    uint32_t *waits = arena_new_n(u->mem, uint32_t, n_nodes + 1);
    sam_node *ready = arena_new_n(u->mem, sam_node, n_nodes + 1);
    for (uint32_t n = 1; n <= n_nodes; n++) {
        waits[n - 1] = u->ins.first[n] - u->ins.first[n - 1];
        if (sam_node_at(u->in, (sam_node){n})->kind != SAM_NONE && !waits[n - 1])
            ready[n_ready++] = (sam_node){n};
    }
    for (uint32_t at = 0; at < n_ready; at++) {
        sam_node n = ready[at];
        visit(u, n);
        for (uint32_t i = u->outs.first[n.v - 1]; i < u->outs.first[n.v]; i++) {
            sam_node dst = edge(u, u->outs.list[i])->dst;
            if (--waits[dst.v - 1] == 0)
                ready[n_ready++] = dst;
        }
    }
}

static adjacency edges_by(const sam_graph *g, bool dst, arena *mem) {
    adjacency a = {arena_new_n(mem, uint32_t, g->nodes.len + 2),
                   arena_new_n(mem, uint32_t, g->edges.len + 1)};
    for (uint32_t e = 0; e < g->edges.len; e++) {
        if (g->edges.at[e].src.v)
            a.first[(dst ? g->edges.at[e].dst.v : g->edges.at[e].src.v) + 1]++;
    }
    for (uint32_t n = 1; n <= g->nodes.len + 1; n++)
        a.first[n] += a.first[n - 1];
    for (uint32_t e = 0; e < g->edges.len; e++) {
        if (g->edges.at[e].src.v)
            a.list[a.first[dst ? g->edges.at[e].dst.v : g->edges.at[e].src.v]++] = e;
    }
    return a;
}

static void find_ports(unrolling *u) {
    for (uint32_t n = 1; n <= u->in->nodes.len; n++) {
        for (uint32_t i = u->outs.first[n - 1]; i < u->outs.first[n]; i++) {
            uint32_t e = u->outs.list[i], first = u->outs.first[n - 1];
            while (edge(u, u->outs.list[first])->src_port != edge(u, e)->src_port)
                first++;
            u->port_of[e] = u->outs.list[first];
        }
    }
}

/* ---- the new graph --------------------------------------------------------------------------- */

static sam_node copy_node(unrolling *u, const sam_node_data *from) {
    sam_node n = sam_add_node(u->out, from->kind);
    name_id id = sam_node_at(u->out, n)->id;
    *sam_node_at(u->out, n) = *from;
    sam_node_at(u->out, n)->id = id;
    return n;
}

static sam_node copy_of(const unrolling *u, sam_node n, uint32_t copy) {
    return (sam_node){u->first[n.v - 1].v + (u->copied[n.v - 1] ? copy : 0)};
}

/* Returns the parallelizer or serializer at the source port of edge e, with its edges on the port's side. */
static sam_node fork_of(unrolling *u, uint32_t e, sam_primitive kind) {
    const sam_edge_data *from = edge(u, e);
    sam_node *fork = &u->fork[u->port_of[e]];
    if (fork->v)
        return *fork;
    *fork = sam_add_node(u->out, kind);
    sam_node_data *node = sam_node_at(u->out, *fork);
    node->index = u->loop;
    node->loc = sam_node_at(u->in, from->src)->loc;
    node->depth = (uint8_t)(kind == SAM_SERIALIZE ? u->depth[e] : 0);
    for (uint32_t c = 0; c < (kind == SAM_SERIALIZE ? u->copies : 1); c++)
        sam_add_edge(u->out, copy_of(u, from->src, c), from->src_port, *fork, (uint8_t)c, from->stream);
    return *fork;
}

static void copy_edge(unrolling *u, uint32_t e) {
    const sam_edge_data *from = edge(u, e);
    bool src = u->copied[from->src.v - 1], dst = u->copied[from->dst.v - 1];
    BUG_IF(src && !dst && from->stream == SAM_STREAM_REPSIG,
           "a repeater outside of a loop repeats inside of it");
    if (src && !dst) {
        sam_add_edge(u->out, fork_of(u, e, SAM_SERIALIZE), 0, copy_of(u, from->dst, 0), from->dst_port,
                     from->stream);
        return;
    }
    for (uint32_t c = 0; c < (dst ? u->copies : 1); c++) {
        bool deal = dst && !src;
        sam_node at = deal ? fork_of(u, e, SAM_PARALLELIZE) : copy_of(u, from->src, c);
        uint8_t port = deal ? (uint8_t)c : from->src_port;
        sam_add_edge(u->out, at, port, copy_of(u, from->dst, c), from->dst_port, from->stream);
    }
}

static void build(unrolling *u) {
    for (uint32_t t = 0; t < u->in->tensors.len; t++)
        vec_push(u->out->mem, &u->out->tensors, u->in->tensors.at[t]);
    for (uint32_t n = 0; n < u->in->nodes.len; n++) {
        if (u->in->nodes.at[n].kind == SAM_NONE)
            continue;
        for (uint32_t c = 0; c < (u->copied[n] ? u->copies : 1); c++) {
            sam_node copy = copy_node(u, &u->in->nodes.at[n]);
            u->first[n] = c ? u->first[n] : copy;
        }
    }
    for (uint32_t e = 0; e < u->in->edges.len; e++) {
        if (edge(u, e)->src.v)
            copy_edge(u, e);
    }
}

static bool unroll_loop(const fe_kernel *k, const fe_tag *tag, const sam_graph *in, arena *mem,
                        diagnostics *d, sam_graph *out) {
    uint32_t nodes = in->nodes.len + 1, edges = in->edges.len + 1;
    unrolling u = {.in = in, .out = out, .mem = mem, .copies = tag->copies};
    u.loop = sam_var_at(&k->s, tag->loop)->name;
    u.depth = arena_new_n(mem, int, edges);
    u.copied = arena_new_n(mem, bool, nodes);
    u.first = arena_new_n(mem, sam_node, nodes);
    u.fork = arena_new_n(mem, sam_node, edges);
    u.port_of = arena_new_n(mem, uint32_t, edges);
    u.ins = edges_by(in, true, mem);
    u.outs = edges_by(in, false, mem);
    for (uint32_t e = 0; e < in->edges.len; e++)
        u.depth[e] = OUTSIDE;
    find_ports(&u);
    visit_all(&u);
    bool any = false, looped = false;
    for (uint32_t n = 0; n < in->nodes.len; n++) {
        any = any || u.copied[n];
        looped = looped || name_eq(in->nodes.at[n].index, u.loop);
    }
    bool many = in->nodes.len > MAX_NODES / tag->copies;
    if ((!any || many) && (tag->hint || !looped)) {
        diag_note(d, tag->loc, "loop '%s' gets no copies: %s", fe_var_text(&k->s, tag->loop),
                  !looped ? "the graph has no such loop"
                  : any   ? "the graph would be too large"
                          : "nothing is computed inside of it");
        *out = *in;
        return true;
    }
    if (!any)
        return diag_unmappable(d, tag->loc, "E0149-not-lowered", "nothing is computed inside of loop '%s'",
                               fe_var_text(&k->s, tag->loop));
    if (many)
        return diag_unmappable(d, tag->loc, "E0118-too-large", "the graph would have more than %d nodes",
                               MAX_NODES);
    sam_graph_init(out, mem, in->names);
    build(&u);
    return true;
}

bool fe_unroll(const fe_kernel *k, const sam_graph *in, arena *mem, diagnostics *d, sam_graph *out) {
    *out = *in;
    for (uint32_t l = k->s.loops.len; l-- > 0;) {
        const fe_tag *tag = fe_tag_of(k, k->s.loops.at[l]);
        sam_graph copied;
        if (!tag || tag->copies == 1)
            continue;
        if (!unroll_loop(k, tag, out, mem, d, &copied))
            return false;
        *out = copied;
    }
    return true;
}
