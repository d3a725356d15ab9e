/* lower.c - SAM to the Onyx-aware dataflow IR.
 *
 * One visit per SAM primitive creates its hardware nodes, then one visit per SAM edge links them. Every
 * stream of SAM has a fixed pair of hardware ports (port_map), so the second visit needs no cases. Names,
 * edges and producers are found by linear search: O(nodes * edges). Follows the two-phase lowering of the
 * Onyx compiler: memory primitive expansion, then signal elaboration.
 */
#include "lower_onyx/memory.h"
#include "lower_onyx/quotient.h"
#include "lower_onyx/table.h"
#include "sam/binding.h"
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

/* What counts a vector reducer's vectors, and the memories that its sums leave from. */
typedef struct {
    sam_node reducer;
    summed_loop sum;
    onyx_node hold, gate, read[2]; /* coordinates, values */
    onyx_node encoded;             /* takes the values that come, if the sums are kept in another form */
    onyx_node decoded;             /* gives the sums then */
} accumulator;

/* A node whose operands go to several PEs, or whose values come from another one. */
typedef struct {
    sam_node node;
    alu_made made;
} composed;

/* An array of values whose fill is not 0, and the PE that they leave from. */
typedef struct {
    sam_node array;
    onyx_node values;
} filled;

typedef struct {
    const sam_graph *sam;
    const lower_options *options;
    diagnostics *d;
    onyx_graph *g;
    onyx_node
        *node; /* by SAM node index: the hardware node its streams end at; 0 = an implicit dense level */
    onyx_node outermost; /* a level of one coordinate around all others; 0 = none */
    onyx_node single;    /* gives the references of scalars; 0 = none yet */
    VEC(accumulator) sums;
    VEC(composed) composed;
    VEC(filled) filled;
    onyx_node read_out[SAM_MAX_ORDER + 1]; /* those that share a store stream: by level, the values last */
    sam_node stored_values;                /* what writes them */
} lowering;

static const port_map region_joiner = {{ONYX_PORT_REGION_JOINER_COORD_IN_0, ONYX_PORT_REGION_JOINER_POS_IN_0,
                                        ONYX_PORT_REGION_JOINER_COORD_IN_1, ONYX_PORT_REGION_JOINER_POS_IN_1},
                                       {ONYX_PORT_REGION_JOINER_COORD_OUT, ONYX_PORT_REGION_JOINER_POS_OUT_0,
                                        ONYX_PORT_REGION_JOINER_POS_OUT_1}};

static bool takes_empty_references(const lowering *l, sam_node h);

static const port_map *ports_of(const lowering *l, sam_node h) {
    sam_primitive kind = sam_node_at(l->sam, h)->kind;
    if (kind == SAM_INTERSECT &&
        (sam_attribute_of(l->sam, h, "lacks").v != 0 || takes_empty_references(l, h)))
        return &region_joiner;
    if (kind == SAM_VECTORREDUCER && sam_node_at(l->sam, h)->depth == 2)
        return &extended_matrix_reducer;
    return kind == SAM_VECTORREDUCER && l->options->extended ? &extended_vector_reducer : &port_maps[kind];
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Makes a name of `base`: everything but letters, digits and '_' is replaced, and "_2", "_3" ... appended
 * when it is taken. */
static const char *unique_name(lowering *l, const char *base) {
    char *clean = arena_strdup(l->g->mem, base);
    for (char *p = clean; *p != '\0'; p++) {
        bool word = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9');
        if (!word)
            *p = '_';
    }
    return onyx_free_name(l->g, clean);
}

static const char *level_name(lowering *l, const char *tensor, int level) {
    if (level == SAM_MODE_VALS)
        return arena_printf(l->g->mem, "%s_vals", tensor);
    char last = tensor[0] == '\0' ? '0' : tensor[strlen(tensor) - 1];
    const char *gap = last >= '0' && last <= '9' ? "_" : "";
    return arena_printf(l->g->mem, "%s%s%d", tensor, gap, level);
}

/* Names a node, "intersect_j" or "mul", by its operation and the index variables that tell nodes of one kind
 * apart. */
static const char *processing_name(lowering *l, const sam_node_data *s) {
    const name_table *names = l->sam->names;
    const char *what = s->kind == SAM_ALU         ? names_text(names, s->alu)
                       : s->kind == SAM_REPSIGGEN ? "rsg"
                                                  : sam_primitive_table[s->kind].type;
    const char *name = what;
    const name_id parts[] = {s->kind == SAM_REPEAT ? s->tensor : (name_id){0}, s->index, s->outer, s->inner};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].v != 0)
            name = arena_printf(l->g->mem, "%s_%s", name, names_text(names, parts[i]));
    }
    return unique_name(l, name);
}

/* ---- edges of the SAM graph ------------------------------------------------------------------ */

static uint32_t inputs_of(const sam_graph *s, sam_node node) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->edges.len; i++)
        n += s->edges.at[i].src.v != 0 && s->edges.at[i].dst.v == node.v;
    return n;
}

/* ---- dense result levels: written by position, so every coordinate must come ----------------- */

static bool crd_is_full(const sam_graph *s, const sam_edge_data *edge);

/* Returns whether no reference of the stream can be the empty token. */
static bool ref_is_present(const sam_graph *s, const sam_edge_data *edge) {
    if (edge == NULL || edge->stream == SAM_STREAM_CRD)
        return true; /* the root, or the coordinates of a dense level */
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

/* ---- vector reducers -------------------------------------------------------------------------- */

/* Returns whether the sums stand in a loop: the memory tiles give done after two levels of stops, no more, no
 * less.
 */
static bool any_outermost_sum(const sam_graph *s) {
    for (uint32_t i = 0; i < s->nodes.len; i++) {
        if (s->nodes.at[i].kind != SAM_VECTORREDUCER)
            continue;
        summed_loop sum = lower_summed_loop(s, (sam_node){i + 1});
        if (sum.loop.node.v != 0 && sum.around == 0)
            return true;
    }
    return false;
}

/* Adds a dense root with one coordinate. */
static onyx_node add_single_root(lowering *l, const char *name) {
    const char *tile = unique_name(l, name);
    onyx_node root =
        onyx_add_node(l->g, ONYX_READ_SCANNER, arena_printf(l->g->mem, "%s.read", tile), tile, (src_loc){0});
    onyx_set(onyx_node_at(l->g, root), ONYX_SET_READ_SCANNER_DENSE, 1);
    onyx_set(onyx_node_at(l->g, root), ONYX_SET_READ_SCANNER_DIM_SIZE, 1);
    onyx_set(onyx_node_at(l->g, root), ONYX_SET_READ_SCANNER_ROOT, 1);
    return root;
}

/* A root has no reference stream, unless there is a level around all. */
static void set_root(lowering *l, onyx_node node, onyx_setting setting, onyx_port ref_in, bool root) {
    if (root && l->outermost.v != 0)
        onyx_connect(l->g, l->outermost, ONYX_PORT_READ_SCANNER_POS_OUT, node, ref_in);
    else
        onyx_set(onyx_node_at(l->g, node), setting, root);
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
    const onyx_node root = add_single_root(l, "scalars");
    l->single = root;
    if (!any_reducer(l->sam))
        return;
    const char *name = unique_name(l, "scalars_reference");
    l->single = onyx_add_node(l->g, ONYX_REDUCE, name, name, (src_loc){0});
    onyx_connect(l->g, root, ONYX_PORT_READ_SCANNER_POS_OUT, l->single, ONYX_PORT_REDUCE_DATA_IN);
}

/* Leads a value memory that is a root its reference. */
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

/* ---- memory primitives ----------------------------------------------------------------------- */

/* Finds the storage level of the logical mode that a level scanner or writer names. */
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
    diag_hint(l->d, "the graph's comment lists each tensor's levels and modes, such as \"B=ss01\"");
    return false;
}

