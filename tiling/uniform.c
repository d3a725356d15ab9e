/* uniform.c - one operand of a plan: its entries sorted by uniform sub-tile. */
#include "support/hash.h"
#include "tiling/cut.h"
#include "tiling/plan_int.h"

enum { SORTED = 4 }; /* keys of entries sorted in a step */

static void end_cuts(void *cuts) {
    tile_cuts *its = cuts;
    arena_free(&its->own);
    pthread_mutex_destroy(&its->lock);
}

tile_cuts *tile_keep_cuts(arena *mem) {
    tile_cuts *out = arena_new(mem, tile_cuts);
    pthread_mutex_init(&out->lock, NULL);
    arena_at_end(mem, end_cuts, out);
    return out;
}

void tile_forget_cuts(tile_cuts *cuts, bool all) {
    if (!cuts || (!all && cuts->own.bytes <= PLAN_MOST_KEPT / 2))
        return;
    arena_free(&cuts->own);
    cuts->own = (arena){.last = NULL};
    cuts->all.at = NULL;
    cuts->all.len = cuts->all.cap = 0;
}

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

/* Returns the hash of everything that the cut of an operand depends on. */
static uint64_t key_of(const tile_planner *p, const plan_operand *o, uint32_t levels) {
    const uint32_t order = o->format->order, n = (uint32_t)o->data->nnz;
    const uint32_t counts[] = {order, o->n_digits, levels};
    uint64_t h = hash_more(0, counts, sizeof counts);
    h = n ? hash_more(h, o->data->crd, sizeof *o->data->crd * n * order) : h;
    for (uint32_t d = 0; d < o->n_digits; d++) {
        const uint32_t digit[] = {o->digit_mode[d], o->digit[d].within, o->digit[d].edge};
        h = hash_more(h, digit, sizeof digit);
    }
    for (uint32_t l = 0; l < order; l++) {
        const uint32_t v = plan_level_var(o, l).v - 1;
        const uint32_t place[] = {o->format->mode[l], p->glb[v], p->edge[v]};
        h = hash_more(h, place, sizeof place);
    }
    return h;
}

/* Cuts into `mem`. */
static void cut(tile_planner *p, const plan_operand *o, uint32_t levels, arena *mem, plan_cut_entries *out) {
    const uint32_t order = o->format->order, n = (uint32_t)o->data->nnz, digits = o->n_digits;
    const uint32_t width = digits + order ? digits + order : 1;
    const uint32_t *key = sort_keys(p, o, n, width), *before = NULL;
    uint8_t *column = arena_new_n(&p->scratch, uint8_t, width);
    uint32_t *first = arena_new_n(&p->scratch, uint32_t, n + 1);
    uint32_t *entry = arena_new_n(mem, uint32_t, n + 1);
    *out = (plan_cut_entries){.entry = entry};
    for (uint32_t k = 0; k < width; k++)
        column[k] = (uint8_t)k;
    tile_sort(key, width, n, (clist_by){column, digits + levels}, entry, &p->scratch);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *at = key + (size_t)entry[i] * width;
        if (!before || !same_digits(before, at, digits))
            first[out->n_tiles++] = i;
        before = at;
    }
    uint32_t *tile_first = arena_new_n(mem, uint32_t, out->n_tiles + 1);
    uint32_t *piece = arena_new_n(mem, uint32_t, (size_t)out->n_tiles * digits + 1);
    for (uint32_t t = 0; t < out->n_tiles; t++) {
        memcpy(piece + (size_t)t * digits, key + (size_t)entry[first[t]] * width, sizeof *key * digits);
        tile_first[t] = first[t];
    }
    tile_first[out->n_tiles] = n;
    out->tile_first = tile_first;
    out->piece = piece;
    out->other_lines = find_other_lines(key, width, n, entry);
    arena_free(&p->scratch);
}

/* Takes the operand's cut from those that are kept, or keeps it; false: there is no room. */
static bool share_cut(tile_planner *p, plan_operand *o, uint32_t levels, tile_cuts *cuts) {
    const uint64_t key = key_of(p, o, levels);
    const uint64_t most = (uint64_t)o->data->nnz * (o->n_digits + 2) * sizeof *o->cut.entry; /* bytes */
    bool known = false;
    pthread_mutex_lock(&cuts->lock);
    for (uint32_t i = 0; i < cuts->all.len && !known; i++) {
        known = cuts->all.at[i].key == key;
        if (known)
            o->cut = cuts->all.at[i].of;
    }
    const bool keep = !known && cuts->own.bytes + most <= PLAN_MOST_KEPT;
    if (keep) {
        cut(p, o, levels, &cuts->own, &o->cut);
        vec_push(&cuts->own, &cuts->all, ((plan_kept_cut){key, o->cut}));
    }
    pthread_mutex_unlock(&cuts->lock);
    return known || keep;
}

void plan_cut(tile_planner *p, plan_operand *o) {
    const uint32_t levels = unsorted_levels(o), width = o->n_digits + o->format->order;
    p->limit.steps += o->data->nnz * (width ? width : 1) / SORTED;
    if (!p->options.cuts || !share_cut(p, o, levels, p->options.cuts))
        cut(p, o, levels, &p->own, &o->cut);
    o->was_split = arena_new_n(&p->own, uint64_t, o->cut.n_tiles / 64 + 1);
}
