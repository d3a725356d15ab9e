/* Memory primitives of a graph: readers, which are filled from the global buffer before they are read, and
 * writers; levels of one operand whose blocks come on one stream, in turn. */
#include "lower_onyx/lower_memories.h"
#include "lower_onyx/lowering.h"
#include "lower_onyx/memory.h"
#include "sam/coordinates.h"
#include "sam/operators.h"
#include "support/refusals.h"

static bool crd_is_full(const sam_graph *s, const sam_edge_data *edge);

/* Returns whether no reference of the stream can be the empty token. */
static bool ref_is_present(const sam_graph *s, const sam_edge_data *edge) {
    if (edge == NULL || edge->stream == SAM_STREAM_CRD)
        return true; /* roots and coordinates of dense levels are present */
    const sam_node_data *from = sam_node_at(s, edge->src);
    if (from->kind == SAM_REPEAT)
        return ref_is_present(s, sam_edge_into(s, edge->src, 0));
    if (from->kind != SAM_INTERSECT && from->kind != SAM_UNION)
        return from->kind == SAM_FIBERLOOKUP;
    uint8_t operand = (uint8_t)(edge->src_port - 1);
    bool present = ref_is_present(s, sam_edge_into(s, edge->src, (uint8_t)(2 * operand + 1)));
    return present && (from->kind == SAM_INTERSECT ||
                       crd_is_full(s, sam_edge_into(s, edge->src, (uint8_t)(2 * operand))));
}

/* Returns whether every fiber of the coordinate stream holds every coordinate of its level. */
static bool crd_is_full(const sam_graph *s, const sam_edge_data *edge) {
    if (edge == NULL)
        return false;
    const sam_node_data *from = sam_node_at(s, edge->src);
    if (from->kind == SAM_FIBERLOOKUP)
        return from->format == SAM_LEVEL_DENSE && ref_is_present(s, sam_edge_into(s, edge->src, 0));
    if (from->kind != SAM_INTERSECT && from->kind != SAM_UNION)
        return false;
    bool first = crd_is_full(s, sam_edge_into(s, edge->src, 0));
    bool second = crd_is_full(s, sam_edge_into(s, edge->src, 2));
    return from->kind == SAM_INTERSECT ? first && second : first || second;
}

bool lower_any_outermost_sum(const sam_graph *s) {
    for (uint32_t i = 0; i < s->nodes.len; i++) {
        if (s->nodes.at[i].kind != SAM_VECTORREDUCER)
            continue;
        summed_loop sum = lower_summed_loop(s, (sam_node){i + 1});
        if (sum.loop.node.v != 0 && sum.around == 0)
            return true;
    }
    return false;
}

onyx_node lower_single_root(lowering *l, const char *name) {
    const char *tile = lowering_unique_name(l, name);
    onyx_node root =
        onyx_add_node(l->g, ONYX_READ_SCANNER, arena_printf(l->g->mem, "%s.read", tile), tile, (src_loc){0});
    onyx_set(onyx_node_at(l->g, root), ONYX_SET_READ_SCANNER_DENSE, 1);
    onyx_set(onyx_node_at(l->g, root), ONYX_SET_READ_SCANNER_DIM_SIZE, 1);
    onyx_set(onyx_node_at(l->g, root), ONYX_SET_READ_SCANNER_ROOT, 1);
    return root;
}

static bool any_reducer(const sam_graph *g) {
    bool found = false;
    for (uint32_t i = 0; i < g->nodes.len; i++)
        found |= g->nodes.at[i].kind == SAM_REDUCE;
    return found;
}

/* Makes the stream of the references of scalars, once: "0, done". The chip's scanner makes none for a value
 * memory. A dense root gives "0, stop, done", and a reducer takes the stop; where nothing is reduced, the
 * values of scalars meet only each other and a writer, which drops it. */
static void add_scalar_references(lowering *l) {
    const onyx_node root = lower_single_root(l, "scalars");
    l->single = root;
    if (!any_reducer(l->sam))
        return;
    const char *name = lowering_unique_name(l, "scalars_reference");
    l->single = onyx_add_node(l->g, ONYX_REDUCE, name, name, (src_loc){0});
    onyx_connect(l->g, root, ONYX_PORT_READ_SCANNER_POS_OUT, l->single, ONYX_PORT_REDUCE_DATA_IN);
}