static onyx_node add_glb(lowering *l, onyx_kind kind, const char *tile, const sam_node_data *s, int level) {
    const char *name =
        unique_name(l, arena_printf(l->g->mem, "%s_%s", kind == ONYX_GLB_IN ? "in" : "out", tile));
    onyx_node h = onyx_add_node(l->g, kind, name, name, s->loc);
    onyx_node_data *glb = onyx_node_at(l->g, h);
    glb->tensor = s->tensor;
    glb->level = level;
    glb->blocks = kind == ONYX_GLB_OUT && level != SAM_MODE_VALS ? 2 : 1;
    return h;
}

/* ---- operands whose levels come in turn -------------------------------------------------------- */

/* Blocks of one stream: no scanner's share has more of others before or behind its own. */
enum { MOST_BLOCKS = 16 };

/* Returns whether the node reads what comes on a load stream. */
static bool reads_stream(const sam_node_data *n) {
    return n->kind == SAM_ARRAYVALS || (n->kind == SAM_FIBERLOOKUP && n->format != SAM_LEVEL_DENSE);
}

/* Returns whether the node writes what leaves on a store stream. */
static bool writes_stream(const sam_node_data *n) {
    return n->kind == SAM_FIBERWRITE && (n->mode == SAM_MODE_VALS || n->format != SAM_LEVEL_DENSE);
}

/* Returns whether a node may give tokens before anything is loaded, where it is known which others may: a
 * root of a dense level does, what is loaded does not, a joiner and an operation need all that they have. */
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
    return !reads_stream(n) &&
           ((n->kind == SAM_FIBERLOOKUP && n->root) || (all ? some == inputs : some != 0));
}

/* Returns whether a level of the result may leave before anything is loaded: the chip loses such words where
 * others follow. */
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
        found |= early[n] && writes_stream(sam_node_at(g, (sam_node){n}));
    arena_free(&scratch);
    return found;
}

/* Returns how many blocks come before those of a level (SAM_MODE_VALS: of the values) where they come in
 * turn: segments and coordinates of each level that has them. */
static uint32_t blocks_before(const sam_graph_tensor *t, int level) {
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < t->order && (level == SAM_MODE_VALS || (int)i < level); i++)
        blocks += t->level[i] == SAM_LEVEL_DENSE ? 0 : 2;
    return blocks;
}

/* Returns whether what is written of the result leaves on one store stream, where any does. */
static bool leaves_in_turn(const sam_graph *g) {
    uint32_t writers = 0, blocks = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const sam_node_data *n = &g->nodes.at[i];
        writers += writes_stream(n);
        blocks += writes_stream(n) ? n->mode == SAM_MODE_VALS ? 1 : 2 : 0;
    }
    return writers > 1 && blocks <= MOST_BLOCKS && !any_written_early(g);
}

/* Returns whether what is read of the tensor shares a load stream where any does. */
static bool comes_in_turn(const sam_graph *g, name_id tensor) {
    const sam_graph_tensor *t = sam_find_tensor(g, tensor);
    uint32_t readers = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++)
        readers += reads_stream(&g->nodes.at[i]) && name_eq(g->nodes.at[i].tensor, tensor);
    return readers > 1 && t && blocks_before(t, SAM_MODE_VALS) < MOST_BLOCKS;
}

/* Returns the stream that brings the words of a level: its own, or one for all of the tensor's, which is made
 * for the first scanner that asks. */
static onyx_node load_of(lowering *l, const char *tile, const sam_node_data *s, int level) {
    if (!l->options->in_turn || !comes_in_turn(l->sam, s->tensor))
        return add_glb(l, ONYX_GLB_IN, tile, s, level);
    for (uint32_t i = 0; i < l->g->nodes.len; i++) {
        const onyx_node_data *n = &l->g->nodes.at[i];
        if (n->kind == ONYX_GLB_IN && n->level == SAM_IN_TURN && name_eq(n->tensor, s->tensor))
            return (onyx_node){i + 1};
    }
    return add_glb(l, ONYX_GLB_IN, names_text(l->sam->names, s->tensor), s, SAM_IN_TURN);
}

/* Leads a stream to a write scanner, which takes its share of a stream of all levels. */
static void connect_load(lowering *l, onyx_node glb, const sam_node_data *s, int level, onyx_node write) {
    if (onyx_node_at(l->g, glb)->level == SAM_IN_TURN) {
        const sam_graph_tensor *t = sam_find_tensor(l->sam, s->tensor);
        const uint32_t before = blocks_before(t, level), own = level == SAM_MODE_VALS ? 1 : 2;
        onyx_set(onyx_node_at(l->g, write), ONYX_SET_WRITE_SCANNER_BEFORE, before);
        onyx_set(onyx_node_at(l->g, write), ONYX_SET_WRITE_SCANNER_BEHIND,
                 blocks_before(t, SAM_MODE_VALS) + 1 - before - own);
    }
    onyx_connect(l->g, glb, ONYX_PORT_GLB_IN_DATA, write, ONYX_PORT_WRITE_SCANNER_BLOCK_WR_IN);
}

static uint32_t edge_along(const lower_options *o, name_id index) {
    for (uint32_t i = 0; i < o->n_edges; i++) {
        if (name_eq(o->edges[i].index, index))
            return o->edges[i].edge;
    }
    return o->tile_edge;
}

/* Adds a PE that does something with a stream and a constant, behind `from` if that is one. */
static onyx_node add_constant_pe(onyx_graph *g, const char *name, src_loc loc, const char *operation,
                                 uint16_t constant, onyx_node from) {
    const alu_wanted wanted = {operation, false, 2, {{0}, {true, constant}}, onyx_free_name(g, name), loc};
    const alu_made made = alu_make(g, &wanted);
    for (uint32_t k = 0; k < made.sinks && from.v != 0; k++)
        onyx_connect(g, from, ONYX_PORT_ALU_RES, made.sink[k].node, made.sink[k].port);
    return made.result;
}

