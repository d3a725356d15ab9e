/* relation.c - variables, orders and common coordinates of relations. */
#include "tiling/relation.h"

int relation_column(const relation *r, uint32_t var) {
    for (uint32_t i = 0; i < r->vars; i++) {
        if (r->var[i] == var)
            return (int)i;
    }
    return -1;
}

void relation_unite_vars(const relation *a, const relation *b, relation *out) {
    uint32_t i = 0, j = 0;
    while (i < a->vars || j < b->vars) {
        uint32_t next;
        if (j == b->vars || (i < a->vars && a->var[i] <= b->var[j])) {
            next = a->var[i];
            j += j < b->vars && b->var[j] == next;
            i++;
        } else {
            next = b->var[j++];
        }
        BUG_IF(out->vars == RELATION_MAX_VARS, "more than %d index variables", RELATION_MAX_VARS);
        out->var[out->vars++] = next;
    }
}

const uint32_t *relation_sorted(arena *mem, const relation *r, const relation *by) {
    uint8_t key[RELATION_MAX_VARS];
    uint32_t keys = 0;
    for (uint32_t i = 0; i < by->vars; i++) {
        int column = relation_column(r, by->var[i]);
        if (column >= 0)
            key[keys++] = (uint8_t)column;
    }
    uint32_t *order = arena_new_n(mem, uint32_t, r->val.len + 1);
    tile_sort(r->crd.at, r->vars, r->val.len, (clist_by){key, keys}, order, mem);
    return order;
}

relation_sides relation_sides_of(const relation *by, const relation *a, const relation *b) {
    relation_sides s = {.a = a, .b = b};
    for (uint32_t i = 0; i < by->vars; i++) {
        const int of_a = relation_column(a, by->var[i]), of_b = relation_column(b, by->var[i]);
        if (of_a < 0 || of_b < 0)
            continue;
        s.of_a[s.n] = (uint32_t)of_a;
        s.of_b[s.n++] = (uint32_t)of_b;
    }
    return s;
}

int relation_compare(const relation_sides *s, uint32_t pa, uint32_t pb) {
    const uint32_t *a = relation_point(s->a, pa), *b = relation_point(s->b, pb);
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t ca = a[s->of_a[i]], cb = b[s->of_b[i]];
        if (ca != cb)
            return ca < cb ? -1 : 1;
    }
    return 0;
}

/* A table of b by its only variable in common with a, `n` long, in place of an order of a. */
static void meet_by_table(arena *mem, const relation_sides *s, const uint32_t *ob, uint32_t n,
                          relation_span *met) {
    relation_span *of = arena_new_n(mem, relation_span, n);
    for (uint32_t j = 0; j < s->b->val.len; j++) {
        relation_span *at = &of[relation_point(s->b, ob[j])[s->of_b[0]]];
        at->first = at->end ? at->first : j;
        at->end = j + 1;
    }
    for (uint32_t i = 0; i < s->a->val.len; i++)
        met[i] = of[relation_point(s->a, i)[s->of_a[0]]];
}

/* Merges a in its order by the common variables with b. */
static void meet_by_order(const relation_sides *s, const uint32_t *oa, const uint32_t *ob,
                          relation_span *met) {
    const uint32_t na = s->a->val.len, nb = s->b->val.len;
    uint32_t i = 0, j = 0;
    while (i < na && j < nb) {
        const int order = relation_compare(s, oa[i], ob[j]);
        uint32_t end = j;
        while (!order && end < nb && relation_compare(s, oa[i], ob[end]) == 0)
            end++;
        for (; !order && i < na && relation_compare(s, oa[i], ob[j]) == 0; i++)
            met[oa[i]] = (relation_span){j, end};
        i += order < 0;
        j = order > 0 ? j + 1 : order ? j : end;
    }
}

const relation_span *relation_meet(arena *mem, const relation *a, const relation *b, const uint32_t *ob,
                                   const uint32_t *extent) {
    const relation_sides s = relation_sides_of(a, a, b);
    relation_span *met = arena_new_n(mem, relation_span, (size_t)a->val.len + 1);
    const uint32_t n = s.n == 1 ? extent[a->var[s.of_a[0]] - 1] : 0;
    if (n && n / 4 <= a->val.len)
        meet_by_table(mem, &s, ob, n, met);
    else
        meet_by_order(&s, relation_sorted(mem, a, b), ob, met);
    return met;
}