/* Connects a root value memory with its reference. */
static void feed_scalar(lowering *l, onyx_node read) {
    if (l->outermost.v != 0) {
        onyx_connect(l->g, l->outermost, ONYX_PORT_READ_SCANNER_POS_OUT, read,
                     ONYX_PORT_READ_SCANNER_US_POS_IN);
        return;
    }
    if (l->single.v == 0)
        add_scalar_references(l);
    const bool reduced = onyx_node_at(l->g, l->single)->kind == ONYX_REDUCE;
    onyx_connect(l->g, l->single, reduced ? ONYX_PORT_REDUCE_DATA_OUT : ONYX_PORT_READ_SCANNER_POS_OUT, read,
                 ONYX_PORT_READ_SCANNER_US_POS_IN);
}

/* Finds the storage level of the logical mode of a level scanner or writer. */
static bool storage_level(lowering *l, sam_node h, int *level) {
    const sam_graph *s = l->sam;
    const sam_node_data *node = sam_node_at(s, h);
    *level = SAM_MODE_VALS;
    if (node->kind == SAM_ARRAYVALS || node->mode == SAM_MODE_VALS)
        return true;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_graph_tensor *tensor = &s->tensors.at[t];
        for (uint32_t i = 0; name_eq(tensor->name, node->tensor) && i < tensor->order; i++) {
            if (tensor->mode[i] == node->mode) {
                *level = (int)i;
                return true;
            }
        }
    }
    diag_error(l->d, node->loc, "E0401-unknown-level", "%s: tensor %s has no mode %d",
               sam_node_label(s, h, l->g->mem), names_text(s->names, node->tensor), node->mode);
    return diag_hint(l->d, "the graph's comment lists each tensor's levels and modes, such as \"B=ss01\"");
}

static onyx_node add_glb(lowering *l, onyx_kind kind, const char *tile, const sam_node_data *s, int level) {
    const char *name =
        lowering_unique_name(l, arena_printf(l->g->mem, "%s_%s", kind == ONYX_GLB_IN ? "in" : "out", tile));
    onyx_node h = onyx_add_node(l->g, kind, name, name, s->loc);
    onyx_node_data *glb = onyx_node_at(l->g, h);
    glb->tensor = s->tensor;
    glb->level = level;
    glb->blocks = kind == ONYX_GLB_OUT && level != SAM_MODE_VALS ? 2 : 1;
    return h;
}

/* Blocks of one stream: no scanner's share has more other blocks before or after its own. */
enum { MOST_BLOCKS = 16 };

bool lower_reads_stream(const sam_node_data *n) {
    return n->kind == SAM_ARRAYVALS || (n->kind == SAM_FIBERLOOKUP && n->format != SAM_LEVEL_DENSE);
}

bool lower_writes_stream(const sam_node_data *n) {
    return n->kind == SAM_FIBERWRITE && (n->mode == SAM_MODE_VALS || n->format != SAM_LEVEL_DENSE);
}

bool lower_reads_from(const sam_node_data *n, int shared) {
    return lower_reads_stream(n) && sam_carries(shared, n->kind == SAM_ARRAYVALS ? SAM_MODE_VALS : n->mode);
}

bool lower_writes_to(const sam_node_data *n, int shared) {
    return lower_writes_stream(n) && sam_carries(shared, n->mode);
}

/* Returns whether a node may give tokens before the first load, from the nodes known to: a root of a dense
 * level does, a loaded memory does not, a joiner and an operation need all operands. */
static bool may_be_early(const sam_graph *g, sam_node h, const bool *early) {
    const sam_node_data *n = sam_node_at(g, h);
    const bool all = n->kind == SAM_INTERSECT || n->kind == SAM_UNION || n->kind == SAM_ALU;
    uint32_t inputs = 0, some = 0;
    for (uint32_t i = 0; i < g->edges.len; i++) {
        const sam_edge_data *e = &g->edges.at[i];
        if (e->dst.v != h.v || e->stream == SAM_STREAM_SKIP)
            continue;
        inputs++;
        some += e->src.v != 0 && early[e->src.v];
    }
    return !lower_reads_stream(n) &&
           ((n->kind == SAM_FIBERLOOKUP && n->root) || (all ? some == inputs : some != 0));
}

/* Returns whether a level of the result may leave before the first load: the chip loses such words if others
 * follow. */
static bool any_written_early(const sam_graph *g) {
    arena scratch = {0};
    bool *early = arena_new_n(&scratch, bool, g->nodes.len + 1), found = false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t n = 1; n <= g->nodes.len; n++) {
            if (!early[n] && may_be_early(g, (sam_node){n}, early))
                early[n] = more = true;
        }
    }
    for (uint32_t n = 1; n <= g->nodes.len; n++)
        found |= early[n] && lower_writes_stream(sam_node_at(g, (sam_node){n}));
    arena_free(&scratch);
    return found;
}

