/* lower.c - SAM to the Onyx-aware dataflow IR.
 *
 * One visit per SAM primitive creates its hardware nodes, then one visit per SAM edge links them. Every
 * stream of SAM has a fixed pair of hardware ports (port_map), and the second visit needs no cases. Names,
 * edges and producers are found by linear search: O(nodes * edges). Follows the two-phase lowering of the
 * Onyx compiler: memory primitive expansion, then signal elaboration.
 */
#include "lower_onyx/lower_memories.h"
#include "lower_onyx/lower_processing.h"
#include "lower_onyx/lower_reducers.h"
#include "lower_onyx/lowering.h"
#include "sam/coordinates.h"
#include "sam/operators.h"
#include "support/refusals.h"

/* Which hardware port a port of a SAM primitive becomes. Droppers and holds number inner and outer the other
 * way round than SAM does. */
typedef struct {
    onyx_port in[4], out[3];
} port_map;

static const port_map port_maps[SAM_PRIMITIVES] = {
    [SAM_FIBERLOOKUP] = {{ONYX_PORT_READ_SCANNER_US_POS_IN},
                         {ONYX_PORT_READ_SCANNER_COORD_OUT, ONYX_PORT_READ_SCANNER_POS_OUT}},
    [SAM_ARRAYVALS] = {{ONYX_PORT_READ_SCANNER_US_POS_IN}, {ONYX_PORT_READ_SCANNER_VAL_OUT}},
    [SAM_FIBERWRITE] = {{ONYX_PORT_WRITE_SCANNER_DATA_IN}, {ONYX_PORT_NONE}},
    [SAM_REPEAT] = {{ONYX_PORT_REPEAT_PROC_DATA_IN, ONYX_PORT_REPEAT_REPSIG_DATA_IN},
                    {ONYX_PORT_REPEAT_REF_DATA_OUT}},
    [SAM_REPSIGGEN] = {{ONYX_PORT_RSG_BASE_DATA_IN}, {ONYX_PORT_RSG_REPSIG_DATA_OUT}},
    [SAM_INTERSECT] = {{ONYX_PORT_JOINER_COORD_IN_0, ONYX_PORT_JOINER_POS_IN_0, ONYX_PORT_JOINER_COORD_IN_1,
                        ONYX_PORT_JOINER_POS_IN_1},
                       {ONYX_PORT_JOINER_COORD_OUT, ONYX_PORT_JOINER_POS_OUT_0, ONYX_PORT_JOINER_POS_OUT_1}},
    [SAM_UNION] = {{ONYX_PORT_JOINER_COORD_IN_0, ONYX_PORT_JOINER_POS_IN_0, ONYX_PORT_JOINER_COORD_IN_1,
                    ONYX_PORT_JOINER_POS_IN_1},
                   {ONYX_PORT_JOINER_COORD_OUT, ONYX_PORT_JOINER_POS_OUT_0, ONYX_PORT_JOINER_POS_OUT_1}},
    [SAM_ALU] = {{ONYX_PORT_ALU_DATA0, ONYX_PORT_ALU_DATA1}, {ONYX_PORT_ALU_RES}},
    [SAM_REDUCE] = {{ONYX_PORT_REDUCE_DATA_IN}, {ONYX_PORT_REDUCE_DATA_OUT}},
    [SAM_VECTORREDUCER] = {{ONYX_PORT_JOINER_COORD_IN_0, ONYX_PORT_JOINER_POS_IN_0},
                           {ONYX_PORT_READ_SCANNER_SUM_COORD_OUT, ONYX_PORT_READ_SCANNER_SUM_VAL_OUT}},
    [SAM_CRDDROP] = {{ONYX_PORT_CRDDROP_COORD_IN_1, ONYX_PORT_CRDDROP_COORD_IN_0},
                     {ONYX_PORT_CRDDROP_COORD_OUT_1, ONYX_PORT_CRDDROP_COORD_OUT_0}},
    [SAM_CRDHOLD] = {{ONYX_PORT_CRDHOLD_COORD_IN_1, ONYX_PORT_CRDHOLD_COORD_IN_0},
                     {ONYX_PORT_CRDHOLD_COORD_OUT_1, ONYX_PORT_CRDHOLD_COORD_OUT_0}},
};

