/* Explicit zeros in a sub-tile: every fiber of its padded levels then holds coordinate 0, or every
 * coordinate. */
#include "tiling/tiling_int.h"

typedef struct {
    const sam_tensor_data *format;
    const tile_entries *in;     /* in storage order, coordinates by storage level */
    const uint32_t *dim;        /* by level */
    uint32_t at[SAM_MAX_ORDER]; /* the node whose fibers are being visited */
    arena *mem;
    tile_entries *out;
} padding;

static bool is_padded(const padding *p, uint32_t level) {
    return p->format->padded >> level & 1;
}

static uint32_t coordinate(const padding *p, uint32_t entry, uint32_t level) {
    return p->in->crd.at[(size_t)entry * p->format->order + level];
}

static void walk_node(padding *p, uint32_t level, uint32_t low, uint32_t high, bool stored);

/* Visits child `c` of the node, and returns the first entry of its later siblings. */
static uint32_t walk_child(padding *p, uint32_t level, uint32_t low, uint32_t high, uint32_t c, bool stored) {
    uint32_t end = low;
    while (end < high && coordinate(p, end, level) == c)
        end++;
    p->at[level] = c;
    walk_node(p, level + 1, low, end, stored || end > low);
    return end;
}

/* Below the node are the entries [low, high). `stored`: a compressed level has it, so it must lead to a
 * value; else it is there, if at all, by dense levels alone. */
static void walk_node(padding *p, uint32_t level, uint32_t low, uint32_t high, bool stored) {
    uint32_t order = p->format->order;
    if (low == high && !stored && !(p->format->padded >> level))
        return;
    if (level == order) {
        for (uint32_t l = 0; l < order; l++)
            vec_push(p->mem, &p->out->crd, p->at[l]);
        vec_push(p->mem, &p->out->val, low < high ? p->in->val.at[low] : p->format->fill);
        return;
    }
    if (p->format->level[level] == SAM_LEVEL_DENSE) {
        const bool lacks_value = stored && low == high;
        if (p->format->padded >> (level + 1)) {
            for (uint32_t c = 0; c < p->dim[level]; c++)
                low = walk_child(p, level, low, high, c, lacks_value && c == 0);
            return;
        }
        if (lacks_value) /* of children without entries nothing else comes */
            walk_child(p, level, low, high, 0, true);
        while (low < high)
            low = walk_child(p, level, low, high, coordinate(p, low, level), false);
        return;
    }
    if ((p->format->whole >> level & 1) && !p->format->ones) {
        for (uint32_t c = 0; c < p->dim[level]; c++)
            low = walk_child(p, level, low, high, c, true);
        return;
    }
    bool lacks_corner = low == high || coordinate(p, low, level) != 0;
    if (lacks_corner && (is_padded(p, level) || (low == high && stored)))
        walk_child(p, level, low, low, 0, true);
    while (low < high)
        low = walk_child(p, level, low, high, coordinate(p, low, level), true);
}

void tile_pad(const sam_tensor_data *format, const uint32_t *dim, const tile_entries *in, arena *mem,
              tile_entries *out) {
    padding p = {.format = format, .in = in, .dim = dim, .mem = mem, .out = out};
    *out = (tile_entries){0};
    walk_node(&p, 0, 0, in->val.len, false);
}
