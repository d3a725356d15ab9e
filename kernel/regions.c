/* Profile onyx-ext: a complement's tensor is not stored, but its source is. The joiner by regions takes the
 * coordinates found only in its other operand. */
#include "kernel/regions.h"

/* The only edge from the port, or NULL. */
static sam_edge_data *only_edge(sam_graph *g, sam_node from, uint32_t port) {
    sam_edge_data *found = NULL;
    for (uint32_t i = 0; i < g->edges.len; i++) {
        sam_edge_data *e = &g->edges.at[i];
        if (e->src.v == 0 || e->src.v != from.v || e->src_port != port)
            continue;
        if (found)
            return NULL;
        found = e;
    }
    return found;
}

static sam_node scanner_of(const sam_graph *g, const sam_tensor_data *t) {
    for (uint32_t n = 1; n <= g->nodes.len; n++) {
        const sam_node_data *node = sam_node_at(g, (sam_node){n});
        if (node->kind == SAM_FIBERLOOKUP && name_eq(node->tensor, t->name) &&
            node->mode == t->mode[t->order - 1])
            return (sam_node){n};
    }
    return (sam_node){0};
}

/* Returns whether the tensor's last level, and no other, has a complement: fibers of all levels above are
 * whole, and there are no explicit zeros. */
static bool lacks_coordinates(const sam_tensor_data *t) {
    if (!sam_is_complement(t) || !t->order || t->padded || t->level[t->order - 1] != SAM_LEVEL_COMPRESSED)
        return false;
    for (uint32_t l = 0; l + 1 < t->order; l++) {
        if (t->level[l] != SAM_LEVEL_DENSE)
            return false;
    }
    return true;
}

/* Returns whether the coordinates are stored ones: a scanner of a dense level continues after the last
 * coordinate, and only the complement marks the end. */
static bool are_stored(const sam_statement *st, const sam_graph *g, const sam_edge_data *crd) {
    const sam_node_data *from = sam_node_at(g, crd->src);
    if (sam_is_joiner(from->kind)) {
        const bool first = are_stored(st, g, sam_edge_into(g, crd->src, 0));
        const bool second = are_stored(st, g, sam_edge_into(g, crd->src, 2));
        return from->kind == SAM_INTERSECT ? first || second : first && second;
    }
    for (uint32_t t = 0; from->kind == SAM_FIBERLOOKUP && t < st->tensors.len; t++) {
        const sam_tensor_data *data = &st->tensors.at[t];
        for (uint32_t l = 0; l < data->order; l++) {
            if (name_eq(data->name, from->tensor) && from->mode == data->mode[l])
                return !sam_level_is_whole(data, l);
        }
    }
    return false;
}

enum { MOST_JOINERS = 16 };

/* Use of the tensor's coordinates and values in a graph of binary joiners. */
typedef struct {
    sam_node scanner, joiner;
    uint32_t operand; /* of the joiner */
    /* References passing through further joiners on their way to the array. */
    sam_edge_data *passed[MOST_JOINERS];
    uint32_t n_passed;
    sam_node repeater[SAM_MAX_ORDER]; /* and repeaters after them */
    uint32_t n_repeaters;
    sam_edge_data *ref, *val;  /* into the array of values, and out of the array */
    const sam_edge_data *kept; /* into the operation `when`: the value passed by the operation */
} use;