/* On profile onyx-ext a vector reducer is one tile. */
static const port_map extended_vector_reducer = {
    {ONYX_PORT_VECTOR_REDUCER_COORD_IN, ONYX_PORT_VECTOR_REDUCER_VAL_IN},
    {ONYX_PORT_VECTOR_REDUCER_COORD_OUT, ONYX_PORT_VECTOR_REDUCER_VAL_OUT}};

static const port_map extended_matrix_reducer = {
    {ONYX_PORT_VECTOR_REDUCER_OUTER_IN, ONYX_PORT_VECTOR_REDUCER_COORD_IN, ONYX_PORT_VECTOR_REDUCER_VAL_IN},
    {ONYX_PORT_VECTOR_REDUCER_OUTER_OUT, ONYX_PORT_VECTOR_REDUCER_COORD_OUT,
     ONYX_PORT_VECTOR_REDUCER_VAL_OUT}};

static const port_map region_joiner = {{ONYX_PORT_REGION_JOINER_COORD_IN_0, ONYX_PORT_REGION_JOINER_POS_IN_0,
                                        ONYX_PORT_REGION_JOINER_COORD_IN_1, ONYX_PORT_REGION_JOINER_POS_IN_1},
                                       {ONYX_PORT_REGION_JOINER_COORD_OUT, ONYX_PORT_REGION_JOINER_POS_OUT_0,
                                        ONYX_PORT_REGION_JOINER_POS_OUT_1}};

static const port_map *ports_of(const lowering *l, sam_node h) {
    sam_primitive kind = sam_node_at(l->sam, h)->kind;
    if (kind == SAM_INTERSECT &&
        (sam_attribute_of(l->sam, h, "lacks").v != 0 || lower_takes_empty_references(l, h)))
        return &region_joiner;
    if (kind == SAM_VECTORREDUCER && sam_node_at(l->sam, h)->depth == 2)
        return &extended_matrix_reducer;
    return kind == SAM_VECTORREDUCER && l->options->extended ? &extended_vector_reducer : &port_maps[kind];
}

/* ---- processing primitives ------------------------------------------------------------------- */

static onyx_node lower_node(lowering *l, sam_node h) {
    switch (sam_node_at(l->sam, h)->kind) {
    case SAM_FIBERLOOKUP:
    case SAM_ARRAYVALS:
        return lower_reader(l, h);
    case SAM_FIBERWRITE:
        return lower_writer(l, h);
    case SAM_REPEAT:
        return lower_repeat(l, h);
    case SAM_REPSIGGEN:
        return lowering_add_processing(l, h, ONYX_RSG);
    case SAM_INTERSECT:
    case SAM_UNION:
        return lower_joiner(l, h);
    case SAM_ALU:
        return lower_alu(l, h);
    case SAM_REDUCE:
        return lower_reduce(l, h);
    case SAM_CRDDROP:
        return lower_dropper(l, h);
    case SAM_CRDHOLD:
        return lower_hold(l, h);
    case SAM_VECTORREDUCER:
        return lower_vector_reducer(l, h);
    case SAM_SPACCUMULATOR:
        return lowering_refuse(l, h, lower_reducer_alternative(l));
    case SAM_ARRAYSTORE:
    case SAM_LOCATE:
    case SAM_BVLOOKUP:
    case SAM_BVCONVERT:
    case SAM_BVINTERSECT:
    case SAM_BVUNION:
        return lowering_refuse(l, h,
                               "join compressed levels with intersect or union and write with fiberwrite");
    case SAM_PARALLELIZE:
    case SAM_SERIALIZE:
        return lowering_refuse(l, h,
                               "the schedule makes copies in the graph; --unroll N makes copies of the whole "
                               "kernel on the array");
    case SAM_BROADCAST:
        return lowering_refuse(l, h,
                               "broadcasts are wires: remove the node and let its edges leave the source");
    case SAM_NONE:
        return (onyx_node){0};
    case SAM_PRIMITIVES:
        break;
    }
    BUG("SAM primitive %d", (int)sam_node_at(l->sam, h)->kind);
}

/* ---- order of visits: operands by tensor and level, then processing, then results ------------ */

