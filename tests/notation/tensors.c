/* Data of the operands, and level storage in both directions. */
#include <stdlib.h>

#include "tests/notation/notation.h"

/* ---- dimensions and values ------------------------------------------------------------------- */

/* For an access: the smaller of extent and dimension, on both sides. True after a change. */
static bool fit(note *n, note_tensor *t, const uint8_t *index) {
    bool changed = false;
    for (uint8_t i = 0; i < t->order; i++) {
        uint32_t *extent = &n->extent[index[i]], low = t->dim[i] && t->dim[i] < *extent ? t->dim[i] : *extent;
        changed = changed || low != *extent || low != t->dim[i];
        *extent = t->dim[i] = low;
    }
    return changed;
}

bool note_set_dimensions(note *n) {
    for (uint8_t t = 0; t < n->n_tensors; t++)
        memset(n->tensor[t].dim, 0, sizeof n->tensor[t].dim);
    for (bool changed = true; changed;) {
        changed = fit(n, &n->tensor[0], n->result_index);
        for (uint8_t e = 0; e < n->n_nodes; e++)
            if (n->node[e].kind == NOTE_ACCESS)
                changed = fit(n, &n->tensor[n->node[e].tensor], n->node[e].index) || changed;
    }
    for (uint8_t t = 0; t < n->n_tensors; t++) {
        note_tensor *tensor = &n->tensor[t];
        tensor->cells = 1;
        for (uint8_t i = 0; i < tensor->order; i++) {
            tensor->cells *= tensor->dim[i];
            if (tensor->cells > NOTE_CELLS)
                return false;
        }
    }
    return true;
}

void note_random_data(note_tensor *t, prng *random, uint32_t percent, int low, int high) {
    for (uint32_t c = 0; c < t->cells; c++) {
        bool zero = prng_below(random, 8) == 0;
        int drawn = low + (int)prng_below(random, (uint32_t)(high - low + 1));
        t->stored[c] = prng_below(random, 100) < percent;
        t->value[c] = (int16_t)(t->stored[c] && !zero ? drawn : 0);
    }
}

note_entries note_stored(const note_tensor *t, arena *mem) {
    note_entries list = {0};
    for (uint32_t c = 0; c < t->cells; c++) {
        note_entry e = {.value = (uint16_t)t->value[c]};
        uint32_t rest = c;
        for (uint8_t i = t->order; i-- > 0;) {
            e.crd[i] = rest % t->dim[i];
            rest /= t->dim[i];
        }
        if (t->stored[c])
            vec_push(mem, &list, e);
    }
    return list;
}

void note_fill_empty(note_entries *entries, arena *mem) {
    if (!entries->len)
        vec_push(mem, entries, (note_entry){.value = 0});
}

/* ---- to levels ------------------------------------------------------------------------------- */

/* An entry by storage level. */
typedef struct {
    uint32_t crd[SAM_MAX_ORDER];
    uint16_t value;
} leaf;

typedef struct {
    leaf *at;
    uint32_t order;
    sam_level_data *level;
    arena *mem;
    u32_vec seg[SAM_MAX_ORDER], crd[SAM_MAX_ORDER];
    u16_vec vals;
} packer;

static int by_coordinate(const void *a, const void *b) {
    const leaf *x = a, *y = b;
    for (uint32_t l = 0; l < SAM_MAX_ORDER; l++)
        if (x->crd[l] != y->crd[l])
            return x->crd[l] < y->crd[l] ? -1 : 1;
    return 0;
}

/* The fiber of level l made of leaves [from, to). */
static void pack_fiber(packer *p, uint32_t l, uint32_t from, uint32_t to) {
    if (l == p->order) {
        vec_push(p->mem, &p->vals, from < to ? p->at[from].value : 0);
        return;
    }
    bool dense = p->level[l].format == SAM_LEVEL_DENSE;
    for (uint32_t c = 0; c < p->level[l].dim; c++) {
        uint32_t end = from;
        while (end < to && p->at[end].crd[l] == c)
            end++;
        if (!dense && end > from)
            vec_push(p->mem, &p->crd[l], c);
        if (dense || end > from)
            pack_fiber(p, l + 1, from, end);
        from = end;
    }
    if (!dense)
        vec_push(p->mem, &p->seg[l], p->crd[l].len);
}

sam_tensor_levels note_pack(const note_entries *entries, uint32_t order, const sam_level_format *level,
                            const uint8_t *mode, const uint32_t *dim, arena *mem) {
    sam_tensor_levels out = {.order = order};
    uint32_t n = entries->len;
    packer p = {.at = arena_new_n(mem, leaf, n + 1), .order = order, .level = out.level, .mem = mem};
    for (uint32_t i = 0; i < entries->len; i++) {
        p.at[i].value = entries->at[i].value;
        for (uint32_t l = 0; l < order; l++)
            p.at[i].crd[l] = entries->at[i].crd[mode[l]];
    }
    qsort(p.at, n, sizeof *p.at, by_coordinate);
    for (uint32_t l = 0; l < order; l++) {
        out.level[l] = (sam_level_data){.format = level[l], .dim = dim[mode[l]]};
        vec_push(mem, &p.seg[l], 0);
    }
    pack_fiber(&p, 0, 0, n);
    for (uint32_t l = 0; l < order; l++) {
        if (level[l] == SAM_LEVEL_DENSE)
            continue;
        out.level[l].seg = p.seg[l].at;
        out.level[l].n_seg = p.seg[l].len;
        out.level[l].crd = p.crd[l].at;
        out.level[l].n_crd = p.crd[l].len;
    }
    out.vals = p.vals.at;
    out.n_vals = p.vals.len;
    return out;
}

/* ---- and back -------------------------------------------------------------------------------- */

typedef struct {
    const sam_tensor_levels *t;
    const uint8_t *mode;
    const uint32_t *dim;
    arena *mem;
    note_entries *out;
    uint32_t coordinate[SAM_MAX_ORDER], visited;
} walker;

static const char *walk(walker *w, uint32_t l, uint32_t at) {
    if (l == w->t->order) {
        note_entry e = {0};
        if (at >= w->t->n_vals)
            return "a coordinate without a value";
        e.value = w->t->vals[at];
        for (uint32_t k = 0; k < l; k++)
            e.crd[w->mode[k]] = w->coordinate[k];
        vec_push(w->mem, w->out, e);
        w->visited++;
        return NULL;
    }
    const sam_level_data *level = &w->t->level[l];
    bool dense = level->format == SAM_LEVEL_DENSE;
    if (!dense && at + 1 >= level->n_seg)
        return "a coordinate without a segment";
    uint32_t from = dense ? 0 : level->seg[at], to = dense ? w->dim[l] : level->seg[at + 1];
    if (from > to || (!dense && to > level->n_crd))
        return "segments that do not ascend";
    for (uint32_t i = from; i < to; i++) {
        uint32_t c = dense ? i : level->crd[i];
        if (c >= w->dim[l])
            return "a coordinate beyond the dimension";
        if (i > from && c <= w->coordinate[l])
            return "coordinates that do not ascend";
        w->coordinate[l] = c;
        const char *fault = walk(w, l + 1, dense ? at * w->dim[l] + i : i);
        if (fault)
            return fault;
    }
    return NULL;
}

const char *note_unpack(const sam_tensor_levels *t, const uint8_t *mode, const uint32_t *dim, arena *mem,
                        note_entries *out) {
    walker w = {.t = t, .mode = mode, .dim = dim, .mem = mem, .out = out};
    const char *fault = walk(&w, 0, 0);
    if (fault)
        return fault;
    return w.visited == t->n_vals ? NULL : "values without a coordinate";
}
