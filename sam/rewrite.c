/* Rewrites graphs until legal for the hardware. */
#include "sam/sam.h"

/* Copies tensors and live nodes; new_of[old handle] is the new handle, 0 for nodes refused by `keep`. */
static sam_node *copy_nodes(const sam_graph *in, arena *mem, bool (*keep)(const sam_node_data *),
                            sam_graph *out) {
    sam_graph_init(out, mem, in->names);
    for (uint32_t i = 0; i < in->tensors.len; i++)
        vec_push(mem, &out->tensors, in->tensors.at[i]);
    sam_node *new_of = arena_new_n(mem, sam_node, in->nodes.len + 1);
    for (uint32_t v = 1; v <= in->nodes.len; v++) {
        sam_node_data n = in->nodes.at[v - 1];
        if (n.kind == SAM_NONE || !keep(&n))
            continue;
        n.extra.at = NULL;
        n.extra.len = n.extra.cap = 0;
        for (uint32_t i = 0; i < in->nodes.at[v - 1].extra.len; i++)
            vec_push(mem, &n.extra, in->nodes.at[v - 1].extra.at[i]);
        vec_push(mem, &out->nodes, n);
        new_of[v].v = out->nodes.len;
    }
    return new_of;
}

static void copy_edge(sam_graph *out, sam_edge_data e, sam_node src, sam_node dst) {
    e.src = src;
    e.dst = dst;
    vec_push(out->mem, &out->edges, e);
}

/* ---- broadcasts ------------------------------------------------------------------------------ */

static bool no_broadcast(const sam_node_data *n) {
    return n->kind != SAM_BROADCAST;
}

/* Every edge out of a broadcast becomes an edge from whatever feeds it. O(nodes + edges), since the walk up a
 * chain of broadcasts is as long as the chain. */
bool sam_remove_broadcasts(const sam_graph *in, arena *mem, diagnostics *d, sam_graph *out) {
    (void)d; /* a checked graph has nothing to refuse */
    sam_node *new_of = copy_nodes(in, mem, no_broadcast, out);
    const sam_edge_data **feeds = arena_new_n(mem, const sam_edge_data *, in->nodes.len + 1);
    for (uint32_t i = 0; i < in->edges.len; i++)
        if (in->edges.at[i].src.v && sam_node_at(in, in->edges.at[i].dst)->kind == SAM_BROADCAST)
            feeds[in->edges.at[i].dst.v] = &in->edges.at[i];
    for (uint32_t i = 0; i < in->edges.len; i++) {
        sam_edge_data e = in->edges.at[i];
        if (!e.src.v || !new_of[e.dst.v].v)
            continue;
        while (!new_of[e.src.v].v) {
            const sam_edge_data *feed = feeds[e.src.v];
            BUG_IF(!feed, "broadcast without input: the graph is not checked");
            e.src = feed->src;
            e.src_port = feed->src_port;
        }
        copy_edge(out, e, new_of[e.src.v], new_of[e.dst.v]);
    }
    return true;
}

/* ---- binary joiners -------------------------------------------------------------------------- */

typedef struct {
    sam_node node;
    uint8_t port;
    sam_stream stream; /* coordinates, if a dense level's coordinates are the reference */
} source;

typedef struct {
    const sam_graph *in;
    sam_graph *out;
    arena *mem;
    sam_node *new_of;
    source **now; /* by old node: current sources of a replaced joiner's output ports, NULL before */
} rewriter;

typedef struct {
    source ref;
    uint32_t operand; /* of the joiner under replacement */
} carried;

/* Joined operands: a coordinate stream, and the references in step with the coordinates. */
typedef struct {
    source crd;
    VEC(carried) refs; /* at least one */
} group;

typedef struct {
    rewriter *r;
    sam_node old;                /* the joiner being replaced, of n operands */
    sam_node root;               /* its node in the new graph becomes the first joiner of the last join */
    const sam_edge_data **input; /* by port */
    bool *needed;                /* by operand: somebody reads its references */
    uint32_t n;
} splitter;

static source source_of(rewriter *r, const sam_edge_data *e);

static sam_node new_joiner(splitter *s, bool root) {
    if (root)
        return s->root;
    const sam_node_data *old = sam_node_at(s->r->in, s->old);
    sam_node n = sam_add_node(s->r->out, old->kind);
    sam_node_at(s->r->out, n)->index = old->index;
    sam_node_at(s->r->out, n)->loc = old->loc;
    return n;
}

static void connect(splitter *s, source from, sam_node to, uint8_t port) {
    sam_add_edge(s->r->out, from.node, from.port, to, port, from.stream);
    s->r->out->edges.at[s->r->out->edges.len - 1].loc = sam_node_at(s->r->in, s->old)->loc;
}

/* Unread references are carried no further, but a group keeps at least one for joining. */
static void forget_unread(const splitter *s, group *g) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < g->refs.len; i++)
        if (s->needed[g->refs.at[i].operand])
            g->refs.at[kept++] = g->refs.at[i];
    g->refs.len = kept ? kept : 1;
}

/* Joins two groups. A binary joiner carries a reference of each side: max(|a|, |b|) joiners are needed, all
 * with the same coordinates. A side without further references sends its first reference again, unread. */