static bool is_reader(const sam_node_data *s) {
    return s->kind == SAM_FIBERLOOKUP || s->kind == SAM_ARRAYVALS;
}

static int rank_of_mode(const sam_graph_tensor *tensor, const sam_node_data *s) {
    if (s->kind == SAM_ARRAYVALS || s->mode == SAM_MODE_VALS)
        return SAM_MAX_ORDER;
    for (uint32_t i = 0; i < tensor->order; i++) {
        if (tensor->mode[i] == s->mode)
            return (int)i;
    }
    return SAM_MAX_ORDER;
}

/* Lowers a node; its new nodes get the source. */
static void visit(lowering *l, uint32_t i) {
    uint32_t before = l->g->nodes.len;
    l->node[i] = lower_node(l, (sam_node){i + 1});
    for (uint32_t n = before; n < l->g->nodes.len; n++)
        l->g->nodes.at[n].sam = l->sam->nodes.at[i].id;
}

static void lower_memories(lowering *l, bool readers, bool *done) {
    const sam_graph *s = l->sam;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        for (int rank = 0; rank <= SAM_MAX_ORDER; rank++) {
            for (uint32_t i = 0; i < s->nodes.len; i++) {
                const sam_node_data *n = &s->nodes.at[i];
                bool mine = (readers ? is_reader(n) : n->kind == SAM_FIBERWRITE) && !done[i] &&
                            name_eq(n->tensor, s->tensors.at[t].name) &&
                            rank_of_mode(&s->tensors.at[t], n) == rank;
                if (mine) {
                    visit(l, i);
                    done[i] = true;
                }
            }
        }
    }
}

static void lower_nodes(lowering *l) {
    const sam_graph *s = l->sam;
    bool *done = arena_new_n(l->g->mem, bool, s->nodes.len + 1);
    lower_memories(l, true, done);
    for (uint32_t i = 0; i < s->nodes.len; i++) {
        if (!done[i] && s->nodes.at[i].kind != SAM_FIBERWRITE) {
            visit(l, i);
            done[i] = true;
        }
    }
    lower_memories(l, false, done);
    for (uint32_t i = 0; i < s->nodes.len; i++) {
        if (!done[i])
            visit(l, i);
    }
}

static const lowering_sum *accumulator_of(const lowering *l, sam_node h) {
    for (uint32_t i = 0; i < l->sums.len; i++) {
        if (l->sums.at[i].reducer.v == h.v)
            return &l->sums.at[i];
    }
    return NULL;
}

static onyx_node source_of(const lowering *l, sam_node h, uint8_t port) {
    const lowering_sum *a = accumulator_of(l, h);
    if (a != NULL)
        return port == 1 && a->decoded.v != 0 ? a->decoded : a->read[port];
    for (uint32_t i = 0; i < l->filled.len; i++) {
        if (l->filled.at[i].array.v == h.v)
            return l->filled.at[i].values;
    }
    return l->node[h.v - 1];
}

static onyx_node encoded_of(const lowering *l, sam_node h) {
    const lowering_sum *a = accumulator_of(l, h);
    return a != NULL ? a->encoded : (onyx_node){0};
}

/* Links a stream to all PEs with an operand of a composed node; returns false for another node. */
static bool link_composed(lowering *l, const sam_edge_data *e, onyx_node source, onyx_port from) {
    for (uint32_t i = 0; i < l->composed.len; i++) {
        const alu_made *made = &l->composed.at[i].made;
        if (l->composed.at[i].node.v != e->dst.v)
            continue;
        for (uint32_t k = 0; k < made->sinks; k++) {
            if (made->sink[k].operand == e->dst_port)
                onyx_connect(l->g, source, from, made->sink[k].node, made->sink[k].port);
        }
        return true;
    }
    return false;
}

