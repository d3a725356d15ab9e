/* uniform.c - one operand of a plan: its entries sorted by uniform sub-tile. */
#include "tiling/cut.h"
#include "tiling/plan_int.h"

enum { SORTED = 4 }; /* keys of entries sorted in a step */

/* A column of sort keys, from the coordinates of a mode: of a coordinate, or of its place `within` a range
 * (0: a coordinate), the piece of `edge` coordinates around, or the place in the piece. */
typedef struct {
    uint32_t mode, within, edge;
    bool place;
} key_column;

static bool is_power(uint32_t n) {
    return (n & (n - 1)) == 0;
}

/* Fills one column of n rows of `width` keys from rows of `order` coordinates. */
static void fill_column(const key_column *c, const uint32_t *crd, uint32_t order, uint32_t n, uint32_t *key,
                        uint32_t width) {
    if (is_power(c->edge) && is_power(c->within)) {
        const uint32_t shift = c->place ? 0 : (uint32_t)__builtin_ctz(c->edge),
                       mask =
                           (c->within ? c->within - 1 : UINT32_MAX) & (c->place ? c->edge - 1 : UINT32_MAX);
        for (uint32_t i = 0; i < n; i++, crd += order, key += width)
            *key = (crd[c->mode] & mask) >> shift;
        return;
    }
    for (uint32_t i = 0; i < n; i++, crd += order, key += width) {
        const uint32_t at = c->within ? crd[c->mode] % c->within : crd[c->mode];
        *key = c->place ? at % c->edge : at / c->edge;
    }
}

static bool same_digits(const uint32_t *a, const uint32_t *b, uint32_t digits) {
    uint32_t d = 0;
    while (d < digits && a[d] == b[d])
        d++;
    return d == digits;
}

/* Returns plan_operand.other_lines from a sample of n rows of `width` numbers in this order. */
static double find_other_lines(const uint32_t *key, uint32_t width, uint32_t n, const uint32_t *order) {
    enum { MOST = 1 << 12 };
    uint32_t other = 1, looked_at = 1;
    for (uint32_t i = 1; i < n; i += n / MOST + 1) {
        const uint32_t *a = key + (size_t)order[i - 1] * width, *b = key + (size_t)order[i] * width;
        other +=
            memcmp(a, b, sizeof *a * (width - 1)) || a[width - 1] / PLAN_LINE != b[width - 1] / PLAN_LINE;
        looked_at++;
    }
    return (double)other / looked_at;
}

/* The keys of all entries: their digits, then their places inside a sub-tile in storage order. There the
 * remainder of the last digit is enough. */
static uint32_t *sort_keys(tile_planner *p, const plan_operand *o, uint32_t n, uint32_t width) {
    const uint32_t order = o->format->order;
    uint32_t *key = arena_new_n(&p->scratch, uint32_t, (size_t)n * width + 1);
    for (uint32_t d = 0; d < o->n_digits; d++) {
        const key_column c = {o->digit_mode[d], o->digit[d].within, o->digit[d].edge, false};
        fill_column(&c, o->data->crd, order, n, key + d, width);
    }
    for (uint32_t l = 0; l < order; l++) {
        const uint32_t v = plan_level_var(o, l).v - 1;
        const key_column c = {o->format->mode[l], p->glb[v], p->edge[v], true};
        fill_column(&c, o->data->crd, order, n, key + o->n_digits + l, width);
    }
    return key;
}

/* Returns the number of levels by which entries of a sub-tile need sorting. Entries come sorted by mode, so
 * the last levels are in order already if their modes ascend, and each level has a variable of its own. */
static uint32_t unsorted_levels(const plan_operand *o) {
    const uint32_t order = o->format->order;
    uint32_t levels = order;
    for (uint32_t l = 0; l < order; l++)
        for (uint32_t k = 0; k < l; k++)
            if (plan_level_var(o, l).v == plan_level_var(o, k).v)
                return order;
    while (levels && (levels == order || o->format->mode[levels - 1] < o->format->mode[levels]))
        levels--;
    return levels;
}

void plan_cut(tile_planner *p, plan_operand *o) {
    const uint32_t order = o->format->order, n = (uint32_t)o->data->nnz, digits = o->n_digits;
    const uint32_t width = digits + order ? digits + order : 1;
    const uint32_t *key = sort_keys(p, o, n, width), *before = NULL;
    p->limit.steps += (uint64_t)n * width / SORTED;
    uint8_t *column = arena_new_n(&p->scratch, uint8_t, width);
    uint32_t *first = arena_new_n(&p->scratch, uint32_t, n + 1);
    o->entry = arena_new_n(&p->own, uint32_t, n + 1);
    for (uint32_t k = 0; k < width; k++)
        column[k] = (uint8_t)k;
    tile_sort(key, width, n, (clist_by){column, digits + unsorted_levels(o)}, o->entry, &p->scratch);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *at = key + (size_t)o->entry[i] * width;
        if (!before || !same_digits(before, at, digits))
            first[o->n_tiles++] = i;
        before = at;
    }
    o->tile_first = arena_new_n(&p->own, uint32_t, o->n_tiles + 1);
    o->piece = arena_new_n(&p->own, uint32_t, (size_t)o->n_tiles * digits + 1);
    for (uint32_t t = 0; t < o->n_tiles; t++) {
        memcpy(o->piece + (size_t)t * digits, key + (size_t)o->entry[first[t]] * width, sizeof *key * digits);
        o->tile_first[t] = first[t];
    }
    o->tile_first[o->n_tiles] = n;
    o->was_split = arena_new_n(&p->own, uint64_t, o->n_tiles / 64 + 1);
    o->other_lines = find_other_lines(key, width, n, o->entry);
    arena_free(&p->scratch);
}
