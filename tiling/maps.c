/* maps.c - index maps, both ways: stored coordinates of indices, and indices of stored coordinates. */
#include "tiling/formats_int.h"

/* Coordinates of one level, and of a tensor, stay below these. */
#define FAR (INT64_C(1) << 31)

/* Returns how many values a term's digit of the index has. */
static uint64_t digit_extent(const tile_map_term *t, uint32_t dim) {
    uint64_t n = (uint64_t)dim / t->divide + (dim % t->divide != 0);
    return t->modulo && t->modulo < n ? t->modulo : n;
}

bool tile_map_extents(const tile_format *f, const uint32_t *dim, int64_t *low, uint64_t *size) {
    for (uint32_t l = 0; l < f->levels; l++) {
        const tile_format_level *level = &f->level[l];
        int64_t least = level->sum.constant, most = level->sum.constant;
        for (uint32_t t = 0; t < level->sum.terms; t++) {
            uint64_t n = digit_extent(&level->sum.term[t], dim[level->sum.term[t].index]);
            int64_t far = n ? (int64_t)(n - 1) * level->sum.term[t].factor : 0;
            *(far < 0 ? &least : &most) += far;
            if (most - least >= FAR)
                return false;
        }
        if (least < -FAR || most >= FAR)
            return false;
        low[l] = level->how == TILE_MAP_DIRECT ? least : 0;
        size[l] =
            level->how == TILE_MAP_DIRECT ? (uint64_t)(most - least) + 1 : level->banks; /* the data say */
        /* A tensor without coordinates has no dense levels either. */
        for (uint32_t t = 0; t < level->sum.terms && level->how == TILE_MAP_DIRECT; t++)
            size[l] = dim[level->sum.term[t].index] ? size[l] : 0;
    }
    return true;
}

int64_t tile_map_coordinate(const tile_map_sum *sum, const uint32_t *crd) {
    int64_t at = sum->constant;
    for (uint32_t t = 0; t < sum->terms; t++) {
        const tile_map_term *term = &sum->term[t];
        uint32_t digit = crd[term->index] / term->divide;
        at += (int64_t)term->factor * (term->modulo ? digit % term->modulo : digit);
    }
    return at;
}

/* ---- the way back ---------------------------------------------------------------------------- */

enum { DIGITS_MOST = TILE_FORMAT_LEVELS * TILE_MAP_TERMS };

/* Known values of the indices: of the digits that occur in terms. */
typedef struct {
    tile_map_term digit[DIGITS_MOST];
    int64_t value[DIGITS_MOST];
    uint32_t n;
} knowledge;

/* Finds index modulo `below` (0: the index) from known digits. */
static bool known_index(const knowledge *k, uint32_t index, uint64_t below, int64_t *out) {
    for (uint32_t p = 0; p < k->n; p++) {
        const tile_map_term *digit = &k->digit[p];
        /* Modulo 1 says nothing. */
        bool says = digit->divide == 1 || digit->modulo != 1;
        if (digit->index != index || !says || (uint64_t)digit->divide * digit->modulo != below)
            continue;
        if (digit->divide == 1) {
            *out = k->value[p];
            return true;
        }
        if (known_index(k, index, digit->divide, out)) {
            *out += k->value[p] * digit->divide;
            return true;
        }
    }
    return false;
}

static bool known_digit(const knowledge *k, const tile_map_term *t, int64_t *out) {
    for (uint32_t p = 0; p < k->n; p++) {
        const tile_map_term *digit = &k->digit[p];
        if (digit->index == t->index && digit->divide == t->divide && digit->modulo == t->modulo) {
            *out = k->value[p];
            return true;
        }
    }
    if (!known_index(k, t->index, 0, out) || *out < 0)
        return false;
    *out /= t->divide;
    *out = t->modulo ? *out % t->modulo : *out;
    return true;
}

/* Derives the only unknown digit of a level's sum. Returns false with none or several, or without an integer
 * solution. */