/* The chip reads 0 where a value is missing, so the image of a tensor with another fill holds v ^ fill. */
static onyx_node add_fill(lowering *l, const char *tile, const sam_node_data *s, onyx_node read) {
    onyx_node fill = add_constant_pe(l->g, arena_printf(l->g->mem, "%s_fill", tile), s->loc, "xor", s->fill,
                                     (onyx_node){0});
    for (int port = 0; port < 2; port++)
        onyx_connect(l->g, read, ONYX_PORT_READ_SCANNER_VAL_OUT, fill,
                     port ? ONYX_PORT_ALU_DATA1 : ONYX_PORT_ALU_DATA0);
    return fill;
}

/* Lowers a level scanner or value array, which is filled from the global buffer before it is read. A dense
 * level has no content, so its scanner stands alone. */
static onyx_node lower_reader(lowering *l, sam_node h) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    int level;
    if (!storage_level(l, h, &level))
        return (onyx_node){0};
    const char *tile = unique_name(l, level_name(l, names_text(l->sam->names, s->tensor), level));
    if (s->kind == SAM_FIBERLOOKUP && s->format == SAM_LEVEL_DENSE) {
        onyx_node read =
            onyx_add_node(l->g, ONYX_READ_SCANNER, arena_printf(l->g->mem, "%s.read", tile), tile, s->loc);
        onyx_set(onyx_node_at(l->g, read), ONYX_SET_READ_SCANNER_DENSE, 1);
        onyx_set(onyx_node_at(l->g, read), ONYX_SET_READ_SCANNER_DIM_SIZE, edge_along(l->options, s->index));
        set_root(l, read, ONYX_SET_READ_SCANNER_ROOT, ONYX_PORT_READ_SCANNER_US_POS_IN, s->root);
        return read;
    }
    onyx_node glb = load_of(l, tile, s, level);
    onyx_memory t = onyx_add_memory(l->g, tile, s->loc, s->kind == SAM_ARRAYVALS);
    onyx_set(onyx_node_at(l->g, t.write), ONYX_SET_WRITE_SCANNER_BLOCK_MODE, 1);
    if (s->kind == SAM_ARRAYVALS && s->root)
        feed_scalar(l, t.read);
    else
        set_root(l, t.read, ONYX_SET_READ_SCANNER_ROOT, ONYX_PORT_READ_SCANNER_US_POS_IN, s->root);
    onyx_node_at(l->g, t.read)->whole = sam_attribute_of(l->sam, h, "whole").v != 0;
    connect_load(l, glb, s, level, t.write);
    if (s->kind == SAM_ARRAYVALS && s->fill != 0)
        vec_push(l->g->mem, &l->filled, ((filled){h, add_fill(l, tile, s, t.read)}));
    return t.read;
}

/* Lowers a level or value writer, which is filled by a stream, then read out to the global buffer as blocks.
 */
static onyx_node lower_writer(lowering *l, sam_node h) {
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
    const char *tile = unique_name(l, level_name(l, names_text(l->sam->names, s->tensor), level));
    onyx_memory t = onyx_add_memory(l->g, tile, s->loc, level == SAM_MODE_VALS);
    onyx_set(onyx_node_at(l->g, t.read), ONYX_SET_READ_SCANNER_BLOCK_MODE, 1);
    if (l->options->stored && leaves_in_turn(l->sam)) {
        l->read_out[level == SAM_MODE_VALS ? SAM_MAX_ORDER : level] = t.read;
        l->stored_values = level == SAM_MODE_VALS ? h : l->stored_values;
        return t.write;
    }
    onyx_node glb = add_glb(l, ONYX_GLB_OUT, tile, s, level);
    onyx_connect(l->g, t.read, ONYX_PORT_READ_SCANNER_BLOCK_RD_OUT, glb, ONYX_PORT_GLB_OUT_DATA);
    return t.write;
}

/* Leads the blocks of the result's levels through the read-outs of the levels inside of them, outermost
 * first, behind those of the values to the global buffer. */
static void chain_read_outs(lowering *l) {
    onyx_node before = {0};
    uint32_t blocks = 0;
    for (uint32_t i = 0; i <= SAM_MAX_ORDER; i++) {
        const onyx_node read = l->read_out[i];
        if (read.v == 0)
            continue;
        if (blocks) {
            onyx_set(onyx_node_at(l->g, read), ONYX_SET_READ_SCANNER_AHEAD, blocks);
            onyx_connect(l->g, before, ONYX_PORT_READ_SCANNER_BLOCK_RD_OUT, read,
                         ONYX_PORT_READ_SCANNER_CHAIN_IN);
        }
        blocks += i == SAM_MAX_ORDER ? 1 : 2;
        before = read;
    }
    if (blocks == 0)
        return;
    const sam_node_data *values = sam_node_at(l->sam, l->stored_values);
    onyx_node glb = add_glb(l, ONYX_GLB_OUT, names_text(l->sam->names, values->tensor), values, SAM_IN_TURN);
    onyx_node_at(l->g, glb)->blocks = blocks;
    onyx_connect(l->g, before, ONYX_PORT_READ_SCANNER_BLOCK_RD_OUT, glb, ONYX_PORT_GLB_OUT_DATA);
}

/* ---- processing primitives ------------------------------------------------------------------- */

static onyx_node not_on_chip(lowering *l, sam_node h, const char *hint) {
    diag_unmappable(l->d, sam_node_at(l->sam, h)->loc, "E0410-not-on-chip", "%s: Onyx has no such primitive",
                    sam_node_label(l->sam, h, l->g->mem));
    diag_hint(l->d, "%s", hint);
    return (onyx_node){0};
}

static onyx_node add_processing(lowering *l, sam_node h, onyx_kind kind) {
    const char *name = processing_name(l, sam_node_at(l->sam, h));
    return onyx_add_node(l->g, kind, name, name, sam_node_at(l->sam, h)->loc);
}

/* An intersecter of what one operand lacks: the other's region alone. */
static onyx_node lower_region_joiner(lowering *l, sam_node h, const char *lacked) {
    const bool first = strcmp(lacked, "0") == 0;
    if (!l->options->extended)
        return not_on_chip(l, h, "--profile onyx-ext joins what an operand lacks");
    if ((!first && strcmp(lacked, "1") != 0) || sam_node_at(l->sam, h)->kind != SAM_INTERSECT)
        return not_on_chip(l, h, "lacks=\"0\" or \"1\", at an intersecter of two operands");
    onyx_node node = add_processing(l, h, ONYX_REGION_JOINER);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_REGION_JOINER_REGIONS, first ? 2 : 1);
    return node;
}

