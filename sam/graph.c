/* The graph is built and named in messages here. */
#include "sam/sam.h"

const sam_primitive_info sam_primitive_table[SAM_PRIMITIVES] = {
#define SAM(name, type, in, out, ports_in, ports_out, doc)                                                   \
    [SAM_##name] = {#name, type, in, out, ports_in, ports_out, doc},
#include "sam/primitives.def"
#undef SAM
};

void sam_graph_init(sam_graph *g, arena *mem, name_table *names) {
    *g = (sam_graph){.mem = mem, .names = names};
}

/* Returns the smallest unused number from nodes.len on as an id. O(nodes) unless ids collide. */
static name_id fresh_id(const sam_graph *g) {
    for (uint32_t number = g->nodes.len;; number++) {
        char text[16];
        snprintf(text, sizeof text, "%u", number);
        name_id id = names_intern(g->names, text);
        bool taken = false;
        for (uint32_t i = 0; i < g->nodes.len && !taken; i++)
            taken = name_eq(g->nodes.at[i].id, id);
        if (!taken)
            return id;
    }
}

sam_node sam_add_node(sam_graph *g, sam_primitive kind) {
    BUG_IF(kind == SAM_NONE || kind >= SAM_PRIMITIVES, "primitive %d", (int)kind);
    name_id id = fresh_id(g);
    uint8_t depth = kind == SAM_VECTORREDUCER;
    vec_push(g->mem, &g->nodes, (sam_node_data){.kind = kind, .id = id, .depth = depth});
    return (sam_node){g->nodes.len};
}

void sam_add_edge(sam_graph *g, sam_node src, uint8_t src_port, sam_node dst, uint8_t dst_port,
                  sam_stream stream) {
    BUG_IF(!src.v || src.v > g->nodes.len || !dst.v || dst.v > g->nodes.len, "edge %u -> %u", src.v, dst.v);
    vec_push(g->mem, &g->edges,
             (sam_edge_data){
                 .src = src, .dst = dst, .src_port = src_port, .dst_port = dst_port, .stream = stream});
}

const char *const sam_words_name[] = {"bits", "blocks", "runs", NULL};

const sam_graph_tensor *sam_find_tensor(const sam_graph *g, name_id name) {
    for (uint32_t i = 0; i < g->tensors.len; i++)
        if (name_eq(g->tensors.at[i].name, name))
            return &g->tensors.at[i];
    return NULL;
}

int sam_storage_level(const sam_graph_tensor *t, int mode) {
    for (uint32_t l = 0; l < t->order; l++)
        if (t->mode[l] == mode)
            return (int)l;
    return -1;
}

name_id sam_attribute_of(const sam_graph *g, sam_node n, const char *key) {
    const sam_node_data *node = sam_node_at(g, n);
    for (uint32_t i = 0; i < node->extra.len; i++)
        if (strcmp(names_text(g->names, node->extra.at[i].key), key) == 0)
            return node->extra.at[i].value;
    return (name_id){0};
}

const char *sam_alu_constant(const sam_graph *g, sam_node n, uint32_t port) {
    char key[24];
    snprintf(key, sizeof key, "const%u", port);
    name_id value = sam_attribute_of(g, n, key);
    if (!value.v && port == 1 && !sam_attribute_of(g, n, "const0").v)
        value = sam_attribute_of(g, n, "rb_const");
    return value.v ? names_text(g->names, value) : NULL;
}

name_id sam_stored_index(const sam_graph *g, sam_node n, uint32_t level) {
    char key[24];
    snprintf(key, sizeof key, "in%u", level);
    return sam_attribute_of(g, n, key);
}

/* Returns the distinguishing detail of the node among nodes of its kind, after a blank; "" for none. */
static const char *label_detail(const sam_graph *g, const sam_node_data *n, arena *mem) {
    const char *tensor = names_text(g->names, n->tensor), *index = names_text(g->names, n->index);
    switch (n->kind) {
    case SAM_FIBERLOOKUP:
    case SAM_BVLOOKUP:
    case SAM_LOCATE:
    case SAM_FIBERWRITE:
        if (n->mode == SAM_MODE_VALS)
            return arena_printf(mem, " vals %s", tensor);
        return arena_printf(mem, " %s: %s%d", index, tensor, n->mode);
    case SAM_ARRAYVALS:
    case SAM_ARRAYSTORE:
        return arena_printf(mem, " %s", tensor);
    case SAM_REPEAT:
        return arena_printf(mem, " %s: %s", index, tensor);
    case SAM_REPSIGGEN:
    case SAM_INTERSECT:
    case SAM_UNION:
    case SAM_VECTORREDUCER:
    case SAM_PARALLELIZE:
    case SAM_SERIALIZE:
    case SAM_BVCONVERT:
    case SAM_BVINTERSECT:
    case SAM_BVUNION:
        return n->index.v ? arena_printf(mem, " %s", index) : "";
    case SAM_CRDDROP:
    case SAM_CRDHOLD:
        return arena_printf(mem, " %s,%s", names_text(g->names, n->outer), names_text(g->names, n->inner));
    case SAM_ALU:
    case SAM_REDUCE:
    case SAM_SPACCUMULATOR:
    case SAM_BROADCAST:
    case SAM_NONE:
    case SAM_PRIMITIVES:
        return "";
    }
    BUG("primitive %d", (int)n->kind);
}

const char *sam_stream_name(sam_stream s) {
    static const char *const name[] = {"", "crd", "ref", "val", "repsig", "bv", "skip"};
    return name[s];
}

const char *sam_node_label(const sam_graph *g, sam_node n, arena *mem) {
    const sam_node_data *node = sam_node_at(g, n);
    BUG_IF(node->kind == SAM_NONE, "label of removed node %u", n.v);
    const char *type = sam_primitive_table[node->kind].type;
    if (node->kind == SAM_ALU)
        type = arena_printf(mem, "%s%s", node->fp ? "fp_" : "", names_text(g->names, node->alu));
    return arena_printf(mem, "%s%s (node %s)", type, label_detail(g, node, mem),
                        names_text(g->names, node->id));
}