/* Finds the use; false if values or coordinates have a use other than the intersection. */
static bool find_use(const sam_statement *st, sam_graph *g, const sam_tensor_data *t, use *u) {
    *u = (use){.scanner = scanner_of(g, t)};
    const sam_edge_data *crd = u->scanner.v ? only_edge(g, u->scanner, 0) : NULL;
    sam_edge_data *ref = u->scanner.v ? only_edge(g, u->scanner, 1) : NULL;
    if (!crd || !ref || sam_node_at(g, crd->dst)->kind != SAM_INTERSECT || ref->dst.v != crd->dst.v ||
        crd->dst_port % 2 != 0 || ref->dst_port != crd->dst_port + 1)
        return false;
    u->joiner = crd->dst;
    u->operand = crd->dst_port / 2;
    for (uint32_t port = 0; port < 4; port++) {
        if (!sam_edge_into(g, u->joiner, port))
            return false;
    }
    if (!are_stored(st, g, sam_edge_into(g, u->joiner, 2 - 2 * u->operand)))
        return false;
    for (ref = only_edge(g, u->joiner, 1 + u->operand);
         ref && sam_node_at(g, ref->dst)->kind == SAM_INTERSECT;
         ref = only_edge(g, ref->dst, 1 + ref->dst_port / 2)) {
        if (ref->dst_port % 2 == 0 || u->n_passed == MOST_JOINERS)
            return false;
        u->passed[u->n_passed++] = ref;
    }
    for (; ref && sam_node_at(g, ref->dst)->kind == SAM_REPEAT && ref->dst_port == 0;
         ref = only_edge(g, ref->dst, 0)) {
        if (u->n_repeaters == SAM_MAX_ORDER)
            return false;
        u->repeater[u->n_repeaters++] = ref->dst;
    }
    u->ref = ref;
    u->val = ref && sam_node_at(g, ref->dst)->kind == SAM_ARRAYVALS ? only_edge(g, ref->dst, 0) : NULL;
    if (!u->val || u->val->dst_port != 0)
        return false;
    const sam_node_data *when = sam_node_at(g, u->val->dst);
    const bool is_when = when->kind == SAM_ALU && strcmp(names_text(g->names, when->alu), "when") == 0;
    u->kept = is_when ? sam_edge_into(g, u->val->dst, 1) : NULL;
    return u->kept != NULL;
}

static void cut(sam_graph *g, sam_node n, uint32_t port) {
    for (uint32_t i = 0; i < g->edges.len; i++) {
        sam_edge_data *e = &g->edges.at[i];
        if (e->src.v && e->dst.v == n.v && e->dst_port == port)
            e->src.v = 0;
    }
}

/* Removes a repeater, and its generator of signals if unused elsewhere. */
static void remove_repeater(sam_graph *g, sam_node n) {
    const sam_node signals = sam_edge_into(g, n, 1)->src;
    bool used = false;
    cut(g, n, 0);
    cut(g, n, 1);
    sam_node_at(g, n)->kind = SAM_NONE;
    for (uint32_t i = 0; i < g->edges.len; i++)
        used = used || g->edges.at[i].src.v == signals.v;
    if (used)
        return;
    cut(g, signals, 0);
    sam_node_at(g, signals)->kind = SAM_NONE;
}

/* Removes the array of ones, and the operation that tests them: every arriving coordinate has a one. */
static void apply(sam_graph *g, const use *u) {
    const sam_node array = u->ref->dst, when = u->val->dst;
    const sam_attribute lacks = {names_intern(g->names, "lacks"),
                                 names_intern(g->names, u->operand ? "1" : "0")};
    vec_push(g->mem, &sam_node_at(g, u->joiner)->extra, lacks);
    for (uint32_t p = 0; p < u->n_passed; p++) { /* joiners of the same kind need some reference */
        u->passed[p]->src = u->joiner;
        u->passed[p]->src_port = (uint8_t)(2 - u->operand);
    }
    for (uint32_t i = 0; i < g->edges.len; i++) {
        sam_edge_data *e = &g->edges.at[i];
        if (e->src.v != when.v)
            continue;
        e->src = u->kept->src;
        e->src_port = u->kept->src_port;
    }
    for (uint32_t r = 0; r < u->n_repeaters; r++)
        remove_repeater(g, u->repeater[r]);
    u->ref->src.v = u->val->src.v = 0;
    cut(g, when, 1);
    sam_node_at(g, array)->kind = sam_node_at(g, when)->kind = SAM_NONE;
}

void compile_join_regions(sam_statement *st, sam_graph *g) {
    for (uint32_t t = 1; t <= st->tensors.len; t++) {
        sam_tensor_data *data = sam_tensor_at(st, (sam_tensor){t});
        use found;
        if (!lacks_coordinates(data) || !find_use(st, g, data, &found))
            continue;
        apply(g, &found);
        data->lacked = true;
    }
}