/* Returns whether the reference stream may have the empty token, which the chip's intersecter mistakes. */
static bool may_be_empty(const sam_graph *s, const sam_edge_data *ref) {
    if (ref == NULL)
        return false;
    const sam_node_data *from = sam_node_at(s, ref->src);
    switch ((int)from->kind) {
    case SAM_UNION:
        return true;
    case SAM_INTERSECT:
        return ref->src_port > 0 &&
               may_be_empty(s, sam_edge_into(s, ref->src, (uint8_t)(2 * ref->src_port - 1)));
    case SAM_FIBERLOOKUP:
        return from->format == SAM_LEVEL_DENSE && may_be_empty(s, sam_edge_into(s, ref->src, 0));
    case SAM_REPEAT:
        return may_be_empty(s, sam_edge_into(s, ref->src, 0));
    default:
        return false;
    }
}

static bool any_repeater(const sam_graph *s) {
    for (uint32_t n = 0; n < s->nodes.len; n++) {
        if (s->nodes.at[n].kind == SAM_REPEAT)
            return true;
    }
    return false;
}

/* Returns whether the intersecter is to be the joiner by regions, which passes empty tokens on. Beside a
 * repeater the FIFOs hardly ever suffice for that, and a kernel for the union does. */
static bool takes_empty_references(const lowering *l, sam_node h) {
    return l->options->extended && sam_node_at(l->sam, h)->kind == SAM_INTERSECT && !any_repeater(l->sam) &&
           (may_be_empty(l->sam, sam_edge_into(l->sam, h, 1)) ||
            may_be_empty(l->sam, sam_edge_into(l->sam, h, 3)));
}

static onyx_node lower_joiner(lowering *l, sam_node h) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    uint32_t inputs = inputs_of(l->sam, h);
    if (inputs != 4) {
        diag_unmappable(l->d, s->loc, "E0411-joiner-operands",
                        "%s: Onyx joins two operands (4 streams), this joiner has %u streams",
                        sam_node_label(l->sam, h, l->g->mem), inputs);
        diag_hint(l->d, "rewrite joiners of more operands into trees of binary ones first");
        return (onyx_node){0};
    }
    for (uint32_t i = 0; i < l->sam->edges.len; i++) {
        const sam_edge_data *e = &l->sam->edges.at[i];
        if (e->src.v == h.v && e->stream == SAM_STREAM_SKIP && !l->options->skips) {
            diag_unmappable(l->d, s->loc, "E0410-not-on-chip", "%s: Onyx cannot skip coordinates",
                            sam_node_label(l->sam, h, l->g->mem));
            diag_hint(l->d,
                      "remove the skip edges: they save cycles and change no result; or --profile onyx-ext, "
                      "whose scanners skip");
            return (onyx_node){0};
        }
    }
    const name_id lacks = sam_attribute_of(l->sam, h, "lacks");
    if (lacks.v != 0)
        return lower_region_joiner(l, h, names_text(l->sam->names, lacks));
    if (takes_empty_references(l, h)) {
        onyx_node both = add_processing(l, h, ONYX_REGION_JOINER);
        onyx_set(onyx_node_at(l->g, both), ONYX_SET_REGION_JOINER_REGIONS, 4);
        return both;
    }
    onyx_node node = add_processing(l, h, ONYX_JOINER);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_JOINER_OP, s->kind == SAM_UNION);
    return node;
}

/* Says what to do without an operation that the chip's PE lacks. */
static const char *alu_way_out(const char *name) {
    if (strcmp(name, "div") == 0)
        return "the chip does not divide: multiply by the reciprocal, made an operand before the run (bf16), "
               "or "
               "use --engine sam";
    if (strcmp(name, "rem") == 0)
        return "the chip does not divide: a & 7 is a % 8 of what is not negative; or use --engine sam";
    return "in a sparse graph the chip adds, subtracts, multiplies, negates, takes absolute values, min, max "
           "and relu, int16 or bfloat16; int16 also and, or, xor, shifts, comparisons, land, lor, when, "
           "unless: docs/array_operators.md";
}

static bool constant_operand(lowering *l, sam_node h, const char *text, bool fp, alu_constant *out) {
    out->given = sam_parse_constant(text, fp, &out->value);
    if (out->given)
        return true;
    diag_error(l->d, sam_node_at(l->sam, h)->loc, "E0415-constant", "%s: constant '%s' is no %s",
               sam_node_label(l->sam, h, l->g->mem), text, fp ? "number" : "16-bit integer");
    diag_hint(l->d, "%s", fp ? "for example 0.5" : "from -32768 to 65535");
    return false;
}

/* Returns how many operands the chip's form of the operation takes; 0: it has none. */
static uint32_t operands_of(const char *operation, bool bf16) {
    sam_operation known;
    const onyx_alu_op *op = sam_find_operation(operation, &known) ? onyx_alu_find(operation, bf16) : NULL;
    const char *steps = alu_composition(operation, bf16);
    if (op == NULL)
        return steps == NULL ? 0 : strchr(steps, 'b') != NULL ? 2 : 1;
    return op->streams + (op->held ? 1u : 0u);
}

/* Returns whether an addition with infinity is one that the chip does: of values that are not negative. */
static bool is_in_range(lowering *l, sam_node h) {
    const sam_edge_data self = {.src = h};
    if (alu_is_nonnegative(l->sam, &self))
        return true;
    diag_refuse(l->d, DIAG_UNMAPPABLE, DIAG_REFUSED_RANGE, sam_node_at(l->sam, h)->loc,
                "%s: the chip adds with infinity from 0 to 32767, and an operand may be outside",
                sam_node_label(l->sam, h, l->g->mem));
    diag_hint(l->d, "operands may be tensors, and their minima, maxima, sums of this kind and comparisons");
    return false;
}

/* Returns all words of an operation with one operand that is no constant; NULL for what is computed step by
 * step or on the chip's processor, and for what there is no definition of. */
static const uint16_t *tabulate(const lowering *l, const sam_node_data *s, const alu_wanted *in) {
    sam_operation operation;
    if (s->program)
        return s->program->on_processor || in->operands != 1 ? NULL : sam_words_of(s->program);
    const sam_operator *of =
        sam_find_operation(in->operation, &operation) ? sam_operator_of(operation, in->bf16) : NULL;
    if (!of || !of->apply)
        return NULL;
    uint16_t *words = arena_new_n(l->g->mem, uint16_t, TABLE_DOMAIN);
    const alu_constant *a = &in->constant[0], *b = &in->constant[1];
    for (uint32_t x = 0; x < TABLE_DOMAIN; x++)
        words[x] = sam_apply(of, a->given ? a->value : (uint16_t)x, b->given ? b->value : (uint16_t)x);
    return words;
}