static bool learn(knowledge *k, const tile_format_level *level, int64_t at) {
    const tile_map_term *unknown = NULL;
    int64_t rest = at - level->sum.constant, value;
    for (uint32_t t = 0; t < level->sum.terms; t++) {
        if (known_digit(k, &level->sum.term[t], &value))
            rest -= value * level->sum.term[t].factor;
        else if (unknown)
            return false;
        else
            unknown = &level->sum.term[t];
    }
    if (!unknown || !unknown->factor || k->n == DIGITS_MOST)
        return false;
    k->digit[k->n] = *unknown;
    k->value[k->n++] = rest / unknown->factor;
    return true;
}

/* Returns whether the entry's keys, and hence the answer of the query, are known. */
static bool known_keys(const knowledge *k, const tile_query *q) {
    int64_t value;
    for (uint32_t i = 0; i < q->keys; i++) {
        for (uint32_t t = 0; t < q->key[i].terms; t++) {
            if (!known_digit(k, &q->key[i].term[t], &value))
                return false;
        }
    }
    return true;
}

/* Whose answers of queries count as known: wherever their keys are; nobody's; or stored ones. */
typedef enum { ALL_ANSWERS, NO_ANSWERS, STORED_ANSWERS } answers;

static bool level_says(const knowledge *k, const tile_format *f, uint32_t l, answers known) {
    const tile_format_level *level = &f->level[l];
    if (level->how == TILE_MAP_QUERY)
        return (known == ALL_ANSWERS || (known == STORED_ANSWERS && tile_has_answers(f, l))) &&
               known_keys(k, level->query);
    return level->how == TILE_MAP_DIRECT && level->kind != TILE_KIND_OFFSET;
}

/* Derives all that the levels determine; at == NULL: only whether possible. */
static void learn_all(const tile_format *f, const int64_t *at, answers known, knowledge *k) {
    for (bool more = true; more;) {
        more = false;
        for (uint32_t l = 0; l < f->levels; l++) {
            bool says = level_says(k, f, l, known);
            more = (says && learn(k, &f->level[l], at ? at[l] : f->level[l].sum.constant)) || more;
        }
    }
}

/* Returns whether some index follows from none of the levels. */
static bool leaves_index(const tile_format *f, answers known) {
    knowledge k = {.n = 0};
    int64_t value;
    bool leaves = false;
    learn_all(f, NULL, known, &k);
    for (uint32_t i = 0; i < f->order; i++)
        leaves = leaves || !known_index(&k, i, 0, &value);
    return leaves;
}

bool tile_has_answers(const tile_format *f, uint32_t l) {
    const tile_format_level *level = &f->level[l];
    tile_format outer = *f;
    knowledge k = {.n = 0};
    if (level->how != TILE_MAP_QUERY ||
        (level->kind != TILE_KIND_RAGGED && level->kind != TILE_KIND_BAND && level->kind != TILE_KIND_DENSE &&
         level->kind != TILE_KIND_COMPRESSED) ||
        !leaves_index(f, NO_ANSWERS))
        return false;
    outer.levels = l;
    learn_all(&outer, NULL, NO_ANSWERS, &k);
    return known_keys(&k, level->query);
}

const char *tile_index_lost(const tile_format *f) {
    knowledge k = {.n = 0};
    int64_t value;
    learn_all(f, NULL, ALL_ANSWERS, &k);
    for (uint32_t i = 0; i < f->order; i++) {
        if (!known_index(&k, i, 0, &value))
            return f->index[i];
    }
    return NULL;
}

bool tile_is_indirect(const tile_format *f) {
    bool indirect = !f->parts && leaves_index(f, STORED_ANSWERS);
    for (uint32_t p = 0; p < f->parts; p++)
        indirect = indirect || tile_is_indirect(f->part[p].format);
    return indirect;
}

bool tile_map_invert(const tile_format *f, const int64_t *at, uint32_t *crd) {
    knowledge k = {.n = 0};
    int64_t value;
    learn_all(f, at, STORED_ANSWERS, &k);
    for (uint32_t i = 0; i < f->order; i++) {
        if (!known_index(&k, i, 0, &value) || value < 0 || value >= FAR)
            return false;
        crd[i] = (uint32_t)value;
    }
    for (uint32_t l = 0; l < f->levels; l++) {
        const bool says = f->level[l].how == TILE_MAP_DIRECT && f->level[l].kind != TILE_KIND_OFFSET;
        if ((says || tile_has_answers(f, l)) && tile_map_coordinate(&f->level[l].sum, crd) != at[l])
            return false;
    }
    return true;
}
