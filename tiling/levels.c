/* Level storage: sorted entries become segments, coordinates and values, level by level. */
#include "tiling/tiling_int.h"

static void compress(clist_descent *at, uint32_t column, sam_level_data *level, arena *mem) {
    uint32_t *seg = arena_new_n(mem, uint32_t, at->nodes + 1);
    uint32_t *crd = arena_new_n(mem, uint32_t, at->list->n + 1);
    level->n_seg = at->nodes + 1;
    clist_compress(at, column, seg, crd);
    level->n_crd = at->nodes;
    level->seg = seg;
    level->crd = crd;
}

bool tile_build_levels(const sam_tensor_data *format, const tile_sorted *in, arena *mem, diagnostics *d,
                       sam_tensor_levels *out) {
    *out = (sam_tensor_levels){.name = format->name, .order = format->order};
    const clist *list = &in->list;
    clist_descent at = {list, in->order, arena_new_n(mem, uint32_t, list->n + 1), 1};
    for (uint32_t l = 0; l < format->order; l++) {
        sam_level_data *level = &out->level[l];
        const uint32_t dim = in->dim[l];
        *level = (sam_level_data){.format = format->level[l], .dim = dim};
        if (format->level[l] == SAM_LEVEL_COMPRESSED) {
            compress(&at, in->column[l], level, mem);
            continue;
        }
        if ((uint64_t)at.nodes * dim > TILE_MOST_DENSE) {
            diag_error(d, format->loc, "E0331-dense", "dense level %u needs %llu positions", l + 1,
                       (unsigned long long)at.nodes * dim);
            return diag_hint(d, "make the level compressed (s)");
        }
        at.nodes *= dim;
        for (uint32_t i = 0; i < list->n; i++)
            at.position[i] =
                at.position[i] * dim + list->crd[(size_t)in->order[i] * list->width + in->column[l]];
    }
    uint16_t *vals = arena_new_n(mem, uint16_t, at.nodes + 1);
    for (uint32_t i = 0; format->fill && i < at.nodes; i++)
        vals[i] = format->fill;
    for (uint32_t i = 0; i < list->n; i++)
        vals[at.position[i]] = list->val[in->order[i]];
    out->vals = vals;
    out->n_vals = at.nodes;
    return true;
}

bool tile_levels(const tile_tensor *t, const sam_tensor_data *format, arena *mem, diagnostics *d,
                 sam_tensor_levels *out) {
    static const uint32_t origin[SAM_MAX_ORDER] = {0};
    arena scratch = {0};
    /* A tensor without entries gets one explicit fill: see tile_levels in the header. */
    bool empty = t->nnz == 0 && t->order > 0;
    const uint32_t *crd = empty ? origin : t->crd;
    const uint16_t *val = empty ? &format->fill : t->val;
    uint32_t n = empty ? 1 : (uint32_t)t->nnz, dim[SAM_MAX_ORDER];
    uint32_t *perm = arena_new_n(&scratch, uint32_t, n + 1);
    for (uint32_t l = 0; l < t->order; l++)
        dim[l] = t->dim[format->mode[l]];
    const tile_sorted sorted = {tile_list(crd, t->order, val, n), perm, format->mode, dim};
    tile_sort(crd, t->order, n, (clist_by){format->mode, t->order}, perm, &scratch);
    bool good = tile_build_levels(format, &sorted, mem, d, out);
    arena_free(&scratch);
    return good;
}

tile_nodes tile_dense_nodes(uint32_t parents, uint32_t dim, arena *mem) {
    uint32_t n = parents * dim;
    uint32_t *parent = arena_new_n(mem, uint32_t, n + 1), *at = arena_new_n(mem, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        parent[i] = i / dim;
        at[i] = i % dim;
    }
    return (tile_nodes){n, parent, at};
}

bool tile_leaf_at(const sam_tensor_data *format, const tile_nodes *nodes, uint32_t leaf,
                  const uint32_t *origin, const uint32_t *extent, uint32_t *at) {
    uint32_t node = leaf;
    for (uint32_t l = format->order; l-- > 0;) {
        uint8_t mode = format->mode[l];
        at[mode] = origin[mode] + nodes[l].crd[node];
        if (at[mode] >= extent[mode])
            return false;
        node = nodes[l].parent[node];
    }
    return true;
}

/* Finds the nodes of a written level; a fiber without a segment of its own (nothing was written) is empty. */
static bool written_nodes(const sam_level_data *level, uint32_t parents, arena *mem, tile_nodes *out) {
    if (level->format == SAM_LEVEL_DENSE) {
        *out = tile_dense_nodes(parents, level->dim, mem);
        return true;
    }
    if (level->n_seg != parents + 1 && (parents || level->n_crd))
        return false;
    uint32_t *parent = arena_new_n(mem, uint32_t, level->n_crd + 1);
    for (uint32_t f = 0; f < parents; f++) {
        if (level->seg[f + 1] < level->seg[f] || level->seg[f + 1] > level->n_crd)
            return false;
        for (uint32_t i = level->seg[f]; i < level->seg[f + 1]; i++)
            parent[i] = f;
    }
    *out = (tile_nodes){level->n_crd, parent, level->crd};
    return !parents || level->seg[parents] == level->n_crd;
}

bool tile_from_levels(const sam_tensor_levels *levels, const sam_tensor_data *format, const uint32_t *extent,
                      tile_dtype dtype, arena *mem, diagnostics *d, tile_tensor *out) {
    static const uint32_t origin[SAM_MAX_ORDER] = {0};
    arena scratch = {0};
    tile_nodes nodes[SAM_MAX_ORDER];
    uint32_t leaves = 1, at[SAM_MAX_ORDER];
    bool good = true;
    *out = (tile_tensor){.name = format->name, .order = format->order};
    memcpy(out->dim, extent, sizeof *extent * format->order);
    for (uint32_t l = 0; good && l < format->order; l++) {
        good = written_nodes(&levels->level[l], leaves, &scratch, &nodes[l]);
        leaves = good ? nodes[l].n : 0;
        if (!good)
            diag_mismatch(d, (src_loc){0}, "E0341-result-stream",
                          "result level %u: segments and coordinates disagree", l);
    }
    if (good && leaves && levels->n_vals != leaves) {
        diag_mismatch(d, (src_loc){0}, "E0341-result-stream", "result values: %u, expected %u",
                      levels->n_vals, leaves);
        good = false;
    }
    tile_entries entries = {0};
    for (uint32_t leaf = 0; good && leaf < leaves; leaf++) {
        if (!tile_leaf_at(format, nodes, leaf, origin, extent, at))
            continue;
        for (uint32_t m = 0; m < format->order; m++)
            vec_push(&scratch, &entries.crd, at[m]);
        vec_push(&scratch, &entries.val, levels->vals[leaf]);
    }
    entries.fill = format->fill;
    tile_without_fill(out, &entries, dtype, mem);
    arena_free(&scratch);
    return good;
}