/* Lowers an operation that the PE lacks as tables, if it is one of one word and they have room for it. */
static onyx_node lower_table(lowering *l, sam_node h, alu_wanted *wanted) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    const bool one = inputs_of(l->sam, h) == 1 && wanted->operands <= 2;
    const uint16_t *words = one ? tabulate(l, s, wanted) : NULL;
    table_form *form = arena_new(l->g->mem, table_form);
    uint32_t shapes = 0;
    if (!words)
        return not_on_chip(l, h,
                           s->program ? "its function has a loop or is C of several values, which no PE "
                                        "runs: --engine sam does; or "
                                        "let a program repeat a statement of one pass (docs/programs.md)"
                                      : alu_way_out(wanted->operation));
    if (!table_find_form(words, form, &shapes))
        return not_on_chip(
            l, h,
            arena_printf(
                l->g->mem,
                "as a table it has more than %u unlike rows and %d values, for which %d memory tiles have "
                "room: --engine sam, or a coarser function",
                shapes - 1, TABLE_LIST, TABLE_MOST_TILES));
    wanted->name = processing_name(l, s);
    const composed made = {h, table_make(l->g, wanted, form)};
    vec_push(l->g->mem, &l->composed, made);
    return made.made.result;
}

/* Lowers an operation that no PE does: a quotient of bfloat16 streams, or a function of one word. */
static onyx_node lower_without_pe(lowering *l, sam_node h, alu_wanted *wanted) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    if (s->program || !wanted->bf16 || strcmp(wanted->operation, "div") != 0 || inputs_of(l->sam, h) != 2 ||
        wanted->operands != 2)
        return lower_table(l, h, wanted);
    wanted->name = processing_name(l, s);
    const composed made = {h, quotient_make(l->g, wanted)};
    vec_push(l->g->mem, &l->composed, made);
    return made.made.result;
}

/* Reads the constants of an operation, and counts its operands. */
static bool read_operands(lowering *l, sam_node h, alu_wanted *wanted) {
    wanted->operands = inputs_of(l->sam, h);
    for (uint32_t port = 0; port < 3; port++) {
        const char *text = sam_alu_constant(l->sam, h, port);
        wanted->operands += text != NULL;
        if (text != NULL && port < 2 && !constant_operand(l, h, text, wanted->bf16, &wanted->constant[port]))
            return false;
    }
    return true;
}

static onyx_node lower_alu(lowering *l, sam_node h) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    const char *name = names_text(l->sam->names, s->alu);
    const bool prefixed = strncmp(name, "fp_", 3) == 0;
    alu_wanted wanted = {.operation = prefixed ? name + 3 : name, .bf16 = prefixed || s->fp, .loc = s->loc};
    const uint32_t takes = s->program ? 0 : operands_of(wanted.operation, wanted.bf16);
    if (!read_operands(l, h, &wanted))
        return (onyx_node){0};
    if (takes == 0)
        return lower_without_pe(l, h, &wanted);
    if (wanted.operands != takes) {
        diag_unmappable(l->d, s->loc, "E0412-alu-operands", "%s: Onyx takes %u %s here, not %u",
                        sam_node_label(l->sam, h, l->g->mem), takes, plural(takes, "operand", "operands"),
                        wanted.operands);
        diag_hint(l->d, "split it into operations of two operands");
        return (onyx_node){0};
    }
    if (strcmp(wanted.operation, "addhigh") == 0 && !is_in_range(l, h))
        return (onyx_node){0};
    wanted.name = processing_name(l, s);
    const composed made = {h, alu_make(l->g, &wanted)};
    if (made.made.result.v == 0)
        return not_on_chip(l, h, alu_way_out(wanted.operation));
    vec_push(l->g->mem, &l->composed, made);
    return made.made.result;
}

/* Returns whether the node adds up bfloat16 numbers where nothing does. */
static bool sums_bf16_in_vain(lowering *l, sam_node h) {
    if (!sam_node_at(l->sam, h)->fp || l->options->extended)
        return false;
    not_on_chip(
        l, h,
        "the chip's reducer adds 16-bit integers only; use --profile onyx-ext, whose reducers add bf16, "
        "--dtype int16, --engine sam, or an expression without reductions");
    return true;
}

/* Returns what combines the values of a reducer. */
static const char *reducing(const lowering *l, sam_node h) {
    const name_id by = sam_node_at(l->sam, h)->alu;
    return by.v == 0 ? "add" : names_text(l->sam->names, by);
}

/* What a reducer of profile onyx-ext combines by. */
typedef struct {
    const char *name;
    uint32_t value;
    bool bf16;
} reduction;

/* Returns the row for the operation of a reducer; NULL: there is none, or the profile has none but the sum.
 */
static const reduction *find_reduction(const lowering *l, sam_node h) {
    static const reduction rows[] = {
#define REDUCTION(kind, name, value, bf16) {#name, value, bf16},
#include "boards/onyx/reductions.def"
#undef REDUCTION
    };
    for (size_t i = 0; l->options->extended && i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, reducing(l, h)) == 0 && (rows[i].bf16 || !sam_node_at(l->sam, h)->fp))
            return &rows[i];
    }
    return NULL;
}

static onyx_node not_reduced(lowering *l, sam_node h) {
    diag_unmappable(l->d, sam_node_at(l->sam, h)->loc, "E0410-not-on-chip",
                    "%s: nothing on Onyx reduces by %s", sam_node_label(l->sam, h, l->g->mem),
                    reducing(l, h));
    diag_hint(l->d,
              "an accumulator combines by add, min, max, and, or, xor, land or lor; --engine sam by any");
    return (onyx_node){0};
}

/* Returns whether the reducer, which adds, may stand for another operation, where a fiber has one value. */
static bool reduces_singly(const sam_graph *g, sam_node h) {
    const sam_node_data *s = sam_node_at(g, h);
    return s->kind == SAM_REDUCE && s->alu.v != 0 && s->index.v != 0 && !s->compress &&
           sam_attribute_of(g, h, "singly").v != 0;
}

