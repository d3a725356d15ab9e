/* Compares a program's stored words with its files' expected words: word by word, and as tensors on a
 * difference, to distinguish explicit zeros from wrong values. */
#include "exchange/exchange_int.h"

#include <stdlib.h>

enum { LEVELS_MOST = 8 };

typedef struct {
    const uint16_t *seg, *crd;
    uint32_t n_seg, n_crd;
} level;
typedef struct {
    level level[LEVELS_MOST];
    uint32_t levels, n_val;
    const uint16_t *val;
} tensor;
/* Entries in the order of the levels: `levels` coordinates each. */
typedef struct {
    u16_vec crd, val;
} entries;

uint32_t exchange_words_of_run(const uint16_t *words, uint32_t n, uint32_t at, uint32_t blocks) {
    uint32_t end = at;
    for (uint32_t b = 0; b < blocks; b++) {
        if (end >= n || words[end] >= n - end)
            return 0;
        end += 1 + words[end];
    }
    return end - at;
}

/* ---- tensors ----------------------------------------------------------------------------------- */

/* Returns which level of its tensor a stream is: levels count from 0, values are LEVELS_MOST; anything else
 * where its name does not say. `tensor` gets the name in front, whose end is not marked. */
static uint32_t level_of(const exchange_stream *s, const char **name, size_t *length) {
    const char *mode = strstr(s->name, "_mode_");
    *name = s->name;
    *length = mode ? (size_t)(mode - s->name) : 0;
    if (!mode)
        return LEVELS_MOST + 1;
    mode += strlen("_mode_");
    if (strncmp(mode, "vals", 4) == 0)
        return LEVELS_MOST;
    return *mode >= '0' && *mode < '0' + LEVELS_MOST ? (uint32_t)(*mode - '0') : LEVELS_MOST + 1;
}

/* The words of a stream in a run, from *at on; *at moves after them. */
static const uint16_t *next_run(const u16_vec *words, uint32_t blocks, uint32_t *at) {
    const uint32_t n = exchange_words_of_run(words->at, words->len, *at, blocks);
    const uint16_t *from = words->at + *at;
    *at += n;
    return n ? from : NULL;
}

static void put_level(tensor *t, uint32_t l, const uint16_t *words) {
    if (l == LEVELS_MOST) {
        t->n_val = words[0];
        t->val = words + 1;
        return;
    }
    level *one = &t->level[l];
    one->n_seg = words[0];
    one->seg = words + 1;
    one->n_crd = words[1 + one->n_seg];
    one->crd = words + 2 + one->n_seg;
    t->levels = l + 1 > t->levels ? l + 1 : t->levels;
}

/* Lists the entries below position `at` of level l; false where segments or values do not fit. */
static bool list_entries(const tensor *t, uint32_t l, uint32_t at, uint16_t *path, entries *out, arena *mem) {
    if (l == t->levels) {
        if (at >= t->n_val)
            return false;
        for (uint32_t i = 0; i < l; i++)
            vec_push(mem, &out->crd, path[i]);
        vec_push(mem, &out->val, t->val[at]);
        return true;
    }
    const level *one = &t->level[l];
    if (at + 1 >= one->n_seg || one->seg[at + 1] > one->n_crd)
        return false;
    bool ok = true;
    for (uint32_t c = one->seg[at]; c < one->seg[at + 1] && ok; c++) {
        path[l] = one->crd[c];
        ok = list_entries(t, l + 1, c, path, out, mem);
    }
    return ok;
}

/* Returns whether all fibers of a level are disjoint: the number of entries is at most that of words. */
static bool is_in_order(const level *one) {
    bool in_order = one->n_seg > 0;
    for (uint32_t i = 0; i + 1 < one->n_seg; i++)
        in_order = in_order && one->seg[i] <= one->seg[i + 1];
    return in_order;
}

static bool levels_in_order(const tensor *t) {
    bool in_order = true;
    for (uint32_t l = 0; l < t->levels; l++)
        in_order = in_order && is_in_order(&t->level[l]);
    return in_order;
}

/* Returns <0, 0 or >0 as entry i of a comes before, is at, or comes behind entry k of b; what is at the end
 * comes behind all. */
static int order_of(const entries *a, uint32_t i, const entries *b, uint32_t k, uint32_t levels) {
    if (i == a->val.len || k == b->val.len)
        return (i == a->val.len) - (k == b->val.len);
    for (uint32_t l = 0; l < levels; l++) {
        const int by = (int)a->crd.at[i * levels + l] - (int)b->crd.at[k * levels + l];
        if (by)
            return by;
    }
    return 0;
}