static group join(splitter *s, group a, group b, bool root) {
    group both = {0};
    for (uint32_t i = 0; i < a.refs.len || i < b.refs.len; i++) {
        sam_node n = new_joiner(s, root && i == 0);
        bool has_a = i < a.refs.len, has_b = i < b.refs.len;
        connect(s, a.crd, n, 0);
        connect(s, a.refs.at[has_a ? i : 0].ref, n, 1);
        connect(s, b.crd, n, 2);
        connect(s, b.refs.at[has_b ? i : 0].ref, n, 3);
        if (i == 0)
            both.crd = (source){n, 0, SAM_STREAM_CRD};
        if (has_a)
            vec_push(s->r->mem, &both.refs, (carried){{n, 1, SAM_STREAM_REF}, a.refs.at[i].operand});
        if (has_b)
            vec_push(s->r->mem, &both.refs, (carried){{n, 2, SAM_STREAM_REF}, b.refs.at[i].operand});
    }
    forget_unread(s, &both);
    return both;
}

/* Joins operands [from, to) by a balanced tree. */
static group split(splitter *s, uint32_t from, uint32_t to) {
    if (to - from == 1) {
        group one = {.crd = source_of(s->r, s->input[2 * from])};
        vec_push(s->r->mem, &one.refs, (carried){source_of(s->r, s->input[2 * from + 1]), from});
        return one;
    }
    uint32_t middle = from + (to - from + 1) / 2;
    group a = split(s, from, middle);
    group b = split(s, middle, to);
    return join(s, a, b, from == 0 && to == s->n);
}

static bool is_joiner(const sam_node_data *n) {
    return n->kind == SAM_INTERSECT || n->kind == SAM_UNION;
}

enum { MAX_PORTS = UINT8_MAX + 1 };

static void replace_joiner(rewriter *r, sam_node old) {
    splitter s = {.r = r, .old = old, .root = r->new_of[old.v]};
    s.input = arena_new_n(r->mem, const sam_edge_data *, MAX_PORTS);
    s.needed = arena_new_n(r->mem, bool, MAX_PORTS);
    for (uint32_t i = 0; i < r->in->edges.len; i++) {
        const sam_edge_data *e = &r->in->edges.at[i];
        if (e->src.v && e->dst.v == old.v) {
            s.input[e->dst_port] = e;
            s.n = e->dst_port / 2u + 1 > s.n ? e->dst_port / 2u + 1 : s.n;
        }
        if (e->src.v == old.v && e->src_port && e->stream != SAM_STREAM_SKIP)
            s.needed[e->src_port - 1] = true;
    }
    source *now = arena_new_n(r->mem, source, MAX_PORTS);
    group all = split(&s, 0, s.n);
    now[0] = all.crd;
    for (uint32_t i = 0; i < all.refs.len; i++)
        now[1 + all.refs.at[i].operand] = all.refs.at[i].ref;
    r->now[old.v] = now;
}

static uint32_t operands_of(const sam_graph *g, sam_node n) {
    uint32_t operands = 0;
    for (uint32_t i = 0; i < g->edges.len; i++)
        if (g->edges.at[i].src.v && g->edges.at[i].dst.v == n.v && g->edges.at[i].dst_port / 2u >= operands)
            operands = g->edges.at[i].dst_port / 2u + 1;
    return operands;
}

/* Current source of an old edge's stream; first replaces the edge's joiner if necessary. Joiners feeding
 * joiners make this recursive; a checked graph has no cycles, hence the recursion ends. */
static source source_of(rewriter *r, const sam_edge_data *e) {
    bool wide = is_joiner(sam_node_at(r->in, e->src)) && operands_of(r->in, e->src) > 2;
    if (wide && !r->now[e->src.v])
        replace_joiner(r, e->src);
    return wide ? r->now[e->src.v][e->src_port] : (source){r->new_of[e->src.v], e->src_port, e->stream};
}

static bool any_node(const sam_node_data *n) {
    return n->kind != SAM_NONE;
}

/* This takes O(joiners x edges). */
bool sam_to_binary_joiners(const sam_graph *in, arena *mem, diagnostics *d, sam_graph *out) {
    (void)d; /* a checked graph has nothing to refuse */
    rewriter r = {.in = in, .out = out, .mem = mem};
    r.new_of = copy_nodes(in, mem, any_node, out);
    r.now = arena_new_n(mem, source *, in->nodes.len + 1);
    for (uint32_t i = 0; i < in->edges.len; i++) {
        const sam_edge_data *e = &in->edges.at[i];
        bool skips = e->src.v && e->stream == SAM_STREAM_SKIP && operands_of(in, e->src) > 2;
        if (!e->src.v || skips) /* no binary joiner knows the skip requests of a wide joiner */
            continue;
        source from = source_of(&r, e);
        bool into_wide = is_joiner(sam_node_at(in, e->dst)) && operands_of(in, e->dst) > 2;
        if (into_wide && !r.now[e->dst.v])
            replace_joiner(&r, e->dst);
        if (into_wide)
            continue; /* replaced together with the joiner */
        copy_edge(out, *e, from.node, r.new_of[e->dst.v]);
        out->edges.at[out->edges.len - 1].src_port = from.port;
    }
    return true;
}