static onyx_node lower_reduce(lowering *l, sam_node h) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    const reduction *by = find_reduction(l, h);
    if (!by && reduces_singly(l->sam, h) && edge_along(l->options, s->index) == 1) {
        diag_note(l->d, s->loc, "%s: a run has one coordinate of '%s', and the host combines by %s",
                  sam_node_label(l->sam, h, l->g->mem), names_text(l->sam->names, s->index), reducing(l, h));
        return add_processing(l, h, ONYX_REDUCE);
    }
    if (!by && strcmp(reducing(l, h), "add") != 0) {
        diag_unmappable(l->d, sam_node_at(l->sam, h)->loc, "E0410-not-on-chip",
                        "%s: the chip's reducer adds, and does not combine by %s",
                        sam_node_label(l->sam, h, l->g->mem), reducing(l, h));
        diag_hint(l->d,
                  "an accumulator does, in an order whose summed loop is outside of a loop of the result%s",
                  sam_node_at(l->sam, h)->fp ? "" : "; so does the reducer of --profile onyx-ext");
        return (onyx_node){0};
    }
    if (sums_bf16_in_vain(l, h))
        return (onyx_node){0};
    if (sam_node_at(l->sam, h)->compress)
        return not_on_chip(l, h,
                           "the chip's reducer makes a zero of an empty fiber; drop coordinates before it");
    onyx_node node = add_processing(l, h, ONYX_REDUCE);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_REDUCE_BF16, sam_node_at(l->sam, h)->fp);
    if (by && by->value != 0) {
        onyx_set(onyx_node_at(l->g, node), ONYX_SET_REDUCE_OP, by->value);
        onyx_set(onyx_node_at(l->g, node), ONYX_SET_REDUCE_DEFAULT_VALUE,
                 sam_reducing(l->sam, h)->monoid.value);
    }
    return node;
}

/* Dropper and hold take the values the Onyx compiler programs; the chip's logic reads neither. */
static onyx_node lower_dropper(lowering *l, sam_node h) {
    onyx_node node = add_processing(l, h, ONYX_CRDDROP);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_CRDDROP_CMRG_ENABLE, 1);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_CRDDROP_CMRG_STOP_LVL, 1);
    return node;
}

static onyx_node lower_hold(lowering *l, sam_node h) {
    onyx_node node = add_processing(l, h, ONYX_CRDHOLD);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_CRDHOLD_CMRG_ENABLE, 1);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_CRDHOLD_CMRG_STOP_LVL, 1);
    return node;
}

static onyx_node lower_repeat(lowering *l, sam_node h) {
    onyx_node node = add_processing(l, h, ONYX_REPEAT);
    set_root(l, node, ONYX_SET_REPEAT_ROOT, ONYX_PORT_REPEAT_PROC_DATA_IN, sam_node_at(l->sam, h)->root);
    return node;
}

/* Returns the loop order with the result's variables outside, in which scalar reducers suffice: "i,j,k". */
static const char *reducer_way_out(const lowering *l) {
    const sam_graph *s = l->sam;
    const char *order = "";
    name_id *listed = arena_new_n(l->g->mem, name_id, s->nodes.len + 1);
    uint32_t count = 0;
    for (int results = 1; results >= 0; results--) {
        for (uint32_t i = 0; i < s->nodes.len; i++) {
            const sam_node_data *n = &s->nodes.at[i];
            bool known = n->index.v == 0 || n->kind != (results ? SAM_FIBERWRITE : SAM_FIBERLOOKUP);
            for (uint32_t k = 0; !known && k < count; k++)
                known = name_eq(listed[k], n->index);
            if (known)
                continue;
            order = arena_printf(l->g->mem, "%s%s%s", order, count == 0 ? "" : ",",
                                 names_text(s->names, n->index));
            listed[count++] = n->index;
        }
    }
    return arena_printf(
        l->g->mem, "in the loop order -s \"reorder(%s)\" the sums are innermost and scalar reducers suffice",
        order);
}

/* Adds the memory of an accumulator: each stop ends a block, and an empty one comes first. */
static onyx_memory add_sum_memory(lowering *l, const char *tile, src_loc loc, bool values) {
    onyx_memory t = onyx_add_memory(l->g, tile, loc, values);
    onyx_set(onyx_node_at(l->g, t.write), ONYX_SET_WRITE_SCANNER_SPACC_MODE, 1);
    onyx_set(onyx_node_at(l->g, t.write), ONYX_SET_WRITE_SCANNER_INIT_BLANK, 1);
    onyx_set(onyx_node_at(l->g, t.read), ONYX_SET_READ_SCANNER_SPACC_MODE, 1);
    return t;
}

/* Adds what brings values into the form in which an accumulator keeps them, and back. */
static void add_forms(lowering *l, const char *name, const alu_monoid *by, onyx_node joiner,
                      accumulator *out) {
    onyx_graph *g = l->g;
    const src_loc loc = onyx_node_at(g, joiner)->loc;
    onyx_node last = {0};
    if (by->truth)
        last = out->encoded =
            add_constant_pe(g, arena_printf(g->mem, "%s_truth", name), loc, "umin", 1, last);
    if (by->mask != 0)
        last = add_constant_pe(g, arena_printf(g->mem, "%s_in", name), loc, "xor", by->mask, last);
    if (!by->truth)
        out->encoded = last;
    onyx_connect(g, last, ONYX_PORT_ALU_RES, joiner, ONYX_PORT_JOINER_POS_IN_0);
    if (by->mask == 0)
        return;
    out->decoded =
        add_constant_pe(g, arena_printf(g->mem, "%s_out", name), loc, "xor", by->mask, (onyx_node){0});
    for (int port = 0; port < 2; port++)
        onyx_connect(g, out->read[1], ONYX_PORT_READ_SCANNER_SUM_VAL_OUT, out->decoded,
                     port ? ONYX_PORT_ALU_DATA1 : ONYX_PORT_ALU_DATA0);
}

/* Each vector that comes is united with the sum so far, which two memories hold, and the result becomes the
 * sum so far. The summed loop's coordinates, less themselves, tell the memories how many vectors there are.
 * Their done must not come: the chip takes it for data if it is late. So a holder passes them on, and what it
 * holds are the coordinates of the loop around, of which a gate keeps the end. */