static void lower_edge(lowering *l, const sam_edge_data *e) {
    onyx_node source = source_of(l, e->src, e->src_port), sink = l->node[e->dst.v - 1];
    if (source.v == 0 || sink.v == 0)
        return; /* an implicit dense result level, or already reported */
    const bool is_table = sam_node_at(l->sam, e->src)->kind == SAM_ALU;
    onyx_port from = onyx_node_at(l->g, source)->kind == ONYX_ALU ? ONYX_PORT_ALU_RES
                     : is_table                                   ? ONYX_PORT_READ_SCANNER_VAL_OUT
                                                                  : ports_of(l, e->src)->out[e->src_port],
              to = ports_of(l, e->dst)->in[e->dst_port];
    if (onyx_rule_find(from, to) == NULL) {
        const sam_graph *s = l->sam;
        diag_unmappable(l->d, sam_node_at(s, e->dst)->loc, "E0414-no-such-link",
                        "%s cannot take its input from %s: no wires lead from %s to %s",
                        sam_node_label(s, e->dst, l->g->mem), sam_node_label(s, e->src, l->g->mem),
                        onyx_port_table[from].name, onyx_port_table[to].name);
        diag_hint(l->d, "docs/ir_onyx.md lists which ports may be linked");
        return;
    }
    if (link_composed(l, e, source, from))
        return;
    const onyx_node encoded = e->dst_port == 1 ? encoded_of(l, e->dst) : (onyx_node){0};
    if (encoded.v == 0) {
        onyx_connect(l->g, source, from, sink, to);
        return;
    }
    onyx_connect(l->g, source, from, encoded, ONYX_PORT_ALU_DATA0);
    onyx_connect(l->g, source, from, encoded, ONYX_PORT_ALU_DATA1);
}

static void lower_loop_edge(lowering *l, sam_end crd, onyx_node sink, onyx_port port) {
    onyx_node source = source_of(l, crd.node, crd.port);
    if (source.v != 0)
        onyx_connect(l->g, source, ports_of(l, crd.node)->out[crd.port], sink, port);
}

/* Connects the coordinates of the summed loop, and of the outer loop, to an accumulator. */
static void lower_summed_edges(lowering *l, const lowering_sum *a) {
    lower_loop_edge(l, a->sum.loop, a->hold, ONYX_PORT_CRDHOLD_COORD_IN_0);
    if (l->outermost.v != 0)
        onyx_connect(l->g, l->outermost, ONYX_PORT_READ_SCANNER_COORD_OUT, a->gate, ONYX_PORT_GATE_CRD_IN);
    else
        lower_loop_edge(l, a->sum.outer, a->gate, ONYX_PORT_GATE_CRD_IN);
}

/* ---- skipping -------------------------------------------------------------------------------- */

/* Returns how many streams leave an output of a node. */
static uint32_t streams_from(const sam_graph *g, sam_node from, uint8_t port) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->edges.len; i++)
        n += g->edges.at[i].src.v == from.v && g->edges.at[i].src_port == port &&
             g->edges.at[i].stream != SAM_STREAM_SKIP;
    return n;
}

/* Returns whether what feeds a side of an intersecter may skip: a scanner of a compressed level whose
 * coordinates and references nobody else takes. */
static bool may_skip(const sam_graph *g, sam_node joiner, uint8_t side) {
    const sam_edge_data *crd = sam_edge_into(g, joiner, (uint8_t)(2 * side)),
                        *ref = sam_edge_into(g, joiner, (uint8_t)(2 * side + 1));
    if (!crd || !ref || crd->src.v != ref->src.v || crd->src_port != 0 || ref->src_port != 1)
        return false;
    const sam_node_data *from = sam_node_at(g, crd->src);
    return from->kind == SAM_FIBERLOOKUP && from->format != SAM_LEVEL_DENSE &&
           streams_from(g, crd->src, 0) == 1 && streams_from(g, crd->src, 1) == 1;
}

/* Returns whether listening to the coordinates of a side is useful: some coordinates may be absent. */
static bool may_be_sparse(const sam_graph *g, const sam_edge_data *crd) {
    const sam_node_data *from = sam_node_at(g, crd->src);
    return from->kind == SAM_FIBERLOOKUP ? from->format != SAM_LEVEL_DENSE
                                         : from->kind == SAM_INTERSECT && crd->src_port == 0;
}

/* Connects the coordinates of each side of an intersecter to the scanner of the other, which skips by them.
 * For a joiner of absent coordinates only the absent side may be skipped. */
