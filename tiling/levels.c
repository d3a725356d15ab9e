/* Level storage: sorted entries become segments, coordinates and values, level by level. */
#include "tiling/tiling_int.h"

/* One compressed level: entries with the same parent and coordinate share a node. position[] moves from
 * parents to nodes; returns the number of nodes. */
static uint32_t compress(const uint32_t *crd, uint32_t width, uint32_t column, const uint32_t *perm,
                         uint32_t n, uint32_t parents, uint32_t *position, sam_level_data *level,
                         arena *mem) {
    uint32_t *seg = arena_new_n(mem, uint32_t, parents + 1);
    uint32_t *node_crd = arena_new_n(mem, uint32_t, n + 1);
    uint32_t nodes = 0, last_parent = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = crd[(size_t)perm[i] * width + column];
        if (!nodes || position[i] != last_parent || node_crd[nodes - 1] != c) {
            node_crd[nodes++] = c;
            seg[position[i] + 1]++;
        }
        last_parent = position[i];
        position[i] = nodes - 1;
    }
    for (uint32_t p = 0; p < parents; p++)
        seg[p + 1] += seg[p];
    level->seg = seg;
    level->crd = node_crd;
    level->n_seg = parents + 1;
    level->n_crd = nodes;
    return nodes;
}

bool tile_build_levels(const sam_tensor_data *format, const uint32_t *crd, uint32_t width,
                       const uint8_t *column, const uint32_t *perm, uint32_t n, const uint16_t *val,
                       const uint32_t *dim, arena *mem, diagnostics *d, sam_tensor_levels *out) {
    *out = (sam_tensor_levels){.name = format->name, .order = format->order};
    uint32_t *position = arena_new_n(mem, uint32_t, n + 1);
    uint32_t parents = 1;
    for (uint32_t l = 0; l < format->order; l++) {
        sam_level_data *level = &out->level[l];
        *level = (sam_level_data){.format = format->level[l], .dim = dim[l]};
        if (format->level[l] == SAM_LEVEL_COMPRESSED) {
            parents = compress(crd, width, column[l], perm, n, parents, position, level, mem);
            continue;
        }
        if ((uint64_t)parents * dim[l] > UINT32_C(1) << 28) {
            diag_error(d, format->loc, "E0331-dense", "dense level %u needs %llu positions", l + 1,
                       (unsigned long long)parents * dim[l]);
            diag_hint(d, "make the level compressed (s)");
            return false;
        }
        parents *= dim[l];
        for (uint32_t i = 0; i < n; i++)
            position[i] = position[i] * dim[l] + crd[(size_t)perm[i] * width + column[l]];
    }
    uint16_t *vals = arena_new_n(mem, uint16_t, parents + 1);
    for (uint32_t i = 0; i < n; i++)
        vals[position[i]] = val[perm[i]];
    out->vals = vals;
    out->n_vals = parents;
    return true;
}

bool tile_levels(const tile_tensor *t, const sam_tensor_data *format, arena *mem, diagnostics *d,
                 sam_tensor_levels *out) {
    arena scratch = {0};
    uint32_t n = (uint32_t)t->nnz, dim[SAM_MAX_ORDER];
    uint32_t *perm = arena_new_n(&scratch, uint32_t, n + 1);
    for (uint32_t l = 0; l < t->order; l++)
        dim[l] = t->dim[format->mode[l]];
    tile_sort(t->crd, t->order, n, format->mode, t->order, perm, &scratch);
    bool good = tile_build_levels(format, t->crd, t->order, format->mode, perm, n, t->val, dim, mem, d, out);
    arena_free(&scratch);
    return good;
}
