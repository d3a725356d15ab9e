/* queries.c - queries on the positions of a tensor's entries, and tensors partitioned by the answers. */
#include "tiling/queries.h"
#include "tiling/formats_int.h"
#include "tiling/tiling_int.h"

/* The entries of a tensor in the order of their keys and counted numbers; positions of key changes. */
typedef struct {
    const tile_tensor *t;
    const tile_query *q;
    uint32_t width;       /* words of an entry in `words`: two for each key, two for the counted number */
    const uint32_t *perm; /* entries in order */
    uint32_t *words;
} asking;

static bool is_ordered(const tile_query *q) {
    return q->what == TILE_COUNT_DISTINCT;
}

/* Stores a number as two words with equal order. */
static void put_words(uint32_t *to, int64_t number) {
    const uint64_t bits = (uint64_t)number ^ (UINT64_C(1) << 63);
    to[0] = (uint32_t)(bits >> 32);
    to[1] = (uint32_t)bits;
}

/* Returns the number that the query counts at an entry. */
static int64_t number_at(const tile_tensor *t, const tile_query *q, uint32_t entry) {
    return q->of_values ? t->val[entry] : tile_map_coordinate(&q->of, t->crd + (size_t)entry * t->order);
}

static asking begin(const tile_tensor *t, const tile_query *q, arena *mem) {
    static const uint8_t column[2 * SAM_MAX_ORDER + 2] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                                          13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25};
    const uint32_t n = (uint32_t)t->nnz;
    asking a = {.t = t, .q = q, .width = 2 * (q->keys + is_ordered(q))};
    uint32_t *perm = arena_new_n(mem, uint32_t, n + 1);
    a.words = arena_new_n(mem, uint32_t, (size_t)n * a.width + 1);
    for (uint32_t e = 0; e < n; e++) {
        uint32_t *to = a.words + (size_t)e * a.width;
        for (uint32_t k = 0; k < q->keys; k++)
            put_words(to + (size_t)2 * k, tile_map_coordinate(&q->key[k], t->crd + (size_t)e * t->order));
        if (is_ordered(q))
            put_words(to + (size_t)2 * q->keys, number_at(t, q, e));
    }
    tile_sort(a.words, a.width, n, (clist_by){column, a.width}, perm, mem);
    a.perm = perm;
    return a;
}

/* Returns whether the first words of two entries, given by their places in the order, are the same. */
static bool same_words(const asking *a, uint32_t one, uint32_t other, uint32_t words) {
    return !words || memcmp(a->words + (size_t)a->perm[one] * a->width,
                            a->words + (size_t)a->perm[other] * a->width, sizeof *a->words * words) == 0;
}

/* Answers for the entries with the keys of the first one; *end is the end of these entries. */
static int64_t answer(const asking *a, uint32_t first, uint32_t *end) {
    const uint32_t keys = 2 * a->q->keys;
    int64_t value =
        a->q->what == TILE_MIN || a->q->what == TILE_MAX ? number_at(a->t, a->q, a->perm[first]) : 0;
    for (*end = first; *end < a->t->nnz && same_words(a, first, *end, keys); ++*end) {
        const int64_t here = a->q->what == TILE_COUNT ? 0 : number_at(a->t, a->q, a->perm[*end]);
        switch (a->q->what) {
        case TILE_COUNT:
            value++;
            break;
        case TILE_COUNT_DISTINCT:
            value += *end == first || !same_words(a, *end - 1, *end, a->width);
            break;
        case TILE_MIN:
            value = here < value ? here : value;
            break;
        case TILE_MAX:
            value = here > value ? here : value;
            break;
        case TILE_AGGREGATES:
            BUG("no aggregate");
        }
    }
    return value;
}

void tile_ask(const tile_tensor *t, const tile_query *q, arena *mem, tile_answers *out) {
    arena scratch = {0};
    const asking a = begin(t, q, &scratch);
    VEC(int64_t) key = {0}, value = {0};
    for (uint32_t e = 0, end; e < t->nnz; e = end) {
        vec_push(mem, &value, answer(&a, e, &end));
        for (uint32_t k = 0; k < q->keys; k++)
            vec_push(mem, &key, tile_map_coordinate(&q->key[k], t->crd + (size_t)a.perm[e] * t->order));
    }
    *out = (tile_answers){value.len, key.at, value.at};
    arena_free(&scratch);
}

void tile_ask_entries(const tile_tensor *t, const tile_query *q, arena *mem, int64_t *value) {
    const asking a = begin(t, q, mem);
    for (uint32_t e = 0, end; e < t->nnz; e = end) {
        const int64_t all = answer(&a, e, &end);
        for (uint32_t i = e; i < end; i++)
            value[a.perm[i]] = all;
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

static bool is_taken(const tile_format_part *part, int64_t value) {
    const int64_t bound = part->bound;
    return part->compare == TILE_AT_LEAST  ? value >= bound
           : part->compare == TILE_ABOVE   ? value > bound
           : part->compare == TILE_AT_MOST ? value <= bound
                                           : value < bound;
}

/* Filters the entries of `from` by the answers of the part. */
static void keep_entries(const tile_tensor *from, const bool *taken, bool want, arena *mem,
                         tile_tensor *out) {
    uint32_t *crd = arena_new_n(mem, uint32_t, from->nnz * from->order + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, from->nnz + 1);
    const double *all = tile_wide(from);
    double *wide = all ? arena_new_n(mem, double, from->nnz + 1) : NULL;
    uint64_t n = 0;
    for (uint64_t e = 0; e < from->nnz; e++) {
        if (taken[e] != want)
            continue;
        memcpy(crd + n * from->order, from->crd + e * from->order, sizeof *crd * from->order);
        if (wide)
            wide[n] = all[e];
        val[n++] = from->val[e];
    }
    out->crd = crd;
    out->val = val;
    out->nnz = n;
    out->wide = wide;
    out->wide_as = val;
}

void tile_take_part(const tile_format_part *part, arena *mem, tile_tensor *rest, tile_tensor *out) {
    const tile_tensor all = *rest;
    *out = all;
    if (!part->query) {
        rest->nnz = 0;
        return;
    }
    int64_t *value = arena_new_n(mem, int64_t, all.nnz + 1);
    bool *taken = arena_new_n(mem, bool, all.nnz + 1);
    tile_ask_entries(&all, part->query, mem, value);
    for (uint64_t e = 0; e < all.nnz; e++)
        taken[e] = is_taken(part, value[e]);
    keep_entries(&all, taken, true, mem, out);
    keep_entries(&all, taken, false, mem, rest);
}