static uint32_t blocks_of(int array) {
    return array == SAM_MODE_VALS ? 1 : 2;
}

bool lower_shares_store(const sam_graph *g, int shared) {
    uint32_t writers = 0, blocks = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const sam_node_data *n = &g->nodes.at[i];
        writers += lower_writes_to(n, shared);
        blocks += lower_writes_to(n, shared) ? blocks_of(n->mode) : 0;
    }
    return shared != SAM_MODE_VALS && writers > 1 && blocks <= MOST_BLOCKS && !any_written_early(g);
}

bool lower_shares_load(const sam_graph *g, name_id tensor, int shared) {
    const sam_graph_tensor *t = sam_find_tensor(g, tensor);
    uint32_t readers = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++)
        readers += lower_reads_from(&g->nodes.at[i], shared) && name_eq(g->nodes.at[i].tensor, tensor);
    return shared != SAM_MODE_VALS && readers > 1 && t &&
           sam_blocks_before(shared, t->level, t->order, SAM_ARRAYS) <= MOST_BLOCKS;
}

/* Returns the stream with the words of a level: its own, or the common stream of the tensor, made for the
 * first scanner. */
static onyx_node load_of(lowering *l, const char *tile, const sam_node_data *s, int level) {
    const int shared = sam_sharing_table[l->options->sharing].load;
    if (!sam_carries(shared, level) || !lower_shares_load(l->sam, s->tensor, shared))
        return add_glb(l, ONYX_GLB_IN, tile, s, level);
    for (uint32_t i = 0; i < l->g->nodes.len; i++) {
        const onyx_node_data *n = &l->g->nodes.at[i];
        if (n->kind == ONYX_GLB_IN && n->level == shared && name_eq(n->tensor, s->tensor))
            return (onyx_node){i + 1};
    }
    return add_glb(l, ONYX_GLB_IN, names_text(l->sam->names, s->tensor), s, shared);
}

/* Connects a stream to a write scanner, which takes its share of a common stream. */
static void connect_load(lowering *l, onyx_node glb, const sam_node_data *s, int level, onyx_node write) {
    const int stream = onyx_node_at(l->g, glb)->level;
    if (stream != level) {
        const sam_graph_tensor *t = sam_find_tensor(l->sam, s->tensor);
        const uint32_t before = sam_blocks_before(stream, t->level, t->order, level);
        onyx_set(onyx_node_at(l->g, write), ONYX_SET_WRITE_SCANNER_BEFORE, before);
        onyx_set(onyx_node_at(l->g, write), ONYX_SET_WRITE_SCANNER_BEHIND,
                 sam_blocks_before(stream, t->level, t->order, SAM_ARRAYS) - before - blocks_of(level));
    }
    onyx_connect(l->g, glb, ONYX_PORT_GLB_IN_DATA, write, ONYX_PORT_WRITE_SCANNER_BLOCK_WR_IN);
}

/* The chip reads 0 for a missing value: the words of a tensor with another fill are v ^ fill. */
static onyx_node add_fill(lowering *l, const char *tile, const sam_node_data *s, onyx_node read) {
    onyx_node fill = lowering_add_constant_pe(l->g, arena_printf(l->g->mem, "%s_fill", tile), s->loc, "xor",
                                              s->fill, (onyx_node){0});
    for (int port = 0; port < 2; port++)
        onyx_connect(l->g, read, ONYX_PORT_READ_SCANNER_VAL_OUT, fill,
                     port ? ONYX_PORT_ALU_DATA1 : ONYX_PORT_ALU_DATA0);
    return fill;
}