static onyx_node add_accumulator(lowering *l, sam_node h, summed_loop sum, const alu_monoid *by) {
    onyx_graph *g = l->g;
    const char *name = processing_name(l, sam_node_at(l->sam, h));
    src_loc loc = sam_node_at(l->sam, h)->loc;
#define PE(kind, part)                                                                                       \
    onyx_add_node(g, ONYX_##kind, arena_printf(g->mem, "%s_" part, name),                                    \
                  arena_printf(g->mem, "%s_" part, name), loc)
    onyx_node gate = PE(GATE, "gate"), hold = PE(CRDHOLD, "hold"), zero = PE(ALU, "zero");
    onyx_node joiner = PE(JOINER, "union");
#undef PE
    const alu_made adder = alu_make(
        g, &(alu_wanted){
               by->combine, by->bf16, 2, {{0}}, arena_printf(g->mem, "%s_%s", name, by->combine), loc});
    onyx_memory crd = add_sum_memory(l, arena_printf(g->mem, "%s_crd", name), loc, false);
    onyx_memory val = add_sum_memory(l, arena_printf(g->mem, "%s_vals", name), loc, true);
    onyx_set(onyx_node_at(g, joiner), ONYX_SET_JOINER_OP, 1);
    onyx_node_at(g, zero)->op = onyx_alu_find("sub", false);
    onyx_connect(g, gate, ONYX_PORT_GATE_NEVER_OUT, gate, ONYX_PORT_GATE_NEVER_IN);
    onyx_connect(g, gate, ONYX_PORT_GATE_CRD_OUT, hold, ONYX_PORT_CRDHOLD_COORD_IN_1);
    onyx_connect(g, hold, ONYX_PORT_CRDHOLD_COORD_OUT_0, zero, ONYX_PORT_ALU_DATA0);
    onyx_connect(g, hold, ONYX_PORT_CRDHOLD_COORD_OUT_0, zero, ONYX_PORT_ALU_DATA1);
    onyx_connect(g, zero, ONYX_PORT_ALU_RES, crd.read, ONYX_PORT_READ_SCANNER_US_POS_IN);
    onyx_connect(g, crd.read, ONYX_PORT_READ_SCANNER_POS_OUT, val.read, ONYX_PORT_READ_SCANNER_US_POS_IN);
    onyx_connect(g, crd.read, ONYX_PORT_READ_SCANNER_COORD_OUT, joiner, ONYX_PORT_JOINER_COORD_IN_1);
    onyx_connect(g, val.read, ONYX_PORT_READ_SCANNER_VAL_OUT, joiner, ONYX_PORT_JOINER_POS_IN_1);
    onyx_connect(g, joiner, ONYX_PORT_JOINER_COORD_OUT, crd.write, ONYX_PORT_WRITE_SCANNER_DATA_IN);
    for (uint32_t k = 0; k < adder.sinks; k++) {
        const alu_sink *to = &adder.sink[k];
        onyx_connect(g, joiner, to->operand == 0 ? ONYX_PORT_JOINER_POS_OUT_0 : ONYX_PORT_JOINER_POS_OUT_1,
                     to->node, to->port);
    }
    onyx_connect(g, adder.result, ONYX_PORT_ALU_RES, val.write, ONYX_PORT_WRITE_SCANNER_DATA_IN);
    accumulator made = {h, sum, hold, gate, {crd.read, val.read}, {0}, {0}};
    if (by->truth || by->mask != 0)
        add_forms(l, name, by, joiner, &made);
    vec_push(g->mem, &l->sums, made);
    return joiner;
}

/* Returns whether a memory tile has room for a vector as wide as a sub-tile. */
static bool has_sum_room(lowering *l, sam_node h) {
    name_id index = sam_node_at(l->sam, h)->index;
    uint32_t most = lower_widest(l->sam, index, l->options->extended), edge = edge_along(l->options, index);
    if (edge <= most)
        return true;
    diag_unmappable(l->d, sam_node_at(l->sam, h)->loc, "E0417-sum-room",
                    "%s: a vector of up to %u sums, and a memory tile accumulates %u",
                    sam_node_label(l->sam, h, l->g->mem), edge, most);
    diag_hint(l->d, "choose --tile %u or less, or %s:%u along it%s", most, names_text(l->sam->names, index),
              most,
              l->options->extended ? "" : ", or --profile onyx-ext, whose vector reducer has more room");
    return false;
}

/* Lowers a vector reducer to the chip's, which is made of seven tiles. */
static onyx_node lower_accumulator(lowering *l, sam_node h) {
    summed_loop sum = lower_summed_loop(l->sam, h);
    uint32_t around = sum.around + (l->outermost.v != 0);
    if (sum.loop.node.v == 0 || around != 1) {
        diag_unmappable(l->d, sam_node_at(l->sam, h)->loc, "E0416-accumulator",
                        "%s: the chip accumulates inside one loop of the result, not %u",
                        sam_node_label(l->sam, h, l->g->mem), around);
        diag_hint(l->d, "%s; --profile onyx-ext has a vector reducer for any loops", reducer_way_out(l));
        return (onyx_node){0};
    }
    const alu_monoid *by = alu_find_monoid(reducing(l, h), sam_node_at(l->sam, h)->fp);
    if (by == NULL)
        return not_reduced(l, h);
    return has_sum_room(l, h) ? add_accumulator(l, h, sum, by) : (onyx_node){0};
}

/* Returns the loop of a matrix reducer's outer coordinates. */
static name_id outer_index(const sam_graph *g, sam_node reducer) {
    const sam_edge_data *crd = sam_edge_into(g, reducer, 0);
    while (crd && sam_node_at(g, crd->src)->kind == SAM_CRDDROP)
        crd = sam_edge_into(g, crd->src, crd->src_port);
    return crd ? sam_node_at(g, crd->src)->index : (name_id){0};
}

/* Finds how many bits the inner coordinates have that a matrix reducer adds up, at least one; false: its
 * memory has no room for the points of a sub-tile. */
static bool find_inner_bits(lowering *l, sam_node h, uint8_t *inner) {
    const name_id name[2] = {outer_index(l->sam, h), sam_node_at(l->sam, h)->index};
    const uint32_t outer = edge_along(l->options, name[0]), edge = edge_along(l->options, name[1]);
    for (*inner = 1; edge > 1u << *inner && *inner < ONYX_MATRIX_POINT_BITS;)
        ++*inner;
    if (edge <= 1u << *inner && outer <= 1u << (ONYX_MATRIX_POINT_BITS - *inner))
        return true;
    diag_unmappable(l->d, sam_node_at(l->sam, h)->loc, "E0417-sum-room",
                    "%s: matrices of up to %u by %u sums, and a memory tile accumulates %u",
                    sam_node_label(l->sam, h, l->g->mem), outer, edge, 1u << ONYX_MATRIX_POINT_BITS);
    diag_hint(l->d, "choose --tile %u or less, or %s:%u,%s:%u along them", ONYX_MATRIX_EDGE,
              names_text(l->sam->names, name[0]), ONYX_MATRIX_EDGE, names_text(l->sam->names, name[1]),
              ONYX_MATRIX_EDGE);
    return false;
}

/* Lowers a reducer of vectors or matrices to the one of onyx-ext. */
static onyx_node add_vector_reducer(lowering *l, sam_node h) {
    const reduction *by = find_reduction(l, h);
    const bool matrix = sam_node_at(l->sam, h)->depth == 2;
    uint8_t inner = 0;
    if (!by)
        return not_reduced(l, h);
    if (matrix ? !find_inner_bits(l, h, &inner) : !has_sum_room(l, h))
        return (onyx_node){0};
    onyx_node node = add_processing(l, h, ONYX_VECTOR_REDUCER);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_VECTOR_REDUCER_BF16, sam_node_at(l->sam, h)->fp);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_VECTOR_REDUCER_OP, by->value);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_VECTOR_REDUCER_INNER, inner);
    return node;
}

