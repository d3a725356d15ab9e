#include "tests/sam/graph_equal.h"

#include <stdlib.h>

typedef struct {
    const sam_graph *a, *b;
} pair;

static bool same_name(pair p, name_id a, name_id b) {
    return strcmp(names_text(p.a->names, a), names_text(p.b->names, b)) == 0;
}

static bool same_tensors(pair p) {
    if (p.a->tensors.len != p.b->tensors.len)
        return false;
    for (uint32_t i = 0; i < p.a->tensors.len; i++) {
        const sam_graph_tensor *a = &p.a->tensors.at[i], *b = &p.b->tensors.at[i];
        if (!same_name(p, a->name, b->name) || a->order != b->order)
            return false;
        for (uint32_t l = 0; l < a->order; l++)
            if (a->level[l] != b->level[l] || a->mode[l] != b->mode[l])
                return false;
    }
    return true;
}

static bool same_node(pair p, const sam_node_data *a, const sam_node_data *b) {
    bool same = a->kind == b->kind && a->mode == b->mode && a->format == b->format && a->root == b->root &&
                a->compress == b->compress && a->depth == b->depth && a->width == b->width &&
                a->words == b->words && a->fp == b->fp && a->fill == b->fill && same_name(p, a->id, b->id) &&
                same_name(p, a->tensor, b->tensor) && same_name(p, a->index, b->index) &&
                same_name(p, a->alu, b->alu) && same_name(p, a->outer, b->outer) &&
                same_name(p, a->inner, b->inner) && a->extra.len == b->extra.len;
    for (uint32_t i = 0; same && i < a->extra.len; i++)
        same = same_name(p, a->extra.at[i].key, b->extra.at[i].key) &&
               same_name(p, a->extra.at[i].value, b->extra.at[i].value);
    return same;
}

typedef VEC(sam_node_data) node_vec;

static node_vec live_nodes(const sam_graph *g, arena *scratch, uint32_t *rank) {
    node_vec live = {0};
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        rank[i] = live.len;
        if (g->nodes.at[i].kind != SAM_NONE)
            vec_push(scratch, &live, g->nodes.at[i]);
    }
    return live;
}

typedef struct {
    uint32_t end[2], port[2], stream;
} edge_key;

static int by_key(const void *a, const void *b) {
    return memcmp(a, b, sizeof(edge_key)); /* equal bytes, equal edges: ties do not matter */
}

/* The live edges with node ranks in place of handles, in an order independent of handles. */
static uint32_t edge_keys(const sam_graph *g, const uint32_t *rank, edge_key *out) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->edges.len; i++) {
        const sam_edge_data *e = &g->edges.at[i];
        if (e->src.v)
            out[count++] =
                (edge_key){{rank[e->src.v - 1], rank[e->dst.v - 1]}, {e->src_port, e->dst_port}, e->stream};
    }
    if (count)
        qsort(out, count, sizeof *out, by_key);
    return count;
}

bool graphs_equal(const sam_graph *a, const sam_graph *b) {
    pair p = {a, b};
    if (!same_tensors(p))
        return false;
    arena scratch = {0};
    uint32_t *rank_a = arena_new_n(&scratch, uint32_t, a->nodes.len + 1);
    uint32_t *rank_b = arena_new_n(&scratch, uint32_t, b->nodes.len + 1);
    node_vec nodes_a = live_nodes(a, &scratch, rank_a), nodes_b = live_nodes(b, &scratch, rank_b);
    bool same = nodes_a.len == nodes_b.len;
    for (uint32_t i = 0; same && i < nodes_a.len; i++)
        same = same_node(p, &nodes_a.at[i], &nodes_b.at[i]);
    edge_key *keys_a = arena_new_n(&scratch, edge_key, a->edges.len + 1);
    edge_key *keys_b = arena_new_n(&scratch, edge_key, b->edges.len + 1);
    uint32_t n = edge_keys(a, rank_a, keys_a);
    same = same && n == edge_keys(b, rank_b, keys_b) && memcmp(keys_a, keys_b, n * sizeof *keys_a) == 0;
    arena_free(&scratch);
    return same;
}

char *graph_text(const sam_graph *g, arena *mem) {
    text_out out;
    text_begin(&out);
    sam_dump(g, out.stream);
    return text_end(&out, mem);
}