/* Returns whether the tensors differ only in explicit zeros absent from `want`, and counts these. */
static bool but_for_zeros(const tensor *have, const tensor *want, arena *mem, uint32_t *zeros) {
    entries h = {0}, w = {0};
    uint16_t path[LEVELS_MOST];
    if (have->levels != want->levels || !levels_in_order(have) || !levels_in_order(want) ||
        !list_entries(have, 0, 0, path, &h, mem) || !list_entries(want, 0, 0, path, &w, mem))
        return false;
    uint32_t i = 0, k = 0;
    while (i < h.val.len || k < w.val.len) {
        const int by = order_of(&h, i, &w, k, have->levels);
        if (by > 0 || (by < 0 && h.val.at[i]) || (by == 0 && h.val.at[i] != w.val.at[k]))
            return false;
        *zeros += by < 0;
        i++;
        k += by == 0;
    }
    return true;
}

/* ---- outputs ----------------------------------------------------------------------------------- */

static bool is_same(const u16_vec *a, const u16_vec *b) {
    return a->len == b->len && (!a->len || memcmp(a->at, b->at, sizeof *a->at * a->len) == 0);
}

/* The streams of one tensor. */
typedef struct {
    uint32_t stream[LEVELS_MOST + 1], level[LEVELS_MOST + 1], n;
} group;

static bool find_group(const exchange_program *p, uint32_t output, group *g) {
    const char *name, *other;
    size_t length, n;
    *g = (group){0};
    bool ok = level_of(&p->outputs.at[output], &name, &length) <= LEVELS_MOST;
    for (uint32_t o = 0; o < p->outputs.len && ok; o++) {
        const uint32_t l = level_of(&p->outputs.at[o], &other, &n);
        if (l > LEVELS_MOST || n != length || strncmp(name, other, n) != 0)
            continue;
        ok = p->outputs.at[o].known && g->n <= LEVELS_MOST &&
             p->outputs.at[o].blocks == (l == LEVELS_MOST ? 1u : 2u);
        if (ok) {
            g->stream[g->n] = o;
            g->level[g->n++] = l;
        }
    }
    return ok;
}

static bool next_tensor(const exchange_program *p, const exchange_stored *stored, const group *g,
                        uint32_t *at, bool expected, tensor *t) {
    *t = (tensor){0};
    for (uint32_t i = 0; i < g->n; i++) {
        const exchange_stream *s = &p->outputs.at[g->stream[i]];
        const uint16_t *words =
            next_run(expected ? &s->words : &stored[g->stream[i]].words, s->blocks, &at[i]);
        if (!words)
            return false;
        put_level(t, g->level[i], words);
    }
    return t->val && t->levels + 1 == g->n;
}

static bool group_but_for_zeros(const exchange_program *p, const exchange_stored *stored, const group *g,
                                arena *mem, uint32_t *zeros) {
    uint32_t have_at[LEVELS_MOST + 1] = {0}, want_at[LEVELS_MOST + 1] = {0};
    const uint32_t first = g->stream[0];
    bool ok = true;
    *zeros = 0;
    while (ok && have_at[0] < stored[first].words.len) {
        tensor have, want;
        ok = next_tensor(p, stored, g, have_at, false, &have) &&
             next_tensor(p, stored, g, want_at, true, &want) && but_for_zeros(&have, &want, mem, zeros);
    }
    return ok && want_at[0] == p->outputs.at[first].words.len;
}

void exchange_compare(const exchange_program *p, arena *mem, exchange_stored *stored) {
    for (uint32_t o = 0; o < p->outputs.len; o++) {
        const exchange_stream *s = &p->outputs.at[o];
        stored[o].verdict = !s->known                              ? EXCHANGE_NOT_COMPARED
                            : is_same(&stored[o].words, &s->words) ? EXCHANGE_SAME
                                                                   : EXCHANGE_DIFFERS;
    }
    for (uint32_t o = 0; o < p->outputs.len; o++) {
        group g;
        uint32_t zeros;
        if (stored[o].verdict == EXCHANGE_DIFFERS && find_group(p, o, &g) &&
            group_but_for_zeros(p, stored, &g, mem, &zeros)) {
            stored[o].verdict = EXCHANGE_ZEROS;
            stored[o].zeros = zeros;
        }
    }
}

const char *exchange_verdict_text(const exchange_stored *s) {
    static const char *const text[] = {"none", "pass", "zeros", "fail"};
    return text[s->verdict];
}