static onyx_node lower_vector_reducer(lowering *l, sam_node h) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    const uint8_t most = l->options->extended ? 2 : 1;
    if (s->depth > most) {
        diag_unmappable(l->d, s->loc, "E0410-not-on-chip",
                        "%s: %s adds up %s, this adds up tensors of order %u",
                        sam_node_label(l->sam, h, l->g->mem), most == 1 ? "Onyx" : "onyx-ext",
                        most == 1 ? "vectors" : "vectors and matrices", s->depth);
        diag_hint(l->d, "%s%s", reducer_way_out(l),
                  s->depth == 2 ? "; --profile onyx-ext has a matrix reducer" : "");
        return (onyx_node){0};
    }
    if (s->depth == 0)
        return not_on_chip(l, h, reducer_way_out(l));
    return l->options->extended ? add_vector_reducer(l, h) : lower_accumulator(l, h);
}

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
        return add_processing(l, h, ONYX_RSG);
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
        return not_on_chip(l, h, reducer_way_out(l));
    case SAM_ARRAYSTORE:
    case SAM_LOCATE:
    case SAM_BVLOOKUP:
    case SAM_BVCONVERT:
    case SAM_BVINTERSECT:
    case SAM_BVUNION:
        return not_on_chip(l, h, "join compressed levels with intersect or union and write with fiberwrite");
    case SAM_PARALLELIZE:
    case SAM_SERIALIZE:
        return not_on_chip(l, h,
                           "the schedule makes copies in the graph; --unroll N makes copies of the whole "
                           "kernel on the array");
    case SAM_BROADCAST:
        return not_on_chip(l, h, "broadcasts are wires: remove the node and let its edges leave the source");
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

/* Lowers a node; what it became says so. */
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

static const accumulator *accumulator_of(const lowering *l, sam_node h) {
    for (uint32_t i = 0; i < l->sums.len; i++) {
        if (l->sums.at[i].reducer.v == h.v)
            return &l->sums.at[i];
    }
    return NULL;
}

static onyx_node source_of(const lowering *l, sam_node h, uint8_t port) {
    const accumulator *a = accumulator_of(l, h);
    if (a != NULL)
        return port == 1 && a->decoded.v != 0 ? a->decoded : a->read[port];
    for (uint32_t i = 0; i < l->filled.len; i++) {
        if (l->filled.at[i].array.v == h.v)
            return l->filled.at[i].values;
    }
    return l->node[h.v - 1];
}

static onyx_node encoded_of(const lowering *l, sam_node h) {
    const accumulator *a = accumulator_of(l, h);
    return a != NULL ? a->encoded : (onyx_node){0};
}

/* Links a stream to all PEs that take an operand of a composed node; returns false if it is none. */
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

/* Leads the coordinates of the summed loop, and of the one around it, to an accumulator. */
static void lower_summed_edges(lowering *l, const accumulator *a) {
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

/* Returns whether there is a point in listening to the coordinates of a side: they are not all there are. */
static bool may_be_sparse(const sam_graph *g, const sam_edge_data *crd) {
    const sam_node_data *from = sam_node_at(g, crd->src);
    return from->kind == SAM_FIBERLOOKUP ? from->format != SAM_LEVEL_DENSE
                                         : from->kind == SAM_INTERSECT && crd->src_port == 0;
}

/* Leads the coordinates of each side of an intersecter to the scanner of the other, which skips by them. Of a
 * joiner of what one side lacks that side alone may be skipped. */
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

uint32_t lower_widest(const sam_graph *g, name_id index, bool extended) {
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const bool matrix = g->nodes.at[i].kind == SAM_VECTORREDUCER && g->nodes.at[i].depth == 2;
        if (matrix && extended &&
            (name_eq(g->nodes.at[i].index, index) || name_eq(outer_index(g, (sam_node){i + 1}), index)))
            return ONYX_MATRIX_EDGE;
        if (!name_eq(g->nodes.at[i].index, index))
            continue;
        if (reduces_singly(g, (sam_node){i + 1}))
            return 1;
        if (g->nodes.at[i].kind == SAM_VECTORREDUCER)
            return extended ? ONYX_VECTOR_EDGE : ONYX_SUM_EDGE;
    }
    return UINT16_MAX;
}

/* Returns whether the node shares the load stream of a node before it. */
static bool shares_load(const sam_graph *g, uint32_t node) {
    bool earlier = false;
    for (uint32_t i = 0; i < node; i++)
        earlier |= reads_stream(&g->nodes.at[i]) && name_eq(g->nodes.at[i].tensor, g->nodes.at[node].tensor);
    return earlier && comes_in_turn(g, g->nodes.at[node].tensor);
}

/* Returns whether an operation asks for tables, or for what the array lacks. */
static bool lacks_pe(const sam_node_data *s, const name_table *names) {
    const char *name = s->kind == SAM_ALU ? names_text(names, s->alu) : "";
    const bool prefixed = strncmp(name, "fp_", 3) == 0;
    return s->kind == SAM_ALU && (s->program || !operands_of(prefixed ? name + 3 : name, prefixed || s->fp));
}

/* Returns how many tables an operation becomes: lowers the operation alone. */
static uint32_t count_tables(const sam_graph *g, sam_node h) {
    arena scratch = {0};
    diagnostics quiet;
    uint32_t n = 0;
    diag_init(&quiet, &scratch);
    onyx_graph alone = {.mem = &scratch, .names = g->names};
    lowering l = {.sam = g, .d = &quiet, .g = &alone};
    lower_alu(&l, h);
    for (uint32_t i = 0; i < alone.nodes.len; i++)
        n += alone.nodes.at[i].table.n > 0;
    arena_free(&scratch);
    return n;
}

uint32_t lower_count_loads(const sam_graph *g, bool in_turn) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        n += reads_stream(&g->nodes.at[i]) && !(in_turn && shares_load(g, i));
        n += lacks_pe(&g->nodes.at[i], g->names) ? count_tables(g, (sam_node){i + 1}) : 0;
    }
    return n;
}

uint32_t lower_count_stores(const sam_graph *g, bool stored) {
    const bool in_one = stored && leaves_in_turn(g);
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++)
        n += writes_stream(&g->nodes.at[i]) && !(in_one && n);
    return n;
}

uint32_t lower_table_words(const sam_graph *g) {
    bool any = false;
    for (uint32_t n = 0; n < g->nodes.len; n++)
        any = any || lacks_pe(&g->nodes.at[n], g->names);
    return any ? TABLE_SHARE : 0;
}

static bool check_edge(uint32_t edge, diagnostics *d) {
    if (edge > 0 && edge <= UINT16_MAX)
        return true;
    diag_error(d, (src_loc){0}, "E0402-tile-edge", "a sub-tile edge of %u does not fit the scanner's 16 bits",
               edge);
    diag_hint(d, "choose --tile between 1 and %d", UINT16_MAX);
    return false;
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
    if (!options->extended && any_outermost_sum(g))
        l.outermost = add_single_root(&l, "outermost");
    lower_nodes(&l);
    chain_read_outs(&l);
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
