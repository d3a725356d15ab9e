#include "support/clist.h"

/* Entries without coordinates may have no array, and no offset is added. */
static const uint32_t *entry(const clist *l, uint32_t e) {
    return l->width ? l->crd + (size_t)e * l->width : l->crd;
}

bool clist_insert(clist *l, const uint32_t *at, uint16_t value) {
    if (l->n == l->room)
        return false;
    for (uint32_t k = 0; k < l->width; k++)
        l->crd[(size_t)l->n * l->width + k] = at[k];
    l->val[l->n++] = value;
    return true;
}

/* Returns -1, 0 or 1: a comes before b, has the same keys, or comes after b. */
static int compare(const uint32_t *a, const uint32_t *b, clist_by by) {
    for (uint32_t k = 0; k < by.keys; k++) {
        const uint32_t x = a[by.key[k]], y = b[by.key[k]];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static bool is_sorted(const clist *l, clist_by by) {
    bool sorted = true;
    for (uint32_t e = 1; e < l->n && sorted; e++)
        sorted = compare(entry(l, e - 1), entry(l, e), by) <= 0;
    return sorted;
}

/* Sorts by digit `shift` of a column, in a stable counting pass. */
static void sort_pass(const clist *l, uint32_t column, uint32_t shift, const uint32_t *from, uint32_t *to,
                      uint32_t *start) {
    for (uint32_t b = 0; b <= CLIST_DIGITS; b++)
        start[b] = 0;
    for (uint32_t i = 0; i < l->n; i++)
        start[((entry(l, from[i])[column] >> shift) & 0xffu) + 1]++;
    for (uint32_t b = 0; b < CLIST_DIGITS; b++)
        start[b + 1] += start[b];
    for (uint32_t i = 0; i < l->n; i++)
        to[start[(entry(l, from[i])[column] >> shift) & 0xffu]++] = from[i];
}

void clist_sort(const clist *l, clist_by by, uint32_t *order, uint32_t *other, uint32_t *start) {
    uint32_t *from = order, *to = other;
    for (uint32_t i = 0; i < l->n; i++)
        order[i] = i;
    if (is_sorted(l, by))
        return;
    for (uint32_t k = by.keys; k-- > 0;) {
        uint32_t largest = 0, before = 0;
        bool sorted = true; /* by this key: its passes are stable and would change nothing */
        for (uint32_t i = 0; i < l->n; i++) {
            const uint32_t now = entry(l, from[i])[by.key[k]];
            largest |= now;
            sorted = sorted && before <= now;
            before = now;
        }
        for (uint32_t shift = 0; !sorted && shift < 32 && largest >> shift; shift += 8) {
            sort_pass(l, by.key[k], shift, from, to, start);
            uint32_t *swap = from;
            from = to;
            to = swap;
        }
    }
    for (uint32_t i = 0; from != order && i < l->n; i++)
        order[i] = from[i];
}

/* Adds an entry with coordinates after the last entry's, or equal to them. */
static void append(clist *out, const uint32_t *at, uint16_t value, clist_by by, clist_combine *combine) {
    if (out->n && compare(entry(out, out->n - 1), at, by) == 0)
        out->val[out->n - 1] = combine(out->val[out->n - 1], value);
    else
        clist_insert(out, at, value);
}

void clist_merge(const clist *all, const clist *more, clist_by by, const uint32_t *order,
                 clist_combine *combine, clist *out) {
    uint32_t i = 0;
    out->n = 0;
    for (uint32_t k = 0; k < more->n; k++) {
        const uint32_t *at = entry(more, order[k]);
        for (; i < all->n && compare(entry(all, i), at, by) <= 0; i++)
            append(out, entry(all, i), all->val[i], by, combine);
        append(out, at, more->val[order[k]], by, combine);
    }
    for (; i < all->n; i++)
        append(out, entry(all, i), all->val[i], by, combine);
}

void clist_compress(clist_descent *at, uint32_t column, uint32_t *seg, uint32_t *crd) {
    uint32_t nodes = 0, last_parent = 0, *position = at->position;
    for (uint32_t i = 0; i < at->list->n; i++) {
        const uint32_t c = entry(at->list, at->order[i])[column];
        if (!nodes || position[i] != last_parent || crd[nodes - 1] != c) {
            crd[nodes++] = c;
            seg[position[i] + 1]++;
        }
        last_parent = position[i];
        position[i] = nodes - 1;
    }
    for (uint32_t p = 0; p < at->nodes; p++)
        seg[p + 1] += seg[p];
    at->nodes = nodes;
}