static void lower_skips(lowering *l, sam_node joiner) {
    const name_id lacks = sam_attribute_of(l->sam, joiner, "lacks");
    for (uint8_t side = 0; side < 2; side++) {
        const sam_edge_data *other = sam_edge_into(l->sam, joiner, (uint8_t)(2 - 2 * side));
        if ((lacks.v != 0 && strcmp(names_text(l->sam->names, lacks), side ? "1" : "0") != 0) ||
            !may_skip(l->sam, joiner, side) || !other || !may_be_sparse(l->sam, other))
            continue;
        const onyx_node scanner = l->node[sam_edge_into(l->sam, joiner, (uint8_t)(2 * side))->src.v - 1];
        if (scanner.v == 0 || l->node[other->src.v - 1].v == 0)
            continue;
        onyx_set(onyx_node_at(l->g, scanner), ONYX_SET_READ_SCANNER_SKIP, 1);
        lower_loop_edge(l, (sam_end){other->src, other->src_port}, scanner, ONYX_PORT_READ_SCANNER_SKIP_IN);
    }
}

/* Returns whether the node shares the load stream of an earlier node. */
static bool shares_load(const sam_graph *g, uint32_t node, int shared) {
    const sam_node_data *n = g->nodes.at;
    bool earlier = false;
    for (uint32_t i = 0; i < node && lower_reads_from(&n[node], shared); i++)
        earlier |= lower_reads_from(&n[i], shared) && name_eq(n[i].tensor, n[node].tensor);
    return earlier && lower_shares_load(g, n[node].tensor, shared);
}

uint32_t lower_count_loads(const sam_graph *g, sam_sharing sharing) {
    const int shared = sam_sharing_table[sharing].load;
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        n += lower_reads_stream(&g->nodes.at[i]) && !shares_load(g, i, shared);
        n += lower_lacks_pe(&g->nodes.at[i], g->names) ? lower_count_tables(g, (sam_node){i + 1}) : 0;
    }
    return n;
}

uint32_t lower_count_stores(const sam_graph *g, sam_sharing sharing) {
    const int shared = sam_sharing_table[sharing].store;
    uint32_t own = 0, common = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const sam_node_data *n = &g->nodes.at[i];
        own += lower_writes_stream(n);
        common += lower_writes_to(n, shared);
    }
    return common && lower_shares_store(g, shared) ? own - common + 1 : own;
}

static bool check_edge(uint32_t edge, diagnostics *d) {
    if (edge > 0 && edge <= UINT16_MAX)
        return true;
    diag_error(d, (src_loc){0}, "E0402-tile-edge", "a sub-tile edge of %u does not fit the scanner's 16 bits",
               edge);
    return diag_hint(d, "choose --tile between 1 and %d", UINT16_MAX);
}

bool lower_run(const sam_graph *g, const lower_options *options, arena *mem, diagnostics *d,
               onyx_graph **out) {
    uint32_t errors = d->errors + d->unmappable;
    if (!check_edge(options->tile_edge, d))
        return false;
    for (uint32_t i = 0; i < options->n_edges; i++) {
        if (!check_edge(options->edges[i].edge, d))
            return false;
    }
    lowering l = {.sam = g, .options = options, .d = d, .g = arena_new(mem, onyx_graph)};
    l.g->mem = mem;
    l.g->names = g->names;
    l.node = arena_new_n(mem, onyx_node, g->nodes.len + 1);
    if (!options->extended && lower_any_outermost_sum(g))
        l.outermost = lower_single_root(&l, "outermost");
    lower_nodes(&l);
    lower_chain_read_outs(&l);
    for (uint32_t i = 0; i < g->edges.len; i++) {
        if (g->edges.at[i].src.v != 0 && g->edges.at[i].stream != SAM_STREAM_SKIP)
            lower_edge(&l, &g->edges.at[i]);
    }
    for (uint32_t i = 0; i < g->nodes.len && options->skips; i++) {
        if (g->nodes.at[i].kind == SAM_INTERSECT && l.node[i].v != 0)
            lower_skips(&l, (sam_node){i + 1});
    }
    for (uint32_t i = 0; i < l.sums.len; i++)
        lower_summed_edges(&l, &l.sums.at[i]);
    *out = l.g;
    return d->errors + d->unmappable == errors;
}