onyx_node lower_reader(lowering *l, sam_node h) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    int level;
    if (!storage_level(l, h, &level))
        return (onyx_node){0};
    const char *tile =
        lowering_unique_name(l, lowering_level_name(l, names_text(l->sam->names, s->tensor), level));
    if (s->kind == SAM_FIBERLOOKUP && s->format == SAM_LEVEL_DENSE) {
        onyx_node read =
            onyx_add_node(l->g, ONYX_READ_SCANNER, arena_printf(l->g->mem, "%s.read", tile), tile, s->loc);
        onyx_set(onyx_node_at(l->g, read), ONYX_SET_READ_SCANNER_DENSE, 1);
        onyx_set(onyx_node_at(l->g, read), ONYX_SET_READ_SCANNER_DIM_SIZE,
                 lowering_edge_along(l->options, s->index));
        lowering_set_root(l, read, ONYX_SET_READ_SCANNER_ROOT, ONYX_PORT_READ_SCANNER_US_POS_IN, s->root);
        return read;
    }
    onyx_node glb = load_of(l, tile, s, level);
    onyx_memory t = onyx_add_memory(l->g, tile, s->loc, s->kind == SAM_ARRAYVALS);
    onyx_set(onyx_node_at(l->g, t.write), ONYX_SET_WRITE_SCANNER_BLOCK_MODE, 1);
    if (s->kind == SAM_ARRAYVALS && s->root)
        feed_scalar(l, t.read);
    else
        lowering_set_root(l, t.read, ONYX_SET_READ_SCANNER_ROOT, ONYX_PORT_READ_SCANNER_US_POS_IN, s->root);
    onyx_node_at(l->g, t.read)->whole = sam_attribute_of(l->sam, h, "whole").v != 0;
    connect_load(l, glb, s, level, t.write);
    if (s->kind == SAM_ARRAYVALS && s->fill != 0)
        vec_push(l->g->mem, &l->filled, ((lowering_filled){h, add_fill(l, tile, s, t.read)}));
    return t.read;
}

onyx_node lower_writer(lowering *l, sam_node h) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    int level;
    if (!storage_level(l, h, &level))
        return (onyx_node){0};
    if (level != SAM_MODE_VALS && s->format == SAM_LEVEL_DENSE) {
        if (!crd_is_full(l->sam, sam_edge_into(l->sam, h, 0))) {
            diag_unmappable(l->d, s->loc, "E0413-dense-result",
                            "%s: level %d of result %s is dense, but its coordinates may have gaps; the chip "
                            "writes results in order only",
                            sam_node_label(l->sam, h, l->g->mem), level,
                            names_text(l->sam->names, s->tensor));
            diag_hint(l->d, "store that level of %s compressed", names_text(l->sam->names, s->tensor));
        }
        return (onyx_node){0};
    }
    const char *tile =
        lowering_unique_name(l, lowering_level_name(l, names_text(l->sam->names, s->tensor), level));
    onyx_memory t = onyx_add_memory(l->g, tile, s->loc, level == SAM_MODE_VALS);
    onyx_set(onyx_node_at(l->g, t.read), ONYX_SET_READ_SCANNER_BLOCK_MODE, 1);
    const int shared = sam_sharing_table[l->options->sharing].store;
    if (sam_carries(shared, level) && lower_shares_store(l->sam, shared)) {
        const int slot = level == SAM_MODE_VALS ? SAM_MAX_ORDER : level;
        l->read_out[slot].node = t.read;
        l->read_out[slot].writer = h;
        return t.write;
    }
    onyx_node glb = add_glb(l, ONYX_GLB_OUT, tile, s, level);
    onyx_connect(l->g, t.read, ONYX_PORT_READ_SCANNER_BLOCK_RD_OUT, glb, ONYX_PORT_GLB_OUT_DATA);
    return t.write;
}

void lower_chain_read_outs(lowering *l) {
    onyx_node before = {0};
    sam_node last = {0};
    uint32_t blocks = 0;
    for (int i = 0; i <= SAM_MAX_ORDER; i++) {
        const onyx_node read = l->read_out[i].node;
        if (read.v == 0)
            continue;
        if (blocks) {
            onyx_set(onyx_node_at(l->g, read), ONYX_SET_READ_SCANNER_AHEAD, blocks);
            onyx_connect(l->g, before, ONYX_PORT_READ_SCANNER_BLOCK_RD_OUT, read,
                         ONYX_PORT_READ_SCANNER_CHAIN_IN);
        }
        blocks += blocks_of(i == SAM_MAX_ORDER ? SAM_MODE_VALS : i);
        before = read;
        last = l->read_out[i].writer;
    }
    if (blocks == 0)
        return;
    const sam_node_data *writer = sam_node_at(l->sam, last);
    onyx_node glb = add_glb(l, ONYX_GLB_OUT, names_text(l->sam->names, writer->tensor), writer,
                            sam_sharing_table[l->options->sharing].store);
    onyx_node_at(l->g, glb)->blocks = blocks;
    onyx_connect(l->g, before, ONYX_PORT_READ_SCANNER_BLOCK_RD_OUT, glb, ONYX_PORT_GLB_OUT_DATA);
}
